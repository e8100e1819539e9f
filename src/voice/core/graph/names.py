"""The names of the graph's entities, with what is looked up in them.

Law: made once for many texts. A look-up is prepared when it is first asked for and then kept; a name that changes makes
another value. The names of private entities are in none of the look-ups of `public` (promise 6).

Source: rulings A21, C10, E.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from voice.core.graph.mentions import NameIndex
from voice.core.records import EntityName


@dataclass(frozen=True, kw_only=True)
class KnownNames:
    """Every live entity by its names, by id."""

    nodes: tuple[EntityName, ...] = ()

    @cached_property
    def index(self) -> NameIndex:
        """Finds the names in a text."""
        return NameIndex.of(self.nodes)

    @cached_property
    def name_of(self) -> Mapping[str, str]:
        """The name by id."""
        return {node.id: node.name for node in self.nodes}

    @cached_property
    def spoken(self) -> tuple[str, ...]:
        """All names and aliases, in order."""
        return tuple(name for node in self.nodes for name in (node.name, *node.aliases))

    @cached_property
    def public(self) -> "KnownNames":
        """The names of the entities that are not private."""
        shown = tuple(node for node in self.nodes if not node.is_private)
        return self if len(shown) == len(self.nodes) else KnownNames(nodes=shown)

    def with_(self, changed: Mapping[str, EntityName | None]) -> "KnownNames":
        """Return the names after some entities have changed; None is one that is gone.

        Nothing but what was known already is this value itself, look-ups and all.
        """
        before = {node.id: node for node in self.nodes}
        after = {row_id: node for row_id, node in {**before, **changed}.items() if node is not None}
        return self if after == before else KnownNames(nodes=tuple(after[row_id] for row_id in sorted(after)))
