"""A stored answer verified again (DESIGN 6 "Receipts")."""

from dataclasses import replace

from grounding_rows import CITED, GOOD, MOVE, RENT, judged, row
from voice.core.grounding.reverify import reverify
from voice.core.grounding.values import GroundingPolicy, Stance

STORED = judged(GOOD, *CITED).sentences
TODAY = {MOVE.row_id: MOVE, RENT.row_id: RENT}
POLICY = GroundingPolicy()


def test_an_answer_over_unchanged_rows_is_still_grounded() -> None:
    audits = reverify(STORED, TODAY, policy=POLICY)

    assert [audit.status for audit in audits] == ["still_grounded", "still_grounded"]
    assert [audit.row_ids for audit in audits] == [("o:s1",), ("o:s2",)]


def test_a_changed_row_is_named() -> None:
    changed = row("S2", "The flat in Stockholm costs 1,600 euros a month.")

    audits = reverify(STORED, TODAY | {"o:s2": changed}, policy=POLICY)

    assert [audit.status for audit in audits] == ["still_grounded", "source_changed"]


def test_a_row_that_is_gone_and_one_that_was_redacted_are_told_apart() -> None:
    audits = reverify(STORED, {"o:s2": RENT}, redacted=frozenset({"o:s2"}), policy=POLICY)

    assert [audit.status for audit in audits] == ["source_removed", "source_redacted"]


def test_a_receipt_that_no_longer_supports_its_sentence_is_found() -> None:
    forged = replace(STORED[0], text="You moved to Oslo in May 1999.")

    assert reverify([forged], TODAY, policy=POLICY)[0].status == "no_longer_supported"


def test_a_supported_sentence_without_receipts_has_no_ground() -> None:
    bare = replace(STORED[0], receipts=())

    assert reverify([bare], TODAY, policy=POLICY)[0].status == "no_longer_supported"


def test_sentences_that_were_not_supported_are_not_audited() -> None:
    assert reverify([replace(STORED[0], verdict="unsupported")], TODAY, policy=POLICY) == ()


def test_a_grounded_question_stays_grounded() -> None:
    answer = "Why did you move to Stockholm in March 2021, and does the flat in Stockholm cost 1,400 euros?"
    stored = judged(answer, *CITED, stance=Stance.QUESTION).sentences

    assert [audit.status for audit in reverify(stored, TODAY, policy=POLICY)] == ["still_grounded"]
