"""The things a note names, each once, and the pronouns that stand for them.

Law: two stretches are one thing only when the note itself shows it: the same words, a first name of the one full name,
a nickname or an abbreviation in brackets, a name without its "Project" or "Ltd". A short name that two could bear
("Beth" beside "Beth the customer" and "Beth the agent") belongs to neither. Names the graph knows keep their type.

Whom a sentence speaks of, by name or by a word that stands for a name. "she" is somebody only when exactly one person
of the sentences just before can be meant; two who could be leave the word without meaning. "I" and "my" are the
speaker, and nobody where no speaker is named. What stands for a name is marked as such, because relations read through
it are trusted less.

Source: rulings F.1, F.2, C13; spec rag-organize 2; rulings F.1, F.2.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, cast, get_args

from voice.core.extraction.entity_types import Evidence, Rule, evidence_for
from voice.core.extraction.sentences import (
    FEMALE,
    MALE,
    ORG_SUFFIX,
    PROJECT_WORD,
    TITLES,
    Name,
    ParsedNote,
    Sentence,
    Token,
    names_in,
)
from voice.core.graph.entity_names import NameIndex
from voice.core.graph.review.extraction_results import EntityType
from voice.core.records import EntityName
from voice.core.text.word_lists import word_set

MOST: Final = 0.98
_UNSEEN: Final = 0.5
_SEEN_IN_CHATS: Final[Mapping[tuple[EntityType, Rule], float]] = {
    ("person", Rule.MEETING): 0.5,  # 7 of 14
    ("person", Rule.DEED): 0.33,  # 4 of 13
}
"""Judged by eye, roughly, over what was found in the public sets, where the labelled notes hold too few cases."""
SHARES: Final[Mapping[tuple[EntityType, Rule], float]] = {
    ("person", Rule.SPEAKER): 0.98,  # who writes is a person
    ("concept", Rule.BARE): 0.28,  # 1 of 4
    ("concept", Rule.WORDING): 0.93,  # 1 of 1
    ("event", Rule.SHAPE): 0.92,  # 1 of 1
    ("event", Rule.WORDING): 0.93,  # 1 of 1
    ("organisation", Rule.CUE): 0.96,  # 5 of 5
    ("organisation", Rule.LISTED): 1.00,  # 7 of 7
    ("organisation", Rule.WORDING): 0.98,  # 10 of 10
    ("person", Rule.AMBIGUOUS_NAME): 0.96,  # 5 of 5
    ("person", Rule.FIRST_NAME): 1.00,  # 42 of 42
    ("person", Rule.FULL_NAME): 0.99,  # 11 of 11
    ("person", Rule.MEETING): 0.78,  # 1 of 1
    ("person", Rule.OPENING_DEED): 0.22,  # 0 of 1
    ("person", Rule.TITLE): 0.94,  # 4 of 4
    ("place", Rule.LISTED): 1.00,  # 18 of 18
    ("place", Rule.WORDING): 0.76,  # 2 of 3
    ("project", Rule.CUE): 0.92,  # 1 of 1
    ("project", Rule.WORDING): 0.95,  # 2 of 2
    ("tool", Rule.LISTED): 1.00,  # 20 of 20
    ("tool", Rule.SHAPE): 0.96,  # 5 of 5
}


def share_of(evidence: Evidence) -> float:
    """Return how often such a reading was right."""
    key = (evidence.entity_type, evidence.rule)
    of_other_kinds = (share for (_, rule), share in SHARES.items() if rule is evidence.rule)
    return _SEEN_IN_CHATS.get(key) or SHARES.get(key) or min(of_other_kinds, default=_UNSEEN)


def combined(found: Iterable[Evidence]) -> tuple[EntityType, float] | None:
    """Return the likeliest kind and its confidence; None without evidence.

    What speaks for another kind is taken off.
    """
    wrong: dict[EntityType, float] = {}
    for evidence in dict.fromkeys(found):
        wrong[evidence.entity_type] = wrong.get(evidence.entity_type, 1.0) * (1.0 - share_of(evidence))
    if not wrong:
        return None
    best = min(wrong, key=lambda kind: (wrong[kind], kind))
    rival = min((share for kind, share in wrong.items() if kind != best), default=1.0)
    return best, round(min(MOST, (1.0 - wrong[best]) * (0.6 + 0.4 * min(1.0, rival / 0.5))), 4)


_TYPES = frozenset[str](get_args(EntityType))


@dataclass(slots=True)
class NamedThing:
    """A named thing of one note, as it is being put together."""

    name: str
    key: str
    entity_type: EntityType
    confidence: float
    spans: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    aliases: dict[str, None] = field(default_factory=dict[str, None])
    """Other names, in order."""
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """The names of the graph, ready to be looked for."""

    index: NameIndex
    by_id: Mapping[str, EntityName]

    @classmethod
    def of(cls, names: Iterable[EntityName]) -> "Known":
        """Return the names, ready to be looked for."""
        kept = tuple(names)
        return cls(NameIndex.of(kept), {name.id: name for name in kept})


def things_in(reading: ParsedNote, known: Known, speaker: str | None = None) -> list[NamedThing]:
    """Return the things that a note names, in order of first mention.

    Args:
        known: the graph's names; one that several rows bear is not resolved and not extracted.
        speaker: who wrote it; named people are things, too.
    """
    things, taken = _known_things(reading, known)
    groups: dict[str, list[Name]] = {}
    for name in names_in(reading):
        if not any(start < name.end and name.start < end for start, end in taken):
            groups.setdefault(_key_of(name), []).append(name)
    evidence = _with_neighbours(reading, groups)
    for key, names in groups.items():
        judged = combined(evidence[key])
        if judged is not None:
            things.append(_thing(reading.text, key, names, judged, evidence[key]))
    if speaker is not None and all(thing.key != speaker.casefold() for thing in things):
        judged = combined([Evidence("person", Rule.SPEAKER)])
        things.extend([NamedThing(speaker, speaker.casefold(), *judged)] if judged else [])
    things = _joined(reading.text, things)
    return sorted(things, key=lambda thing: thing.spans[0] if thing.spans else (-1, -1))


def _known_things(reading: ParsedNote, known: Known) -> tuple[list[NamedThing], list[tuple[int, int]]]:
    found: dict[str, NamedThing] = {}
    taken: list[tuple[int, int]] = []
    for mention in known.index.mentions(reading.text):
        taken.append((mention.start, mention.end))
        row_id, *others = mention.ids
        if others:
            continue
        row = known.by_id[row_id]
        kind = cast("EntityType", row.entity_type if row.entity_type in _TYPES else "concept")
        thing = found.setdefault(row.id, NamedThing(row.name, row.name.casefold(), kind, MOST))
        thing.spans.append((mention.start, mention.end))
        written = reading.text[mention.start : mention.end]
        if written.casefold() != row.name.casefold():
            thing.aliases[written] = None
    return list(found.values()), taken


def _key_of(name: Name) -> str:
    keys = [token.key for token in name.tokens]
    while len(keys) > 1 and keys[0] in TITLES - {"herr", "frau", "señor", "señora"}:
        keys = keys[1:]
    return " ".join(keys)


def _thing(
    text: str, key: str, names: Sequence[Name], judged: tuple[EntityType, float], evidence: tuple[Evidence, ...]
) -> NamedThing:
    first = names[0]
    start = first.tokens[len(first.tokens) - len(key.split(" "))].start
    shown = text[start : first.end]
    return NamedThing(shown, key, *judged, spans=[(name.start, name.end) for name in names], evidence=evidence)


def _with_neighbours(reading: ParsedNote, groups: Mapping[str, list[Name]]) -> dict[str, tuple[Evidence, ...]]:
    """Return the evidence for each group; one without any takes the kind of what it is listed with ("Kafka and X")."""
    own = {
        key: tuple(dict.fromkeys(found for name in names for found in evidence_for(name, reading.language)))
        for key, names in groups.items()
    }
    kinds = {key: combined(found) for key, found in own.items()}
    beside: dict[str, tuple[Evidence, ...]] = {}
    ordered = sorted((name.start, name.end, key) for key, names in groups.items() for name in names)
    for (_, end, left), (start, _, right) in pairwise(ordered):
        if reading.text[end:start] not in {" and ", ", ", " und ", " y ", " or ", " & ", " e "}:
            continue
        for one, other in ((left, right), (right, left)):
            kind = kinds[other]
            if kind is not None and kind[1] >= 0.5 and (kinds[one] is None or own[one][0].rule is Rule.BARE):
                beside[one] = (Evidence(kind[0], Rule.BESIDE),)
    return own | beside


def _joined(text: str, things: list[NamedThing]) -> list[NamedThing]:
    """Return the things with each short name given to the one thing that bears it in full."""
    kept: list[NamedThing] = []
    for thing in things:
        bearers = [other for other in things if other is not thing and _bears(text, other, thing)]
        if len(bearers) == 1:
            bearers[0].spans = sorted([*bearers[0].spans, *thing.spans])
            bearers[0].aliases |= {thing.name: None} | thing.aliases
        elif not bearers:
            kept.append(thing)
    return kept


def _bears(text: str, full: NamedThing, short: NamedThing) -> bool:
    """Return whether `short` is another name of `full` in this note."""
    long, words = full.key.split(" "), short.key.split(" ")
    if _abbreviates(text, full, short):
        return True
    if len(words) >= len(long):
        return False
    if full.entity_type == "person":
        is_first_name = words[0] == long[0] and len(words) == 1
        return short.entity_type == "person" and (
            is_first_name or (len(words) == 1 and f"({words[0]})" in full.name.casefold()) or _is_nick(full, words)
        )
    core = [word for word in long if word not in ORG_SUFFIX | PROJECT_WORD]
    return (full.entity_type == short.entity_type and words == core) or (
        full.entity_type == short.entity_type and words == long[: len(words)] and len(words) > 1
    )


def _is_nick(full: NamedThing, words: Sequence[str]) -> bool:
    return len(words) == 1 and words[0] in full.key.split(" ")[1:-1]


def _abbreviates(text: str, full: NamedThing, short: NamedThing) -> bool:
    """ "World Health Organization (WHO)": initials in brackets right behind the name."""
    letters = "".join(word[0] for word in full.key.split(" "))
    is_behind = any(text[end:].startswith(f" ({short.name})") for _, end in full.spans)
    return is_behind and short.key in {letters, letters.replace("o", "")} and len(short.key) > 1


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
    thing: NamedThing
    is_named: bool
    """False: a pronoun stands there, or nothing at all."""
    owns: bool = False
    """It is a possessive ("her")."""


def slots_of(reading: ParsedNote, things: Sequence[NamedThing], speaker: NamedThing | None) -> list[list[Slot]]:
    """Return for each sentence of the note the places that stand for things, in order.

    Args:
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
    sentence: Sentence,
    named: Sequence[Slot],
    before: Sequence[Sequence[Slot]],
    speaker: NamedThing | None,
    language: str,
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
    token: Token, named: Sequence[Slot], before: Sequence[Sequence[Slot]], speaker: NamedThing | None
) -> NamedThing | None:
    if speaker is not None and token.key in _ME:
        return speaker
    if token.key in _THEY:
        return _only_organisation(before)
    if token.key in _SHE | _HE | _EITHER:
        gender = None if token.key in _EITHER else token.key in _SHE
        here = [slot for slot in named if slot.end <= token.start]
        return _only_person([*before, here], is_woman=gender)
    return None


def _only_person(before: Sequence[Sequence[Slot]], *, is_woman: bool | None = None) -> NamedThing | None:
    """Return the one person that may be meant, in the nearest sentence that names any."""
    for slots in reversed(before):
        people = list({id(s.thing): s.thing for s in slots if s.thing.entity_type == "person"}.values())
        fitting = [person for person in people if _may_be(person, is_woman=is_woman)]
        if fitting:
            return fitting[0] if len(fitting) == 1 else None
    return None


def _may_be(person: NamedThing, *, is_woman: bool | None) -> bool:
    first = person.key.split(" ")[0]
    if is_woman is None or first in FEMALE & MALE:
        return True
    return first not in (MALE if is_woman else FEMALE)


def _only_organisation(before: Sequence[Sequence[Slot]]) -> NamedThing | None:
    for slots in reversed(before):
        found = {id(s.thing): s.thing for s in slots if s.thing.entity_type == "organisation"}
        if found:
            return next(iter(found.values())) if len(found) == 1 else None
    return None
