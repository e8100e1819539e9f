"""List rows page by page, search among them, and search rows and turns for exact words.

Law: nothing is written. One request for a page looks at a bounded number of changes; where few rows are wanted of many,
it says where to continue rather than look through everything. A search by meaning finds what `retrieve` finds, and
relations as evidence is found.

A search for exact words looks through all there is of a kind, in pages, by its words alone; only what is shown is read
whole. So it costs the same whatever is looked for, and how many hold it is known. What may not be seen is not found,
nor counted: that a private row holds a word would tell of it (promise 6).

Source: DESIGN 4 (`seq`), 8 Web (sources browser); promise 6; rulings C2, C13, C20, F.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from voice.core.recall.params import content_stems
from voice.core.records import Row, RowStatus, Scope, Table
from voice.core.retrieval.candidates import ALL_TABLES, LIVE, CatalogueFilter, CataloguePage, catalogue_page
from voice.core.retrieval.params import RetrieveRequest
from voice.core.retrieval.passages import EvidenceRequest
from voice.core.retrieval.searchable_text import LiteralQuery, is_under
from voice.core.retrieval.values import LOCAL_HYBRID, Candidate, Selection, Window
from voice.core.session.values import DialogueExchange
from voice.core.text.normalise import norm_v1
from voice.ports.row_queries import RowWords
from voice.ports.stores import MemoryStore, SessionStore
from voice.services.retrieval.retrieve import RetrieveByWords
from voice.services.retrieval.row_lookups import Names, fetch_thoughts
from voice.services.retrieval.text_cache import APART, RowText, TextCache, row_texts
from voice.services.sessions.lookup import topics_to_hide

_CHANGES_READ: Final = 250  # changes read at once
_MOST_READS: Final = 20  # such reads in one request
_FEW: Final = 1_000  # wanted rows that are read by id: a walk over all changes would pass over most of what it reads


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
        """Return the `limit` wanted rows, at least 1, that were written last, or next before where a page ended."""
        few = await self._few(where)
        if few is not None:
            older = [row for row in few if below is None or row.seq < below]
            return await self._listed(catalogue_page(older, where, limit=limit, bottom=0), where)
        top = (await self.store.head()).last_seq + 1 if below is None else below
        rows: list[Row] = []
        wanted = 0
        for _ in range(_MOST_READS):
            bottom = max(0, top - _CHANGES_READ - 1)
            read = await self.store.changes(bottom, top - 1 - bottom) if top > 1 else []
            found = [change.row for change in reversed(read) if change.row is not None and change.seq < top]
            rows += found
            wanted += sum(map(where.admits, found))
            top = bottom + 1
            if not bottom or wanted > limit:  # one more than the page: another follows
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
        """Return the wanted rows that fit `words` best, those that say every content word of it first; `when` overrides
        the window of `where`. Raises InvalidParams: there are no words, or `when` cannot be understood."""
        only_relations = where.tables == frozenset({Table.RELATIONS})
        selection = await (self._relations if only_relations else self._snippets)(words, where, when)
        found = [each for each in selection.chosen if each.row.status in where.statuses and each.table in where.tables]
        named = set(content_stems([words]))
        found.sort(key=lambda each: not named.issubset(content_stems([each.text])))  # stable: best first in each
        return RowQuery(found=tuple(found), selection=selection)

    async def _snippets(self, words: str, where: CatalogueFilter, when: str | None) -> Selection:
        mix = 0.5 if Table.THOUGHTS in where.tables else 1.0  # 1.0: the graph alone
        return await self.find(
            RetrieveRequest(
                query=words,
                scope=Scope.ALL,
                limit=self.find.time_of.nlq.max_limit,
                mix=0.0 if set(where.tables) == {Table.THOUGHTS} else mix,
                include_private=where.include_private,
                include_tags=where.include_tags,
                provider=LOCAL_HYBRID,
                when=when,
                superseded=RowStatus.SUPERSEDED in where.statuses,
            )
        )

    async def _relations(self, words: str, where: CatalogueFilter, when: str | None) -> Selection:
        window = where.window if when is None else self.find.window(when, query=words)
        request = EvidenceRequest(
            query=words,
            window=window,
            include_private=where.include_private,
            include_tags=where.include_tags,
            superseded=RowStatus.SUPERSEDED in where.statuses,
        )
        return await self.find.retrieve.fetch_evidence(request)


_BATCH: Final = 100  # rows read whole at once
_NO_NAMES: Final[Mapping[str, str]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class RowMatches:
    """A part of the rows that hold what is looked for, newest first."""

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
        """Return the rows that say some words, None: any, and come, or their notes do, from a file or folder."""
        ids = sorted(await self._ids(wanted, where, path), key=lambda row_id: row_id.partition(":")[2], reverse=True)
        is_exact = where.window == Window() and not where.include_tags
        start = skip if is_exact else 0  # else from the first, to count those that fit
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
            rows=tuple(shown[:limit]), texts=texts, has_more=len(shown) > limit, total=len(ids) if is_exact else None
        )

    async def _ids(self, wanted: LiteralQuery | None, where: CatalogueFilter, path: str) -> list[str]:
        """Return the ids of the rows that may be seen, say the words, and come from the place."""
        thoughts = await self.said.of((Table.THOUGHTS,)) if path else []
        thought_ids = {each.row.id for each in thoughts if is_under(each.row.place, path)}
        names = _NO_NAMES
        if wanted and Table.RELATIONS in where.tables:  # a private name would tell of its bearer
            names = (await self.names.visible(include_private=where.include_private)).name_of
        return [
            each.row.id
            for each in await self.said.of(where.tables)
            if each.row.status in where.statuses
            and (where.include_private or not each.row.is_private)
            and (not path or (each.row.thought_id or each.row.id) in thought_ids)
            and (wanted is None or wanted.holds(_words_of(each, names)))
        ]

    async def from_place(self, rows: Iterable[Row], path: str) -> frozenset[str]:
        """Return the ids of those rows that come from a file or folder."""
        thought_of = {row.id: RowWords.of(row).thought_id or row.id for row in rows}
        thoughts = await fetch_thoughts(self.store, thought_of.values())
        from_path = {each.id for each in thoughts.values() if is_under(each.source_ref, path)}
        return frozenset(row_id for row_id, thought_id in thought_of.items() if thought_id in from_path)

    async def turns(
        self,
        wanted: LiteralQuery,
        *,
        window: Window = Window(),  # noqa: B008 - frozen
        include_private: bool = False,
        limit: int,
        skip: int = 0,
    ) -> TurnMatches:
        """Return the turns whose question and answer say some words, withheld ones with `include_private` alone."""
        every = await self.said.turns()
        matches = [each for each in every if window.admits(each.at) and wanted.holds(each.normal)]
        found: list[DialogueExchange] = []
        for each in sorted(matches, key=lambda one: (one.at, one.id), reverse=True):
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
    return APART.join((source, each.normal, target))  # no phrase reaches across
