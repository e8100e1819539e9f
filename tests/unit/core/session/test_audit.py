"""A stored answer verified again (DESIGN 6 "Receipts")."""

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grounding_rows import CITED, GOOD, MEMORY, MOVE, QUESTION, RENT, draft, judge_composed, judged, row
from store_values import exchange
from voice.core.grounding.values import LEXICAL_JUDGE, Evidence, GroundingPolicy
from voice.core.session.audit import (
    STATUSES,
    AuditReport,
    ExchangeAudit,
    SentenceAudit,
    audit_exchange,
    count_statuses,
    reverify,
)

STORED = judged(GOOD, *CITED).sentences
TODAY = {MOVE.row_id: MOVE, RENT.row_id: RENT}


def statuses(audits: Iterable[SentenceAudit]) -> list[str]:
    return [audit.status for audit in audits]


def test_an_answer_over_unchanged_rows_is_still_grounded() -> None:
    audits = reverify(STORED, TODAY)
    assert statuses(audits) == ["still_grounded", "still_grounded"]
    assert audits[0].row_ids == ("o:s1",)
    second, text = STORED[1], STORED[1].text
    assert audits[1] == SentenceAudit(
        index=1, start=second.start, end=second.end, text=text, status="still_grounded", row_ids=("o:s2",)
    )


def test_an_audited_turn_says_which_it_is_and_whether_all_of_it_stands() -> None:
    turn, audits = exchange("s:2", 3, is_private=True), reverify(STORED, TODAY)
    whole = audit_exchange(turn, audits)
    assert whole == ExchangeAudit(
        exchange_id=turn.id, session_id="s:2", index=3, timestamp=turn.timestamp, is_private=True, is_answer=True,
        sentences=audits,
    )  # fmt: skip
    lost = audit_exchange(replace(turn, status="refused"), reverify(STORED, {"o:s1": MOVE}))
    reports = [AuditReport(exchanges=each) for each in ((whole,), (whole, lost))]
    assert [whole.is_grounded, lost.is_grounded, *(each.is_grounded for each in reports)] == [True, False, True, False]
    assert (lost.is_answer, whole.is_answer) == (False, True)
    assert count_statuses([whole, lost]) == dict.fromkeys(STATUSES, 0) | {"still_grounded": 3, "source_removed": 1}


@pytest.mark.parametrize(
    ("count", "status"),
    [("2 items", "still_grounded"), ("1 item", "no_longer_supported"), ("2 days", "still_grounded")],
)
def test_a_count_still_counts_what_it_cites(count: str, status: str) -> None:
    (receipt,) = STORED[0].receipts
    places = (receipt, replace(receipt, start=2, end=9) if "item" in count else STORED[1].receipts[0])
    rows = [
        replace(MOVE, context="Move › List"),
        replace(RENT, context="List", created_at=MOVE.created_at.replace(day=9)),
    ]
    counted = replace(STORED[0], text=f"{count} under “List”:", receipts=places)
    assert statuses(reverify([counted], {each.row_id: each for each in rows})) == [status]


def test_a_changed_row_is_named() -> None:
    changed = row("S2", "The flat in Stockholm costs 1,600 euros a month.")
    audits = reverify(STORED, TODAY | {"o:s2": changed})
    assert statuses(audits) == ["still_grounded", "source_changed"]
    assert [audit.today for audit in audits] == [(), (changed.text,)]


def test_of_a_changed_row_that_is_private_or_beside_a_redacted_one_todays_words_are_not_told() -> None:
    changed = row("S2", "The flat in Stockholm costs 1,600 euros a month.")
    private = reverify(STORED, TODAY | {"o:s2": replace(changed, is_private=True)})
    both = replace(STORED[1], receipts=(*STORED[0].receipts, *STORED[1].receipts))
    beside = reverify([both, STORED[1]], {"o:s2": changed}, redacted=frozenset({"o:s1"}))
    assert (private[1].status, private[1].today) == ("source_changed", ())
    assert (beside[0].status, beside[0].today) == ("source_redacted", ())


def test_a_row_that_is_gone_that_was_redacted_and_that_was_never_here_are_told_apart() -> None:
    rent = frozenset({"o:s2"})
    assert statuses(reverify(STORED, {"o:s2": RENT}, redacted=rent)) == ["source_removed", "source_redacted"]
    assert statuses(reverify(STORED, {}, not_here=rent)) == ["source_removed", "source_not_here"]
    assert statuses(reverify(STORED, TODAY, not_here=rent)) == ["still_grounded", "still_grounded"]


def test_a_sentence_is_told_by_its_place_in_the_answer_and_not_among_what_was_supported() -> None:
    asked = replace(STORED[0], text="Shall we go on?", kind="question", rung="remark", receipts=())
    assert [audit.index for audit in reverify([asked, *STORED], TODAY)] == [1, 2]


def test_what_rests_on_a_redacted_row_is_withheld_also_when_another_of_its_rows_is_gone() -> None:
    both = replace(STORED[0], receipts=(*STORED[0].receipts, *STORED[1].receipts))
    audits = reverify([both, STORED[1]], {}, redacted=frozenset({"o:s1"}))
    assert [(audit.status, audit.is_withheld) for audit in audits] == [
        ("source_removed", True),
        ("source_removed", False),
    ]


def test_a_sentence_whose_words_went_with_another_row_is_not_judged_and_says_so() -> None:
    bare = [replace(each, text="") for each in STORED]
    redacted = reverify(bare, TODAY, redacted=frozenset({"o:s2"}))
    removed = reverify(bare, {"o:s1": MOVE})
    quoted = reverify(bare, TODAY)
    assert [(one.status, one.row_ids, one.is_judged) for one in redacted] == [
        ("source_redacted", ("o:s2",), False),
        ("source_redacted", ("o:s2",), True),
    ]
    assert [(one.status, one.row_ids, one.is_judged) for one in removed] == [
        ("source_removed", ("o:s2",), False),
        ("source_removed", ("o:s2",), True),
    ]
    assert [(one.status, one.row_ids, one.is_judged) for one in quoted] == [("source_redacted", (), False)] * 2
    assert [one.is_withheld for one in redacted] == [False, True]
    (baseless,) = reverify([replace(bare[0], receipts=())], TODAY)
    assert (baseless.status, baseless.is_judged) == ("source_redacted", False)


def test_a_receipt_that_no_longer_supports_its_sentence_is_found() -> None:
    forged = replace(STORED[0], text="You moved to Oslo in May 1999.")
    assert reverify([forged], TODAY)[0].status == "no_longer_supported"


@pytest.mark.parametrize(
    ("label", "status"),
    [("Move", "still_grounded"), ("2023-05-08, Move", "still_grounded"), ("1999-05-08, Move", "no_longer_supported")],
)
def test_words_quoted_under_a_former_title_of_their_note_still_stand(label: str, status: str) -> None:
    told = replace(STORED[0], text=f"{label}: {STORED[0].text}")
    assert reverify([told], TODAY | {"o:s1": replace(MOVE, context="Studio")})[0].status == status


def test_a_supported_sentence_without_receipts_has_no_ground() -> None:
    bare = replace(STORED[0], receipts=())
    assert reverify([bare], TODAY)[0].status == "no_longer_supported"


def test_sentences_that_were_not_supported_are_not_audited() -> None:
    assert reverify([replace(STORED[0], rung="unsupported")], TODAY) == ()
    assert reverify(STORED[:1], TODAY) != ()


def test_a_verified_sentence_stands_on_the_unchanged_rows_that_its_verifier_named() -> None:
    paraphrase = replace(STORED[0], text="Stockholm is where you went in 2021.", rung="verified", verifier="test-1")
    assert reverify([paraphrase], TODAY)[0].status == "still_grounded"
    assert reverify([paraphrase], TODAY | {"o:s1": row("S1", "I moved to Oslo.")})[0].status == "source_changed"


def test_what_an_earlier_judge_accepted_is_audited_by_its_receipts_alone() -> None:
    earlier = replace(STORED[0], text="Stockholm is where you went in 2021.", rung="verified", judge=LEXICAL_JUDGE)
    assert reverify([earlier], TODAY)[0].status == "still_grounded"


def test_a_supersession_is_told_and_is_no_change() -> None:
    newer = replace(RENT, superseded_by="o:s9", valid_until=RENT.created_at)
    audits = reverify(STORED, TODAY | {"o:s2": newer})
    assert [(one.status, one.superseded) for one in audits] == [("still_grounded", ()), ("still_grounded", ("o:s2",))]


@pytest.mark.requirement("promise:1")
@given(st.permutations(MEMORY), st.integers(1, 3))
def test_what_was_accepted_over_a_memory_is_still_grounded_over_the_same_memory(
    memory: list[Evidence], count: int
) -> None:
    rows = tuple(replace(one, alias=f"S{number}") for number, one in enumerate(memory[:count], start=1))
    said = draft(" ".join(one.text for one in rows), *((one.alias, one.text) for one in rows))
    policy = GroundingPolicy(min_sources=1)
    response = judge_composed(said, rows, policy, question=QUESTION)
    audits = reverify(response.sentences, {one.row_id: one for one in rows})
    assert {one.status for one in audits} <= {"still_grounded"}
    assert len(audits) == sum(one.is_proven for one in response.sentences if not response.refused)
