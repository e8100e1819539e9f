"""An exam's run, as JSON values and in words.

Law: what a figure does not show is said beside it. Figures and settings are the run's; the questions' words are shown
to who ran it, and kept nowhere.

Source: docs/exam.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import TypedDict

from voice.core.exam.results import ANSWERABLE, ExamDiff, ExamQuestion, ExamRun, Kind, KindTally, Outcome
from voice.core.messages import showing as messages
from voice.core.text.display import counted
from voice.core.text.instants import render_instant


class TallyForm(TypedDict):
    """What came of some questions."""

    asked: int
    found: int | None
    """None: these have no answer."""
    rightly_refused: int | None
    """None: these have one."""
    wrongly_answered: int
    needlessly_refused: int | None


def render_exam(
    run: ExamRun, questions: Sequence[ExamQuestion], diff: ExamDiff | None, *, passed: bool
) -> dict[str, object]:
    """Return a run as JSON values (schema: schemas/cli/eval.schema.json).

    Args:
        run: the run.
        questions: what was asked.
        diff: against the run before; None where there is none.
        passed: whether the exit code says that all is well.
    """
    outcomes: dict[str, Outcome] = {mark.question_id: mark.outcome for mark in run.marks}
    return {
        "at": render_instant(run.at),
        "seed": run.seed,
        "rows": run.rows,
        "asked": run.all.asked,
        "right": run.all.right,
        "share_right": round(run.all.share, 4),
        "wrongly_answered": run.all.wrong,
        "needlessly_refused": run.all.needlessly_refused,
        "by_kind": {kind: _tally(kind, tally) for kind, tally in run.by_kind.items()},
        "input_tokens": run.input_tokens,
        "output_tokens": run.output_tokens,
        "cost_usd": None if run.cost is None else f"{run.cost:f}",
        "settings": dict(run.settings),
        "last": None if diff is None else _diff(diff),
        "passed": passed,
        "questions": [
            {"id": one.id, "kind": one.kind, "question": one.text, "row_id": one.row_id, "outcome": outcomes[one.id]}
            for one in questions
        ],
        "how_it_was_made": messages.EXAM_MADE,
        "what_it_does_not_show": messages.EXAM_NOT_SHOWN,
    }


def _tally(kind: Kind, tally: KindTally) -> TallyForm:
    has_answer = kind in ANSWERABLE
    return {
        "asked": tally.asked,
        "found": tally.right if has_answer else None,
        "rightly_refused": None if has_answer else tally.right,
        "wrongly_answered": tally.wrong,
        "needlessly_refused": tally.needlessly_refused if has_answer else None,
    }


def _diff(diff: ExamDiff) -> dict[str, object]:
    before = diff.before
    return {
        "at": render_instant(before.at),
        "asked": before.all.asked,
        "right": before.all.right,
        "wrongly_answered": before.all.wrong,
        "needlessly_refused": before.all.needlessly_refused,
        "by_kind": {kind: _tally(kind, tally) for kind, tally in before.by_kind.items()},
        "shared": diff.shared,
        "points": diff.points,
        "is_worse": diff.is_worse,
        "better": [{"id": one.question_id, "before": one.before, "after": one.after} for one in diff.better],
        "worse": [{"id": one.question_id, "before": one.before, "after": one.after} for one in diff.worse],
        "settings": {name: {"before": before, "after": after} for name, (before, after) in diff.settings.items()},
    }


def exam_table(run: ExamRun, diff: ExamDiff | None) -> list[tuple[str, ...]]:
    """Return the figures by kind, line by line; beside each that changed since the last run, by how much.

    Args:
        run: the run.
        diff: against the run before; None where there is none.
    """
    before: Mapping[Kind, KindTally] = {} if diff is None else diff.before.by_kind
    rows = ((messages.EXAM_KINDS[kind], *_cells(kind, now, before.get(kind))) for kind, now in run.by_kind.items())
    return [("", *messages.EXAM_HEADS), *rows]


def _cells(kind: Kind, now: KindTally, then: KindTally | None) -> tuple[str, ...]:
    has_answer = kind in ANSWERABLE
    right = _changed(now.right, then and then.right)
    return (
        str(now.asked),
        right if has_answer else "–",
        "–" if has_answer else right,
        _changed(now.wrong, then and then.wrong),
        _changed(now.needlessly_refused, then and then.needlessly_refused) if has_answer else "–",
    )


def _changed(now: int, then: int | None) -> str:
    return str(now) if then is None or then == now else f"{now} ({now - then:+d})"


def exam_lines(run: ExamRun) -> Iterator[str]:
    """Yield what a run came to as a whole, and what it cost."""
    every = run.all
    yield messages.came_out_right(every.right, counted(every.asked, "question"), every.share)
    yield messages.exam_cost(_tokens(run), dollars(run.cost))


def _tokens(run: ExamRun) -> str:
    if run.input_tokens is None or run.output_tokens is None:
        return messages.TOKENS_UNKNOWN
    return messages.tokens_used(run.input_tokens, run.output_tokens)


def dollars(amount: Decimal | None) -> str:
    """Return a sum of money, or that it is unknown."""
    return messages.COST_UNKNOWN if amount is None else f"${amount:.4f}"


def diff_lines(diff: ExamDiff | None, questions: Sequence[ExamQuestion]) -> Iterator[str]:
    """Yield what changed since the last run, question by question.

    Args:
        diff: against that run; None where there is none.
        questions: what was asked now.
    """
    if diff is None:
        yield messages.FIRST_RUN
        return
    asked = counted(diff.shared, "question")
    if not diff.shared:
        yield messages.other_questions(_day(diff))
        return
    better, worse = len(diff.better), len(diff.worse)
    yield messages.compared_runs(asked, _day(diff), better, worse)
    texts = {one.id: one.text for one in questions}
    for word, changes in ((messages.WORSE, diff.worse), (messages.BETTER, diff.better)):
        for one in changes:
            then, now = messages.EXAM_OUTCOMES[one.before], messages.EXAM_OUTCOMES[one.after]
            yield f"  {word}: {texts[one.question_id]} ({then} → {now})"
    for name, (then, now) in diff.settings.items():
        yield f"  {messages.setting_changed(name, then or messages.UNSET, now or messages.UNSET)}"


def _day(diff: ExamDiff) -> str:
    return render_instant(diff.before.at)
