"""Looking for entities that are perhaps one.

Law: names first, for all; what is said of them only for the pairs whose names are alike, by its words and by the
vectors that are stored. Nothing is encoded. Private rows neither suggest nor tell apart unless they were asked for.
Nothing is changed.

Source: rulings C10, F; promise 6.
"""

from dataclasses import dataclass

from voice.core.graph.contexts import MEASURED, Context, context_of
from voice.core.graph.duplicates import Duplicate, alike, borne_out, telling_words
from voice.core.records import Entity, EntityName
from voice.ports.stores import Encoding, HeldVectors
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
    vectors: HeldVectors
    encoding: Encoding
    """The encoder whose vectors are compared."""

    async def __call__(self, *, include_private: bool = False) -> list[Suggested]:
        """Return the pairs, the most alike first.

        Raises:
            StoreError: the graph cannot be read.
        """
        entities = {row.id: row for row in await self.browse.entities(include_private=include_private)}
        pairs = alike(EntityName.of(row) for row in entities.values())
        touched = sorted({row_id for pair in pairs for row_id in (pair.one, pair.other)})
        said = {row_id: await self._said(entities[row_id], include_private=include_private) for row_id in touched}
        bounds = MEASURED.get(self.encoding[0])
        return [
            Suggested(pair=pair, one=entities[pair.one], other=entities[pair.other])
            for pair in borne_out(pairs, said, bounds)
        ]

    async def _said(self, entity: Entity, *, include_private: bool) -> Context:
        around = await self.browse.around(entity.id, include_private=include_private)
        names = dict(around.names)
        others = [
            names[end] for edge in around.relations for end in (edge.source_id, edge.target_id) if end != entity.id
        ]
        texts = [entity.description, *(row.text for row in around.observations), *others]
        rows = [row.id for row in (*around.observations, *around.relations)]
        held = await self.vectors.vectors_of([entity.id, *rows])
        name = None if entity.description else held.pop(entity.id, None)
        model, dim = self.encoding
        return context_of(telling_words(texts, EntityName.of(entity)), held.values(), name, model=model, dim=dim)
