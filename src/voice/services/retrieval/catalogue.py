"""List rows page by page, and search among them.

Law: one request looks at a bounded number of changes; where few rows are wanted of many, it says where to go on rather
than look through everything. What is looked for is found as `retrieve` finds it, and relations as evidence is found.
Nothing is written.

Source: DESIGN 4 (`seq`), 8 Web; promise 6; rulings C2, C20.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from voice.core.records import Row, RowStatus, Scope, Table
from voice.core.retrieval.evidence import EvidenceRequest
from voice.core.retrieval.params import RetrieveRequest
from voice.core.retrieval.row_filters import ALL_TABLES, LIVE, CatalogueFilter, CataloguePage, catalogue_page
from voice.core.retrieval.values import LOCAL_HYBRID, Candidate, Selection
from voice.ports.stores import MemoryStore
from voice.services.retrieval.retrieve import RetrieveByWords
from voice.services.retrieval.text_cache import TextCache, row_texts

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
            where: which rows.
            limit: how many at most, at least 1.
            below: where a page before ended; None: begin with what was written last.

        Raises:
            StoreError: they cannot be read.
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
            words: what is looked for.
            where: which rows; its window gives way to `when`.
            when: their time, in words.

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
