"""List rows page by page, search among them, and search rows and turns for exact words.

Law: one request looks at a bounded number of changes; where few rows are wanted of many, it says where to go on rather
than look through everything. What is looked for is found as `retrieve` finds it, and relations as evidence is found.
Nothing is written.

Search rows and turns for the very words. All there is of a kind is looked through, in pages, by its words alone; only
what is shown is read whole. So a search costs the same whatever is looked for, and how many hold it is known. What may
not be seen is not found, nor counted: that a private row holds a word would tell of it (promise 6). Nothing is written.

Source: DESIGN 4 (`seq`), 8 Web; promise 6; rulings C2, C20; DESIGN 8 Web (sources browser); rulings C13, F.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from voice.core.records import Row, RowStatus, Scope, Table, Thought
from voice.core.retrieval.candidates import ALL_TABLES, LIVE, CatalogueFilter, CataloguePage, catalogue_page
from voice.core.retrieval.params import RetrieveRequest
from voice.core.retrieval.passages import EvidenceRequest
from voice.core.retrieval.searchable_text import LiteralQuery, is_under
from voice.core.retrieval.values import LOCAL_HYBRID, Candidate, Selection, Window
from voice.core.session.values import DialogueExchange
from voice.core.text.normalise import norm_v1
from voice.ports.stores import MemoryStore, SessionStore
from voice.services.retrieval.retrieve import RetrieveByWords
from voice.services.retrieval.row_lookups import Names
from voice.services.retrieval.text_cache import APART, RowText, TextCache, row_texts
from voice.services.sessions.lookup import topics_to_hide

_STRETCH: Final = 250
"""Changes that are read at once."""
_STRETCHES: Final = 20
"""How many of these one request reads at most."""
_FEW: Final = 1_000
"""Rows that may be wanted and are read by their ids: a walk over all changes would pass over most of what it reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowListing:
    """A page of the list, with what its rows say."""

    leaf: CataloguePage
    texts: Mapping[str, str]
    """By row id, the ends of relations named as far as they may be seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowQuery:
    """What was found for some words, best first."""

    found: tuple[Candidate, ...]
    selection: Selection
    """The whole choice, of which `found` is what was wanted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """Lists rows and looks for them."""

    store: MemoryStore
    find: RetrieveByWords
    said: TextCache

    async def latest(self, where: CatalogueFilter, *, limit: int, below: int | None = None) -> RowListing:
        """Return the wanted rows that were written last.

        Args:
            limit: how many at most, at least 1.
            below: where a page before ended; None: begin with what was written last.
        """
        few = await self._few(where)
        if few is not None:
            behind = [row for row in few if below is None or row.seq < below]
            return await self._listed(catalogue_page(behind, where, limit=limit, bottom=0), where)
        top = (await self.store.head()).last_seq + 1 if below is None else below
        rows: list[Row] = []
        wanted = 0
        for _ in range(_STRETCHES):
            bottom = max(0, top - _STRETCH - 1)
            read = await self.store.changes(bottom, top - 1 - bottom) if top > 1 else []
            found = [change.row for change in reversed(read) if change.row is not None and change.seq < top]
            rows += found
            wanted += sum(map(where.admits, found))
            top = bottom + 1
            if not bottom or wanted > limit:
                break
        return await self._listed(catalogue_page(rows, where, limit=limit, bottom=top - 1), where)

    async def _few(self, where: CatalogueFilter) -> list[Row] | None:
        """Return the rows that may be wanted, the latest written first, where they are few; else None."""
        if where.tables == ALL_TABLES and where.statuses == LIVE and not where.include_tags:
            return None
        tags = set(where.include_tags)
        ids = [
            each.row.id
            for each in await self.said.of(where.tables)
            if each.row.status in where.statuses and (not tags or not tags.isdisjoint(each.row.tags))
        ]
        if len(ids) > _FEW:
            return None
        return sorted((await self.store.fetch(ids)).values(), key=lambda row: row.seq, reverse=True)

    async def _listed(self, leaf: CataloguePage, where: CatalogueFilter) -> RowListing:
        texts = await row_texts(self.store, leaf.rows, include_private=where.include_private)
        return RowListing(leaf=leaf, texts=texts)

    async def sought(self, words: str, where: CatalogueFilter, *, when: str | None = None) -> RowQuery:
        """Return the wanted rows that fit `words` best.

        Args:
            where: which rows; its window gives way to `when`.

        Raises:
            InvalidParams: there are no words, or `when` cannot be understood.
            EmbedderUnavailable, StoreError: as `voice.services.retrieval.search.Retrieve` raises them.
        """
        only_edges = where.tables == frozenset({Table.RELATIONS})
        selection = await (self._edges(words, where, when) if only_edges else self._snippets(words, where, when))
        found = tuple(
            each for each in selection.chosen if each.row.status in where.statuses and each.table in where.tables
        )
        return RowQuery(found=found, selection=selection)

    async def _snippets(self, words: str, where: CatalogueFilter, when: str | None) -> Selection:
        return await self.find(
            RetrieveRequest(
                query=words,
                scope=Scope.ALL,
                limit=self.find.nlq.max_limit,
                mix=_share_of_graph(where.tables),
                include_private=where.include_private,
                include_tags=where.include_tags,
                provider=LOCAL_HYBRID,
                when=when,
                superseded=RowStatus.SUPERSEDED in where.statuses,
            )
        )

    async def _edges(self, words: str, where: CatalogueFilter, when: str | None) -> Selection:
        window = where.window if when is None else self.find.window(when, query=words)
        request = EvidenceRequest(
            query=words,
            window=window,
            include_private=where.include_private,
            include_tags=where.include_tags,
            superseded=RowStatus.SUPERSEDED in where.statuses,
        )
        return await self.find.retrieve.fetch_evidence(request)


def _share_of_graph(tables: Iterable[Table]) -> float:
    """Return S0's `mix`: strict where one side alone is wanted."""
    wanted = set(tables)
    if wanted == {Table.THOUGHTS}:
        return 0.0
    return 0.5 if Table.THOUGHTS in wanted else 1.0


_BATCH: Final = 100
"""Rows that are read whole at once."""
_NO_NAMES: Final[Mapping[str, str]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class RowMatches:
    """A part of the rows that hold what is looked for, the latest kept first."""

    rows: tuple[Row, ...]
    texts: Mapping[str, str]
    """By row id, as they are shown."""
    has_more: bool
    total: int | None
    """How many there are in all; None where a time or tags choose among them, which is read as they are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnMatch:
    """A turn that holds what is looked for."""

    exchange: DialogueExchange
    topic: str
    """What its session is about, as far as that may be told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnMatches:
    """A part of the turns that hold what is looked for, the latest first."""

    turns: tuple[TurnMatch, ...]
    has_more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LiteralSearch:
    """Finds exact words."""

    store: MemoryStore
    sessions: SessionStore
    said: TextCache
    names: Names

    async def rows(
        self, wanted: LiteralQuery | None, where: CatalogueFilter, *, path: str = "", limit: int, skip: int = 0
    ) -> RowMatches:
        """Return the rows that say some words and come from a place.

        Args:
            wanted: the words; None: any.
            path: the file or folder that they, or the notes behind them, came from; empty: any.
            limit: how many at most.
            skip: so many of the first ones are left out.
        """
        ids = sorted(await self._ids(wanted, where, path), key=lambda row_id: row_id.partition(":")[2], reverse=True)
        is_exact = where.window == Window() and not where.include_tags
        start = skip if is_exact else 0
        found: list[Row] = []
        for at in range(start, len(ids), _BATCH):
            batch = ids[at : at + _BATCH]
            rows = await self.store.fetch(batch)
            found += [rows[row_id] for row_id in batch if row_id in rows and where.admits(rows[row_id])]
            if len(found) > skip - start + limit:
                break
        shown = found[skip - start :]
        texts = await row_texts(self.store, shown[:limit], include_private=where.include_private)
        return RowMatches(
            rows=tuple(shown[:limit]),
            texts=texts,
            has_more=len(shown) > limit,
            total=len(ids) if is_exact else None,
        )

    async def _ids(self, wanted: LiteralQuery | None, where: CatalogueFilter, path: str) -> list[str]:
        """Return the ids of the rows that may be seen, say the words, and come from the place."""
        there = await self._under(path) if path else None
        names = await self._names(where) if wanted and Table.RELATIONS in where.tables else _NO_NAMES
        return [
            each.row.id
            for each in await self.said.of(where.tables)
            if each.row.status in where.statuses
            and (where.include_private or not each.row.is_private)
            and (there is None or (each.row.thought_id or each.row.id) in there)
            and (wanted is None or wanted.holds(_words_of(each, names)))
        ]

    async def _under(self, path: str) -> Collection[str]:
        """Return the ids of the thoughts that were found at a place."""
        notes = await self.said.of((Table.THOUGHTS,))
        return {each.row.id for each in notes if is_under(each.row.place, path)}

    async def _names(self, where: CatalogueFilter) -> Mapping[str, str]:
        known = await self.names.known()
        return {node.id: node.name for node in (known if where.include_private else known.public).nodes}

    async def from_place(self, rows: Iterable[Row], path: str) -> frozenset[str]:
        """Return the ids of those rows that come from a place.

        Args:
            rows: any.
            path: the file or folder.
        """
        behind = {row.id: _thought_of(row) for row in rows}
        notes = await self.store.fetch(sorted({each for each in behind.values() if each}))
        there = {each.id for each in notes.values() if isinstance(each, Thought) and is_under(each.source_ref, path)}
        return frozenset(row_id for row_id, note in behind.items() if note in there)

    async def turns(
        self,
        wanted: LiteralQuery,
        *,
        window: Window = Window(),  # noqa: B008 - frozen
        include_private: bool = False,
        limit: int,
        skip: int = 0,
    ) -> TurnMatches:
        """Return the turns whose question and answer say some words.

        Args:
            include_private: whether turns that are withheld are among them.
            limit: how many at most.
            skip: so many of the first ones are left out.
        """
        every = await self.said.turns()
        said = [each for each in every if window.admits(each.at) and wanted.holds(each.normal)]
        found: list[DialogueExchange] = []
        for each in sorted(said, key=lambda one: (one.at, one.id), reverse=True):
            turns = await self.sessions.exchanges(exchange_id=each.id)
            found += [turn for turn in turns if turn.my_query and (include_private or not turn.is_withheld)]
            if len(found) > skip + limit:
                break
        shown = found[skip : skip + limit]
        topics = await self._topics(shown, include_private=include_private)
        turns = tuple(TurnMatch(exchange=each, topic=topics.get(each.session_id, "")) for each in shown)
        return TurnMatches(turns=turns, has_more=len(found) > skip + limit)

    async def _topics(self, turns: Sequence[DialogueExchange], *, include_private: bool) -> Mapping[str, str]:
        wanted = {each.session_id for each in turns}
        every = await self.sessions.topics() if wanted else _NO_NAMES
        topics = {session_id: topic for session_id, topic in every.items() if session_id in wanted}
        return topics if include_private else await topics_to_hide(self.sessions, topics)


def _words_of(each: RowText, names: Mapping[str, str]) -> str:
    """Return what a row says in normal form, the ends of a relation by their names."""
    if not each.row.ends:
        return each.normal
    source, target = (norm_v1(names.get(end, "")) for end in each.row.ends)
    return APART.join((source, each.normal, target))


def _thought_of(row: Row) -> str | None:
    if isinstance(row, Thought):
        return row.id
    return row.provenance[0].thought_id if row.provenance else None
