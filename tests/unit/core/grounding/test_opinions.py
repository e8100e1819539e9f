"""What verifiers may change, and what they never may."""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grounding_rows import GOOD, MEMORY, QUESTION, draft, row
from voice.core.grounding.claims import Grounds, JudgedPart, judge_sentence
from voice.core.grounding.findings import Finding
from voice.core.grounding.judge import claims_to_verify, judge
from voice.core.grounding.opinions import Opinion, under_opinion, vote, weigh, with_verification
from voice.core.grounding.passages import all_passages
from voice.core.grounding.values import (
    Draft,
    Evidence,
    GroundedResponse,
    GroundingPolicy,
    RefusalReason,
    Stance,
)
from voice.core.grounding.verification import ClaimPair, Lapse, Scores, Thresholds, Verification, VerifierInfo
from voice.core.grounding.who import people_of

SURE = Scores(entailed=0.99, contradicted=0.0)
AGAINST = Scores(entailed=0.0, contradicted=0.99)
UNSURE = Scores(entailed=0.5, contradicted=0.1)
DOUBTFUL = Scores(entailed=0.01, contradicted=0.1)
LINES = Thresholds(support=0.9, doubt=0.1, contradiction=0.9)
OTHER_WORDS = "You took up residence in Stockholm in March 2021. Her apartment there sets you back 1,400 euros monthly."
CITED = (("S1", "I moved to Stockholm in March 2021"), ("S2", "The flat in Stockholm costs 1,400 euros a month."))
STRICT = GroundingPolicy(support_threshold=0.3, min_coverage=0.1, min_sources=1)


def asked(answer: Draft, memory: tuple[Evidence, ...] = MEMORY, policy: GroundingPolicy = STRICT) -> list[ClaimPair]:
    return list(claims_to_verify(answer, memory, policy, question=QUESTION, stance=Stance.SYNTHESIZE))


def judged(
    answer: Draft, opinions: Mapping[str, Opinion], policy: GroundingPolicy = STRICT, question: str = QUESTION
) -> GroundedResponse:
    return judge(answer, MEMORY, policy, question=question, opinions=opinions)


def verdicts(response: GroundedResponse) -> list[str]:
    return [sentence.verdict for sentence in response.sentences]


FOR = Opinion(effect="supported", by=("one",))
VETO = Opinion(effect="contradicted", by=("one",))
DOUBT = Opinion(effect="unsupported", by=("one",))


class TestWhatIsAsked:
    def test_a_claim_is_asked_with_the_sentences_that_hold_most_of_it_and_who_said_them(self) -> None:
        said = row("S1", "The kiln moved to the shed in May. It is warm there.", speaker="Ada")
        pairs = asked(draft("The kiln stood in a shed in May.", ("S1", "The kiln moved to the shed in May.")), (said,))
        assert [(pair.claim, pair.evidence) for pair in pairs] == [
            ("The kiln stood in a shed in May.", ("Ada: The kiln moved to the shed in May.",))
        ]
        assert pairs[0].lexical > 0

    def test_a_sentence_that_is_there_word_for_word_needs_no_opinion(self) -> None:
        assert asked(draft("Anna does not like the winters in Stockholm.", ("S3", MEMORY[2].text))) == []

    def test_a_sentence_said_twice_is_asked_once(self) -> None:
        once = asked(draft("Anna dislikes winters in that town.", ("S3", MEMORY[2].text)))
        twice = asked(draft("Anna dislikes winters in that town. Anna dislikes winters in that town.", CITED[0]))
        assert len(once) == len(twice) == 1

    @pytest.mark.parametrize(
        "hopeless",
        [
            draft(OTHER_WORDS, ("S1", "I moved to Oslo for good in March 2021")),
            draft(OTHER_WORDS, ("S9", "I moved to Stockholm in March 2021")),
            draft("You moved to Stockholm in March 2012.", *CITED),
            draft(OTHER_WORDS),
            draft(OTHER_WORDS, *CITED, refused=True),
            draft("…", *CITED),
        ],
        ids=["invented span", "unknown id", "hard veto", "nothing cited", "a refusal", "nothing said"],
    )
    def test_nothing_is_asked_about_a_draft_that_no_opinion_can_save(self, hopeless: Draft) -> None:
        assert asked(hopeless) == []

    def test_questions_and_remarks_are_not_asked(self) -> None:
        answer = draft(f"{GOOD} Would you like to know more about Stockholm?", *CITED)
        assert all("?" not in pair.claim for pair in asked(answer))


class TestWhatAnOpinionChanges:
    @pytest.mark.requirement("ruling:D1")
    def test_support_in_other_words_is_found_by_an_opinion_and_named(self) -> None:
        first = judged(draft(OTHER_WORDS, *CITED), {})
        claim = asked(draft(OTHER_WORDS, *CITED))[0].claim
        lifted = judged(draft(OTHER_WORDS, *CITED), {claim: FOR})
        assert verdicts(first)[0] == "unsupported"
        assert verdicts(lifted)[0] == "supported"
        assert lifted.sentences[0].flags == ("paraphrase",)
        assert lifted.sentences[0].reasons == ("the source says this in other words (one)",)
        assert {receipt.row_id for receipt in lifted.sentences[0].receipts} == {"o:s1"}
        assert lifted.coverage_ratio > first.coverage_ratio

    def test_a_doubt_takes_support_away(self) -> None:
        answer = draft("You moved to Stockholm in March 2021 together with Anna.", *CITED[:1])
        plain = judged(answer, {}, GroundingPolicy(min_sources=1))
        doubted = judged(answer, {answer.answer: DOUBT}, GroundingPolicy(min_sources=1))
        assert (plain.refused, doubted.refused) == (False, True)
        assert doubted.reason is RefusalReason.COVERAGE_LOW
        assert "the sources do not say this (one)" in (doubted.notes or "")

    def test_a_contradiction_refuses_whatever_the_coverage(self) -> None:
        answer = draft("You moved to Stockholm in March 2021 together with Anna.", *CITED[:1])
        response = judged(answer, {answer.answer: VETO}, GroundingPolicy(min_sources=1))
        assert response.reason is RefusalReason.CONTRADICTION
        assert "the sources say otherwise (one)" in (response.notes or "")

    def test_an_opinion_that_agrees_or_is_none_leaves_everything_as_it_was(self) -> None:
        answer = draft(GOOD, *CITED)
        plain = judged(answer, {}, GroundingPolicy())
        for opinion in (FOR, Opinion(effect=None)):
            every = {pair.claim: opinion for pair in asked(answer, policy=GroundingPolicy())}
            assert judged(answer, every, GroundingPolicy()) == plain


class TestWhatAnOpinionNeverChanges:
    @pytest.mark.requirement("ruling:D1", "ruling:D4", "grounding:opinions")
    @pytest.mark.parametrize(
        ("answer", "reason"),
        [
            (draft(GOOD, ("S1", "I moved to Oslo for good in March 2021"), CITED[1]), RefusalReason.INVALID_CITATION),
            (draft(GOOD, ("S9", CITED[0][1]), CITED[1]), RefusalReason.INVALID_CITATION),
            (draft("You moved to Stockholm in March 2012.", *CITED), RefusalReason.CONTRADICTION),
            (draft("The flat costs 4,100 euros a month.", *CITED), RefusalReason.CONTRADICTION),
            (draft(GOOD), RefusalReason.NO_SOURCES),
        ],
        ids=["invented span", "unknown id", "another year", "another number", "nothing cited"],
    )
    def test_no_opinion_lifts_a_veto(self, answer: Draft, reason: RefusalReason) -> None:
        every = {sentence.text: FOR for sentence in judged(draft(answer.answer, *CITED), {}).sentences}
        every |= {part.strip() + ".": FOR for part in answer.answer.split(".") if part.strip()}
        every[answer.answer] = FOR
        assert judged(answer, every).reason is reason

    def test_a_name_the_sources_lack_stays_out(self) -> None:
        answer = draft("You moved to Stockholm with Beatrice in March 2021.", *CITED)
        assert verdicts(judged(answer, {answer.answer: FOR})) != ["supported"]


class TestVotes:
    @pytest.mark.parametrize(
        ("scores", "expected"),
        [(SURE, "supported"), (AGAINST, "contradicted"), (UNSURE, None), (DOUBTFUL, "unsupported")],
    )
    def test_numbers_become_votes_by_the_verifiers_own_thresholds(self, scores: Scores, expected: str | None) -> None:
        assert vote(scores, LINES) == expected

    def test_a_threshold_that_is_not_there_is_never_reached(self) -> None:
        never = Thresholds(support=None, doubt=None, contradiction=None)
        assert [vote(scores, never) for scores in (SURE, AGAINST, UNSURE, DOUBTFUL)] == [None] * 4

    @pytest.mark.requirement("grounding:opinions")
    def test_any_veto_wins(self) -> None:
        one = {"a": (SURE, LINES), "b": (SURE, LINES), "c": (AGAINST, LINES), "d": (DOUBTFUL, LINES)}
        assert weigh(one, "majority") == Opinion(effect="contradicted", by=("c",))
        del one["c"]
        assert weigh(one, "majority") == Opinion(effect="unsupported", by=("d",))

    def test_support_needs_all_or_most_of_those_set_up(self) -> None:
        two_of_three = {"a": (SURE, LINES), "b": (SURE, LINES), "c": (None, LINES)}
        assert weigh(two_of_three, "all").effect is None
        assert weigh(two_of_three, "majority") == Opinion(effect="supported", by=("a", "b"))
        half = {"a": (SURE, LINES), "b": (UNSURE, LINES)}
        assert weigh(half, "majority").effect is None

    def test_nobody_who_answered_decides_nothing(self) -> None:
        assert weigh({"a": (None, LINES)}, "majority") == Opinion(effect=None)
        assert weigh({}, "all") == Opinion(effect=None)

    @given(
        st.dictionaries(
            st.sampled_from("abcde"),
            st.tuples(st.none() | st.sampled_from((SURE, AGAINST, UNSURE, DOUBTFUL)), st.just(LINES)),
        ),
        st.sampled_from(("all", "majority")),
    )
    def test_one_more_verifier_that_lapses_never_adds_support(
        self, given_votes: dict[str, tuple[Scores | None, Thresholds]], ensemble: str
    ) -> None:
        before = weigh(given_votes, "all" if ensemble == "all" else "majority")
        after = weigh({**given_votes, "z": (None, LINES)}, "all" if ensemble == "all" else "majority")
        assert after.effect in (before.effect, None)


class TestTheRecord:
    INFO = VerifierInfo(name="one", version="1", thresholds=LINES)

    def test_a_lapse_stands_in_the_record_and_in_the_notes(self) -> None:
        response = judged(draft(GOOD, *CITED), {}, GroundingPolicy())
        lapses: tuple[tuple[str, Lapse], ...] = (("one", "late"), ("two", "budget"))
        record = Verification(verifiers=(self.INFO,), ensemble="all", asked=2, lapses=lapses)
        degraded = with_verification(response, record)
        assert record.is_degraded
        assert degraded.verification == record
        assert degraded.notes == (
            "the verifier one did not answer in time; the verdicts do not rest on it; "
            "the verifier two was not asked, because of the spending cap; the verdicts do not rest on it"
        )

    def test_notes_that_were_there_stay(self) -> None:
        refused = judged(draft("You moved to Stockholm in March 2012.", *CITED), {})
        record = Verification(verifiers=(self.INFO,), ensemble="all", asked=1)
        assert with_verification(refused, record).notes == refused.notes
        assert not record.is_degraded
        assert with_verification(refused, None) is refused

    def test_a_claim_that_shares_no_word_rests_on_the_first_sentence_it_was_held_against(self) -> None:
        memory = (row("S1", "Grandpa died."),)
        answer = draft("He passed away.", ("S1", "Grandpa died."))
        pairs = asked(answer, memory)
        assert [pair.evidence for pair in pairs] == [("Grandpa died.",)]
        response = judge(answer, memory, STRICT, question="", opinions={pairs[0].claim: FOR})
        assert verdicts(response) == ["supported"]
        assert response.source_count == 1


def test_an_outcome_that_is_no_claim_is_left_alone() -> None:
    response = judged(draft("Would you like to know more?", *CITED), {"Would you like to know more?": FOR})
    assert verdicts(response) == ["not_a_claim"]


@pytest.mark.requirement("grounding:opinions")
def test_a_hard_check_on_one_part_alone_keeps_the_whole_sentence_as_it_is() -> None:
    grounds = Grounds(
        rows=MEMORY, passages=tuple(one for each in MEMORY for one in all_passages(each)), people=people_of(MEMORY)
    )
    text = "You took up residence in Stockholm and pay rent for a flat."
    whole = judge_sentence(text, grounds, threshold=0.1)
    veto = Finding(flag="number", text="the source says 2", effect="contradicted")
    part = JudgedPart(start=0, end=36, verdict="unsupported", findings=())
    open_one, closed = replace(whole, parts=(part,)), replace(whole, parts=(replace(part, findings=(veto,)),))

    assert under_opinion(text, open_one, FOR).verdict == "supported"
    assert under_opinion(text, closed, FOR) is closed
