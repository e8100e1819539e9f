"""What still says what a statement said before it was corrected.

Law: a correction of a statement changes nothing that rests on the same note (ruling F): whoever corrected it is told of
the edges and descriptions that still hold what was taken back, and decides. An edge holds it when both its ends are
named in the old words, one of them in the new words no more, and it rests on that very place, or is of a kind that the
old words spell out. A description holds it when it has a telling word that the old words had and the new ones lack. A
note holds it when the stretch that the statement was cut from says something else than the new words.

Source: ruling F.
"""

from collections.abc import Iterable, Mapping, Sequence

from voice.core.graph.mentions import NameIndex, ids_of_mentions
from voice.core.records import Entity, EntityName, GraphRow, Provenance, Relation, RowStatus, Thought
from voice.core.text.normalise import norm_v1
from voice.core.text.words import content_words


def still_saying(
    rows: Iterable[GraphRow], before: str, after: str, *, nodes: Iterable[EntityName], places: Sequence[Provenance]
) -> tuple[Entity | Relation, ...]:
    """Return those of the rows that hold what `before` says and `after` does not, by id.

    Args:
        rows: edges and entities that rest on the same notes, or that the statement is about; others are left out.
        before: the old words.
        after: the new ones.
        nodes: the entities that may be named.
        places: what the old words rest on.
    """
    index = NameIndex.of(nodes)
    named, kept = (frozenset(ids_of_mentions(index.mentions(text))) for text in (before, after))
    old, new = _telling(before), _telling(after)
    found: dict[str, Entity | Relation] = {}
    for row in rows:
        if row.status is not RowStatus.ACTIVE:
            continue
        if isinstance(row, Entity) and _telling(row.description) & (old - new):
            found[row.id] = row
        if isinstance(row, Relation):
            ends = {row.source_id, row.target_id}
            is_here = _rests_on(row, places) or _telling(row.rel_type.replace("_", " ")) <= old
            if ends <= named and not ends <= kept and is_here:
                found[row.id] = row
    return tuple(found[row_id] for row_id in sorted(found))


def stretches_saying(thoughts: Mapping[str, Thought], after: str, places: Sequence[Provenance]) -> Mapping[str, str]:
    """Return of each live note, by its id, the stretch that was cut out as a statement and does not say `after`.

    Args:
        thoughts: notes by id; those that are not given are left out.
        after: the new words.
        places: what the statement rests on.
    """
    found: dict[str, str] = {}
    for place in places:
        thought = thoughts.get(place.thought_id)
        if thought is None or thought.status is not RowStatus.ACTIVE:
            continue
        stretch = thought.content[place.start : place.end]
        if norm_v1(stretch) != norm_v1(after):
            found.setdefault(thought.id, stretch)
    return found


def spoken(row: Entity | Relation, called: Mapping[str, str]) -> str:
    """Return in a line what it says; `called` has the names of the entities."""
    if isinstance(row, Entity):
        return row.description
    return f"{called[row.source_id]} --{row.rel_type}--> {called[row.target_id]}"


def _telling(text: str) -> frozenset[str]:
    return frozenset(word.stem for word in content_words(text))


def _rests_on(row: Relation, places: Sequence[Provenance]) -> bool:
    """Return whether all that the edge rests on lies within the places."""
    return bool(row.provenance) and all(
        any(
            span.thought_id == place.thought_id and place.start <= span.start and span.end <= place.end
            for place in places
        )
        for span in row.provenance
    )
