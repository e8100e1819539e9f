"""Everything that is told of one row: what it says, where it comes from, what became of it.

Law: rows as they stand. What may not be seen of its surroundings is counted and not told; whether a row that says
something private is shown at all is told first, so that a page can ask. Nothing is written and nothing is judged.

Source: DESIGN 8 Web (sources browser); promises 6, 9; rulings C2, C10, C19, F, H.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Final

from voice.core.errors import UnknownId
from voice.core.graph.review.candidates import became_private
from voice.core.graph.row_display import render_row
from voice.core.graph.thoughts.vouching import is_declined
from voice.core.messages.memory import no_such_id
from voice.core.recall.disclosure import behind, tells_private
from voice.core.records import TABLE_OF_PREFIX, Entity, Provenance, Row, RowStatus, Scope, Thought
from voice.core.retrieval.searchable_text import mentioned_entities
from voice.core.session.values import DialogueExchange
from voice.core.text.display import MOST_LISTED, id_prefix_of, quoted_name, resolve_id_prefix
from voice.core.text.normalise import content_hash
from voice.ports.review_stores import CandidateStore
from voice.ports.row_queries import HistoryStore, IdPrefixes
from voice.ports.stores import GraphStore, MemoryStore, SessionStore
from voice.services.memory.forgotten_rows import Forgotten
from voice.services.recall.pins import Pins, PinView
from voice.services.retrieval.row_lookups import fetch_thoughts, fetch_with_source_thoughts
from voice.services.retrieval.text_cache import row_texts

_HIDEABLE: Final = frozenset({*TABLE_OF_PREFIX, "c"})  # the prefixes of ids that may be hidden
MOST_CITING: Final = 50
"""Answers that cite a row and are shown one by one."""
_SCOPED_READ: Final = 500  # rows looked at for the scopes in use


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibleIds:
    """Finds what programs name by its id or the beginning of it. Of what is private or out of scope they are told what
    they are told of what is not there, unless they may see it."""

    beginnings: IdPrefixes
    store: MemoryStore
    candidates: CandidateStore

    async def __call__(self, said: Iterable[str], *, include_private: bool) -> tuple[str, ...]:
        """Return the ids that are meant, in order; see `one`."""
        return tuple([await self.one(each, include_private=include_private) for each in said])

    async def one(self, said: str, *, include_private: bool, scope: Scope = Scope.ALL) -> str:
        """Return the id that is meant; what is neither a row's nor a candidate's comes back as it is. Raises UnknownId:
        nothing that may be told of begins so; InvalidParams: it could mean several, or ends in `…` and is too short."""
        start = id_prefix_of(said)
        found = await self._beginning(start or said, include_private=include_private, scope=scope)
        row_id = said if start is None else resolve_id_prefix(said, found)
        if row_id in found or said.partition(":")[0] not in _HIDEABLE:  # ids of other kinds are checked elsewhere
            return row_id
        raise self.unknown(said)

    def unknown(self, said: str) -> UnknownId:
        """Return the error for an id that may not be told of, whether it is there or not."""
        return UnknownId(no_such_id(quoted_name(said) or "such id"))

    async def scopes(self) -> tuple[Scope, ...]:
        """Return the scopes of the rows that were written last and are not private, the latest first."""
        ids = await self.beginnings.scoped(limit=_SCOPED_READ)
        rows, hidden = await self.store.fetch(ids), await self._hidden(ids)
        return tuple(
            dict.fromkeys(rows[each].scope for each in ids if each not in hidden and not is_declined(rows[each]))
        )

    async def _beginning(self, start: str, *, include_private: bool, scope: Scope) -> list[str]:
        limit = MOST_LISTED + 1  # one more: too many to list
        while True:
            ids = await self.beginnings.ids_from(start, limit=limit)
            hidden = await self._hidden(ids, include_private=include_private, scope=scope)
            found = [each for each in ids if each not in hidden]
            if len(ids) < limit or len(found) > MOST_LISTED:  # all were seen, or enough
                return found
            limit *= 8  # hidden ones took the places

    async def _hidden(
        self, ids: Sequence[str], *, include_private: bool = False, scope: Scope = Scope.ALL
    ) -> frozenset[str]:
        """Return the ids that may not be told of: out of scope, private, or repeating what a private thought says."""
        rows = await fetch_with_source_thoughts(self.store, [each for each in ids if each[:2] != "c:"])
        held = await self.candidates.fetch([each for each in ids if each[:2] == "c:"])
        behind = (span.thought_id for each in held.values() for span in each.provenance)
        thoughts = await fetch_thoughts(self.store, behind)
        private = {each.id for each in held.values() if each.is_private or became_private(each, thoughts)}
        private |= {each for each in ids if each in rows and tells_private(rows[each], rows)}
        away = (each for each in ids if each in rows and not scope.admits(rows[each].scope))
        return frozenset(away).union(() if include_private else private)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """A place in a thought that a row rests on."""

    at: Provenance
    thought: Thought | None
    """None: it is not there any more, or may not be seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dossier:
    """One row with what stands around it."""

    row: Row
    text: str
    """What it says; spans and the hash refer to it."""
    content_hash: str
    is_private: bool
    """Whether it is private, or says again what a private thought says."""
    is_withheld: bool
    grounds: tuple[Ground, ...] = ()
    derived: tuple[Row, ...] = ()
    """What was made of it, by id: of a thought, its statements and what they name."""
    entities: tuple[Entity, ...] = ()
    successor: Row | None = None
    replaced: tuple[Row, ...] = ()
    """What it took the place of, the latest first; before it what that one replaced, and so on."""
    pins: tuple[PinView, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict[str, str])
    """What the other rows that are told say, by id."""
    hidden: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Citations:
    """The answers that cite a row."""

    shown: tuple[DialogueExchange, ...]
    """The latest first, at most `MOST_CITING`."""
    hidden: int
    more: int = 0
    """Earlier ones, not shown."""
    earlier: frozenset[str] = frozenset()
    """Ids of those that cite only what it took the place of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dossiers:
    """Reads what there is of a row."""

    store: MemoryStore
    graph: GraphStore
    history: HistoryStore
    sessions: SessionStore
    pins: Pins
    forgotten: Forgotten

    async def __call__(self, row_id: str, *, include_private: bool) -> Dossier:
        """Return what is told of the row. Raises UnknownId: none; the message says what became of it."""
        rows = await fetch_with_source_thoughts(self.store, [row_id])
        row = rows.get(row_id)
        if row is None:
            raise await self.absent(row_id)
        successor = row.superseded_by
        grounds = {at.thought_id for at in _spans(row)}
        nearby = await self.store.fetch(
            sorted({*grounds, *mentioned_entities(row), *([successor] if successor else ())})
        )
        text = await self._text(row, nearby, include_private=include_private)
        made = [each for each in await self._derived(row) if each.status is not RowStatus.REDACTED]
        shown = _Disclosure(include_private=include_private)  # one count for everything around the row
        derived, replaced = shown.rows(made), shown.rows(await self._replaced(row))
        taken = shown.rows(each for each in nearby.values() if each.id == successor)
        told = (*derived, *replaced, *taken)
        listed = await self.pins.listed(scope=Scope.ALL, include_expired=True, include_private=include_private)
        return Dossier(
            row=row,
            text=text,
            content_hash=content_hash(text),
            is_private=tells_private(row, rows),
            is_withheld=any(each.status is RowStatus.REDACTED for each in (row, *behind(row, rows))),
            grounds=tuple(shown.ground(nearby, at) for at in _spans(row)),
            derived=derived,
            entities=shown.entities(nearby, mentioned_entities(row)),
            successor=taken[0] if taken else None,
            replaced=replaced,
            pins=tuple(view for view in listed.pins if view.pin.target_id == row_id),
            texts=await row_texts(self.store, told, include_private=include_private),
            hidden=shown.hidden,
        )

    async def is_private(self, row_id: str) -> bool:
        """Return whether the row is private, or says again what a private thought says; raises as `__call__` does."""
        rows = await fetch_with_source_thoughts(self.store, [row_id])
        if row_id not in rows:
            raise await self.absent(row_id)
        return tells_private(rows[row_id], rows)

    # Corrections included: an answer from before cites the row that this one replaced.
    async def citing(self, row_id: str, *, include_private: bool) -> Citations:
        """Return the answers that cite the row, what was made of it, or what these took the place of. Raises UnknownId:
        there is no such row, and no answer cites one."""
        row = (await self.store.fetch([row_id])).get(row_id)
        rows = [row, *(await self._derived(row))] if row else []
        wanted = {row_id, *(each.id for each in rows)}
        before = {past.id for past in await self._replaced(*rows)} - wanted
        found = [each async for page in self.sessions.figures() for each in page if _cites(each, wanted | before)]
        if row is None and not found:
            raise await self.absent(row_id)
        shown = [each for each in found if include_private or not each.is_withheld]
        shown.sort(key=lambda each: (each.timestamp, each.id), reverse=True)
        earlier = frozenset(each.id for each in shown if not _cites(each, wanted))
        whole = [await self.sessions.exchanges(exchange_id=each.id) for each in shown[:MOST_CITING]]
        return Citations(
            shown=tuple(each for found_of_id in whole for each in found_of_id),
            more=max(0, len(shown) - MOST_CITING),
            hidden=len(found) - len(shown),
            earlier=earlier,
        )

    async def absent(self, row_id: str) -> UnknownId:
        """Return the error for an id that no row bears, or none that may be told of."""
        prefix, _, rest = row_id.partition(":")
        named = quoted_name(row_id) if prefix in TABLE_OF_PREFIX and rest else None  # "t:" alone names nothing
        if named is None:
            what = "there is no such source: this is not the id of a source"
            return UnknownId(f"{what}; ids look like t:…, e:…, o:… or r:…")
        return await self.forgotten.absent(row_id, f"there is no source {named} in this memory")

    async def _derived(self, row: Row) -> list[Row]:
        return await self.graph.derived_from([row.id]) if isinstance(row, Thought) else []

    async def _replaced(self, *rows: Row) -> list[Row]:
        """Return what rows took the place of, and what that had taken the place of, the latest first."""
        found: dict[str, Row] = {}
        edge = own = [row.id for row in rows]
        while edge:  # rows seen before are dropped, so a cycle ends
            before = await self.history.replaced_by(edge)
            edge = [each.id for each in before if each.id not in found and each.id not in own]
            found |= {each.id: each for each in before if each.id in edge}
        return sorted(found.values(), key=lambda each: (each.superseded_at or each.recorded_at, each.id), reverse=True)

    async def _text(self, row: Row, nearby: Mapping[str, Row], *, include_private: bool) -> str:
        """Return what the row says, its neighbours named as far as they may be seen (ruling C19)."""
        relations = await self.graph.relations_of([row.id]) if isinstance(row, Entity) else []
        seen = [each for each in relations if include_private or not each.is_private]
        ends = await self.store.fetch(sorted({end for each in seen for end in (each.source_id, each.target_id)}))
        entities = {
            each.id: each
            for each in (*nearby.values(), *ends.values())
            if isinstance(each, Entity) and (include_private or not each.is_private)
        }
        return render_row(row, entities=entities, relations=seen)


class _Disclosure:
    """Passes on what may be seen, and counts what may not."""

    def __init__(self, *, include_private: bool) -> None:
        self._include_private = include_private
        self.hidden = 0

    def may(self, row: Row) -> bool:
        is_hidden = row.is_private and not self._include_private
        self.hidden += is_hidden  # counts True as 1
        return not is_hidden

    def rows(self, rows: Iterable[Row]) -> tuple[Row, ...]:
        return tuple(row for row in rows if self.may(row))

    def ground(self, nearby: Mapping[str, Row], at: Provenance) -> Ground:
        thought = nearby.get(at.thought_id)
        return Ground(at=at, thought=thought if isinstance(thought, Thought) and self.may(thought) else None)

    def entities(self, nearby: Mapping[str, Row], ids: Sequence[str]) -> tuple[Entity, ...]:
        named = (nearby.get(each) for each in ids)
        return tuple(row for row in named if isinstance(row, Entity) and self.may(row))


def _spans(row: Row) -> Sequence[Provenance]:
    return () if isinstance(row, Thought) else row.provenance


def _cites(exchange: DialogueExchange, wanted: AbstractSet[str]) -> bool:
    return exchange.status == "answered" and not wanted.isdisjoint(exchange.memories_referenced)
