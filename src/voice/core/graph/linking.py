"""Which observations speak of entities that came into the graph after them.

Law: an observation is about the entities that it names. Those that are in the graph when it is distilled it has from
the beginning; one that is approved later is added to the observations of its notes by the same look at the same words,
and nothing is taken away. Linking again changes nothing.

Source: rulings A21, C10, F.
"""

from collections.abc import Collection, Iterable
from dataclasses import replace

from voice.core.graph.mentions import NameIndex, ids_of_mentions
from voice.core.records import Observation, RowStatus


def linked(
    observations: Iterable[Observation], index: NameIndex, entity_ids: Collection[str]
) -> tuple[Observation, ...]:
    """Return the live observations that name one of the entities and do not say so yet, as they are to be written.

    Args:
        observations: of the notes that the entities rest on.
        index: the names of the graph, those of the entities among them.
        entity_ids: the entities.
    """
    wanted = frozenset(entity_ids)
    found: list[Observation] = []
    for row in observations:
        named = [each for each in ids_of_mentions(index.mentions(row.text)) if each in wanted]
        about = tuple(dict.fromkeys((*row.entity_ids, *named)))
        if row.status is RowStatus.ACTIVE and about != row.entity_ids:
            found.append(replace(row, entity_ids=about, revision=row.revision + 1))
    return tuple(found)
