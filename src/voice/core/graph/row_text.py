"""Rendered and stored texts of rows.

Law: a text depends only on the row and the visible rows it names; spans and hashes refer to it (ruling C19). Invisible
entities are not named (promise 6). Tombstones hash the stored text (ruling H).

  thought, observation   the stored words
  entity                 name (type): description; relation → name; …
  relation               source —relation→ target: description
Source: rulings C2, C10, C13, C19.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import assert_never

from voice.core.records import Entity, Observation, Relation, Row, RowStatus, Thought


def named_by(row: Row) -> tuple[str, ...]:
    """Return the ids of the entities that a row names, each once."""
    if isinstance(row, Observation):
        return tuple(dict.fromkeys(row.entity_ids))
    return tuple(dict.fromkeys((row.source_id, row.target_id))) if isinstance(row, Relation) else ()


def render_row(row: Row, *, entities: Mapping[str, Entity], relations: Sequence[Relation]) -> str:
    """Render `row`.

    Args:
        entities: visible entities by id, for names.
        relations: visible relations; only those starting at `row` are used.
    """
    match row:
        case Thought():
            return row.content
        case Observation():
            return row.text
        case Entity():
            return _entity_text(row, _edges(row, entities, relations))
        case Relation():
            return _relation_text(row, entities)
        case _:
            assert_never(row)


def is_evidence(row: Row, *, entities: Mapping[str, Entity], relations: Sequence[Relation]) -> bool:
    """Return whether `row` states anything; a bare name or an edge with an invisible end does not (ruling C19)."""
    match row:
        case Thought():
            return bool(row.content.strip())
        case Observation():
            return bool(row.text.strip())
        case Entity():
            return bool(row.description.strip()) or bool(_edges(row, entities, relations))
        case Relation():
            return row.source_id in entities and row.target_id in entities
        case _:
            assert_never(row)


def _entity_text(entity: Entity, edges: Iterable[str]) -> str:
    statements = [statement for statement in (entity.description.strip(), *edges) if statement]
    head = f"{entity.name} ({entity.entity_type})"
    return f"{head}: {'; '.join(statements)}" if statements else head


def _edges(entity: Entity, entities: Mapping[str, Entity], relations: Sequence[Relation]) -> list[str]:
    outgoing = {
        (_words(relation.rel_type), entities[relation.target_id].name, relation.target_id)
        for relation in relations
        if relation.source_id == entity.id and relation.target_id in entities and relation.status is RowStatus.ACTIVE
    }
    return [f"{rel_type} → {name}" for rel_type, name, _ in sorted(outgoing)]


def _relation_text(relation: Relation, entities: Mapping[str, Entity]) -> str:
    source, target = (_name(entity_id, entities) for entity_id in (relation.source_id, relation.target_id))
    head = f"{source} —{_words(relation.rel_type)}→ {target}"
    description = relation.description.strip()
    return f"{head}: {description}" if description else head


def _name(entity_id: str, entities: Mapping[str, Entity]) -> str:
    entity = entities.get(entity_id)
    return "(unknown)" if entity is None else entity.name


def _words(rel_type: str) -> str:
    return " ".join(rel_type.replace("_", " ").split())


def stored_text_of(row: Row) -> str:
    """Return the stored text of `row`, for hashes."""
    match row:
        case Thought():
            return row.content
        case Observation():
            return row.text
        case Entity():
            return f"{row.name}\n{row.description}"
        case Relation():
            return f"{row.source_id}\n{row.rel_type}\n{row.target_id}\n{row.description}"
        case _:
            assert_never(row)


def readable_text_of(row: Row) -> str:
    """Return a row's readable words, without aliases and speaker."""
    if isinstance(row, Relation):
        return row.description
    return row.content if isinstance(row, Thought) else stored_text_of(row)
