"""From a thought to observations: the writer's own sentences, word for word.

Law: nothing is inferred and nothing is rewritten. An observation is a stretch of one thought, cut at sentence ends,
that can be read alone (`voice.core.graph.passages`); a sentence that the thought says again, letter for letter and
under the same headings and bullets, is one observation that rests on every place. Its id is a function of the thought
and the first place, so distilling again changes nothing. It says when, by whom and in which thread it was said, and
inherits who may see it. Of a thought that its owner vouches for, what counts is green, but for what a model said: that
stays a model's claim (rulings A12, H). Of one vouched for in part nothing else is distilled (ruling J2).

Source: rulings A13, A21, C10, C13, F, H, J2.
"""

from collections.abc import Iterable
from typing import Literal, assert_never

from blake3 import blake3

from voice.core.graph.mentions import Named, NameIndex, ids_of_mentions
from voice.core.graph.passages import statement_spans
from voice.core.graph.vouching import counting_spans
from voice.core.records import Inheritance, Observation, Origin, Provenance, RowStatus, Thought
from voice.core.text.context_path import Path, context_paths, stands_at
from voice.core.vouch import Vouch

AutoObservations = Literal["human", "off"]

_BASE36 = "0123456789abcdefghijklmnopqrstuvwxyz"
_KEY_LENGTH = 26


def may_promote(thought: Thought, setting: AutoObservations) -> bool:
    """Return whether observations of `thought` enter the graph at once (rulings A21, H), or the owner vouched for it.

    Args:
        thought: where they come from.
        setting: `auto_observations`; `off` is the strict reading.
    """
    if thought.vouched is not None:
        return thought.vouched in (Vouch.APPROVED, Vouch.PARTLY)
    match setting:
        case "off":
            return False
        case "human":
            return thought.origin in {Origin.HUMAN, Origin.LOGGED}
        case _:
            assert_never(setting)


def distil(thought: Thought, *, entities: Iterable[Named] | NameIndex = ()) -> tuple[Observation, ...]:
    """Return the observations of `thought` in the order of their first places (ruling A21).

    A text is one observation under the same headings and bullets; one of several lines stands where the least deep of
    them does.

    What the inner voice wrote itself and what is no longer active yields nothing (ruling A13).

    Args:
        thought: any thought.
        entities: whose names are looked for; pass a `NameIndex` when many thoughts are distilled.
    """
    if thought.is_synthesis or thought.status is not RowStatus.ACTIVE:
        return ()
    names = entities if isinstance(entities, NameIndex) else NameIndex.of(entities)
    vouches = thought.vouched in (Vouch.APPROVED, Vouch.PARTLY) and thought.origin is not Origin.MODEL
    inherited = Inheritance.of((thought,), entered_by=Origin.HUMAN if vouches else None)
    spans = counting_spans(thought, statement_spans(thought.content, in_dialogue=thought.speaker is not None))
    stands = [stands_at(thought.content, *span) for span in spans]
    paths = context_paths(thought.content, stands, source_ref=thought.source_ref)
    places: dict[tuple[str, Path], list[Provenance]] = {}
    for (start, end), path in zip(spans, paths, strict=True):
        place = Provenance(thought_id=thought.id, start=start, end=end)
        places.setdefault((thought.content[start:end], path), []).append(place)
    return tuple(_observation(thought, said, tuple(at), (names, inherited)) for said, at in places.items())


def observation_id(thought_id: str, start: int, end: int) -> str:
    """Return the id of the observation whose first place in `thought_id` is `[start, end)`; the same for ever."""
    number = int.from_bytes(blake3(f"{thought_id}\x00{start}\x00{end}".encode()).digest(length=17), "big")
    key = ""
    for _ in range(_KEY_LENGTH):
        number, digit = divmod(number, 36)
        key += _BASE36[digit]
    return f"o:{key}"


def _observation(
    thought: Thought, said: tuple[str, Path], places: tuple[Provenance, ...], shared: tuple[NameIndex, Inheritance]
) -> Observation:
    (text, path), (names, inherited) = said, shared
    return Observation(
        id=observation_id(thought.id, places[0].start, places[0].end),
        text=text,
        entity_ids=ids_of_mentions(names.mentions(text)),
        created_at=thought.created_at,
        recorded_at=thought.recorded_at,
        origin=thought.origin,
        speaker=thought.speaker,
        thread=thought.thread,
        context_path=path,
        provenance=places,
        trust=inherited.trust,
        tags=inherited.tags,
        is_private=inherited.is_private,
        scope=inherited.scope,
    )
