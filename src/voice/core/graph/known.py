"""What of the graph and the notes a promotion has to know, and which entity a name means in it.

Law: a name that could mean several entities is never resolved by guess; the error says by id which they are, and shows
no word of them. An entity is the same as a candidate's when it has its name and type, or its name as an alias and its
type; an end of a relation is one by id, by name, or by what the candidates of that name became.

Source: rulings C10, F; promise 6.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from voice.core.errors import InvalidParams
from voice.core.graph.candidates import EntityProposal
from voice.core.records import Entity, EntityName, Relation, Thought
from voice.core.text.normalise import norm_v1


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownGraph:
    """What was read before anything is decided."""

    nodes: tuple[EntityName, ...] = ()
    """The names of every live entity."""
    entities: Mapping[str, Entity] = field(default_factory=dict[str, Entity])
    """The entities that a verdict may touch, live or not, by id."""
    relations: Mapping[str, Relation] = field(default_factory=dict[str, Relation])
    """The live relations between them, and those under the ids that new ones would get, live or not, by id."""
    thoughts: Mapping[str, Thought] = field(default_factory=dict[str, Thought])
    """What the candidates rest on, by id; what is gone is absent."""
    became: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    """Normalised name → the ids that approved candidates of that name became."""


class NodeNames:
    """The live entities by their names, as they become while a batch is decided."""

    def __init__(self, nodes: Iterable[EntityName], became: Mapping[str, frozenset[str]]) -> None:
        self.live: dict[str, EntityName] = {}
        self._named: dict[str, set[str]] = {}
        self._also: dict[str, set[str]] = {}
        self._became: dict[str, set[str]] = {name: set(ids) for name, ids in became.items()}
        for node in nodes:
            self.add(node)

    def add(self, node: EntityName) -> None:
        """Take in an entity that is new, or has got another name."""
        self.live[node.id] = node
        self._named.setdefault(norm_v1(node.name), set()).add(node.id)
        for alias in node.aliases:
            self._also.setdefault(norm_v1(alias), set()).add(node.id)

    def stands_for(self, names: Iterable[str], row_id: str) -> None:
        """Take in that candidates of these normalised names became that entity."""
        for name in names:
            self._became.setdefault(name, set()).add(row_id)

    def same_as(self, proposal: EntityProposal) -> str | None:
        """Return the id of the entity that `proposal` is, or None.

        Raises:
            InvalidParams: several are.
        """
        name, kind = norm_v1(proposal.name), norm_v1(proposal.entity_type)
        for found in (self._named, self._also):
            ids = [row_id for row_id in found.get(name, ()) if norm_v1(self.live[row_id].entity_type) == kind]
            if ids:
                return _only(ids, "it")
        return None

    def end(self, name: str, what: str) -> str | None:
        """Return the id of the entity that an end of a relation means, or None.

        Raises:
            InvalidParams: it could mean several.
        """
        if name in self.live:
            return name
        wanted = norm_v1(name)
        by_name = self._named.get(wanted, set())
        others = self._also.get(wanted, set()) | (self._became.get(wanted, set()) & self.live.keys())
        return _only(by_name or others, what) if by_name or others else None


def unborne(names: frozenset[str], nodes: Iterable[EntityName]) -> frozenset[str]:
    """Return those of the normalised names that are no entity's own: they may mean what a candidate became."""
    return names - {norm_v1(node.name) for node in nodes}


def _only(ids: Iterable[str], what: str) -> str:
    found = sorted(ids)
    if len(found) > 1:
        raise InvalidParams(
            f"{what} could be any of {', '.join(found)}; choose one: "
            "`voice kg alias` names it for an entity, `voice kg edit` with an id for the end of a relation"
        )
    return found[0]
