"""What the notes of a vault say of one another, offered to whoever stages candidates.

Law: an offer is a value and no row; nothing here stores or judges. A link is offered as a relation between the two
notes' names, with the place where it stands as its provenance; the same link twice in a note is one offer with two
places. A page of a diary is no thing: links from and to pages named after days are not offered.

Source: rulings A21, F; docs/import.md.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from voice.core.interchange.foreign.vault import is_day
from voice.core.interchange.lines import LinkedNote, NoteLink
from voice.core.records import LINKS_TO, Provenance, Thought
from voice.core.text.lazy import late_pattern
from voice.core.text.normalise import norm_v1

_HANDLE = late_pattern(r"(?<![\w@./:+-])@(\p{L}[\p{L}\p{N}_]{1,39})(?![\w@/]|[.-]\w)")


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
    is_handle: bool = False
    """Whether it was written `@name`: a link only where something of that name is known."""


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
    linked = _relations(note.name, thought.id, note.links)
    there = {norm_v1(each.target) for each in linked}
    handles = _relations(note.name, thought.id, _handles(thought.content), is_handle=True)
    relations = (*linked, *(each for each in handles if norm_v1(each.target) not in there))
    end = len(note.name) if thought.content.startswith(note.name) else 0
    itself = Provenance(thought_id=thought.id, start=0, end=end)
    named = (OfferedEntity(name=note.name, aliases=note.aliases, mentions=(itself,)),) if note.aliases else ()
    return Offers(entities=named, relations=relations)


def _relations(
    name: str, thought_id: str, links: Iterable[NoteLink], *, is_handle: bool = False
) -> tuple[OfferedRelation, ...]:
    places: dict[str, list[Provenance]] = {}
    targets: dict[str, str] = {}
    for link in links:
        key = norm_v1(link.target)
        if key != norm_v1(name) and not is_day(link.target):
            targets.setdefault(key, link.target)
            places.setdefault(key, []).append(Provenance(thought_id=thought_id, start=link.start, end=link.end))
    return tuple(
        OfferedRelation(source=name, rel_type=LINKS_TO, target=targets[key], mentions=tuple(spans), is_handle=is_handle)
        for key, spans in places.items()
    )


def _handles(text: str) -> Iterator[NoteLink]:
    """Yield where `@name` stands, outside of addresses; `@Anna_Lund` means "Anna Lund"."""
    for found in _HANDLE.finditer(text):
        yield NoteLink(target=found[1].replace("_", " "), start=found.start(), end=found.end())
