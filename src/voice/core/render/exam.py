"""An exam's run, as JSON values and in words.

Law: what a figure does not show is said beside it. Figures and settings are the run's; the questions' words are shown
to who ran it, and kept nowhere.

Source: docs/exam.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final, TypedDict

from voice.core.exam.results import ANSWERABLE, ExamDiff, ExamQuestion, ExamRun, Kind, KindTally, Outcome
from voice.core.text.display import counted
from voice.core.text.instants import render_instant

KIND_NAMES: Final[Mapping[Kind, str]] = {
    "straight": "asked straight",
    "dated": "asked with its day",
    "near_miss": "near miss",
    "swapped": "swapped person",
}
OUTCOME_NAMES: Final[Mapping[Outcome, str]] = {
    "found": "found",
    "rightly_refused": "rightly refused",
    "needlessly_refused": "needlessly refused",
    "wrong": "wrongly answered",
    "failed": "failed",
}
MADE: Final = (
    "How it was made: by rule, of your own sentences and their rarest words, with the seed as its only chance. Two "
    "kinds have an answer, which must cite the sentence that the question was made of or one that says the same. Two "
    "have none: a near miss joins two words that nothing in your memory connects, and a swapped person is asked about "
    "what only somebody else said."
)
NOT_SHOWN: Final = (
    "What it does not show: how voice does on questions in other words than yours, on questions that need several "
    "notes at once, or whether an answer reads well. Use it to see that something broke, not as a grade: on labelled "
    "conversations it did not rank settings that were close to each other as the labels did. With a few dozen "
    "questions a difference of one or two may be chance, and a model may answer differently the next time."
)


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
        "how_it_was_made": MADE,
        "what_it_does_not_show": NOT_SHOWN,
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
    heads = ("", "asked", "found", "rightly refused", "wrongly answered", "needlessly refused")
    return [heads, *((KIND_NAMES[kind], *_cells(kind, now, before.get(kind))) for kind, now in run.by_kind.items())]


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
    yield f"{every.right} of {counted(every.asked, 'question')} came out right ({every.share:.0%})"
    yield f"cost: {_tokens(run)}, {dollars(run.cost)}"


def _tokens(run: ExamRun) -> str:
    if run.input_tokens is None or run.output_tokens is None:
        return "an unknown number of tokens"
    return f"{run.input_tokens:,} tokens sent, {run.output_tokens:,} received"


def dollars(amount: Decimal | None) -> str:
    """Return a sum of money, or that nobody knows it."""
    return "an unknown cost" if amount is None else f"${amount:.4f}"


def diff_lines(diff: ExamDiff | None, questions: Sequence[ExamQuestion]) -> Iterator[str]:
    """Yield what changed since the last run, question by question.

    Args:
        diff: against that run; None where there is none.
        questions: what was asked now.
    """
    if diff is None:
        yield "This is the first run, so there is nothing to compare it with."
        return
    asked = counted(diff.shared, "question")
    if not diff.shared:
        yield f"None of these questions was in the last run ({_day(diff)}), so the two cannot be compared."
        return
    better, worse = len(diff.better), len(diff.worse)
    yield f"Of {asked} that the last run ({_day(diff)}) asked, too, {better} came out better and {worse} worse."
    texts = {one.id: one.text for one in questions}
    for word, changes in (("worse", diff.worse), ("better", diff.better)):
        for one in changes:
            then, now = OUTCOME_NAMES[one.before], OUTCOME_NAMES[one.after]
            yield f"  {word}: {texts[one.question_id]} ({then} → {now})"
    for name, (then, now) in diff.settings.items():
        yield f"  set differently: {name}, {then or 'nothing'} → {now or 'nothing'}"


def _day(diff: ExamDiff) -> str:
    return render_instant(diff.before.at)
