"""Stores of what waits for review: candidates, noted thoughts, conflicts.

Law: as of every store: one transaction a write, on disk when it returns; a stated order of reading. What a candidate
becomes is written with it: no row is in the graph while its candidate still waits, nor the other way round (ruling F).
What somebody said of conflicts, and which wait for review, names rows and places and holds no words.
Source: spec rag-organize 2 and 6; rulings F, G.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from voice.core.errors import InvalidParams
from voice.core.graph.conflicts.pairs import ConflictRecord
from voice.core.graph.review.candidates import Candidate, CandidateKind, CandidateStatus, Cursor
from voice.core.vouch import Vouch
from voice.ports.stores import WriteBatch, check_ids

NO_ROWS = WriteBatch()  # frozen, so one serves every call


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateFilter:
    """Which candidates are wanted; the default wants all. What is given must all hold."""

    kind: CandidateKind | None = None
    status: CandidateStatus | None = None
    type: str | None = None
    """Only of this entity or relation type, however it is written."""
    text: str | None = None
    """Only those in one of whose names this stands, however it is written."""
    named: tuple[str, ...] | None = None
    """Only those that have one of these names, which are normalised."""
    thought_id: str | None = None
    min_confidence: float | None = None  # this or more
    max_confidence: float | None = None
    """Below this, exclusive."""
    since: datetime | None = None
    include_private: bool = True

    def __post_init__(self) -> None:
        for bound in (self.min_confidence, self.max_confidence):
            if bound is not None and math.isnan(bound):  # it compares as false with everything
                raise InvalidParams("a confidence lies between 0 and 1")


ALL_CANDIDATES = CandidateFilter()  # frozen, so it can be a default


class CandidateStore(Protocol):
    """Candidates of entities and relations."""

    async def save(
        self, candidates: Sequence[Candidate], *, rows: WriteBatch = NO_ROWS, removed: Sequence[str] = ()
    ) -> list[Candidate]:
        """Write the candidates, and `rows` with them, in one transaction; return them with their `seq`. A new
        candidate's revision is 1; that of one that is there is the stored one plus 1. What is there of `removed` goes
        for good with it. Raises InvalidParams: more than `MAX_WRITE`, one of them twice, or `rows` cannot be written
        (`MemoryStore.write`); SessionConflict: a candidate was changed by somebody else meanwhile; nothing was written.
        """
        ...

    async def fetch(self, ids: Sequence[str]) -> dict[str, Candidate]:
        """Return the candidates that exist, by id; unknown ids are absent."""
        ...

    async def candidates(
        self, where: CandidateFilter = ALL_CANDIDATES, *, limit: int, after: Cursor | None = None
    ) -> list[Candidate]:
        """Return the first `limit` of the wanted candidates behind `after`, by (`staged_at`, `id`). What is staged,
        decided or removed between two pages moves no other candidate: each wanted throughout is on one page, once."""
        ...

    async def count(self, where: CandidateFilter = ALL_CANDIDATES) -> int:
        """Return how many candidates are wanted. Where private ones are not, one that rests on private thoughts alone
        by now is not counted either, though `candidates` returns it: the thoughts beside it tell whether it may be
        shown."""
        ...


def check_candidates(candidates: Sequence[Candidate]) -> None:
    """Check what `CandidateStore.save` is given. Raises InvalidParams: there are too many, or one is named twice."""
    check_ids([candidate.id for candidate in candidates], "candidate")


class NotedRows(Protocol):
    """Finds the thoughts that programs noted."""

    async def noted(self, states: Collection[Vouch]) -> list[str]:
        """Return the ids of the thoughts of which one of `states` was decided, whatever else became of them. The
        earliest recorded comes first, of equal ones the lower id."""
        ...


class ConflictLog(Protocol):
    """Records of conflicts, one for each."""

    async def save(self, records: Sequence[ConflictRecord]) -> list[ConflictRecord]:
        """Write records, each over the one of its id, in one transaction; return them with their `seq`, in order.
        Raises InvalidParams: two of them have one id, or one cannot be stored."""
        ...

    async def records(self) -> list[ConflictRecord]:
        """Return all of them, the latest first, then by id."""
        ...

    async def remove(self, ids: Sequence[str]) -> None:
        """Remove records for good; what is not there is passed over. Raises StoreError: nothing was removed."""
        ...


def check_records(records: Sequence[ConflictRecord]) -> None:
    """Check what `ConflictLog.save` is given. Raises InvalidParams: too many, an id twice, or one that is none."""
    check_ids([each.id for each in records], "conflict")
