"""Challenges and questions asked back, as strong models write them, judged with what a strong verifier says of them."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime

import pytest

from grounding_rows import row, says
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
    Stance,
)
from voice.core.grounding.verifier_values import ClaimOpinion, ClaimVerdict, DecidingWords, VerificationReply

pytestmark = pytest.mark.requirement("ruling:J5")


def _at(year: int, month: int, day: int) -> datetime:
    return datetime(year, month, day, 10, tzinfo=UTC)


STUDIO = row(
    "S1", "I want to give up the studio in Lund at the end of the year; the rent eats me up.", at=_at(2025, 2, 3)
)
STAYS = row("S2", "Signed the studio lease in Lund for two more years today.", at=_at(2025, 9, 18))
HAPPY = row("S3", "Some of my best days this autumn were alone in the studio, with the heater on.", at=_at(2025, 11, 2))
VERA = row("S4", "If you ask me, the studio is too cold to work in.", speaker="Vera", at=_at(2025, 11, 9))
RUN = row("S5", "I ran 8 km along the canal before breakfast.", at=_at(2025, 10, 4))
KNEE = row("S6", "The doctor says I should not run until the knee has healed.", at=_at(2025, 10, 20))
SALARY = row("S7", "My salary at Norden is 41,000 kronor.", at=_at(2024, 5, 1), replaced_by="o:s8")
RAISE = row("S8", "Since January I earn 43,500 kronor at Norden.", at=_at(2025, 1, 31))
ROWS = (STUDIO, STAYS, HAPPY, VERA, RUN, KNEE, SALARY, RAISE)
NOW = _at(2025, 12, 1)


@dataclass(frozen=True)
class Written:
    """A draft to one question, with what a strong verifier makes of each sentence that is not quoted."""

    asked: str
    sentences: tuple[DraftSentence, ...]
    verdicts: tuple[ClaimVerdict, ...] = ()
    """In order; without any all are supported."""


def _judged(written: Written, stance: Stance, *, answers: bool = True) -> GroundedResponse:
    draft = Draft(sentences=written.sentences)
    proof = prove(draft, ROWS, ProofContext(question=written.asked, now=NOW))
    wanted = verification_request(proof, question=written.asked, today=NOW.date())
    rows = {one.alias: one for one in ROWS}
    opinions = [
        ClaimOpinion(
            number=claim.number,
            verdict=written.verdicts[claim.number - 1] if written.verdicts else "supported",
            words=_words(claim.cited, rows, len(claim.doubts)),
        )
        for claim in (wanted.claims if wanted else ())
    ]
    reply = VerificationReply(opinions=tuple(opinions), answers_question=answers)
    return judge(proof, GroundingPolicy(), stance=stance, reply=reply, verifier="strong-1")


def _words(cited: tuple[str, ...], rows: dict[str, Evidence], doubts: int) -> tuple[DecidingWords, ...]:
    """Return the cited rows as deciding words that settle every doubt, as a verifier does that is right about them."""
    decide = tuple(DecidingWords(alias=alias, words=rows[alias].text) for alias in cited)
    settle = (replace(one, doubt=doubt) for one in decide for doubt in range(1, doubts + 1))
    return (*decide, *settle)


def _from(text: str, *rows: Evidence, kind: str = "claim") -> DraftSentence:
    return says(text, *((one.alias, one.text) for one in rows), kind=kind)  # pyright: ignore[reportArgumentType]


CHALLENGES = {
    "both sides with their days": Written(
        "I am going to give up the studio.",
        (
            _from("You did write in February 2025 that you wanted out because of the rent.", STUDIO),
            _from("But on 18 September you signed the lease for another two years.", STAYS),
        ),
    ),
    "a lead-in and two points": Written(
        "The studio makes me unhappy.",
        (
            _from("Two things speak against that.", kind="remark"),
            _from("In November you counted days alone there among your best of the autumn.", HAPPY),
            _from("And in September you tied yourself to it for two more years.", STAYS),
        ),
        ("no_claim", "supported", "supported"),
    ),
    "somebody else's word against one's own": Written(
        "Everybody likes the studio.",
        (
            _from("Vera does not: on 9 November 2025 she called it too cold to work in.", VERA),
            _from("You yourself loved being there that same month.", HAPPY),
        ),
    ),
    "what has changed since": Written(
        "I earn 41,000 kronor at Norden.",
        (
            _from("That was so in May 2024.", SALARY),
            _from("Since January 2025 it has been 43,500, that is 2,500 more.", SALARY, RAISE),
        ),
    ),
    "what it overlooks": Written(
        "I can go back to running before breakfast.",
        (
            _from("Not yet, by what your doctor told you on 20 October 2025.", KNEE),
            _from("Your 8 km along the canal on the 4th were before that.", RUN, KNEE),
        ),
    ),
    "one short sentence from two notes": Written(
        "I never wanted to leave Lund.",
        (_from("You did, in February 2025, over the rent, and then renewed in September.", STUDIO, STAYS),),
    ),
}


QUESTIONS = {
    "what is held, and a question": Written(
        "Should I keep the studio?",
        (
            _from(
                "In February the rent was eating you up; by September you had signed on for two more years.",
                STUDIO,
                STAYS,
            ),
            _from("What had changed in between?", STUDIO, STAYS, kind="question"),
        ),
        ("supported", "no_claim"),
    ),
    "a question alone that presupposes two notes": Written(
        "Do I like the studio?",
        (_from("What makes a room that Vera finds too cold one of your best places?", VERA, HAPPY, kind="question"),),
    ),
    "a question that takes nothing for granted beside one that does": Written(
        "How is my training?",
        (
            _from("Has the knee that kept you from your 8 km healed?", RUN, KNEE, kind="question"),
            _from("How would you notice?", kind="question"),
        ),
        ("supported", "no_claim"),
    ),
    "a quotation and a question": Written(
        "What about my knee?",
        (
            _from("The doctor says you should not run until the knee has healed.", KNEE),
            _from("Before that you ran 8 km along the canal before breakfast.", RUN),
            _from("Is it the distance you miss, or the mornings?", RUN, KNEE, kind="question"),
        ),
        ("supported", "no_claim"),
    ),
    "a number that follows from two": Written(
        "Am I paid fairly?",
        (
            _from("You earn 2,500 kronor more than in May 2024.", SALARY, RAISE),
            _from("Did the raise change how you feel about Norden?", RAISE, kind="question"),
        ),
    ),
    "in another language": Written(
        "Soll ich das Atelier behalten?",
        (
            _from("Im Februar wolltest du raus, im September hast du für zwei Jahre verlängert.", STUDIO, STAYS),
            _from("Was würde dir ohne diese Tage mit dem Heizofen fehlen?", HAPPY, kind="question"),
        ),
    ),
}


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
        _from("Why did you sell the studio in Lund?", STUDIO, STAYS, kind="question"),
        _from("What did Vera love about the studio?", VERA, HAPPY, kind="question"),
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
    held = _from("In February the rent was eating you up; by September you had signed for two years.", STUDIO, STAYS)
    asks = _from("Did Vera talk you into it?", STAYS, VERA, kind="question")
    response = _judged(Written("Should I keep it?", (held, asks), ("supported", "not_stated")), Stance.QUESTION)
    assert (response.reason, response.answer, [one.rung for one in response.cut]) == (None, held.text, ["unsupported"])


def test_a_question_that_takes_nothing_for_granted_is_no_answer_by_itself() -> None:
    alone = Written("How is my knee?", (_from("How does it feel?", KNEE, RUN, kind="question"),), ("no_claim",))
    assert _judged(alone, Stance.QUESTION).reason is RefusalReason.COVERAGE_LOW


@pytest.mark.parametrize("stance", [Stance.SYNTHESIZE, Stance.CHALLENGE])
def test_a_question_alone_is_an_answer_only_where_one_was_to_be_asked_back(stance: Stance) -> None:
    alone = QUESTIONS["a question alone that presupposes two notes"]
    assert _judged(alone, stance).reason is RefusalReason.COVERAGE_LOW


def test_a_false_point_of_a_challenge_is_left_out() -> None:
    said = CHALLENGES["both sides with their days"]
    false = _from("And Vera begged you to stay.", VERA)
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
