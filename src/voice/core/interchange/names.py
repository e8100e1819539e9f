"""Which entity a name means.

Law: an id means itself when it is known; a name or alias means the one entity that bears it, compared after `norm_v1`
(without case, spacing or invisible characters); a name that several bear means none of them.
"""

from collections.abc import Iterable
from typing import Self

from voice.core.records import Entity, EntityName
from voice.core.text.normalise import norm_v1


class EntityNames:
    """Entities by id, name and alias; call it with any of these (it is a `ResolveName`)."""

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._bearers: dict[str, set[str]] = {}

    @classmethod
    def of(cls, entities: Iterable[Entity | EntityName]) -> Self:
        """Return the names of `entities`."""
        names = cls()
        for entity in entities:
            names.add(entity)
        return names

    def add(self, entity: Entity | EntityName) -> None:
        """Make one more entity known."""
        self._ids.add(entity.id)
        for name in (entity.name, *entity.aliases):
            self._bearers.setdefault(norm_v1(name), set()).add(entity.id)

    def __call__(self, wanted: str) -> str | None:
        """Return the id of the one entity that is meant, None when that is none or several."""
        if wanted in self._ids:
            return wanted
        bearers = self._bearers.get(norm_v1(wanted), set())
        return next(iter(bearers)) if len(bearers) == 1 else None
