"""Enter entities, observations and relations by hand.

Law: what a human enters is green and says where it came from (ruling C10); a name that could mean two nodes is an error
that lists the candidates, never a guess. Bare names are allowed as nodes but are no evidence (ruling C19).

Source: rulings C10, C19, F, G; DESIGN 8 `kg add`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar

from voice.core.errors import InvalidParams, UnknownId
from voice.core.graph.entity_names import KnownNames
from voice.core.interchange.origin import require_tags
from voice.core.records import (
    Entity,
    EntityName,
    GraphRow,
    Inheritance,
    Observation,
    Origin,
    Provenance,
    Relation,
    Thought,
)
from voice.core.text.display import quoted_name
from voice.core.text.instants import earliest_date
from voice.core.text.normalise import norm_v1
from voice.services.memory.ingest import Ingest, require_content
from voice.services.retrieval.row_lookups import fetch_thoughts

_AnyGraphRow = TypeVar("_AnyGraphRow", Entity, Observation, Relation)


@dataclass(frozen=True, slots=True, kw_only=True)
class Backing:
    """The evidence for a row that is entered by hand."""

    thought_ids: tuple[str, ...] = ()
    quote: str | None = field(default=None, repr=False)
    """Words of the (single) thought that the row rests on; None = the whole of each thought."""
    origin: Origin = Origin.HUMAN
    tags: tuple[str, ...] = ()
    is_private: bool = False
    created_at: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """A stored graph row; `fault` says why it has no vector yet, if so."""

    row: GraphRow
    fault: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphEditor:
    """Adds rows to the graph."""

    ingest: Ingest

    async def add_entity(
        self, name: str, *, entity_type: str, description: str, aliases: Sequence[str], backing: Backing
    ) -> Added:
        """Store a new node. Raises InvalidParams: the name is empty, there already for that type, or forgotten."""
        names = await self.ingest.names.known()
        clean = _require_line(name, "an entity's name")
        kind = _require_line(entity_type, "an entity's type")
        for entity in names.nodes:  # "ADA" and "Ada" are one name
            if (norm_v1(entity.name), norm_v1(entity.entity_type)) == (norm_v1(clean), norm_v1(kind)):
                raise InvalidParams(f"{clean} ({kind}) is already in the graph as {entity.id}")
        now = self.ingest.clock.now()
        entity = Entity(
            id=self.ingest.ids.new_id("e"),
            name=clean,
            entity_type=kind,
            description=" ".join(description.split()),
            aliases=tuple(dict.fromkeys(_require_line(alias, "an alias") for alias in aliases)),
            created_at=now,
            recorded_at=now,
            origin=backing.origin,
        )
        return await self._save(await self._with_backing(entity, backing), names)

    async def add_observation(self, text: str, *, about: Sequence[str], backing: Backing) -> Added:
        """Store a statement about entities, given as ids, names or aliases. Raises InvalidParams: the text is empty, or
        was forgotten before (ruling H), or a name could mean several nodes; UnknownId: a name is not in the graph."""
        names = await self.ingest.names.known()
        nodes = [_resolve_existing(name, names.nodes, backing) for name in about]
        now = self.ingest.clock.now()
        observation = Observation(
            id=self.ingest.ids.new_id("o"),
            text=require_content(text).strip(),
            entity_ids=tuple(dict.fromkeys(node.id for node in nodes)),
            created_at=now,
            recorded_at=now,
            origin=backing.origin,
        )
        return await self._save(await self._with_backing(observation, _private_as(nodes, backing)), names)

    async def add_relation(
        self, source: str, rel_type: str, target: str, *, description: str, backing: Backing
    ) -> Added:
        """Store an edge between two entities, given as ids, names or aliases. Raises InvalidParams: the type is empty,
        the edge was forgotten before (ruling H), or an end could mean several nodes; UnknownId: an end is not in the
        graph."""
        names = await self.ingest.names.known()
        ends = [_resolve_existing(name, names.nodes, backing) for name in (source, target)]
        now = self.ingest.clock.now()
        relation = Relation(
            id=self.ingest.ids.new_id("r"),
            source_id=ends[0].id,
            target_id=ends[1].id,
            rel_type=_require_line(rel_type, "a relation's type").replace(" ", "_"),  # "works at" → works_at
            description=" ".join(description.split()),
            created_at=now,
            recorded_at=now,
            origin=backing.origin,
        )
        return await self._save(await self._with_backing(relation, _private_as(ends, backing)), names)

    async def _with_backing(self, row: _AnyGraphRow, backing: Backing) -> _AnyGraphRow:
        """Return the row with provenance, trust, privacy and tags of its backing (ruling C10)."""
        thoughts = await self._thoughts(backing.thought_ids)
        inherited = Inheritance.of(thoughts, entered_by=backing.origin)
        return replace(
            row,
            created_at=backing.created_at
            or (earliest_date(thought.created_at for thought in thoughts) if thoughts else row.created_at),
            provenance=_provenance(thoughts, backing.quote),
            trust=inherited.trust,
            is_private=backing.is_private or inherited.is_private,
            tags=(*require_tags(backing.tags), *inherited.tags),
            scope=inherited.scope,
            valid_from=backing.valid_from,
            valid_until=backing.valid_until,
        )

    async def _thoughts(self, ids: Sequence[str]) -> tuple[Thought, ...]:
        found = await fetch_thoughts(self.ingest.store, ids)
        missing = [thought_id for thought_id in ids if thought_id not in found]
        if missing:
            raise await self.ingest.forgotten.no_thought(missing[0])
        return tuple(found[thought_id] for thought_id in dict.fromkeys(ids))  # in the order given, each once

    async def _save(self, row: GraphRow, names: KnownNames) -> Added:
        await self.ingest.forgotten.require_new(row)
        _, fault = await self.ingest.save([row], names=names)
        return Added(row=row, fault=fault)


def resolve_entity(
    name: str,
    entities: Sequence[EntityName],
    *,
    otherwise: str = "`voice kg list` lists them",
    lets_private_in: bool = True,
) -> EntityName:
    """Return the entity that `name` (an id, a name or an alias) means. `lets_private_in`: private ones count where a
    public one is meant as well. Raises UnknownId: none is meant, and `otherwise` says what to do; InvalidParams:
    several are."""
    wanted = norm_v1(name)
    by_id = [entity for entity in entities if entity.id == name]
    by_name = [entity for entity in entities if norm_v1(entity.name) == wanted]
    by_alias = [entity for entity in entities if wanted in {norm_v1(alias) for alias in entity.aliases}]
    found = by_id or by_name or by_alias  # an id beats a name, a name beats an alias
    public = [entity for entity in found if not entity.is_private]
    found = found if lets_private_in else public or found  # a private namesake makes no public name ambiguous
    if len(found) == 1:
        return found[0]
    if not found:
        called = quoted_name(name) or "that; it is neither a name nor an id"  # None: nothing of it can be printed
        raise UnknownId(f"there is no entity called {called}; {otherwise}")
    listed = ", ".join(f"{entity.id} ({_description(entity)})" for entity in found)
    raise InvalidParams(f"{name!r} could mean several entities: {listed}; use the id")


def _resolve_existing(name: str, entities: Sequence[EntityName], backing: Backing) -> EntityName:
    advice = "add it first with `voice kg add entity`"
    return resolve_entity(name, entities, otherwise=advice, lets_private_in=backing.is_private)


def _private_as(nodes: Iterable[EntityName], backing: Backing) -> Backing:
    """Return the backing, private if a node is: what names a private entity tells of it."""
    return replace(backing, is_private=backing.is_private or any(node.is_private for node in nodes))


def _description(entity: EntityName) -> str:
    """Return what an error says of an entity; it reveals nothing of a private one (promise 6)."""
    return "private" if entity.is_private else f"{entity.name}, {entity.entity_type}"


def _provenance(thoughts: Sequence[Thought], quote: str | None) -> tuple[Provenance, ...]:
    if quote is None:
        return tuple(Provenance(thought_id=t.id, start=0, end=len(t.content)) for t in thoughts)
    if len(thoughts) != 1:
        raise InvalidParams("--quote needs exactly one thought to quote from (--from t:…)")
    start = thoughts[0].content.find(quote)  # word for word: offsets point into the stored text
    if start < 0 or not quote.strip():  # a blank quote stands everywhere
        raise InvalidParams(f"{thoughts[0].id} does not contain the quote; copy it word for word")
    return (Provenance(thought_id=thoughts[0].id, start=start, end=start + len(quote)),)


def _require_line(text: str, what: str) -> str:
    line = " ".join(text.replace("\x00", "").split())
    if not line:
        raise InvalidParams(f"{what} must not be empty")
    return line
