"""The graph of an open memory, as its owner enters it by hand."""

from collections.abc import Sequence

from voice.bootstrap import Services
from voice.core.records import Entity, Observation, Relation
from voice.services.graph.editor import Backing


async def entity(
    services: Services,
    name: str,
    kind: str = "person",
    description: str = "",
    *,
    aliases: Sequence[str] = (),
    **backing: object,
) -> Entity:
    added = await services.graph_editor.add_entity(
        name,
        entity_type=kind,
        description=description,
        aliases=aliases,
        backing=Backing(**backing),  # pyright: ignore[reportArgumentType]
    )
    assert isinstance(added.row, Entity)
    return added.row


async def relation(
    services: Services, source: str, kind: str, target: str, description: str = "", **backing: object
) -> Relation:
    made = Backing(**backing)  # pyright: ignore[reportArgumentType]
    added = await services.graph_editor.add_relation(source, kind, target, description=description, backing=made)
    assert isinstance(added.row, Relation)
    return added.row


async def observation(services: Services, text: str, *about: str, **backing: object) -> Observation:
    made = Backing(**backing)  # pyright: ignore[reportArgumentType]
    added = await services.graph_editor.add_observation(text, about=about, backing=made)
    assert isinstance(added.row, Observation)
    return added.row
