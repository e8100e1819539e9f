"""The links between notes of a vault, as candidates to be staged.

Law: a link is what the person wrote, so it is sure; what kind of thing its ends are is not said, so an end is of the
type under which it is found already, a thing where its note gives it other names, and a note otherwise. An end that the
graph knows needs no candidate; every other gets one, for a relation whose ends nobody can approve could never be
approved itself.

Source: rulings A21, F; docs/import.md.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from voice.core.graph.entity_names import NOTE_TYPE
from voice.core.graph.review.candidates import THING
from voice.core.interchange.foreign.vault import Offers
from voice.core.records import Provenance
from voice.core.text.normalise import norm_v1

_SURE = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedThing:
    """An end of a link, or what a note is about."""

    name: str
    entity_type: str
    aliases: tuple[str, ...]
    confidence: float
    mentions: tuple[Provenance, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link between two notes."""

    source: str
    rel_type: str
    target: str
    confidence: float
    mentions: tuple[Provenance, ...]
    valid_from: datetime | None = None
    valid_until: datetime | None = None


def settled(offers: Offers, known: Collection[str]) -> Offers:
    """Return what is offered, each link to what a note is called, without handles (`@name`) that nothing is known of.

    Args:
        offers: what an import offers.
        known: the normalised names that the graph knows; what the import itself offers is known, too.
    """
    own = {norm_v1(name): each.name for each in offers.entities for name in (*each.aliases, each.name)}
    linked = {norm_v1(name) for each in offers.relations if not each.is_handle for name in (each.source, each.target)}
    there = own.keys() | linked | {norm_v1(each.source) for each in offers.relations} | set(known)
    kept = (each for each in offers.relations if not each.is_handle or norm_v1(each.target) in there)
    meant = (replace(each, target=own.get(norm_v1(each.target), each.target)) for each in kept)
    return replace(offers, relations=tuple(meant))


def links_of(offers: Offers) -> tuple[Link, ...]:
    """Return the links that are offered."""
    return tuple(
        Link(
            source=each.source,
            rel_type=each.rel_type,
            target=each.target,
            confidence=_SURE,
            mentions=each.mentions,
        )
        for each in offers.relations
    )


def linked_names(offers: Offers) -> tuple[str, ...]:
    """Return the normalised names of all that is offered, each once."""
    ends = (name for each in offers.relations for name in (each.source, each.target))
    return tuple(dict.fromkeys(norm_v1(name) for name in (*(each.name for each in offers.entities), *ends)))


def given_names(offers: Offers) -> dict[str, tuple[str, ...]]:
    """Return the other names that each note gives what it is about, by the note's id."""
    return {span.thought_id: each.aliases for each in offers.entities for span in each.mentions}


def things_of(offers: Offers, *, known: Collection[str], types: Mapping[str, str]) -> tuple[LinkedThing, ...]:
    """Return the things that are offered and that the graph does not know yet.

    Args:
        offers: what an import offers.
        known: the normalised names that the graph knows.
        types: normalised name → the type under which it is found already.
    """
    names: dict[str, str] = {}
    aliases: dict[str, tuple[str, ...]] = {}
    mentions: dict[str, list[Provenance]] = {}
    for thing in offers.entities:
        key = norm_v1(thing.name)
        names.setdefault(key, thing.name)
        aliases[key] = (*aliases.get(key, ()), *thing.aliases)
        mentions.setdefault(key, []).extend(thing.mentions)
    for edge in offers.relations:
        for name in (edge.source, edge.target):
            names.setdefault(norm_v1(name), name)
            mentions.setdefault(norm_v1(name), []).extend(edge.mentions)
    return tuple(
        LinkedThing(
            name=name,
            entity_type=types.get(key, THING if aliases.get(key) else NOTE_TYPE),
            aliases=aliases.get(key, ()),
            confidence=_SURE,
            mentions=tuple(mentions[key]),
        )
        for key, name in names.items()
        if key not in known
    )
