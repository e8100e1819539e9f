"""From what an index found to what can be chosen.

Law: a candidate is a row that may be seen, with the text that will be shown and hashed. The rows are asked again
whether they may be seen, whatever the index said (promise 6). A row that states nothing is no candidate (ruling C19).
Where the output knows no relations, a found relation stands in its source entity's text, so it lifts that entity to the
relation's scores (ruling C2). A text that says more than it would without private rows is private, whatever its own row
is (ruling H).

Source: spec inner_voice.retrieve, Behavior 3; rulings C2, C10, C13, C19, H.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from voice.core.graph.row_text import is_evidence, render_row
from voice.core.records import Entity, Relation, Row, Table, table_of
from voice.core.retrieval.row_filters import admits, is_synthesis, may_be_seen, naming_filter
from voice.core.retrieval.values import Candidate, Dropped, Found, Hit, RowFilter
from voice.core.text.normalise import content_hash

HashOf = Callable[[Row, str], str]
"""The content hash of a row's text."""


def _hash_of_text(row: Row, text: str) -> str:
    del row
    return content_hash(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood:
    """The part of the graph that names and edges in a text are taken from; only what may be seen."""

    entities: Mapping[str, Entity]
    relations: tuple[Relation, ...]

    @classmethod
    def visible(cls, rows: Iterable[Row], row_filter: RowFilter) -> "Neighbourhood":
        """Return the entities and relations among `rows` that a reader with `row_filter` may see named."""
        naming = naming_filter(row_filter)
        seen = {row.id: row for row in rows if admits(naming, row)}
        relations = (row for row in seen.values() if isinstance(row, Relation))
        return cls(
            entities={row_id: row for row_id, row in seen.items() if isinstance(row, Entity)},
            relations=tuple(sorted(relations, key=lambda relation: relation.id)),
        )

    def public(self) -> "Neighbourhood":
        """Return the part of it that is not private."""
        return Neighbourhood(
            entities={row_id: entity for row_id, entity in self.entities.items() if not entity.is_private},
            relations=tuple(relation for relation in self.relations if not relation.is_private),
        )

    def text_of(self, row: Row) -> str:
        """Return the text of `row` with names and edges from here."""
        return render_row(row, entities=self.entities, relations=self.relations)


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """What can be chosen, and what was found but cannot."""

    found: tuple[Candidate, ...]
    dropped: tuple[Dropped, ...]


def lift_relations(found: Iterable[Found], rows: Mapping[str, Row]) -> tuple[Found, ...]:
    """Return what was found with every relation replaced by its source entity, each row once, under its best scores.

    Args:
        found: of any table.
        rows: the rows, by id; a relation that is not there is left out.
    """
    best: dict[str, Found] = {}
    for one in found:
        lifted = _lifted(one, rows)
        if lifted is not None:
            known = best.get(lifted.hit.row_id)
            best[lifted.hit.row_id] = lifted if known is None else _better(known, lifted)
    return tuple(best.values())


def lift_successors(found: Iterable[Found], rows: Mapping[str, Row]) -> tuple[Found, ...]:
    """Return what was found with, for every superseded row, all that took its place since under at least its scores.

    Args:
        found: of any table.
        rows: the rows, by id, with those of `successors`.
    """
    best: dict[str, Found] = {one.hit.row_id: one for one in found}
    for one in tuple(best.values()):
        for successor in successors(one.hit.row_id, rows):
            lifted = _moved(one, successor)
            best[successor] = _better(best.get(successor, lifted), lifted)
    return tuple(best.values())


def successors(row_id: str, rows: Mapping[str, Row]) -> tuple[str, ...]:
    """Return what took the place of a row, what took the place of that, and so on, as far as `rows` tell."""
    told: dict[str, None] = {row_id: None}
    row = rows.get(row_id)
    while row is not None and row.superseded_by is not None and row.superseded_by not in told:
        told[row.superseded_by] = None
        row = rows.get(row.superseded_by)
    return tuple(told)[1:]


def _lifted(one: Found, rows: Mapping[str, Row]) -> Found | None:
    if one.hit.table is not Table.RELATIONS:
        return one
    relation = rows.get(one.hit.row_id)
    return _moved(one, relation.source_id) if isinstance(relation, Relation) else None


def _moved(one: Found, row_id: str) -> Found:
    return replace(one, hit=replace(one.hit, row_id=row_id, table=table_of(row_id), says=0, trust=None))


def _better(one: Found, other: Found) -> Found:
    """Return the row of both under the greater of each score; what raised it is what raised the better ranked."""
    cosines = [cosine for cosine in (one.hit.cosine, other.hit.cosine) if cosine is not None]
    hit = replace(
        one.hit,
        cosine=max(cosines, default=None),
        lexical=max(one.hit.lexical, other.hit.lexical),
        neighbour=max(one.hit.neighbour, other.hit.neighbour),
        coverage=max(one.hit.coverage, other.hit.coverage),
        asking=min(one.hit.asking, other.hit.asking),
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
    """Return what can be chosen of what was found.

    Args:
        found: of the tables that `row_filter` asks for, each row once.
        rows: the rows as they now stand, by id; what is gone or may not be seen leaves no trace, not even its id.
        neighbourhood: where names and edges come from.
        row_filter: what may be seen.
        hash_of: how a row's text is hashed; `content_hash`, or a memory of it.
    """
    candidates: list[Candidate] = []
    dropped: list[Dropped] = []
    public = neighbourhood.public()
    for one in found:
        row = rows.get(one.hit.row_id)
        if row is None or not may_be_seen(row_filter, row):
            continue
        if is_synthesis(row):
            dropped.append(_dropped(one.hit, "synthesis"))
        elif not is_evidence(row, entities=neighbourhood.entities, relations=neighbourhood.relations):
            dropped.append(_dropped(one.hit, "bare_name"))
        else:
            text = neighbourhood.text_of(row)
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
