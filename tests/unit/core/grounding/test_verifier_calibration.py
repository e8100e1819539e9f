"""A verifier is tried as a turn would ask it, and judged by what would be shown."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from grounding_rows import UNDATED, row
from voice.adapters.files.packaged_data import calibration_claims
from voice.core.grounding.claim_verification import request_json
from voice.core.grounding.verifier_calibration import (
    AUTOMATIC,
    CLAIMS_A_CALL,
    CalibrationTally,
    LabelledClaim,
    Trial,
    labelled_claims,
    merge_tallies,
    record_of,
    short_selection,
    tally_trial,
    trials,
)
from voice.core.grounding.verifier_values import (
    CalibrationRecord,
    ClaimOpinion,
    ClaimToVerify,
    ClaimVerdict,
    DecidingWords,
    VerificationReply,
)
from voice.core.render.verification import belief_line

pytestmark = pytest.mark.requirement("grounding:verifier:calibration")

CLAIMS = calibration_claims()
TODAY = date(2026, 3, 20)
Judge = Callable[[ClaimToVerify], ClaimVerdict]


def told(trial: Trial, judge: Judge, *, with_words: bool = True) -> VerificationReply:
    """Return what a verifier says that judges by a rule and names all that a claim cites."""
    texts = {passage.alias: passage.text for passage in trial.asked.passages}

    def opinion(claim: ClaimToVerify) -> ClaimOpinion:
        words = tuple(DecidingWords(alias=alias, words=texts[alias]) for alias in claim.cited) if with_words else ()
        return ClaimOpinion(number=claim.number, verdict=judge(claim), words=words)

    return VerificationReply(opinions=tuple(map(opinion, trial.asked.claims)))


def whole(calls: tuple[Trial, ...], judge: Judge, *, with_words: bool = True) -> CalibrationRecord:
    by_kind = merge_tallies(tally_trial(trial, told(trial, judge, with_words=with_words)) for trial in calls)
    return record_of(by_kind, verifier="double 1", checked_on=TODAY)


def always(verdict: ClaimVerdict) -> Judge:
    return lambda _: verdict


TRUTH = {one.text: one.is_true for one in CLAIMS}


@pytest.fixture(name="every", scope="module")
def _every() -> tuple[Trial, ...]:
    return trials(CLAIMS)


def test_every_claim_is_asked_about_once_with_the_passages_it_rests_on_and_its_own_question(
    every: tuple[Trial, ...],
) -> None:
    asked = [(claim.text, claim.question, claim.today) for trial in every for claim in trial.asked.claims]
    assert asked == [(one.text, one.question, one.today) for one in CLAIMS]
    trial = every[0]
    texts = {passage.alias: passage.text for passage in trial.asked.passages}
    for labelled, claim in zip(trial.claims, trial.asked.claims, strict=True):
        assert [texts[alias] for alias in claim.cited] == [row.text for row in labelled.rows]


def test_a_line_of_the_file_is_a_claim_with_its_passages() -> None:
    line = {
        "pair": "p", "kind": "k", "language": "en", "question": "When?", "today": "2026-03-20", "claim": "It broke.",
        "supported": False, "sources": [
            {"text": "It broke.", "date": "2026-03-19", "speaker": "Bo", "context": "Kiln"},
            {"text": "It broke.", "date": None, "speaker": None, "context": None},
        ],
    }  # fmt: skip
    passage = replace(
        row("", "It broke.", at=datetime(2026, 3, 19, tzinfo=UTC), speaker="Bo", context="Kiln"),
        row_id="", thought_ids=(), relevance=0.0, score=0.0,
    )  # fmt: skip
    undated = replace(passage, created_at=UNDATED, speaker=None, context=None)
    (claim,) = labelled_claims(f"\n{json.dumps(line)}\n")
    assert claim == LabelledClaim(
        pair="p", kind="k", language="en", question="When?", today=TODAY, text="It broke.", is_true=False,
        rows=(passage, undated),
    )  # fmt: skip
    (trial,) = trials([replace(claim, text="It broke on 20 March 2026 or in the shed.", question="In the shed?")])
    assert [(one.text, one.cited, one.doubts, one.question) for one in trial.asked.claims] == [
        ("It broke on 20 March 2026 or in the shed.", ("S1", "S2"), (), "In the shed?")
    ]
    assert [(one.alias, one.day, one.speaker, one.context) for one in trial.asked.passages] == [
        ("S1", date(2026, 3, 19), "Bo", "Kiln"), ("S2", None, None, None),
    ]  # fmt: skip
    assert [[each.row_id for each in proof.sent] for proof in trial.proofs] == [["c1", "c2"]]


def test_no_call_holds_two_claims_of_a_pair_or_more_than_there_is_room_for(every: tuple[Trial, ...]) -> None:
    for trial in (*every, *trials(sorted(CLAIMS, key=lambda one: one.pair))):
        pairs = [one.pair for one in trial.claims]
        assert len(pairs) == len(set(pairs)) <= CLAIMS_A_CALL


def test_no_label_id_or_kind_is_in_what_is_asked(every: tuple[Trial, ...]) -> None:
    for trial in every:
        asked = request_json(trial.asked)
        assert set(asked) == {"question", "today", "sources", "answer", "claims"}
        shown = repr(asked)
        assert not any(one.pair in shown for one in trial.claims)


def test_what_guards_doubt_is_put_to_the_verifier(every: tuple[Trial, ...]) -> None:
    doubted = [claim for trial in every for claim in trial.asked.claims if claim.doubts]
    assert any("do not give" in doubt for claim in doubted for doubt in claim.doubts)


def test_the_smaller_set_is_half_false_of_all_kinds_and_has_one_claim_of_a_pair() -> None:
    few = short_selection(CLAIMS)
    assert len(few) == AUTOMATIC
    assert Counter(one.is_true for one in few) == {True: AUTOMATIC // 2, False: AUTOMATIC // 2}
    assert {(one.kind, one.is_true) for one in few} == {(one.kind, one.is_true) for one in CLAIMS}
    assert len({one.pair for one in few}) == AUTOMATIC
    assert len(trials(few)) == AUTOMATIC // CLAIMS_A_CALL


def test_one_that_knows_the_truth_lets_nothing_false_pass(every: tuple[Trial, ...]) -> None:
    record = whole(every, lambda claim: "supported" if TRUTH[claim.text] else "not_stated")
    assert (record.claims, record.unanswered, record.false_support) == (len(CLAIMS), 0, 0.0)
    assert record.is_believed


def test_one_that_supports_everything_is_not_believed_on_the_whole_set_or_the_smaller_one(
    every: tuple[Trial, ...],
) -> None:
    for calls in (every, trials(short_selection(CLAIMS))):
        record = whole(calls, always("supported"))
        assert record.false_support > 0.8
        assert not record.is_believed


def test_a_verdict_without_words_lets_nothing_pass(every: tuple[Trial, ...]) -> None:
    record = whole(every, always("supported"), with_words=False)
    assert (record.false_support, record.false_doubt) == (0.0, 1.0)


def test_who_calls_a_false_claim_none_lets_it_pass_for_it_would_be_shown(every: tuple[Trial, ...]) -> None:
    assert whole(every, always("no_claim")).false_support > 0.5


def test_who_gives_no_usable_answer_is_judged_by_none_and_not_believed(every: tuple[Trial, ...]) -> None:
    by_kind = merge_tallies(tally_trial(trial, None) for trial in every)
    record = record_of(by_kind, verifier="double 1", checked_on=TODAY)
    assert (record.claims, record.unanswered) == (len(CLAIMS), len(CLAIMS))
    assert not record.is_heard
    assert not record.is_believed


@pytest.mark.requirement("grounding:verifier:belief")
@pytest.mark.parametrize(
    ("share", "unanswered", "believed"), [(0.1, 0, True), (0.1001, 0, False), (0.0, 20, True), (0.0, 21, False)]
)
def test_one_in_ten_is_the_most_and_four_fifths_must_be_answered(
    share: float, unanswered: int, *, believed: bool
) -> None:
    record = CalibrationRecord(
        verifier="double 1", checked_on=TODAY, claims=100, unanswered=unanswered, false_support=share, false_doubt=0.0
    )
    assert record.is_believed is believed
    assert ("no usable answer on 21 of them" in belief_line(record)) is (unanswered == 21)


def test_tallies_add_up_by_kind_in_the_order_of_their_names() -> None:
    one, two = (
        CalibrationTally(false_claims=2, false_supported=1),
        CalibrationTally(true_claims=3, true_doubted=2, unanswered=1),
    )
    added = merge_tallies([{"plan": one, "date": two}, {"date": one}])
    assert list(added) == ["date", "plan"]
    assert added["date"] == CalibrationTally(
        false_claims=2, false_supported=1, true_claims=3, true_doubted=2, unanswered=1
    )
    assert (added["date"].false_support, round(added["date"].false_doubt, 2)) == (0.5, 0.67)
    assert (CalibrationTally().false_support, CalibrationTally().false_doubt) == (0.0, 0.0)
