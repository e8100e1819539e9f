"""Exam questions, their marks, runs, and the difference between two runs.

Law: runs hold figures and marks, never words of a memory; a question's id is a keyed hash. An answer is right if it
cites an accepted row, whatever else it says; any answer to a question without accepted rows is wrong. A failed call is
neither. Two runs are compared by their common questions only, in points.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Final, Literal

from voice.core.grounding.values import RefusalReason
from voice.core.session.values import DialogueExchange

Kind = Literal["straight", "dated", "near_miss", "swapped"]
Outcome = Literal["found", "rightly_refused", "needlessly_refused", "wrong", "failed"]

KINDS: Final[tuple[Kind, ...]] = ("straight", "dated", "near_miss", "swapped")
"""In the order of a report: plain; with its day; with a term that is not there; about another person."""
ANSWERABLE: Final[frozenset[Kind]] = frozenset({"straight", "dated"})
"""Kinds that should be answered; the others should be refused."""
POINTS: Final[Mapping[Outcome, int]] = {
    "found": 2,
    "rightly_refused": 2,
    "needlessly_refused": 1,
    "wrong": 0,
    "failed": 0,
}
"""For comparing runs: a wrong answer is worse than a needless refusal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamQuestion:
    """A question made from one row."""

    id: str
    """Keyed hash of kind, row and words."""
    kind: Kind
    text: str = field(repr=False)
    row_id: str
    accepted: frozenset[str] = frozenset()
    """Rows that answer it: its own and equivalent ones; empty if it should be refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """The outcome of one question, which is all that is stored."""

    question_id: str
    kind: Kind
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class KindTally:
    """Counts of outcomes, of one kind or of all."""

    asked: int
    right: int
    """Found, or rightly refused."""
    wrong: int
    needlessly_refused: int
    failed: int

    @classmethod
    def of(cls, marks: Iterable[Mark]) -> "KindTally":
        """Count the outcomes of `marks`."""
        counts = Counter(mark.outcome for mark in marks)
        return cls(
            asked=counts.total(),
            right=counts["found"] + counts["rightly_refused"],
            wrong=counts["wrong"],
            needlessly_refused=counts["needlessly_refused"],
            failed=counts["failed"],
        )

    @property
    def share(self) -> float:
        """The share that is right; 0 without questions."""
        return self.right / self.asked if self.asked else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamRun:
    """One run, stored for comparison."""

    at: datetime
    seed: int
    rows: int
    """Number of rows that questions could be made from."""
    marks: tuple[Mark, ...]
    settings: Mapping[str, str]
    """Those that affect answers."""
    input_tokens: int | None
    """None: unknown."""
    output_tokens: int | None
    cost: Decimal | None
    """In US dollars; None: unknown."""

    @property
    def all(self) -> KindTally:
        """The tally of all questions."""
        return KindTally.of(self.marks)

    @property
    def by_kind(self) -> Mapping[Kind, KindTally]:
        """The tally of each kind."""
        return {kind: KindTally.of(mark for mark in self.marks if mark.kind == kind) for kind in KINDS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A question's outcomes in two runs."""

    question_id: str
    before: Outcome
    after: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamDiff:
    """Comparison of two runs by their common questions."""

    before: ExamRun
    shared: int
    """Number of common questions."""
    better: tuple[Change, ...]
    worse: tuple[Change, ...]
    points: int
    """Points gained on common questions."""
    settings: Mapping[str, tuple[str, str]]
    """Changed settings: before and now."""

    @property
    def is_worse(self) -> bool:
        """Whether common questions lost points."""
        return self.points < 0


def compare(before: ExamRun, after: ExamRun) -> ExamDiff:
    """Compare two runs."""
    earlier: dict[str, Outcome] = {mark.question_id: mark.outcome for mark in before.marks}
    changes = [
        Change(question_id=mark.question_id, before=earlier[mark.question_id], after=mark.outcome)
        for mark in after.marks
        if mark.question_id in earlier
    ]
    names = sorted({*before.settings, *after.settings})
    settings = {name: (before.settings.get(name, ""), after.settings.get(name, "")) for name in names}
    return ExamDiff(
        before=before,
        shared=len(changes),
        better=tuple(change for change in changes if _gain(change) > 0),
        worse=tuple(change for change in changes if _gain(change) < 0),
        points=sum(map(_gain, changes)),
        settings={name: (then, now) for name, (then, now) in settings.items() if then != now},
    )


def _gain(change: Change) -> int:
    return POINTS[change.after] - POINTS[change.before]


_FAILURES: Final = frozenset({RefusalReason.BUDGET, RefusalReason.DEADLINE, RefusalReason.CANCELLED})


def mark(question: ExamQuestion, exchange: DialogueExchange) -> Mark:
    """Return the mark of a question, answered in `exchange`."""
    cited = {citation.source_id for citation in exchange.sources}
    outcome: Outcome = "found" if cited & question.accepted else "wrong"  # `accepted` is empty if a refusal is right
    if exchange.status == "error" or exchange.reason in _FAILURES:  # a failure says nothing of the memory
        outcome = "failed"
    elif exchange.status == "refused":
        outcome = "needlessly_refused" if question.kind in ANSWERABLE else "rightly_refused"
    return Mark(question_id=question.id, kind=question.kind, outcome=outcome)
