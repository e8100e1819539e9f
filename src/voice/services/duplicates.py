"""Looking for entities that are perhaps one.

Law: names first, for all; what is said of them only for the pairs whose names are alike. Private rows neither suggest
nor tell apart unless they were asked for. Nothing is changed.

Source: rulings C10, F; promise 6.
"""

from dataclasses import dataclass

from voice.core.graph.duplicates import Duplicate, alike, borne_out, telling_words
from voice.core.records import Entity, EntityName
from voice.services.browse import Browse


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggested:
    """A pair that is perhaps one, with both entities."""

    pair: Duplicate
    one: Entity
    other: Entity


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicates:
    """Suggests pairs to a person."""

    browse: Browse

    async def __call__(self, *, include_private: bool = False) -> list[Suggested]:
        """Return the pairs, the most alike first.

        Raises:
            StoreError: the graph cannot be read.
        """
        entities = {row.id: row for row in await self.browse.entities(include_private=include_private)}
        pairs = alike(EntityName.of(row) for row in entities.values())
        touched = sorted({row_id for pair in pairs for row_id in (pair.one, pair.other)})
        said = {row_id: await self._said(entities[row_id], include_private=include_private) for row_id in touched}
        return [
            Suggested(pair=pair, one=entities[pair.one], other=entities[pair.other]) for pair in borne_out(pairs, said)
        ]

    async def _said(self, entity: Entity, *, include_private: bool) -> frozenset[str]:
        around = await self.browse.around(entity.id, include_private=include_private)
        names = dict(around.names)
        others = [
            names[end] for edge in around.relations for end in (edge.source_id, edge.target_id) if end != entity.id
        ]
        texts = [entity.description, *(row.text for row in around.observations), *others]
        return telling_words(texts, EntityName.of(entity))
