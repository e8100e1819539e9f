"""From what an index found to what can be chosen.

Law: a candidate is a row that may be seen, with the text that will be shown and hashed. The rows are asked again
whether they may be seen, whatever the index said (promise 6). A row that states nothing is no candidate (ruling C19).
Where the output knows no relations, a found relation stands in its source entity's text, so it lifts that entity to the
relation's scores (ruling C2). A text that says more than it would without private rows is private, whatever its own row
is (ruling H).

Source: spec inner_voice.retrieve, Behavior 3; rulings C2, C10, C13, C19, H.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from voice.core.graph.rendering import is_evidence, render_row
from voice.core.records import Entity, Relation, Row, Table, Thought, table_of
from voice.core.retrieval.rank import Rank
from voice.core.retrieval.values import Candidate, Dropped, Hit, RowFilter
from voice.core.retrieval.visibility import admits, is_synthesis, may_be_seen, naming_filter
from voice.core.text.normalise import content_hash


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


def lift_relations(hits: Iterable[Hit], rows: Mapping[str, Row]) -> tuple[Hit, ...]:
    """Return the hits with every relation replaced by its source entity, each row once, under its best scores.

    Args:
        hits: of any table.
        rows: the found rows, by id; a relation that is not there is left out.
    """
    best: dict[str, Hit] = {}
    for hit in hits:
        lifted = _lifted(hit, rows)
        if lifted is not None:
            known = best.get(lifted.row_id)
            best[lifted.row_id] = lifted if known is None else _better(known, lifted)
    return tuple(best.values())


def lift_successors(hits: Iterable[Hit], rows: Mapping[str, Row]) -> tuple[Hit, ...]:
    """Return the hits with, for every superseded row, the row that took its place under at least the same scores.

    Args:
        hits: of any table.
        rows: the found rows, by id.
    """
    best: dict[str, Hit] = {hit.row_id: hit for hit in hits}
    for hit in tuple(best.values()):
        row = rows.get(hit.row_id)
        successor = None if row is None or isinstance(row, Thought) else row.superseded_by
        if successor is not None:
            lifted = replace(hit, row_id=successor, table=table_of(successor))
            best[successor] = _better(best.get(successor, lifted), lifted)
    return tuple(best.values())


def _lifted(hit: Hit, rows: Mapping[str, Row]) -> Hit | None:
    if hit.table is not Table.RELATIONS:
        return hit
    relation = rows.get(hit.row_id)
    if not isinstance(relation, Relation):
        return None
    return replace(hit, row_id=relation.source_id, table=Table.ENTITIES)


def _better(one: Hit, other: Hit) -> Hit:
    cosines = [cosine for cosine in (one.cosine, other.cosine) if cosine is not None]
    return replace(
        one,
        cosine=max(cosines, default=None),
        lexical=max(one.lexical, other.lexical),
        neighbour=max(one.neighbour, other.neighbour),
        is_speaker=one.is_speaker or other.is_speaker,
    )


def build_candidates(
    hits: Iterable[Hit], rows: Mapping[str, Row], neighbourhood: Neighbourhood, row_filter: RowFilter, rank: Rank
) -> Candidates:
    """Return what can be chosen among the hits.

    Args:
        hits: of the tables that `row_filter` asks for, each row once.
        rows: the rows as they now stand, by id; a hit whose row is gone or may not be seen leaves no trace, not even
            its id.
        neighbourhood: where names and edges come from.
        row_filter: what may be seen.
        rank: what a hit ranks by.
    """
    found: list[Candidate] = []
    dropped: list[Dropped] = []
    public = neighbourhood.public()
    for hit in hits:
        row = rows.get(hit.row_id)
        if row is None or not may_be_seen(row_filter, row):
            continue
        if is_synthesis(row):
            dropped.append(Dropped(id=row.id, reason="synthesis", score=hit.cosine or 0.0))
        elif not is_evidence(row, entities=neighbourhood.entities, relations=neighbourhood.relations):
            dropped.append(Dropped(id=row.id, reason="bare_name", score=hit.cosine or 0.0))
        else:
            text = neighbourhood.text_of(row)
            found.append(_candidate(hit, row, text, rank, reveals_private=text != public.text_of(row)))
    return Candidates(found=tuple(found), dropped=tuple(dropped))


def _candidate(hit: Hit, row: Row, text: str, rank: Rank, *, reveals_private: bool) -> Candidate:
    ranked = rank(hit, row)
    return Candidate(
        row=row,
        text=text,
        content_hash=content_hash(text),
        cosine=hit.cosine,
        lexical=hit.lexical,
        rank_score=ranked.score,
        boosts=ranked.boosts,
        reveals_private=reveals_private,
    )
