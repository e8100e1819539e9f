"""The things that a note names, each once, and the pronouns that refer to them.

Law: two names are one thing only if the note shows it: the same words, a first name of the one full name, a nickname or
abbreviation in brackets, a name without "Project" or "Ltd". A short name that fits two things belongs to neither. Names
in the graph keep their type.

A pronoun refers to a thing only if exactly one fits in the sentences just before; "I" and "my" are the speaker, if
named. Slots mark pronouns, because relations through them are trusted less.
Source: rulings F.1, F.2, C13; spec rag-organize 2.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final, cast, get_args

from voice.core.extraction.entity_types import Evidence, Rule, evidence_for
from voice.core.extraction.sentences import (
    BRIDGES,
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
from voice.core.graph.entity_names import KnownNames
from voice.core.graph.review.extraction_results import EntityType
from voice.core.text.word_lists import word_set

MAX_CONFIDENCE: Final = 0.98
_UNMEASURED: Final = 0.5  # of a rule that no labelled note shows
# Rough manual judgement of finds in public chats, where the labelled notes have too few cases.
_CHAT_SHARES: Final[Mapping[tuple[EntityType, Rule], float]] = {
    ("person", Rule.MEETING): 0.5,  # 7 of 14
    ("person", Rule.DEED): 0.33,  # 4 of 13
}
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
"""How often evidence was right, by type and rule."""


def share_of(evidence: Evidence) -> float:
    """Return how often such evidence was right."""
    key = (evidence.entity_type, evidence.rule)
    of_rule = (share for (_, rule), share in SHARES.items() if rule is evidence.rule)
    return _CHAT_SHARES.get(key) or SHARES.get(key) or min(of_rule, default=_UNMEASURED)  # else the rule at its worst


def combined(found: Iterable[Evidence]) -> tuple[EntityType, float] | None:
    """Return the likeliest type and its confidence, less for a rival type; None without evidence."""
    doubts: dict[EntityType, float] = {}
    for evidence in dict.fromkeys(found):  # one rule counts once
        # Noisy or: each piece of evidence may be wrong by itself.
        doubts[evidence.entity_type] = doubts.get(evidence.entity_type, 1.0) * (1.0 - share_of(evidence))
    if not doubts:
        return None
    best = min(doubts, key=lambda entity_type: (doubts[entity_type], entity_type))
    rival = min((doubt for entity_type, doubt in doubts.items() if entity_type != best), default=1.0)
    # A rival type with a doubt below 0.5 takes up to 40 % of the confidence.
    return best, round(min(MAX_CONFIDENCE, (1.0 - doubts[best]) * (0.6 + 0.4 * min(1.0, rival / 0.5))), 4)


_TYPES = frozenset[str](get_args(EntityType))


@dataclass(slots=True)
class NamedThing:
    """A named thing of one note, mutable while names are merged."""

    name: str
    key: str
    entity_type: EntityType
    confidence: float
    spans: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    aliases: dict[str, None] = field(default_factory=dict[str, None])
    """Other names, in order."""
    evidence: tuple[Evidence, ...] = ()


def things_in(note: ParsedNote, known: KnownNames, speaker: str | None = None) -> list[NamedThing]:
    """Return the things that a note names, in order of first mention; none for names that entities share."""
    things, taken = _known_things(note, known)
    groups: dict[str, list[Name]] = {}
    for name in names_in(note):
        if not any(start < name.end and name.start < end for start, end in taken):
            groups.setdefault(_key_of(name), []).append(name)
    evidence = _evidence_by_key(note, groups)
    for key, names in groups.items():
        judgement = combined(evidence[key])
        if judgement is not None:
            first = names[0]
            start = first.tokens[len(first.tokens) - len(key.split(" "))].start  # without the titles that the key lacks
            spans = [(name.start, name.end) for name in names]
            shown = note.text[start : first.end]
            things.append(NamedThing(shown, key, *judgement, spans=spans, evidence=evidence[key]))
    if speaker is not None and all(thing.key != speaker.casefold() for thing in things):
        judgement = combined([Evidence("person", Rule.SPEAKER)])
        things.extend([NamedThing(speaker, speaker.casefold(), *judgement)] if judgement else [])
    things = _merged(note.text, things)
    return sorted(things, key=lambda thing: thing.spans[0] if thing.spans else (-1, -1))


def _known_things(note: ParsedNote, known: KnownNames) -> tuple[list[NamedThing], list[tuple[int, int]]]:
    """Return the mentioned entities, and the spans of all mentions, ambiguous ones included."""
    found: dict[str, NamedThing] = {}
    taken: list[tuple[int, int]] = []
    for mention in known.index.mentions(note.text):
        taken.append((mention.start, mention.end))
        row_id, *others = mention.ids
        if others:
            continue  # whose it is cannot be told; its words stay taken
        row = known.by_id[row_id]
        entity_type = cast("EntityType", row.entity_type if row.entity_type in _TYPES else "concept")
        thing = found.setdefault(row.id, NamedThing(row.name, row.name.casefold(), entity_type, MAX_CONFIDENCE))
        thing.spans.append((mention.start, mention.end))
        written = note.text[mention.start : mention.end]
        if written.casefold() != row.name.casefold():
            thing.aliases[written] = None
    return list(found.values()), taken


def _key_of(name: Name) -> str:
    """Return a name's words without leading titles."""
    keys = [token.key for token in name.tokens]
    while len(keys) > 1 and keys[0] in TITLES - {"herr", "frau", "señor", "señora"}:
        keys = keys[1:]
    return " ".join(keys)


def _evidence_by_key(note: ParsedNote, groups: Mapping[str, list[Name]]) -> dict[str, tuple[Evidence, ...]]:
    """Return the evidence for each group; without any, it has the type of a neighbour in a list ("Kafka and X")."""
    own = {
        key: tuple(dict.fromkeys(found for name in names for found in evidence_for(name, note.language)))
        for key, names in groups.items()
    }
    judgements = {key: combined(found) for key, found in own.items()}
    beside: dict[str, tuple[Evidence, ...]] = {}
    ordered = sorted((name.start, name.end, key) for key, names in groups.items() for name in names)
    for (_, end, left), (start, _, right) in pairwise(ordered):
        if note.text[end:start] not in {" and ", ", ", " und ", " y ", " or ", " & ", " e "}:
            continue
        for one, other in ((left, right), (right, left)):
            neighbour = judgements[other]
            is_open = judgements[one] is None or own[one][0].rule is Rule.BARE
            if neighbour is not None and neighbour[1] >= 0.5 and is_open:
                beside[one] = (Evidence(neighbour[0], Rule.BESIDE),)
    return own | beside


def _merged(text: str, things: list[NamedThing]) -> list[NamedThing]:
    """Merge each short name into the only thing whose full name it abbreviates."""
    kept: list[NamedThing] = []
    for thing in things:
        bearers = [other for other in things if other is not thing and _has_short_name(text, other, thing)]
        if len(bearers) == 1:
            bearers[0].spans = sorted([*bearers[0].spans, *thing.spans])
            bearers[0].aliases |= {thing.name: None} | thing.aliases
        elif not bearers:  # with two bearers it belongs to neither
            kept.append(thing)
    return kept


def _has_short_name(text: str, full: NamedThing, short: NamedThing) -> bool:
    long, words = full.key.split(" "), short.key.split(" ")
    if _is_abbreviated(text, full, short):
        return True
    if len(words) >= len(long) or full.entity_type != short.entity_type:
        return False
    if full.entity_type == "person":
        # A first name, or a nickname within the full name.
        return len(words) == 1 and (words[0] in long[:-1] or f"({words[0]})" in full.name.casefold())
    core = [word for word in long if word not in ORG_SUFFIX | PROJECT_WORD]
    return words == core or (words == long[: len(words)] and len(words) > 1)


def _is_abbreviated(text: str, full: NamedThing, short: NamedThing) -> bool:
    """Return whether initials in brackets follow the name: "World Health Organization (WHO)"."""
    words = full.key.split(" ")
    forms = {"".join(word[0] for word in words), "".join(word[0] for word in words if word not in BRIDGES)}
    is_behind = any(text[end:].startswith(f" ({short.name})") for _, end in full.spans)
    return is_behind and short.key in forms and len(short.key) > 1


_SHE: Final = word_set("she her hers sie ihr ihre ihrem ihren ihrer ella")
_HE: Final = word_set("he his him er sein seine seinem seinen seiner él")
_EITHER: Final = word_set("su sus")  # Spanish "su": his, her, their
_ONLY_FEMALE: Final = FEMALE - MALE  # without names that both have
_ONLY_MALE: Final = MALE - FEMALE
_THEY: Final = word_set("they their we our")
_ME: Final = word_set(
    "i my we our ich mein meine meinem meinen meiner wir unser unsere yo mi mis nosotros nuestro nuestra"
)
_POSSESSIVE: Final = word_set(
    "her his their my our ihr ihre ihrem ihren ihrer sein seine seinem seinen seiner mein meine meinem meinen "
    "meiner unser unsere su sus mi mis nuestro nuestra"
)
# Spanish verbs that need no subject.
_SUBJECTLESS: Final = word_set("vive vivía vivió trabaja trabajaba trabajó estudia estudió dirige")
_LOOKBACK: Final = 2  # sentences in which a pronoun's referent is looked for


@dataclass(frozen=True, slots=True)
class Slot:
    """A reference to a thing in a sentence."""

    start: int
    end: int
    thing: NamedThing
    is_named: bool
    """False for a pronoun or an omitted subject."""
    is_possessive: bool = False


def slots_of(note: ParsedNote, things: Sequence[NamedThing], speaker: NamedThing | None) -> list[list[Slot]]:
    """Return the references to things by sentence, in order; `speaker` is the note's author."""
    found: list[list[Slot]] = []
    for sentence in note.sentences:
        slots = [
            Slot(start, end, thing, is_named=True)
            for thing in things
            for start, end in thing.spans
            if sentence.start <= start and end <= sentence.end
        ]
        slots.sort(key=lambda slot: slot.start)
        slots += _pronouns(sentence, slots, found[-_LOOKBACK:], speaker, note.language)
        found.append(sorted(slots, key=lambda slot: slot.start))
    return found


def _pronouns(
    sentence: Sentence,
    named: Sequence[Slot],
    before: Sequence[Sequence[Slot]],
    speaker: NamedThing | None,
    language: str,
) -> Iterator[Slot]:
    """Yield the pronouns and omitted subjects whose referent is certain."""
    taken = {at for slot in named for at in range(slot.start, slot.end)}
    for at, token in enumerate(sentence.tokens):
        if token.start in taken:
            continue
        thing = _referent(token, named, before, speaker)
        if thing is not None:
            yield Slot(token.start, token.end, thing, is_named=False, is_possessive=token.key in _POSSESSIVE)
        elif language == "es" and token.key in _SUBJECTLESS and at <= 1:  # at the start of the sentence
            subject = None if any(slot.start < token.start for slot in named) else _only("person", before)
            if subject is not None:
                yield Slot(token.start, token.start, subject, is_named=False)  # empty, before the verb


def _referent(
    token: Token, named: Sequence[Slot], before: Sequence[Sequence[Slot]], speaker: NamedThing | None
) -> NamedThing | None:
    if speaker is not None and token.key in _ME:  # first: a known speaker's "we" is theirs
        return speaker
    if token.key in _THEY:
        return _only("organisation", before)
    if token.key in _SHE | _HE | _EITHER:
        unfit = _ONLY_MALE if token.key in _SHE else _ONLY_FEMALE if token.key in _HE else frozenset[str]()
        here = [slot for slot in named if slot.end <= token.start]
        return _only("person", [*before, here], unfit)
    return None


def _only(kind: EntityType, before: Sequence[Sequence[Slot]], unfit: frozenset[str] = frozenset()) -> NamedThing | None:
    """Return the only thing of a kind in the nearest sentence with any; `unfit`: first names that cannot be meant."""
    for slots in reversed(before):
        # By identity: a thing is mutable and has no hash.
        found = {id(slot.thing): slot.thing for slot in slots if slot.thing.entity_type == kind}
        fitting = [thing for thing in found.values() if thing.key.split(" ")[0] not in unfit]
        if fitting:
            return fitting[0] if len(fitting) == 1 else None
    return None
