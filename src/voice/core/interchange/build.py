"""Build a row from a line of a memory file.

Law: the entrance limits the origin (`arrival`); privacy, tags and trust of graph rows never fall below their thoughts'
(ruling C10); spans must be inside their thought; a name must mean exactly one entity. A line without an id gets a
deterministic one, so importing a file twice adds nothing.
Source: rulings A12, A13, C10, C13, F, H.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final, assert_never

from blake3 import blake3

from voice.core.errors import InvalidParams
from voice.core.interchange.memory_lines import (
    EntityLine,
    GraphLine,
    ObservationLine,
    RelationLine,
    RowLine,
    ThoughtLine,
)
from voice.core.interchange.origin import Arrival, ceiling_of, require_tags, settle_origin
from voice.core.messages import files as messages
from voice.core.records import (
    TRUST_RANK,
    Entity,
    EntityName,
    Inheritance,
    Observation,
    Origin,
    Provenance,
    Relation,
    Row,
    RowStatus,
    Thought,
    TrustTier,
)
from voice.core.text.instants import UNDATED, earliest_date, render_instant
from voice.core.text.normalise import norm_v1
from voice.core.text.note_context import context_paths, path_offset
from voice.core.vouch import Vouch

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: no i, l, o, u to misread
_KEY_LENGTH: Final = 26  # 26 signs of 5 bits: 130 bits

ResolveName = Callable[[str], str | None]
"""Return an entity's id for an id or name; None if unknown or ambiguous."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceThoughts:
    """Known thoughts for provenance, and the ids of those with only a tombstone."""

    thoughts: Mapping[str, Thought] = field(default_factory=dict[str, Thought])
    gone: frozenset[str] = frozenset()


NOTHING_BEHIND: Final = SourceThoughts()


def line_id(line: RowLine) -> str:
    """Return the line's id, or a hash of its content: of a thought with `source_ref`, of that and its text."""
    if line.id is not None:
        return line.id
    said = render_instant(line.created_at) if line.created_at else ""
    match line:
        case ThoughtLine():
            found_at = (line.source_ref,) if line.source_ref else (said, line.speaker or "", line.thread or "")
            return "t:" + _key("thought", (*found_at, line.content))
        case EntityLine():
            # A type and a name, whatever their case, are one entity.
            return "e:" + _key("entity", (line.entity_type.casefold(), line.name.casefold().strip()))
        case ObservationLine():
            spans = [f"{span.thought_id}[{span.start}:{span.end}]" for span in line.provenance]
            return "o:" + _key("observation", (said, line.speaker or "", line.thread or "", line.text, *spans))
        case RelationLine():
            return "r:" + _key("relation", (said, line.source, line.rel_type, line.target))
        case _:
            assert_never(line)


def id_again(row_id: str) -> str:
    """Return the deterministic id under which a removed thought comes in again."""
    return "t:" + _key("again", (row_id,))


def build_thought(line: ThoughtLine, arrival: Arrival) -> Thought:
    """Build a thought. Raises InvalidParams: invalid line."""
    made_by_us = line.is_summary or line.pipeline == "inner_voice"  # whatever it claims (ruling A13)
    settled = settle_origin(arrival, claimed=line.claimed_origin, kind=line.kind, speaker=line.speaker)
    if line.vouched is not None and ceiling_of(arrival.entrance) is not Origin.HUMAN:  # MCP is never the owner's
        line = replace(line, vouched=Vouch.WAITING, vouched_at=None, vouched_spans=())  # an approval is his (ruling H)
    return Thought(**_settled(line, arrival, origin=Origin.MODEL if made_by_us else settled))


def build_entity(line: EntityLine, arrival: Arrival, behind: SourceThoughts = NOTHING_BEHIND) -> Entity:
    """Build an entity. Raises InvalidParams: unknown thought, or a span outside it."""
    return Entity(**_settled_graph(line, arrival, behind))


def build_observation(
    line: ObservationLine, arrival: Arrival, resolve: ResolveName, behind: SourceThoughts = NOTHING_BEHIND
) -> Observation:
    """Build an observation. Raises InvalidParams: unknown or ambiguous name, unknown thought, or a span outside it."""
    members = _settled_graph(line, arrival, behind)
    entities = tuple(_resolved("entities", name, resolve) for name in line.entities)
    members |= {"entity_ids": entities, "context_path": line.context_path or _path_in(line.provenance, behind)}
    return Observation(**members)


def _path_in(places: tuple[Provenance, ...], behind: SourceThoughts) -> tuple[str, ...]:
    """Compute the context path for a line of an old export without one."""
    thought = behind.thoughts.get(places[0].thought_id) if places else None
    if thought is None:
        return ()  # unknown, or gone: nothing to read the path from
    at = path_offset(thought.content, places[0].start, places[0].end)
    return context_paths(thought.content, [at], source_ref=thought.source_ref, told=thought.created_at)[0]


def build_relation(
    line: RelationLine, arrival: Arrival, resolve: ResolveName, behind: SourceThoughts = NOTHING_BEHIND
) -> Relation:
    """Build a relation. Raises InvalidParams: unknown or ambiguous end, unknown thought, or a span outside it."""
    members = _settled_graph(line, arrival, behind)
    members |= {f"{end}_id": _resolved(end, getattr(line, end), resolve) for end in ("source", "target")}
    return Relation(**members)


def build_row(line: RowLine, arrival: Arrival, resolve: ResolveName, behind: SourceThoughts = NOTHING_BEHIND) -> Row:
    """Build the row of any line. Raises InvalidParams: see the builder of its kind."""
    match line:
        case ThoughtLine():
            return build_thought(line, arrival)
        case EntityLine():
            return build_entity(line, arrival, behind)
        case ObservationLine():
            return build_observation(line, arrival, resolve, behind)
        case RelationLine():
            return build_relation(line, arrival, resolve, behind)
        case _:
            assert_never(line)


_NO_MEMBERS: Final = frozenset({"claimed_origin", "entities", "source", "target"})  # rows have others for these


def _settled(line: RowLine, arrival: Arrival, *, origin: Origin) -> dict[str, Any]:
    """Return the members of a row: what its line says, and what is settled for any line."""
    told = {each.name: getattr(line, each.name) for each in fields(line) if each.name not in _NO_MEMBERS}
    author = line.superseded_author
    return told | {
        "id": line_id(line),
        "created_at": line.created_at or UNDATED,  # sorts last and matches no window (ruling I2)
        "recorded_at": line.recorded_at or arrival.now,
        "origin": origin,
        "tags": require_tags(line.tags),
        # From a program it is no owner's.
        "superseded_author": author and settle_origin(arrival, claimed=author.value),
    }


def _settled_graph(line: GraphLine, arrival: Arrival, behind: SourceThoughts) -> dict[str, Any]:
    """Return the members of a graph row, with what it takes over from its thoughts."""
    thoughts = _thoughts_behind(line.provenance, behind)
    speaker = line.speaker if isinstance(line, ObservationLine) else None
    origin = settle_origin(arrival, claimed=line.claimed_origin, speaker=speaker)
    heir = Inheritance.of(thoughts, entered_by=origin)
    return _settled(_dated(line, thoughts), arrival, origin=origin) | {
        "tags": (*require_tags(line.tags), *heir.tags),
        "is_private": line.is_private or heir.is_private,
        "scope": heir.scope if line.scope.is_empty else line.scope,  # what the line says itself wins
        "trust": _settle_trust(line.trust, heir.trust, thoughts, arrival),
    }


def _settle_trust(
    claimed: TrustTier | None, inherited: TrustTier, thoughts: tuple[Thought, ...], arrival: Arrival
) -> TrustTier:
    """A claimed trust can only lower the inherited one, unless the owner claims it and no thought is left."""
    if claimed is None:
        return inherited
    if not thoughts and ceiling_of(arrival.entrance, mcp_origin=arrival.mcp_origin) is Origin.HUMAN:
        return claimed
    return min(claimed, inherited, key=TRUST_RANK.__getitem__)


def _thoughts_behind(spans: tuple[Provenance, ...], behind: SourceThoughts) -> tuple[Thought, ...]:
    found: list[Thought] = []
    for span in spans:
        thought = behind.thoughts.get(span.thought_id)
        if thought is None and span.thought_id not in behind.gone:  # gone: only its tombstone came along
            raise InvalidParams(messages.PROVENANCE_UNKNOWN)
        if thought is not None:
            if span.end > len(thought.content) and thought.status is not RowStatus.REDACTED:
                raise InvalidParams(messages.PROVENANCE_TOO_LONG)
            found.append(thought)
    return tuple(found)


def _dated(line: GraphLine, thoughts: tuple[Thought, ...]) -> GraphLine:
    """Date an undated graph row by its earliest thought."""
    if line.created_at is not None or not thoughts:
        return line
    # The id is of the line as it came: with the date in it a second import would give another one.
    return replace(line, id=line_id(line), created_at=earliest_date(thought.created_at for thought in thoughts))


def _resolved(name: str, wanted: str, resolve: ResolveName) -> str:
    found = resolve(wanted)
    if found is None:
        raise InvalidParams(messages.entity_unclear(name))
    return found


def _key(kind: str, parts: tuple[str, ...]) -> str:
    """Hash length-prefixed parts to 26 characters; the prefixes keep lists of parts distinct."""
    said = "".join(f"{len(part)}:{part}" for part in (kind, *parts))  # ("ab", "c") and ("a", "bc") differ
    number = int.from_bytes(blake3(said.encode("utf-8")).digest(length=17))  # 136 bits, of which 130 are used
    return "".join(_ALPHABET[number >> (5 * place) & 31] for place in reversed(range(_KEY_LENGTH)))


class EntityNames:
    """Index of entities by id, name and alias; callable as a `ResolveName`."""

    def __init__(self, entities: Iterable[Entity | EntityName] = ()) -> None:
        self._ids: set[str] = set()
        self._bearers: dict[str, set[str]] = {}
        for entity in entities:
            self.add(entity)

    def add(self, entity: Entity | EntityName) -> None:
        """Add an entity."""
        self._ids.add(entity.id)
        for name in (entity.name, *entity.aliases):  # one entity may bear a name twice
            self._bearers.setdefault(norm_v1(name), set()).add(entity.id)

    def __call__(self, wanted: str) -> str | None:
        """Return the id of the only match; None if there is none or several."""
        if wanted in self._ids:
            return wanted
        bearers = self._bearers.get(norm_v1(wanted), set())
        return next(iter(bearers)) if len(bearers) == 1 else None
