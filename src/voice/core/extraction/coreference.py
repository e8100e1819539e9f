"""Whom a sentence speaks of, by name or by a word that stands for a name.

Law: "she" is somebody only when exactly one person of the sentences just before can be meant; two who could be leave
the word without meaning. "I" and "my" are the speaker, and nobody where no speaker is named. What stands for a name is
marked as such, because relations read through it are trusted less.

Source: rulings F.1, F.2; spec rag-organize 2.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from voice.core.extraction.entities import Thing
from voice.core.extraction.lexicon import FEMALE, MALE
from voice.core.extraction.reading import Reading, Sentence, Token
from voice.core.text.word_lists import word_set

_SHE: Final = word_set("she her hers sie ihr ihre ihrem ihren ihrer ella")
_HE: Final = word_set("he his him er sein seine seinem seinen seiner él")
_EITHER: Final = word_set("su sus")
_THEY: Final = word_set("they their we our")
_ME: Final = word_set(
    "i my we our ich mein meine meinem meinen meiner wir unser unsere yo mi mis nosotros nuestro nuestra"
)
_OWNING: Final = word_set(
    "her his their my our ihr ihre ihrem ihren ihrer sein seine seinem seinen seiner mein meine meinem meinen "
    "meiner unser "
    "unsere su sus mi mis nuestro nuestra"
)
_IMPLIED: Final = word_set("vive vivía vivió trabaja trabajaba trabajó estudia estudió dirige")
"""Spanish verbs that need no subject."""
_BACK = 2
"""Sentences before a word in which what it stands for is looked for."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A place of a sentence that stands for a thing."""

    start: int
    end: int
    thing: Thing
    is_named: bool
    """False: a pronoun stands there, or nothing at all."""
    owns: bool = False
    """It is a possessive ("her")."""


def slots_of(reading: Reading, things: Sequence[Thing], speaker: Thing | None) -> list[list[Slot]]:
    """Return for each sentence of the note the places that stand for things, in order.

    Args:
        reading: the note.
        things: what it names.
        speaker: who wrote it; None where nobody knows.
    """
    found: list[list[Slot]] = []
    for sentence in reading.sentences:
        slots = [
            Slot(start, end, thing, is_named=True)
            for thing in things
            for start, end in thing.spans
            if sentence.start <= start and end <= sentence.end
        ]
        slots.sort(key=lambda slot: slot.start)
        slots += _stand_ins(sentence, slots, found[-_BACK:], speaker, reading.language)
        found.append(sorted(slots, key=lambda slot: slot.start))
    return found


def _stand_ins(
    sentence: Sentence, named: Sequence[Slot], before: Sequence[Sequence[Slot]], speaker: Thing | None, language: str
) -> Iterator[Slot]:
    taken = {at for slot in named for at in range(slot.start, slot.end)}
    for at, token in enumerate(sentence.tokens):
        if token.start in taken:
            continue
        meant = _meant(token, named, before, speaker)
        if meant is not None:
            yield Slot(token.start, token.end, meant, is_named=False, owns=token.key in _OWNING)
        elif language == "es" and token.key in _IMPLIED and at <= 1 and not any(s.start < token.start for s in named):
            implied = _only_person(before)
            if implied is not None:
                yield Slot(token.start, token.start, implied, is_named=False)


def _meant(
    token: Token, named: Sequence[Slot], before: Sequence[Sequence[Slot]], speaker: Thing | None
) -> Thing | None:
    if speaker is not None and token.key in _ME:
        return speaker
    if token.key in _THEY:
        return _only_organisation(before)
    if token.key in _SHE | _HE | _EITHER:
        gender = None if token.key in _EITHER else token.key in _SHE
        here = [slot for slot in named if slot.end <= token.start]
        return _only_person([*before, here], is_woman=gender)
    return None


def _only_person(before: Sequence[Sequence[Slot]], *, is_woman: bool | None = None) -> Thing | None:
    """Return the one person that may be meant, in the nearest sentence that names any."""
    for slots in reversed(before):
        people = list({id(s.thing): s.thing for s in slots if s.thing.entity_type == "person"}.values())
        fitting = [person for person in people if _may_be(person, is_woman=is_woman)]
        if fitting:
            return fitting[0] if len(fitting) == 1 else None
    return None


def _may_be(person: Thing, *, is_woman: bool | None) -> bool:
    first = person.key.split(" ")[0]
    if is_woman is None or first in FEMALE & MALE:
        return True
    return first not in (MALE if is_woman else FEMALE)


def _only_organisation(before: Sequence[Sequence[Slot]]) -> Thing | None:
    for slots in reversed(before):
        found = {id(s.thing): s.thing for s in slots if s.thing.entity_type == "organisation"}
        if found:
            return next(iter(found.values())) if len(found) == 1 else None
    return None
