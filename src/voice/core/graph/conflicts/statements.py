"""Read a statement as far as another one can contradict it: numbers, days, names, states.

Law: a statement is read by its structure: its numbers and days, its label, the state that it names, the names and the
other words of content around them. Nothing is understood beyond that, and what is not told as so (a question, a
quotation, an example, a plan, an item that is still open) says nothing that another could speak against. A statement of
a journal or of a message is of its day.

Source: DESIGN 6 "Word lists are data files per language, not code"; rulings I1, I2, D1.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from typing import Final

import regex

from voice.core.graph.thoughts.sentence_edits import sentences_of
from voice.core.records import Observation
from voice.core.text.compound_quantities import compound_quantities
from voice.core.text.dates import DateMention, stated_dates
from voice.core.text.instants import has_date
from voice.core.text.language_data import entries, every_phrase, every_word, opening_phrase
from voice.core.text.lazy import late_pattern
from voice.core.text.markdown import cells_of, list_item_of, without_markup
from voice.core.text.negation import has_negation, is_negator
from voice.core.text.numbers import Quantity
from voice.core.text.quoted_speech import quoted_offsets
from voice.core.text.word_weights import is_common_word
from voice.core.text.words import Word, stem_of, words

LONGEST: Final = 45
"""Words of a statement that is compared; a longer one says more than one thing."""
_LEAST: Final = 3
_LINK: Final = late_pattern(r"!?\[([^\[\]\n]*)\]\((?:[^()\n]++|\([^()\n]*+\))*+\)")
_WIKI: Final = late_pattern(r"!?\[\[(?:[^\[\]|\n]*\|)?([^\[\]\n]*)\]\]")
_LABEL: Final = late_pattern(r"\W{0,6}(\p{L}[^:=：|\n]{0,40}?)\s*(?:[:：]{1,2}|=)\s+(\S[^\n]{0,80})")
_NO_STATEMENT: Final = late_pattern(r"https?://|www\.|\w@\w|[?？؟]|[:：]\W{0,8}$|^\s*\[[^\[\]]*\]\s*$")
"""An address, a question, a heading that ends in a colon, or what stands between brackets as a whole."""
_UNSURE: Final = late_pattern(r"[<>≈~≤≥±]|\d\s?[-–—]\s?\d|\d\+")
_STATE_ENDS: Final = late_pattern(r"[.,;:!?()\n—–]|\s-\s")
_MARKS_AN_ITEM: Final = late_pattern(r"\s*(?:[-–—:)\]]|->|→)\s")
"""Behind a number at the head of a line it says that the number names what follows."""
_LEADS_IN: Final = late_pattern(r"^\W*(?:\p{L}{2,10}[\s,.]{1,3})?$")
"""What may stand before the date with which a line begins: "On", "Thursday, "."""
_IN_BRACKETS: Final = late_pattern(r"^[\[(【〔（].*[\])】〕）]$")
_BEFORE: Final = 20
"""Characters before a number in which a word may say what sort of number it is."""
_OPEN_BOX: Final = "[ ]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One sentence, item or row of a table, with what it says."""

    row_id: str
    start: int
    end: int
    """Half-open offsets into the text of its row."""
    said: str = field(repr=False)
    day: tuple[str, ...]
    """Of which day or month it is, where it is of one; empty: it holds until something else is said."""
    told: date | None
    """When it was told."""
    title: str = field(repr=False)
    path: tuple[str, ...] = field(repr=False)
    speaker: str | None = None
    is_own: bool = False
    """Whether it speaks of whoever says it."""
    content: frozenset[str] = field(default=frozenset(), repr=False)
    """Stems of its words of content, without those of its numbers and days."""
    names: frozenset[str] = field(default=frozenset(), repr=False)
    numbers: tuple[Quantity, ...] = field(default=(), repr=False)
    days: tuple[DateMention, ...] = field(default=(), repr=False)
    is_denied: bool = False
    is_lasting: bool = False
    is_changing: bool = False
    is_logged: bool = False
    """Whether it is of a log: a message of nobody, such as a program's; what happens there may happen twice a day."""
    fields: tuple["Field", ...] = field(default=(), repr=False)
    """What it says of something under a name: `label: value`, the cells of a table's row, where somebody lives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A value under a name."""

    of: tuple[str, ...]
    """What it is the value of, and how it is called there."""
    value: str
    is_single: bool
    """Whether it is known by its name that there is one at a time."""
    is_lasting: bool = False
    is_state: bool = False
    """Whether it is told in a sentence."""


def statements_of(rows: Iterable[Observation]) -> Iterator[Statement]:
    """Yield what rows say, sentence by sentence, of what another could say otherwise."""
    for row in rows:
        quoted, open_lines = quoted_offsets(row.text), _open_lines(row.text)
        for start, end in sentences_of(row.text):
            said = row.text[start:end]
            if start not in quoted and not _is_within(open_lines, start) and may_be_otherwise(said):
                found = _statement(row, start, end)
                if found is not None:
                    yield found


def may_be_otherwise(said: str) -> bool:
    """Return whether a text says something as so, in words and not mostly as a link or an address."""
    bare = without_markup(said)
    if _NO_STATEMENT.search(bare) or opening_phrase("conflicts", "asks").match(bare):
        return False
    if every_phrase("conflicts", "supposed").search(bare):
        return False
    if "[" not in said:
        return True
    linked = sum(len(match[1]) for match in _LINK.finditer(said))
    return 2 * linked < len(bare) and bool(words(_WIKI.sub("", _LINK.sub("", said))))


def _open_lines(text: str) -> list[tuple[int, int]]:
    """Return where the lines of a text are that are items of a list not done yet."""
    places: list[tuple[int, int]] = []
    start = 0
    for line in text.split("\n"):
        item = list_item_of(line) if _OPEN_BOX in line or "☐" in line else None
        if item is not None and item.is_done is False:
            places.append((start, start + len(line)))
        start += len(line) + 1
    return places


def _is_within(lines: list[tuple[int, int]], start: int) -> bool:
    place = bisect_right(lines, start, key=lambda line: line[0])
    return place > 0 and start <= lines[place - 1][1]


def _statement(row: Observation, start: int, end: int) -> Statement | None:
    said = without_markup(row.text[start:end])
    found = words(said)
    is_field = cells_of(said) is not None or _LABEL.match(said) is not None
    if len(found) > LONGEST or (len(found) < _LEAST and not is_field):
        return None
    days = tuple(stated_dates(said)) if _may_hold_days(found) else ()
    numbers = tuple(_numbers(said, found, days))
    taken = [(each.start, each.end) for each in (*days, *numbers)]
    rest = [word for word in found if not any(first <= word.start < last for first, last in taken)]
    content = [word for word in rest if not word.is_stop and not is_negator(word)]
    own = every_word("persons", "first_singular", "first_plural")
    title = row.context_path[0] if row.context_path else ""
    return Statement(
        row_id=row.id,
        start=start,
        end=end,
        said=said,
        day=_day_of(row, said, days),
        told=row.created_at.date() if has_date(row.created_at) else None,
        title=title,
        path=row.context_path,
        speaker=row.speaker,
        is_own=any(word.key in own for word in rest),
        content=frozenset(word.stem for word in content),
        names=frozenset(_names(said, content)),
        numbers=numbers,
        days=days,
        is_denied=has_negation(said, found),
        is_logged=row.thread is not None and row.speaker is None and not row.context_path,
        is_lasting=every_phrase("conflicts", "lasting").search(said) is not None,
        is_changing=every_phrase("conflicts", "changing").search(said) is not None,
        fields=tuple(_fields(row, said)),
    )


def _may_hold_days(found: list[Word]) -> bool:
    return any(word.is_number or word.is_capital for word in found)


def _numbers(said: str, found: list[Word], days: tuple[DateMention, ...]) -> Iterator[Quantity]:
    for each in compound_quantities(said, found):
        is_day = any(day.start < each.end and each.start < day.end for day in days)
        if not (is_day or each.is_soft or each.is_several or _is_left_open(said, each) or _is_which(said, found, each)):
            yield each


def _is_left_open(said: str, number: Quantity) -> bool:
    """Return whether a number is told as about so much: "about 20", "20-30"."""
    before, after = said[max(0, number.start - _BEFORE) : number.start], said[number.end : number.end + 4]
    if _UNSURE.search(before[-3:] + said[number.start : number.end] + after[:3]):
        return True
    return _about().search(before) is not None


@cache
def _about() -> "regex.Pattern[str]":
    return _before("about", r"\W+(?:\w+\W+)?$")


def _before(key: str, behind: str) -> "regex.Pattern[str]":
    """Return what finds a word of a list at the end of a text."""
    listed = "|".join(regex.escape(each) for each in sorted(entries("conflicts", key), key=len, reverse=True))
    return late_pattern(rf"(?<!\w)(?:{listed}){behind}", regex.IGNORECASE)


def _is_which(said: str, found: list[Word], number: Quantity) -> bool:
    """Return whether a number tells which one something is ("part 2", "7 - Search"), and not how many."""
    place = next((at for at, word in enumerate(found) if word.start >= number.start), len(found))
    if _IN_BRACKETS.search(said[max(0, number.start - 1) : number.end + 1]):
        return True
    if place == 0:
        is_alone = number.unit is None and place + 1 < len(found) and found[place + 1].is_stop
        return is_alone or _MARKS_AN_ITEM.match(said, number.end) is not None
    before = found[place - 1]
    is_name = before.is_capital and place > 1 and not before.is_stop and number.unit is None
    return is_name or _follows().search(said[max(0, number.start - _BEFORE) : number.start]) is not None


@cache
def _follows() -> "regex.Pattern[str]":
    return _before("follows", r"\W+(?:\p{L}-)?$")


def _names(said: str, content: list[Word]) -> Iterator[str]:
    for word in content:
        opens = not said[: word.start].strip(" \t\"'“(*_-") or said[: word.start].rstrip()[-1:] in ".!?:"
        if word.is_capital and (not opens or not is_common_word(word.key)):
            yield word.stem


def _day_of(row: Observation, said: str, days: tuple[DateMention, ...]) -> tuple[str, ...]:
    """Return of which day or month a statement is: the one that its line begins with, or a step of its path names, or
    that of a message."""
    if days and not any(char.isalnum() for char in _LEADS_IN.sub("", said[: days[0].start])):
        return (f"{days[0].year}-{days[0].month}-{days[0].day}",)
    for place, step in enumerate(row.context_path):
        dated = stated_dates(step.replace("_", "-"))
        if any(each.year for each in dated) and "(" not in step:
            return tuple(row.context_path[place:])
    return (row.created_at.date().isoformat(),) if has_date(row.created_at) and _is_of_its_day(row) else ()


def _is_of_its_day(row: Observation) -> bool:
    return row.speaker is not None or row.thread is not None or not row.context_path


def _fields(row: Observation, said: str) -> Iterator[Field]:
    cells = cells_of(said)
    if cells is not None:
        yield from _cells(row, cells)
        return
    label = _LABEL.match(said)
    if label is not None:
        name = " ".join(word.key for word in words(label[1]))
        yield Field(of=(*_thing(row), name), value=label[2].strip(), is_single=name in _labels())
        return
    yield from _states(said)


def _thing(row: Observation) -> tuple[str, ...]:
    """Return what a field of a note is of: the note's title, and the innermost heading or bullet over it."""
    return tuple(dict.fromkeys(step.casefold() for step in (*row.context_path[:1], *row.context_path[-1:])))


def _cells(row: Observation, cells: tuple[str, ...]) -> Iterator[Field]:
    heads = [head.strip().casefold() for head in row.context_path[-1].split(",")] if row.context_path else []
    if len(heads) != len(cells) or not cells[0]:
        return
    for head, cell in zip(heads[1:], cells[1:], strict=True):
        of = (*(step.casefold() for step in row.context_path[:1]), cells[0].casefold(), head)
        yield Field(of=of, value=cell, is_single=head in _labels())


@cache
def _labels() -> frozenset[str]:
    named = entries("conflicts", "labels")
    return frozenset(" ".join(word.key for word in words(label)) for label in named)


def _states(said: str) -> Iterator[Field]:
    """Yield the state that a sentence names: "Anna lives in Lisbon" is where Anna lives."""
    for key in ("lasting", "changing"):
        match = every_phrase("conflicts", key).search(said)
        if match is None:
            continue
        value = _STATE_ENDS.split(said[match.end() :], maxsplit=1)[0].strip()
        subject = [word for word in words(said[: match.start()]) if not word.is_stop]
        told = words(value)
        if told and len(told) <= 5 and (told[0].is_capital or told[0].is_number):
            who = tuple(sorted(word.stem for word in subject))
            yield Field(
                of=(*who, stem_of(match.group().casefold())),
                value=value,
                is_single=True,
                is_lasting=key == "lasting",
                is_state=True,
            )
            return
