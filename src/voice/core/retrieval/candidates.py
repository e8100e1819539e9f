"""Which rows may be seen, which the catalogue lists, and the candidates built from index hits.

Law: invisible rows are never ranked, counted or rendered (promise 6). Index and rows are both filtered, so a stale
index reveals nothing; the inner voice's own writings are excluded (ruling A13). The catalogue is ordered by last write
(`seq`), so its cursor is one number and a page costs O(page).

Rows without content are dropped (ruling C19). A relation hit counts for its source entity (ruling C2). A text that
would be shorter without private rows is private (ruling H).
Source: spec inner_voice.retrieve, Constraints, Behavior 3; spec retrieval-contract, Scoping; rulings A13, A18, C2, C10,
C13, C19, F, H; DESIGN 4, 8.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from voice.core.graph.removal.lifecycle import is_no_longer_held
from voice.core.graph.row_display import is_evidence, render_row
from voice.core.graph.thoughts.vouching import is_declined
from voice.core.records import Entity, Relation, Row, RowStatus, Table, Thought, table_of
from voice.core.retrieval.searchable_text import is_in
from voice.core.retrieval.values import Candidate, Dropped, Found, Hit, RowFilter, Window
from voice.core.text.normalise import content_hash

ALL_TABLES: Final = frozenset(Table)
LIVE: Final = frozenset({RowStatus.ACTIVE})


def admits(row_filter: RowFilter, row: Row) -> bool:
    """Return whether `row` may be seen and was not written by the inner voice."""
    return may_be_seen(row_filter, row) and not is_synthesis(row)  # else the memory would cite its own answers (A13)


def may_be_seen(row_filter: RowFilter, row: Row) -> bool:
    """Return whether `row` passes every condition of `row_filter`."""
    return (
        table_of(row.id) in row_filter.tables
        and is_live(row, include_superseded=row_filter.include_superseded)
        and (row_filter.include_private or not row.is_private)
        and row_filter.scope.admits(row.scope)
        and is_in(row_filter.window, row)
        and (not row_filter.include_tags or not set(row.tags).isdisjoint(row_filter.include_tags))
        and set(row.tags).isdisjoint(row_filter.exclude_tags)
    )


def is_live(row: Row, *, include_superseded: bool = False) -> bool:
    """Return whether a row is active, or past if `include_superseded`; never if declined, deleted or redacted."""
    if is_declined(row):  # the owner said no to what a program noted
        return False
    return row.status is RowStatus.ACTIVE or (include_superseded and is_no_longer_held(row))


def is_synthesis(row: Row) -> bool:
    """Return whether the inner voice wrote the row (ruling A13)."""
    return isinstance(row, Thought) and row.is_synthesis


def naming_filter(row_filter: RowFilter) -> RowFilter:
    """Return the filter for rows named in another row's text; windows and wanted tags apply only to results."""
    # A name is no result: a relation of June may name a person who was noted in May.
    return replace(row_filter, tables=ALL_TABLES, window=Window(), include_tags=(), include_superseded=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueFilter:
    """Which rows to list; default: live and not private."""

    tables: frozenset[Table] = ALL_TABLES
    statuses: frozenset[RowStatus] = LIVE
    window: Window = Window()
    """When it was told, or a date it mentions."""
    include_tags: tuple[str, ...] = ()
    """Only rows with one of these."""
    include_private: bool = False

    def admits(self, row: Row) -> bool:
        """Return whether `row` matches and may be seen."""
        has_tag = not self.include_tags or not set(self.include_tags).isdisjoint(row.tags)
        is_listed = table_of(row.id) in self.tables and row.status in self.statuses
        is_visible = self.include_private or not row.is_private
        return is_listed and is_visible and has_tag and is_in(self.window, row)


@dataclass(frozen=True, slots=True, kw_only=True)
class CataloguePage:
    """One page of the catalogue. It says nothing of private rows: a count per page would tell where they lie."""

    rows: tuple[Row, ...]
    """Latest written first."""
    next: int | None
    """Cursor of the next page; None: the end."""


def catalogue_page(rows: Iterable[Row], where: CatalogueFilter, *, limit: int, bottom: int) -> CataloguePage:
    """Return one page of the matching rows.

    Args:
        rows: a range of rows, latest written first.
        limit: at least 1.
        bottom: rows with `seq` up to this were not read; 0: all were.
    """
    found: list[Row] = []
    for row in rows:
        if len(found) == limit:  # a further row follows: there may be a next page
            return CataloguePage(rows=tuple(found), next=found[-1].seq)
        if where.admits(row):
            found.append(row)
    return CataloguePage(rows=tuple(found), next=bottom + 1 if bottom else None)  # the next page begins at `bottom`


HashOf = Callable[[Row, str], str]
"""Content hash of a row's rendered text."""


def _hash_of_text(row: Row, text: str) -> str:
    del row  # a cache needs it; see `HashOf`
    return content_hash(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood:
    """The visible part of the graph from which a text's names and edges are rendered."""

    entities: Mapping[str, Entity]
    relations: tuple[Relation, ...]

    @classmethod
    def visible(cls, rows: Iterable[Row], row_filter: RowFilter) -> "Neighbourhood":
        """Return the entities and relations that a reader with `row_filter` may see named."""
        naming = naming_filter(row_filter)
        seen = {row.id: row for row in rows if admits(naming, row)}
        relations = (row for row in seen.values() if isinstance(row, Relation))
        return cls(
            entities={row_id: row for row_id, row in seen.items() if isinstance(row, Entity)},
            relations=tuple(sorted(relations, key=lambda relation: relation.id)),
        )

    def public(self) -> "Neighbourhood":
        """Return its public part."""
        return Neighbourhood(
            entities={row_id: entity for row_id, entity in self.entities.items() if not entity.is_private},
            relations=tuple(relation for relation in self.relations if not relation.is_private),
        )

    def text_of(self, row: Row) -> str:
        """Render `row` with names and edges from here."""
        return render_row(row, entities=self.entities, relations=self.relations)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """Candidates, and hits that cannot be chosen."""

    found: tuple[Candidate, ...]
    dropped: tuple[Dropped, ...]


def lift_relations(found: Iterable[Found], rows: Mapping[str, Row]) -> tuple[Found, ...]:
    """Replace relations by their source entities, hits of one row at their best scores; unknown ones are dropped."""
    best: dict[str, Found] = {}
    for one in found:
        lifted = one
        if one.hit.table is Table.RELATIONS:
            relation = rows.get(one.hit.row_id)
            if not isinstance(relation, Relation):
                continue  # deleted since it was indexed, or invisible
            lifted = _moved(one, relation.source_id)
        known = best.get(lifted.hit.row_id)
        best[lifted.hit.row_id] = lifted if known is None else _merged(known, lifted)
    return tuple(best.values())


def lift_successors(found: Iterable[Found], rows: Mapping[str, Row]) -> tuple[Found, ...]:
    """Add the successors of every superseded row, at least at its scores; `rows` is by id, with the successors."""
    best: dict[str, Found] = {one.hit.row_id: one for one in found}
    for one in tuple(best.values()):  # a copy, since successors are added
        for successor in successors(one.hit.row_id, rows):
            lifted = _moved(one, successor)
            best[successor] = _merged(best.get(successor, lifted), lifted)
    return tuple(best.values())


def successors(row_id: str, rows: Mapping[str, Row]) -> tuple[str, ...]:
    """Return a row's chain of successors, as far as `rows` has it."""
    chain = [row_id]
    row = rows.get(row_id)
    while row is not None and row.superseded_by is not None and row.superseded_by not in chain:  # no endless loop
        chain.append(row.superseded_by)
        row = rows.get(row.superseded_by)
    return tuple(chain[1:])


def _moved(one: Found, row_id: str) -> Found:
    # The text key and the trust are those of the row that was hit, not of the one that takes its place.
    return replace(one, hit=replace(one.hit, row_id=row_id, table=table_of(row_id), says=0, trust=None))


def _merged(one: Found, other: Found) -> Found:
    """Merge two hits of one row: the maximum of each score, the boosts of the better rank."""
    cosines = [cosine for cosine in (one.hit.cosine, other.hit.cosine) if cosine is not None]  # None is unknown, not 0
    hit = replace(
        one.hit,
        cosine=max(cosines, default=None),
        lexical=max(one.hit.lexical, other.hit.lexical),
        neighbour=max(one.hit.neighbour, other.hit.neighbour),
        coverage=max(one.hit.coverage, other.hit.coverage),
        asking=min(one.hit.asking, other.hit.asking),  # a penalty: the lesser one
        is_speaker=one.hit.is_speaker or other.hit.is_speaker,
    )
    best = max(one, other, key=lambda found: found.rank_score)
    return Found(hit=hit, score=max(one.score, other.score), rank_score=best.rank_score, boosts=best.boosts)


def build_candidates(
    found: Iterable[Found],
    rows: Mapping[str, Row],
    neighbourhood: Neighbourhood,
    row_filter: RowFilter,
    hash_of: HashOf = _hash_of_text,
) -> Candidates:
    """Build candidates from hits.

    Args:
        found: each row once.
        rows: current rows by id; deleted or invisible ones are skipped without a trace.
        neighbourhood: the source of names and edges.
        hash_of: hashes a row's text; may be a cache of `content_hash`.
    """
    candidates: list[Candidate] = []
    dropped: list[Dropped] = []
    public = neighbourhood.public()
    for one in found:
        row = rows.get(one.hit.row_id)
        if row is None or not may_be_seen(row_filter, row):  # no trace: a dropped private row would tell of itself
            continue
        if is_synthesis(row):
            dropped.append(_dropped(one.hit, "synthesis"))
        elif not is_evidence(row, entities=neighbourhood.entities, relations=neighbourhood.relations):
            dropped.append(_dropped(one.hit, "bare_name"))
        else:
            text = neighbourhood.text_of(row)
            # Rendered twice: a text that would be shorter for the public shows something private.
            hashed = hash_of(row, text)
            candidates.append(_candidate(one, row, text, hashed, reveals_private=text != public.text_of(row)))
    return Candidates(found=tuple(candidates), dropped=tuple(dropped))


def _dropped(hit: Hit, reason: Literal["synthesis", "bare_name"]) -> Dropped:
    return Dropped(id=hit.row_id, reason=reason, score=hit.cosine or 0.0)


def _candidate(one: Found, row: Row, text: str, hashed: str, *, reveals_private: bool) -> Candidate:
    return Candidate(
        row=row,
        text=text,
        content_hash=hashed,
        cosine=one.hit.cosine,
        lexical=one.hit.lexical,
        rank_score=one.rank_score,
        relevance=one.score,
        boosts=one.boosts,
        reveals_private=reveals_private,
    )
