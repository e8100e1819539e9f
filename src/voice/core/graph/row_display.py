"""How a row is shown: its rendered text, and its confidence as it ages.

Law: a text depends only on the row and the visible rows it names; spans and hashes refer to it (ruling C19). Invisible
entities are not named (promise 6). Tombstones hash the stored text (ruling H).

  thought, observation   the stored words
  entity                 name (type): description; relation → name; …
  relation               source —relation→ target: description

Only kinds named by a setting age. The shown confidence is the recorded one, halved per half-life since it was said,
frozen at a known end. Nothing is stored and nothing is filtered by it.

  class       an edge: its own kind, else `relation`; a node: its type, else `entity`; a statement: `observation`
Source: rulings C2, C10, C13, C19, F; DESIGN 2 promise 9.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Final, assert_never

from voice.core.messages import memory as messages
from voice.core.records import Entity, GraphRow, Observation, Relation, Row, RowStatus, Thought
from voice.core.text.instants import has_date
from voice.core.text.normalise import norm_v1


def named_by(row: Row) -> tuple[str, ...]:
    """Return the ids of the entities that a row names, each once."""
    if isinstance(row, Observation):
        return tuple(dict.fromkeys(row.entity_ids))
    return tuple(dict.fromkeys((row.source_id, row.target_id))) if isinstance(row, Relation) else ()


def render_row(row: Row, *, entities: Mapping[str, Entity], relations: Sequence[Relation]) -> str:
    """Render `row`, with names of visible entities and the visible relations that start at it."""
    match row:
        case Thought() | Observation():
            return stored_text_of(row)
        case Entity():
            return _entity_text(row, _edges(row, entities, relations))
        case Relation():
            return _relation_text(row, entities)
        case _:
            assert_never(row)


def is_evidence(row: Row, *, entities: Mapping[str, Entity], relations: Sequence[Relation]) -> bool:
    """Return whether `row` states anything; a bare name or an edge with an invisible end does not (ruling C19)."""
    match row:
        case Thought() | Observation():
            return bool(stored_text_of(row).strip())
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
        (_words(relation.rel_type), entities[relation.target_id].name, relation.target_id)  # id: tells namesakes apart
        for relation in relations
        if relation.source_id == entity.id and relation.target_id in entities and relation.status is RowStatus.ACTIVE
    }
    return [f"{rel_type} → {name}" for rel_type, name, _ in sorted(outgoing)]


def _relation_text(relation: Relation, entities: Mapping[str, Entity]) -> str:
    ends = (entities.get(each) for each in (relation.source_id, relation.target_id))
    source, target = ("(unknown)" if each is None else each.name for each in ends)
    head = f"{source} —{_words(relation.rel_type)}→ {target}"
    description = relation.description.strip()
    return f"{head}: {description}" if description else head


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
    return row.description if isinstance(row, Relation) else stored_text_of(row)


HalfLives = Mapping[str, int | None]
"""Half-life in days by class; None never ages."""

NEVER: Final[HalfLives] = MappingProxyType({})
MAX_DAYS: Final = 36_500


@dataclass(frozen=True, slots=True, kw_only=True)
class Confidence:
    """A row's confidence when recorded and now."""

    recorded: float
    now: float

    @property
    def message(self) -> str | None:
        """A message if the rounded percentages differ; None otherwise."""
        before, today = round(100 * self.recorded), round(100 * self.now)
        return None if before == today else messages.confidence_now(today, before)


def parse_half_lives(text: str) -> HalfLives:
    """Parse `none`, or `class=days` and `class=never`, by commas. Raises ValueError: malformed, or one twice."""
    if text.strip().lower() in ("", "none"):
        return NEVER
    parsed: dict[str, int | None] = {}
    for part in text.split(","):
        name, _, days = (side.strip() for side in part.partition("="))
        kind = class_of(name)
        if not kind or kind in parsed:
            raise ValueError("classes are named, each once")
        parsed[kind] = _days(days)
    return MappingProxyType(parsed)


def render_half_lives(half_lives: HalfLives) -> str:
    """Render half-lives so that `parse_half_lives` reads them back."""
    parts = (f"{kind.replace(' ', '_')}={'never' if days is None else days}" for kind, days in half_lives.items())
    return ",".join(parts) or "none"


def class_of(name: str) -> str:
    """Normalise a class name: `Works_At` is `works at`."""
    return norm_v1(name.replace("_", " "))


def classes_of(row: GraphRow) -> tuple[str, ...]:
    """Return the classes of a row, most specific first."""
    if isinstance(row, Relation):
        return class_of(row.rel_type), "relation"
    return (class_of(row.entity_type), "entity") if isinstance(row, Entity) else ("observation",)


def half_life(classes: tuple[str, ...], half_lives: HalfLives) -> int | None:
    """Return the half-life of the first class that has one; None does not age."""
    return next((half_lives[kind] for kind in classes if kind in half_lives), None)


def aged(recorded: float, age: timedelta, half_life_days: int | None) -> float:
    """Return the confidence left after `age`."""
    if half_life_days is None or age <= timedelta(0):  # never above what was recorded
        return recorded
    return recorded * 0.5 ** (age / timedelta(days=half_life_days))


def confidence_of(row: GraphRow, half_lives: HalfLives, now: datetime) -> Confidence | None:
    """Return recorded and current confidence, by age from when it was said to its end; None if it does not age."""
    days = half_life(classes_of(row), half_lives)
    if days is None:
        return None
    until = now if row.valid_until is None else min(now, row.valid_until)
    since = row.created_at if has_date(row.created_at) else row.recorded_at
    return Confidence(recorded=row.confidence, now=aged(row.confidence, until - since, days))


def _days(text: str) -> int | None:
    if text.lower() == "never":
        return None
    # `isdigit` takes "²", which `int` refuses; a long number would be slow to read.
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(MAX_DAYS)) and 1 <= int(text) <= MAX_DAYS):
        raise ValueError("behind a class stand whole days, or never")
    return int(text)
