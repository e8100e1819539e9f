"""What a correction leaves untrue: rows beside it, and candidates that rested on the old words.

Law: only rows that are not private are named or quoted, for nobody asked to see others (promise 6). Nothing is changed:
whoever corrected something decides what becomes of the rest (ruling F).

What becomes of candidates is decided over them as they are stored, so that doing it again does nothing, and written in
the transaction of the correction (ruling I8).

Source: rulings C10, F, H, I8; promise 6.
"""

from collections.abc import AsyncIterator, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from voice.core.errors import SessionConflict
from voice.core.graph.conflicts.contradictions import Claim, contradictions
from voice.core.graph.consequences import spoken, still_saying, stretches_saying
from voice.core.graph.entity_names import KnownNames
from voice.core.graph.review.candidates import Candidate, Cursor
from voice.core.records import Entity, GraphRow, Observation, Relation, Row, Thought
from voice.ports.review_stores import NO_ROWS, CandidateFilter, CandidateStore
from voice.ports.stores import GraphStore, MemoryStore, WriteBatch


@dataclass(frozen=True, slots=True, kw_only=True)
class TellableRow:
    """A row that is shown beside a correction."""

    id: str
    said: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Consequences:
    """Rows that a correction leaves untrue, to be shown beside it."""

    contradicts: tuple[TellableRow, ...] = ()
    """Relations that cannot hold beside the new ones."""
    still_says: tuple[TellableRow, ...] = ()
    """Relations, descriptions and notes that hold what was taken back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionConsequences:
    """Looks up what stands beside a correction."""

    store: MemoryStore
    graph: GraphStore

    async def __call__(
        self, old: Row, fresh: Iterable[Row], names: KnownNames, *, gone: Collection[str]
    ) -> Consequences:
        """Return what is told to whoever puts `fresh` in the place of `old`; `gone`: ids that end with it."""
        new = [row for row in fresh if isinstance(row, Observation | Relation)]
        stale = await self._still_saying(old, new, names.public, gone)  # private names stay out (promise 6)
        known = {each.id for each in stale}
        against = [each for each in await self._contradicting(new, names.public, gone) if each.id not in known]
        return Consequences(contradicts=tuple(against), still_says=stale)

    async def _contradicting(
        self, new: Sequence[Observation | Relation], names: KnownNames, gone: Collection[str]
    ) -> list[TellableRow]:
        edges = [row for row in new if isinstance(row, Relation)]
        about = sorted({end for row in edges for end in (row.source_id, row.target_id)})
        if not about:
            return []
        held = [row for row in await self.graph.relations_of(about) if not row.is_private and row.id not in gone]
        rows = {row.id: row for row in (*held, *edges)}
        ours = {row.id for row in edges}
        pairs = contradictions(map(Claim.of, rows.values()))  # pairs of old edges are left out below
        others = {each for pair in pairs if ours.intersection(pair) for each in pair} - ours
        return [TellableRow(id=row_id, said=spoken(rows[row_id], names.name_of)) for row_id in sorted(others)]

    async def _still_saying(
        self, old: Row, new: Sequence[GraphRow], names: KnownNames, gone: Collection[str]
    ) -> tuple[TellableRow, ...]:
        if not (isinstance(old, Observation) and new and isinstance(new[0], Observation)):
            return ()
        behind = sorted({place.thought_id for place in old.provenance})  # the notes that said it first
        rows = {row.id: row for row in (await self.graph.derived_from(behind) if behind else [])}
        about = await self.store.fetch(list(old.entity_ids)) if old.entity_ids else {}
        shown = [
            row
            for row in {**rows, **about}.values()
            if isinstance(row, Entity | Relation) and not row.is_private and row.id not in gone
        ]
        found = still_saying(shown, old.text, new[0].text, nodes=names.nodes, places=old.provenance)
        notes = {
            row_id: row
            for row_id, row in (await self.store.fetch(behind)).items()
            if isinstance(row, Thought) and not row.is_private and row.id not in gone
        }
        stretches = stretches_saying(notes, new[0].text, old.provenance)
        told = [(row.id, spoken(row, names.name_of)) for row in found] + sorted(stretches.items())
        return tuple(TellableRow(id=row_id, said=said) for row_id, said in told)


EVERY_CANDIDATE: Final = CandidateFilter()
_PAGE: Final = 500  # candidates read at once
_MOST_TRIES: Final = 5  # each decides over the candidates as they are by then


async def settle_candidates(
    store: CandidateStore,
    where: CandidateFilter,
    become: Callable[[Candidate], Candidate | None],
    *,
    unsettled: str,
    rows: WriteBatch = NO_ROWS,
) -> None:
    """Put what `become` returns in the place of every candidate that a filter admits (None removes it), in one
    transaction with `rows`. Raises SessionConflict, saying `unsettled`: they kept changing, and nothing was written."""
    for _ in range(_MOST_TRIES):
        left = [(each, become(each)) async for each in all_candidates(store, where)]
        changed = [now for each, now in left if now is not None and now is not each]  # the rest keep their revision
        try:
            await store.save(changed, rows=rows, removed=[each.id for each, now in left if now is None])
        except SessionConflict:  # somebody decided one of them meanwhile
            continue
        return
    raise SessionConflict(unsettled)


async def all_candidates(store: CandidateStore, where: CandidateFilter = EVERY_CANDIDATE) -> AsyncIterator[Candidate]:
    """Yield every candidate that a filter admits, in the order they were staged, read page by page."""
    after: Cursor | None = None
    while page := await store.candidates(where, limit=_PAGE, after=after):
        for each in page:
            yield each
        after = Cursor.behind(page[-1])
