"""An exam in words says what came of it, what changed, and what it does not show."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from voice.core.exam.results import ExamQuestion, ExamRun, Mark, Outcome, compare
from voice.core.messages.showing import EXAM_MADE, EXAM_NOT_SHOWN
from voice.core.render.reports import diff_lines, exam_lines, exam_table, render_exam

pytestmark = pytest.mark.requirement("cli:eval:report")
QUESTIONS = (
    ExamQuestion(id="a", kind="straight", text="What is noted about jug?", row_id="o:1", accepted=frozenset({"o:1"})),
    ExamQuestion(id="b", kind="swapped", text="What did Noor say?", row_id="o:2"),
)


def run_of(first: Outcome, second: Outcome, **settings: str) -> ExamRun:
    return ExamRun(
        at=datetime(2026, 3, 20, 18, tzinfo=UTC),
        seed=3,
        rows=9,
        marks=(
            Mark(question_id="a", kind="straight", outcome=first),
            Mark(question_id="b", kind="swapped", outcome=second),
        ),
        settings=settings,
        input_tokens=1200,
        output_tokens=30,
        cost=Decimal("0.0125"),
    )


def test_a_run_is_told_by_kind_with_what_changed_beside_each_figure() -> None:
    before, now = run_of("found", "wrong"), run_of("needlessly_refused", "rightly_refused")
    heads, *lines = exam_table(now, compare(before, now))
    assert heads[1:] == ("asked", "found", "rightly refused", "wrongly answered", "needlessly refused")
    told = {line[0]: line[1:] for line in lines}
    assert told["asked directly"] == ("1", "0 (-1)", "–", "0", "1 (+1)")
    assert told["swapped person"] == ("1", "–", "1 (+1)", "0 (-1)", "–")
    assert {line[0]: line[1:] for line in exam_table(now, None)}["asked directly"] == ("1", "0", "–", "0", "1")
    fewer = replace(now, marks=now.marks[:1])
    assert [line[1:] for line in exam_table(fewer, compare(before, fewer))][-1] == ("0", "–", "0", "0", "–")
    assert "2026-03-20T18:00:00Z, 2 questions) also asked" in next(diff_lines(compare(before, fewer), QUESTIONS))


def test_the_whole_and_its_cost_are_told_and_what_nobody_knows_is_not_called_nothing() -> None:
    run = run_of("found", "wrong")
    assert list(exam_lines(run)) == [
        "1 of 2 questions came out right (50%)",
        "cost: 1,200 tokens sent, 30 received, $0.0125",
    ]
    unknown = replace(run, input_tokens=None, cost=None)
    assert list(exam_lines(unknown))[1] == "cost: an unknown number of tokens, an unknown cost"


def test_what_changed_is_told_question_by_question_with_what_was_set_differently() -> None:
    before, now = run_of("found", "wrong", llm="x"), run_of("wrong", "rightly_refused", llm="y")
    assert list(diff_lines(compare(before, now), QUESTIONS)) == [
        "Of 2 questions that the last run (2026-03-20T18:00:00Z) also asked, 1 came out better and 1 worse.",
        "  worse: What is noted about jug? (found → wrongly answered)",
        "  better: What did Noor say? (wrongly answered → rightly refused)",
        "  setting changed: llm, x → y",
    ]


def test_runs_without_a_question_in_common_are_not_compared() -> None:
    now = run_of("found", "wrong")
    (first,) = diff_lines(None, QUESTIONS)
    assert "first run" in first
    (apart,) = diff_lines(compare(replace(now, marks=()), now), QUESTIONS)
    assert "cannot compare" in apart


def test_a_program_is_told_everything_and_how_far_to_trust_it() -> None:
    before, now = run_of("found", "wrong"), run_of("wrong", "rightly_refused")
    told = render_exam(now, QUESTIONS, compare(before, now), passed=False)
    assert (told["right"], told["asked"], told["cost_usd"], told["passed"]) == (1, 2, "0.0125", False)
    assert (told["how_it_was_made"], told["what_it_does_not_show"]) == (EXAM_MADE, EXAM_NOT_SHOWN)
    first = render_exam(replace(now, cost=None), QUESTIONS, None, passed=True)
    assert (first["last"], first["cost_usd"]) == (None, None)
