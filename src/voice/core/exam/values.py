"""The questions of an exam, and what can come of them.

Law: a question knows which rows answer it; that none does is known, too. Its id is a keyed hash, so that a record of
what came of it holds no word of anybody's, and nothing that is to be forgotten.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

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
