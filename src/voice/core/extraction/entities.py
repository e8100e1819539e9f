"""The things a note names, each once.

Law: two stretches are one thing only when the note itself shows it: the same words, a first name of the one full name,
a nickname or an abbreviation in brackets, a name without its "Project" or "Ltd". A short name that two could bear
("Beth" beside "Beth the customer" and "Beth the agent") belongs to neither. Names the graph knows keep their type.

Source: rulings F.1, F.2, C13; spec rag-organize 2.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import cast, get_args

from voice.core.extraction.confidence import MOST, combined
from voice.core.extraction.kinds import Evidence, Rule, evidence_for
from voice.core.extraction.lexicon import ORG_SUFFIX, PROJECT_WORD, TITLES
from voice.core.extraction.names import Name, names_in
from voice.core.extraction.reading import Reading
from voice.core.graph.extracted import EntityType
from voice.core.graph.mentions import NameIndex
from voice.core.records import EntityName

_TYPES = frozenset[str](get_args(EntityType))


@dataclass(slots=True)
class Thing:
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


def things_in(reading: Reading, known: Known, speaker: str | None = None) -> list[Thing]:
    """Return the things that a note names, in order of first mention.

    Args:
        reading: the note.
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
        things.extend([Thing(speaker, speaker.casefold(), *judged)] if judged else [])
    things = _joined(reading.text, things)
    return sorted(things, key=lambda thing: thing.spans[0] if thing.spans else (-1, -1))


def _known_things(reading: Reading, known: Known) -> tuple[list[Thing], list[tuple[int, int]]]:
    found: dict[str, Thing] = {}
    taken: list[tuple[int, int]] = []
    for mention in known.index.mentions(reading.text):
        taken.append((mention.start, mention.end))
        row_id, *others = mention.ids
        if others:
            continue
        row = known.by_id[row_id]
        kind = cast("EntityType", row.entity_type if row.entity_type in _TYPES else "concept")
        thing = found.setdefault(row.id, Thing(row.name, row.name.casefold(), kind, MOST))
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
) -> Thing:
    first = names[0]
    start = first.tokens[len(first.tokens) - len(key.split(" "))].start
    shown = text[start : first.end]
    return Thing(shown, key, *judged, spans=[(name.start, name.end) for name in names], evidence=evidence)


def _with_neighbours(reading: Reading, groups: Mapping[str, list[Name]]) -> dict[str, tuple[Evidence, ...]]:
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


def _joined(text: str, things: list[Thing]) -> list[Thing]:
    """Return the things with each short name given to the one thing that bears it in full."""
    kept: list[Thing] = []
    for thing in things:
        bearers = [other for other in things if other is not thing and _bears(text, other, thing)]
        if len(bearers) == 1:
            bearers[0].spans = sorted([*bearers[0].spans, *thing.spans])
            bearers[0].aliases |= {thing.name: None} | thing.aliases
        elif not bearers:
            kept.append(thing)
    return kept


def _bears(text: str, full: Thing, short: Thing) -> bool:
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


def _is_nick(full: Thing, words: Sequence[str]) -> bool:
    return len(words) == 1 and words[0] in full.key.split(" ")[1:-1]


def _abbreviates(text: str, full: Thing, short: Thing) -> bool:
    """ "World Health Organization (WHO)": initials in brackets right behind the name."""
    letters = "".join(word[0] for word in full.key.split(" "))
    is_behind = any(text[end:].startswith(f" ({short.name})") for _, end in full.spans)
    return is_behind and short.key in {letters, letters.replace("o", "")} and len(short.key) > 1
