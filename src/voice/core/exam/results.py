"""Marks of an exam's questions, its runs, and what changed between two runs.

Law: a run is figures and marks and no word of a memory. Two runs are held against one another by the questions that
both have: with other rows, another seed or another number of questions there are fewer, and of the others nothing is
said. It is worse where these questions earn fewer points: a right outcome counts two, a refusal in vain one, a wrong
answer none.

The questions of an exam, and what can come of them. A question knows which rows answer it; that none does is known,
too. Its id is a keyed hash, so that a record of what came of it holds no word of anybody's, and nothing that is to be
forgotten.

What came of a question. An answer is found where it cites a row that the question was made of, or one that says the
same; whatever else it cites, and whatever it says in other words, is not looked at. An answer that cites none of them,
and any answer to a question that has none, is wrong. A call that failed says nothing of the settings, and counts as
failed.
"""

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
"""The kinds, in the order of a report: straight; with its day; with a term that is not there; of somebody else."""
ANSWERABLE: Final[frozenset[Kind]] = frozenset({"straight", "dated"})
"""The kinds whose right outcome is an answer; that of the others is a refusal."""
POINTS: Final[Mapping[Outcome, int]] = {
    "found": 2,
    "rightly_refused": 2,
    "needlessly_refused": 1,
    "wrong": 0,
    "failed": 0,
}
"""What an outcome counts where two runs are compared: a wrong answer is worse than a needless refusal."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExamQuestion:
    """One question, made of one row."""

    id: str
    """A keyed hash of its kind, its row and its words: another question has another id."""
    kind: Kind
    text: str = field(repr=False)
    row_id: str
    """The row that it is made of."""
    accepted: frozenset[str] = frozenset()
    """The rows that answer it: that one, and those that say the same. Empty where none does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """What came of one question; all that is kept of it."""

    question_id: str
    kind: Kind
    outcome: Outcome

    @property
    def is_right(self) -> bool:
        """Whether the answer was found, or rightly refused."""
        return POINTS[self.outcome] == max(POINTS.values())


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


_FAILURES: Final = frozenset({RefusalReason.BUDGET, RefusalReason.DEADLINE, RefusalReason.CANCELLED})


def mark(question: ExamQuestion, exchange: DialogueExchange) -> Mark:
    """Return what came of `question`, whose turn is `exchange`."""
    return Mark(question_id=question.id, kind=question.kind, outcome=_outcome(question, exchange))


def _outcome(question: ExamQuestion, exchange: DialogueExchange) -> Outcome:
    if exchange.status == "error" or exchange.reason in _FAILURES:
        return "failed"
    if exchange.status == "refused":
        return "needlessly_refused" if question.kind in ANSWERABLE else "rightly_refused"
    cited = {citation.source_id for citation in exchange.sources}
    return "found" if cited & question.accepted else "wrong"
