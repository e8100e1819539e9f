"""What the notes of a vault say of one another, offered to whoever stages candidates.

Law: an offer is a value and no row; nothing here stores or judges. A link is offered as a relation between the two
notes' names, with the place where it stands as its provenance; the same link twice in a note is one offer with two
places. A page of a diary is no thing: links from and to pages named after days are not offered.

Source: rulings A21, F; docs/import.md.
"""

from dataclasses import dataclass

from voice.core.interchange.foreign.vault import is_day
from voice.core.interchange.lines import LinkedNote
from voice.core.records import LINKS_TO, Provenance, Thought
from voice.core.text.normalise import norm_v1


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedEntity:
    """The thing a note is about, with the other names its note gives it."""

    name: str
    aliases: tuple[str, ...]
    mentions: tuple[Provenance, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedRelation:
    """A link, as a relation between names."""

    source: str
    rel_type: str
    target: str
    mentions: tuple[Provenance, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Offers:
    """What an import offers for review."""

    entities: tuple[OfferedEntity, ...] = ()
    relations: tuple[OfferedRelation, ...] = ()

    def __add__(self, other: "Offers") -> "Offers":
        """Return both, in order."""
        return Offers(entities=self.entities + other.entities, relations=self.relations + other.relations)


def offers_of(note: LinkedNote, thought: Thought) -> Offers:
    """Return what a note offers; `thought` is the note as it is stored, which its links' spans lie in."""
    if is_day(note.name):
        return Offers()
    places: dict[str, list[Provenance]] = {}
    targets: dict[str, str] = {}
    for link in note.links:
        key = norm_v1(link.target)
        if key != norm_v1(note.name) and not is_day(link.target):
            targets.setdefault(key, link.target)
            places.setdefault(key, []).append(Provenance(thought_id=thought.id, start=link.start, end=link.end))
    relations = tuple(
        OfferedRelation(source=note.name, rel_type=LINKS_TO, target=targets[key], mentions=tuple(spans))
        for key, spans in places.items()
    )
    end = len(note.name) if thought.content.startswith(note.name) else 0
    itself = Provenance(thought_id=thought.id, start=0, end=end)
    named = (OfferedEntity(name=note.name, aliases=note.aliases, mentions=(itself,)),) if note.aliases else ()
    return Offers(entities=named, relations=relations)
