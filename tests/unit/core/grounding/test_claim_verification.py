"""Challenges and questions asked back, as strong models write them, judged with what a strong verifier says of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import pytest

from grounding_rows import row, says
from tables import tables, utc
from voice.core.grounding.claim_verification import verification_request
from voice.core.grounding.judge import judge
from voice.core.grounding.proof import ProofContext, prove
from voice.core.grounding.values import (
    Draft,
    DraftSentence,
    Evidence,
    GroundedResponse,
    GroundingPolicy,
    RefusalReason,
    SentenceKind,
    Stance,
)
from voice.core.grounding.verifier_values import ClaimOpinion, ClaimVerdict, DecidingWords, VerificationReply

TABLES = tables(__file__)
pytestmark = pytest.mark.requirement("ruling:J5")
NOTES: Final[Mapping[str, Evidence]] = {
    alias: row(alias, **(note | {"at": utc(note["at"])})) for alias, note in TABLES["notes"].items()
}
NOW = utc("2025-12-01")


@dataclass(frozen=True)
class Written:
    """A draft to one question, with what a strong verifier makes of each sentence that is not quoted."""

    asked: str
    sentences: tuple[DraftSentence, ...]
    verdicts: Sequence[ClaimVerdict] = ()
    """In order; without any all are supported."""


def _from(text: str, aliases: Sequence[str], kind: SentenceKind = "claim") -> DraftSentence:
    return says(text, *((alias, NOTES[alias].text) for alias in aliases), kind=kind)


def _written(drafts: Mapping[str, Any]) -> dict[str, Written]:
    return {
        name: Written(**(draft | {"sentences": tuple(_from(*each) for each in draft["sentences"])}))
        for name, draft in drafts.items()
    }


CHALLENGES, QUESTIONS = _written(TABLES["challenges"]), _written(TABLES["questions"])


def _judged(written: Written, stance: Stance, *, answers: bool = True) -> GroundedResponse:
    draft = Draft(sentences=written.sentences)
    proof = prove(draft, tuple(NOTES.values()), ProofContext(question=written.asked, now=NOW))
    wanted = verification_request(proof, question=written.asked, today=NOW.date())
    opinions = [
        ClaimOpinion(
            number=claim.number,
            verdict=written.verdicts[claim.number - 1] if written.verdicts else "supported",
            words=_words(claim.cited, len(claim.doubts)),
        )
        for claim in (wanted.claims if wanted else ())
    ]
    reply = VerificationReply(opinions=tuple(opinions), answers_question=answers)
    return judge(proof, GroundingPolicy(), stance=stance, reply=reply, verifier="strong-1")


def _words(cited: tuple[str, ...], doubts: int) -> tuple[DecidingWords, ...]:
    """Return the cited rows as deciding words that settle every doubt, as a verifier does that is right about them."""
    decide = tuple(DecidingWords(alias=alias, words=NOTES[alias].text) for alias in cited)
    settle = (replace(one, doubt=doubt) for one in decide for doubt in range(1, doubts + 1))
    return (*decide, *settle)


@pytest.mark.parametrize("case", CHALLENGES)
def test_a_challenge_that_shows_what_speaks_against_a_claim_passes(case: str) -> None:
    response = _judged(CHALLENGES[case], Stance.CHALLENGE)
    assert response.reason is None, response.notes
    assert response.cut == ()
    assert response.coverage_ratio == 1.0


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize("case", QUESTIONS)
def test_a_question_asked_back_passes_when_what_it_presupposes_is_proven(case: str) -> None:
    response = _judged(QUESTIONS[case], Stance.QUESTION)
    assert response.reason is None, response.notes
    assert response.cut == ()
    assert response.answer.endswith("?")


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    "asked_back",
    [
        _from("Why did you sell the studio in Lund?", ("S1", "S2"), "question"),
        _from("What did Vera love about the studio?", ("S4", "S3"), "question"),
    ],
)
@pytest.mark.parametrize("verdict", ["contradicted", "not_stated"])
def test_a_question_that_presupposes_what_is_not_so_is_refused(
    asked_back: DraftSentence, verdict: ClaimVerdict
) -> None:
    response = _judged(Written("Should I keep the studio?", (asked_back,), (verdict,)), Stance.QUESTION)
    wanted = RefusalReason.CONTRADICTION if verdict == "contradicted" else RefusalReason.COVERAGE_LOW
    assert response.reason is wanted


def test_a_false_question_behind_a_true_sentence_is_left_out() -> None:
    held = _from("In February the rent was eating you up; by September you had signed for two years.", ("S1", "S2"))
    asks = _from("Did Vera talk you into it?", ("S2", "S4"), "question")
    response = _judged(Written("Should I keep it?", (held, asks), ("supported", "not_stated")), Stance.QUESTION)
    assert (response.reason, response.answer, [one.rung for one in response.cut]) == (None, held.text, ["unsupported"])


def test_a_question_that_takes_nothing_for_granted_is_no_answer_by_itself() -> None:
    alone = Written("How is my knee?", (_from("How does it feel?", ("S6", "S5"), "question"),), ("no_claim",))
    assert _judged(alone, Stance.QUESTION).reason is RefusalReason.COVERAGE_LOW


@pytest.mark.parametrize("stance", [Stance.SYNTHESIZE, Stance.CHALLENGE])
def test_a_question_alone_is_an_answer_only_where_one_was_to_be_asked_back(stance: Stance) -> None:
    alone = QUESTIONS["a question alone that presupposes two notes"]
    assert _judged(alone, stance).reason is RefusalReason.COVERAGE_LOW


def test_a_false_point_of_a_challenge_is_left_out() -> None:
    said = CHALLENGES["both sides with their days"]
    false = _from("And Vera begged you to stay.", ("S4",))
    response = _judged(
        replace(said, sentences=(*said.sentences, false), verdicts=("supported", "supported", "contradicted")),
        Stance.CHALLENGE,
    )
    assert (response.reason, [one.rung for one in response.cut]) == (None, ["contradicted"])
    assert "Vera" not in response.answer


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize("stance", Stance)
def test_what_is_about_something_else_is_refused_with_the_passages_that_were_found(stance: Stance) -> None:
    drafts = QUESTIONS if stance is Stance.QUESTION else CHALLENGES
    written = drafts[
        "a question alone that presupposes two notes" if stance is Stance.QUESTION else "what it overlooks"
    ]
    response = _judged(replace(written, asked="Who repaired the roof?"), stance, answers=False)
    assert response.reason is RefusalReason.OFF_TOPIC
    assert {span.source_id for span in response.evidence_found} == {
        f"o:{source.source_id.lower()}" for sentence in written.sentences for source in sentence.sources
    }
    assert response.notes == ("the answer is not about your question; rephrase the question, or read the notes I found")
