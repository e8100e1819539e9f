"""The sentences of evidence rows, prepared for comparison: times, word overlap, and whom each word is about.

Law: the unit of comparison is a whole sentence; speaker and date belong to it, because the prompt shows them. Overlap
is deterministic; words are weighted by information content (`word_weight`).

A word refers to the nearest person before it in its clause, else the first after it. "I", "my", "we" are the
speaker, "you" the others, a known name its bearer, "he", "she", "they" anyone, also in later clauses that name no one.
Other clauses are about the speaker, or about the other person in replies such as "Congrats on …". Rows without a
speaker are by the owner.
Source: DESIGN 5 (`[date] Speaker: text`), 6; GROUNDING "hand v2"; rulings C13, D1, D5 ("evidence about another does
not count").
"""

from collections.abc import Sequence
from datetime import date
from functools import cache, cached_property, lru_cache
from typing import Literal, NamedTuple

import regex
from rapidfuzz.distance import Levenshtein

from voice.core.grounding.source_labels import said_on
from voice.core.grounding.values import Evidence
from voice.core.text.compound_quantities import durations
from voice.core.text.dates import date_spellings
from voice.core.text.language_data import entries, every_phrase, every_word, is_common_word, opening_phrase, word_weight
from voice.core.text.lazy import late_pattern
from voice.core.text.markdown import cells_of, code_apart, header_above, with_code_whole
from voice.core.text.numbers import GERMAN, ONES, TENS, quantities
from voice.core.text.words import Word, language_of, stem_of, stems_in, words

_MAY_HOLD_TIME = late_pattern(r"\p{Nd}(?::\p{Nd}|\s?[ap]\.?\s?m\b)", regex.IGNORECASE)


def other_time_spellings(text: str) -> tuple[str, ...]:
    """Return other spellings of the clock times and durations in `text`."""
    return _time_spellings(text) if _MAY_HOLD_TIME.search(text) else ()


@lru_cache(maxsize=1024)
def _time_spellings(text: str) -> tuple[str, ...]:
    seconds = {int(time.value) for time in durations(text)}
    clocks = [_clock(int(time.value), certain=time.unit is not None) for time in quantities(text) if time.is_time]
    return (*clocks, *map(_duration, sorted(seconds)))


def _clock(minutes: int, *, certain: bool) -> str:
    hour, minute = divmod(minutes, 60)
    short = f"{(hour - 1) % 12 + 1}:{minute:02}"
    half = f" {'pm' if hour % 24 >= 12 else 'am'}" if certain else ""
    return f"{hour}:{minute:02} {hour:02}:{minute:02} {short}{half}"


def _duration(seconds: int) -> str:
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour} hours {minute} minutes {second} seconds"


_LABEL = late_pattern(r"^(\p{Lu}[\p{L}'’.-]*(?: \p{Lu}[\p{L}'’.-]*)?):\s")

MOST_READ = 2_000
"""Characters of a question that are read; a longer sentence is a text without full stops and is skipped."""
_NOTHING = frozenset[str]()


class EvidenceSentence:
    """One sentence of a row; `start:end` are offsets into the row's text."""

    def __init__(self, row: Evidence, start: int, end: int) -> None:
        self.row = row
        self.start = start
        self.end = end
        self.text = row.text[start:end]

    @cached_property
    def prose_and_code(self) -> tuple[str, str]:
        """Its text before a block of code, and the block in fences; "" if there is none."""
        return code_apart(self.row.text, (self.start, self.end))

    @cached_property
    def words(self) -> list[Word]:
        """Its words; offsets are relative to `text`."""
        return words(self.text)

    @cached_property
    def own_stems(self) -> frozenset[str]:
        """Stems of its own words."""
        return stems_in(self.text)

    @cached_property
    def stems(self) -> frozenset[str]:
        """Stems of the sentence, its speaker and the entities of its row."""
        return self.own_stems | self.given if self.given else self.own_stems

    @cached_property
    def given(self) -> frozenset[str]:
        """Stems of its metadata: speaker, date, entities, table header, other spellings of times."""
        day = self.said_on
        spelt = (date_spellings(day),) if day else ()
        names = (self.speaker, *self.row.entity_names, *spelt, *self.header, *other_time_spellings(self.text))
        return _NOTHING.union(*(stems_in(name) for name in names if name))

    @cached_property
    def speaker(self) -> str | None:
        """The row's speaker, or the label at the start of the row ("Anna: …")."""
        return speaker_of(self.row)

    @property
    def header(self) -> tuple[str, ...]:
        """The column names of a table row; empty otherwise."""
        is_row = "|" in self.text and cells_of(self.text)
        return (header_above(self.row.text, self.start) or ()) if is_row else ()

    @property
    def said_on(self) -> date | None:
        """The date it was said; None if unknown."""
        return said_on(self.row)


def speaker_of(row: Evidence) -> str | None:
    """Return the row's speaker, else the name before a colon at its start, else None."""
    if row.speaker:
        return row.speaker
    label = _LABEL.match(row.text)
    if label is None or label.group(1).lower().rstrip(".") in every_word("names", "not_people"):
        return None
    return label.group(1)


@lru_cache(maxsize=256)  # a row that is cited is read for the question, for the answer and against the others
def _statements(text: str) -> tuple[tuple[int, int], ...]:
    """Return sentence spans; one that corrects the previous one is merged with it, a block of code with its lead-in."""
    corrects = every_phrase("persons", "corrects")
    spans: list[tuple[int, int]] = []
    for start, end in with_code_whole(text):
        is_one = spans and corrects.match(text, start)
        spans.append((spans.pop()[0] if is_one else start, end))
    return tuple(spans)


def sentences_of(row: Evidence) -> list[EvidenceSentence]:
    """Return the sentences of `row`, except those longer than `MOST_READ`."""
    return [EvidenceSentence(row, start, end) for start, end in _statements(row.text) if end - start <= MOST_READ]


def synonyms_of(stem: str) -> frozenset[str]:
    """Return the stems of a word's synonyms, without itself."""
    return _neighbours().get(stem, _NOTHING)


@lru_cache(maxsize=1)
def _neighbours() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for group in entries("synonyms", "groups"):
        stems = {stem_of(word) for word in group.split()}
        for stem in stems:
            table.setdefault(stem, set()).update(stems - {stem})
    return {stem: frozenset(others) for stem, others in table.items()}


_NEAR_CREDIT = 0.8
_SYNONYM_CREDIT = 0.7


@cache
def _number_spellings() -> dict[str, frozenset[str]]:
    """Return the equivalent stems of small numbers: "5 albums" are "five albums"."""
    groups: dict[int, set[str]] = {}
    for word, value in (ONES | TENS | GERMAN).items():
        groups.setdefault(value, {str(value)}).add(stem_of(word))
    return {stem: frozenset(group) for group in groups.values() for stem in group}


def overlap_share(content: Sequence[Word], stems: frozenset[str]) -> float:
    """Return the weighted share of `content` that matches `stems`, 0-1."""
    weights = {word.stem: word_weight(word.stem) for word in content}
    total = sum(weights.values())
    return sum(weight * match_credit(stem, stems) for stem, weight in weights.items()) / total if total else 0.0


def match_credit(stem: str, pool: frozenset[str]) -> float:
    """Return the match credit of a stem in `pool`: 1 if present, less for a synonym or near spelling, else 0."""
    if stem in pool or not _number_spellings().get(stem, _NOTHING).isdisjoint(pool):
        return 1.0
    if synonyms_of(stem) & pool:
        return _SYNONYM_CREDIT
    beginning = stem[:3]  # so that few of the pool are compared letter by letter
    return _NEAR_CREDIT if any(_is_near(stem, other) for other in pool if other.startswith(beginning)) else 0.0


def _is_near(stem: str, other: str) -> bool:
    """Return whether two stems are spellings or derivations of one word; never for digits."""
    if not (stem.isalpha() and other.isalpha()):
        return False
    shorter, longer = sorted((stem, other))
    if len(shorter) >= 5 and longer.startswith(shorter) and not longer.endswith("less"):
        return True
    return Levenshtein.normalized_similarity(stem, other) >= 0.84


def first_person() -> frozenset[str]:
    """Return the first-person pronouns, singular and plural."""
    return every_word("persons", "first_singular", "first_object", "first_plural")


class People(NamedTuple):
    """The people of a prompt's rows, as folded first names."""

    names: frozenset[str]

    def find(self, key: str) -> str | None:
        """Return the known name that `key` is or abbreviates ("Mel" for "Melanie"); None if unknown."""
        return next((name for name in sorted(self.names) if same_name(key, name)), None)


def people_of(rows: Sequence[Evidence]) -> People:
    """Return the speakers of `rows`; other entities are not people."""
    speakers = {name for row in rows if (name := speaker_of(row))}
    return People(frozenset(words(name)[0].key for name in speakers if words(name)))


def same_name(name: str, other: str) -> bool:
    """Return whether one name equals or abbreviates the other, from three letters on ("Caro", "Caroline")."""
    shorter, longer = sorted((name, other))
    return shorter == longer or (len(shorter) >= 3 and longer.startswith(shorter) and len(longer) - len(shorter) <= 6)


def proper_names(text: str, found: Sequence[Word]) -> list[Word]:
    """Return the proper names of a sentence; none in German or in capitals, where a capital says nothing."""
    if language_of(found) == "de":
        return []
    names: list[Word] = []
    capitals = sum(word.is_capital for word in found)
    if len(found) > 4 and capitals > 0.8 * len(found):
        return []
    for word in found:
        if not word.is_capital or word.is_stop or word.key in every_word("names", "not_names") or word.is_number:
            continue
        before = text[: word.start].rstrip(" \t*_#>-•–—\"'“‘«([")
        is_first = not before or before[-1] in ".!?:;\n"  # in its sentence, line or quotation: any word has a capital
        if is_first and (is_common_word(word.key) or word.key.endswith(tuple(entries("names", "endings")))):
            continue
        names.append(word)
    return names


def asked_names(question: str, found: Sequence[Word], rows: Sequence[Evidence]) -> list[Word]:
    """Return the names in a question; for German only those that the rows know."""
    if language_of(found) != "de":
        return proper_names(question, found)
    keys = {word.key for word in found if word.is_capital}
    names = dict.fromkeys(name for row in rows for name in (*row.entity_names, speaker_of(row) or ""))
    parts = ({word.key for word in words(name) if not word.is_stop} for name in names)
    known = frozenset[str]().union(*(part for part in parts if part <= keys))
    return [word for word in found if word.is_capital and word.key in known]


def is_vocative(sentence: EvidenceSentence, word: Word) -> bool:
    """Return whether a name is only addressed: set off by commas or marks."""
    before = sentence.text[: word.start].rstrip()
    after = sentence.text[word.end :].lstrip()
    opens = not before or before[-1] in ",.!?;:"
    closes = not after or after[0] in ",.!?;:"
    return opens and closes


OWNER = ""
"""The memory's owner as a person; no name is empty."""
GrammaticalPerson = Literal["i", "you", "they", "none"]
_BREAK = late_pattern(r"[.;:!?,()—–\n]| - ")

_OF_A_PERSON = late_pattern(r"^(?P<name>\p{L}[^(:;]*?) \(person\):")

Persons = frozenset[str]
"""First names as in `People`, or `OWNER`; an empty set is an unknown person."""


def is_owner(name: str) -> bool:
    """Return whether a speaker's name means the memory's owner."""
    return name.casefold() in every_word("persons", "owner")


def speaker_key(sentence: EvidenceSentence) -> str:
    """Return the key of a speaker's first name; `OWNER` for the owner or if there is no speaker."""
    found = words(sentence.speaker) if sentence.speaker else []
    return OWNER if not found or is_owner(found[0].key) else found[0].key


def persons_spoken_of(sentence: EvidenceSentence, people: People) -> list[Persons | None]:
    """Return whom each word of the sentence is about; None where it may be anyone."""
    speaker = speaker_key(sentence)
    others = frozenset(name for name in people.names if not is_owner(name) and not same_name(name, speaker))
    others |= {OWNER} if speaker != OWNER else frozenset()
    described = _described(sentence, people)
    is_reply = opening_phrase("persons", "replies").match(sentence.text) is not None
    lead = described or (others if is_reply else frozenset({speaker}))
    persons: dict[GrammaticalPerson, Persons | None] = {
        "i": frozenset({speaker}),
        "you": others,
        "they": None,
        "none": lead,
    }
    found: list[Persons | None] = []
    for referent in referents_of(sentence, people):
        found.append(_person(referent.name) if referent.name else persons[referent.person])
        if referent.person != "none" and described is None:
            persons["none"] = None if referent.person == "they" else lead
    return found


def _person(name: str) -> Persons:
    return frozenset({OWNER if is_owner(name) else name})


def _described(sentence: EvidenceSentence, people: People) -> Persons | None:
    """Return the person that a graph rendering describes; someone who never speaks may be the owner."""
    found = _OF_A_PERSON.match(sentence.text) if sentence.row.source_type == "kg_entity" else None
    if found is None:
        return None
    name = words(found["name"])[0].key
    known = people.find(name)
    return frozenset({OWNER, name}) if known is None else _person(known)


class Referent(NamedTuple):
    """Whom a word is about, from the speaker's view; a named person counts as "i"."""

    person: GrammaticalPerson
    name: str | None = None


_NOBODY = Referent("none")


def referents_of(sentence: EvidenceSentence, people: People) -> list[Referent]:
    """Return for each word the nearest person before it in its clause, else the first after it."""
    referents: list[Referent] = []
    for clause in _clauses(sentence):
        marks = [_mark(word, sentence, people) for word in clause]
        if len({mark.name for mark in marks if mark and mark.name}) > 1:
            # "Maria met Tim": which of them a word belongs to is not certain.
            marks = [None] * len(marks)
        current = next((mark for mark in marks if mark), _NOBODY)
        for mark in marks:
            current = mark or current
            referents.append(current)
    return referents


def _clauses(sentence: EvidenceSentence) -> list[list[Word]]:
    clauses: list[list[Word]] = [[]]
    for word in sentence.words:
        last = clauses[-1][-1] if clauses[-1] else None
        if last and (
            word.key in every_word("persons", "clauses") or _BREAK.search(sentence.text[last.end : word.start])
        ):
            clauses.append([])
        clauses[-1].append(word)
    return clauses


def _mark(word: Word, sentence: EvidenceSentence, people: People) -> Referent | None:
    if word.key in first_person():
        return Referent("i")
    if word.key in every_word("persons", "second"):
        return Referent("you")
    if word.key in every_word("persons", "third"):
        return Referent("they")
    name = people.find(word.key) if word.is_capital and not is_vocative(sentence, word) else None
    return Referent("i", name) if name else None
