"""One run of an exam, and what became better or worse since the last.

Law: a run is figures and marks and no word of a memory. Two runs are held against one another by the questions that
both have: with other rows, another seed or another number of questions there are fewer, and of the others nothing is
said. It is worse where these questions earn fewer points: a right outcome counts two, a refusal in vain one, a wrong
answer none.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from voice.core.exam.values import KINDS, POINTS, Kind, Mark, Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class KindTally:
    """What came of the questions of one kind, or of all."""

    asked: int
    right: int
    """Found, or rightly refused."""
    wrong: int
    needlessly_refused: int
    failed: int

    @classmethod
    def of(cls, marks: Iterable[Mark]) -> "KindTally":
        """Return what `marks` add up to."""
        told = list(marks)

        def count(outcome: Outcome) -> int:
            return sum(mark.outcome == outcome for mark in told)

        return cls(
            asked=len(told),
            right=sum(mark.is_right for mark in told),
            wrong=count("wrong"),
            needlessly_refused=count("needlessly_refused"),
            failed=count("failed"),
        )

    @property
    def share(self) -> float:
        """Which share came out right; 0 of nothing."""
        return self.right / self.asked if self.asked else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamRun:
    """One run: what is kept until the next."""

    at: datetime
    seed: int
    rows: int
    """Of which the questions could be made."""
    marks: tuple[Mark, ...]
    settings: Mapping[str, str]
    """What was set of that which answers depend on."""
    input_tokens: int | None
    """None: nobody knows."""
    output_tokens: int | None
    cost: Decimal | None
    """In US dollars; None: nobody knows."""

    @property
    def all(self) -> KindTally:
        """What came of all questions."""
        return KindTally.of(self.marks)

    @property
    def by_kind(self) -> Mapping[Kind, KindTally]:
        """What came of each kind."""
        return {kind: KindTally.of(mark for mark in self.marks if mark.kind == kind) for kind in KINDS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A question that came out differently."""

    question_id: str
    before: Outcome
    after: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamDiff:
    """One run against the one before."""

    before: ExamRun
    shared: int
    """The questions of both."""
    better: tuple[Change, ...]
    worse: tuple[Change, ...]
    points: int
    """By how many points the questions of both earn more now."""
    settings: Mapping[str, tuple[str, str]]
    """What was set differently: before and now."""

    @property
    def is_worse(self) -> bool:
        """Whether the questions of both earn less than before."""
        return self.points < 0


def compare(before: ExamRun, after: ExamRun) -> ExamDiff:
    """Return what became of the questions of both."""
    earlier: dict[str, Outcome] = {mark.question_id: mark.outcome for mark in before.marks}
    both = [
        Change(question_id=mark.question_id, before=earlier[mark.question_id], after=mark.outcome)
        for mark in after.marks
        if mark.question_id in earlier
    ]
    names = sorted({*before.settings, *after.settings})
    set_then_and_now = {name: (before.settings.get(name, ""), after.settings.get(name, "")) for name in names}
    return ExamDiff(
        before=before,
        shared=len(both),
        better=tuple(change for change in both if _gain(change) > 0),
        worse=tuple(change for change in both if _gain(change) < 0),
        points=sum(map(_gain, both)),
        settings={name: pair for name, pair in set_then_and_now.items() if pair[0] != pair[1]},
    )


def _gain(change: Change) -> int:
    return POINTS[change.after] - POINTS[change.before]
