"""Compare two conversations turn by turn.

Law: shared turns come from the lineage, never from similarity; later turns are paired by index.
Source: docs/sessions.md.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from rapidfuzz.distance import Indel, LCSseq

from voice.core.session.exchange import with_marks
from voice.core.session.values import DialogueExchange, InnerVoiceSession

Side = Literal["both", "left", "right"]
_ALIKE = 0.5  # least word similarity for a word diff; below it the answers are shown whole


@dataclass(frozen=True, slots=True, kw_only=True)
class WordRun:
    """Consecutive words of both answers or of one."""

    side: Side
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnPair:
    """The two turns at one index; None after the end of a conversation."""

    index: int
    left: DialogueExchange | None
    right: DialogueExchange | None

    @property
    def is_same_question(self) -> bool:
        """Whether both have the same question."""
        return self.left is not None and self.right is not None and self.left.my_query == self.right.my_query

    @property
    def is_same_answer(self) -> bool:
        """Whether both have the same answer."""
        return (
            self.left is not None
            and self.right is not None
            and with_marks(self.left).answer == with_marks(self.right).answer
        )

    @property
    def is_private(self) -> bool:
        """Whether either is shown only with private rows."""
        return any(each.is_withheld for each in (self.left, self.right) if each)

    def runs(self) -> tuple[WordRun, ...]:
        """Return the word diff of the answers in reading order; empty if one is missing."""
        if self.left is None or self.right is None:
            return ()
        return tuple(_runs(with_marks(self.left).answer.split(), with_marks(self.right).answer.split()))


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionDiff:
    """Comparison of two conversations."""

    left: InnerVoiceSession
    right: InnerVoiceSession
    shared: int
    """Length of their common beginning in turns; 0: unrelated."""
    pairs: tuple[TurnPair, ...]


def compare_sessions(
    left: InnerVoiceSession,
    right: InnerVoiceSession,
    *,
    shared: int,
    turns: tuple[Sequence[DialogueExchange], Sequence[DialogueExchange]],
) -> SessionDiff:
    """Pair the later turns of two sessions that have `shared` turns in common."""
    pairs = zip_longest(*turns)  # the longer one goes on alone
    return SessionDiff(
        left=left,
        right=right,
        shared=shared,
        pairs=tuple(
            TurnPair(index=index, left=mine, right=theirs) for index, (mine, theirs) in enumerate(pairs, start=shared)
        ),
    )


def _runs(left: list[str], right: list[str]) -> Iterator[WordRun]:
    same: list[tuple[int, int, int]] = []  # none: the answers are shown whole
    if Indel.normalized_similarity(left, right) >= _ALIKE:
        blocks = LCSseq.opcodes(left, right)
        same = [(block.src_start, block.dest_start, block.src_end) for block in blocks if block.tag == "equal"]
    at = other_at = 0
    for start, other_start, end in (*same, (len(left), len(right), len(left))):  # an empty last block
        yield from _run("left", left[at:start])
        yield from _run("right", right[other_at:other_start])
        yield from _run("both", left[start:end])
        at, other_at = end, other_start + end - start


def _run(side: Side, words: list[str]) -> Iterator[WordRun]:
    if words:
        yield WordRun(side=side, text=" ".join(words))
