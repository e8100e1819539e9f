"""What comes of a question, and what changed between two runs."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Literal

import pytest

from report_turns import exchange
from store_values import citation
from voice.core.exam.results import ExamQuestion, ExamRun, Kind, Mark, Outcome, compare, mark
from voice.core.grounding.values import RefusalReason

AT = datetime(2026, 3, 20, 18, tzinfo=UTC)
STRAIGHT = ExamQuestion(id="q1", kind="straight", text="?", row_id="o:1", accepted=frozenset({"o:1", "o:2"}))
SWAPPED = ExamQuestion(id="q2", kind="swapped", text="?", row_id="o:1")


def outcome_of(
    question: ExamQuestion,
    status: Literal["answered", "refused", "error"],
    *cited: str,
    reason: RefusalReason | None = None,
) -> Outcome:
    sources = tuple(replace(citation(), source_id=each) for each in cited)
    return mark(question, exchange(1, status=status, sources=sources, reason=reason)).outcome


@pytest.mark.requirement("cli:eval:marks")
def test_an_answer_is_found_where_it_cites_a_row_that_says_so_and_wrong_otherwise() -> None:
    assert outcome_of(STRAIGHT, "answered", "o:9", "o:2") == "found"
    assert outcome_of(STRAIGHT, "answered", "o:9") == "wrong"
    assert outcome_of(SWAPPED, "answered", "o:1") == "wrong"


@pytest.mark.requirement("cli:eval:marks")
def test_a_refusal_is_right_where_there_is_no_answer_and_needless_where_there_is_one() -> None:
    assert outcome_of(SWAPPED, "refused", reason=RefusalReason.NO_SOURCES) == "rightly_refused"
    assert outcome_of(STRAIGHT, "refused", reason=RefusalReason.NO_SOURCES) == "needlessly_refused"


@pytest.mark.requirement("cli:eval:marks")
@pytest.mark.parametrize("reason", [RefusalReason.BUDGET, RefusalReason.DEADLINE, RefusalReason.CANCELLED])
def test_what_was_not_asked_to_its_end_says_nothing_of_the_settings(reason: RefusalReason) -> None:
    assert outcome_of(SWAPPED, "refused", reason=reason) == "failed"
    assert outcome_of(STRAIGHT, "error", reason=RefusalReason.PROVIDER_ERROR) == "failed"


def run_of(*outcomes: tuple[str, Kind, Outcome], **settings: str) -> ExamRun:
    marks = tuple(Mark(question_id=id_, kind=kind, outcome=outcome) for id_, kind, outcome in outcomes)
    return ExamRun(
        at=AT, seed=0, rows=9, marks=marks, settings=settings, input_tokens=0, output_tokens=0, cost=Decimal(0)
    )


@pytest.mark.requirement("cli:eval:report")
def test_a_run_adds_up_by_kind() -> None:
    run = run_of(("a", "straight", "found"), ("b", "straight", "needlessly_refused"), ("c", "swapped", "wrong"))
    assert (run.all.asked, run.all.right, run.all.wrong, run.all.needlessly_refused) == (3, 1, 1, 1)
    assert (run.by_kind["straight"].asked, run.by_kind["straight"].share) == (2, 0.5)
    assert (run.by_kind["near_miss"].asked, run.by_kind["near_miss"].share) == (0, 0.0)


@pytest.mark.requirement("cli:eval:exit")
def test_a_run_is_worse_where_the_questions_of_both_earn_less() -> None:
    before = run_of(("a", "straight", "found"), ("b", "swapped", "wrong"), ("c", "dated", "found"), llm="x", old="1")
    after = run_of(("a", "straight", "wrong"), ("b", "swapped", "rightly_refused"), ("d", "dated", "wrong"), llm="y")
    diff = compare(before, after)
    assert (diff.shared, diff.points, diff.is_worse) == (2, 0, False)
    assert [one.question_id for one in diff.better] == ["b"]
    assert [(one.question_id, one.before, one.after) for one in diff.worse] == [("a", "found", "wrong")]
    assert diff.settings == {"llm": ("x", "y"), "old": ("1", "")}
    assert compare(before, run_of(("a", "straight", "needlessly_refused"))).is_worse


@pytest.mark.requirement("cli:eval:exit")
def test_a_wrong_answer_is_worse_than_a_needless_refusal() -> None:
    before = run_of(("a", "straight", "needlessly_refused"))
    assert compare(before, run_of(("a", "straight", "wrong"))).is_worse
    assert not compare(run_of(("a", "straight", "wrong")), before).is_worse
