"""Parse statements into what another one can contradict: numbers, days, names, states.

Law: only structure is read: numbers, days, labels, states, names and the content words around them. Questions,
quotations, examples, plans and open to-do items assert nothing. Journal entries and messages belong to their day.
Source: DESIGN 6 "Word lists are data files per language, not code"; rulings I1, I2, D1.
"""

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
from voice.core.text.language_data import entries, every_phrase, every_word, is_common_word, opening_phrase
from voice.core.text.lazy import late_pattern
from voice.core.text.markdown import cells_of, list_item_of
from voice.core.text.markup import without_markup
from voice.core.text.note_context import quoted_offsets
from voice.core.text.numbers import Quantity
from voice.core.text.sentences import span_at
from voice.core.text.words import Word, has_negation, is_negator, stem_of, words

_LONGEST: Final = 45  # words; a longer statement says more than one thing
_SHORTEST: Final = 3  # words, unless it is a field ("Price: 5")
_LINK: Final = late_pattern(r"!?\[([^\[\]\n]*)\]\((?:[^()\n]++|\([^()\n]*+\))*+\)")  # an address may have brackets
_WIKI: Final = late_pattern(r"!?\[\[(?:[^\[\]|\n]*\|)?([^\[\]\n]*)\]\]")
# Takes "Price: 5", "Price = 5", "price:: 5"; not "17:30".
_LABEL: Final = late_pattern(r"\W{0,6}(\p{L}[^:=：|\n]{0,40}?)\s*(?:[:：]{1,2}|=)\s+(\S[^\n]{0,80})")
# An address, a question, a heading with a colon, or a text wholly in brackets.
_NO_STATEMENT: Final = late_pattern(r"https?://|www\.|\w@\w|[?？؟]|[:：]\W{0,8}$|^\s*\[[^\[\]]*\]\s*$")
_APPROXIMATE: Final = late_pattern(r"[<>≈~≤≥±]|\d\s?[-–—]\s?\d|\d\+")  # "~20", "20-30", "20+"
_STATE_ENDS: Final = late_pattern(r"[.,;:!?()\n—–]|\s-\s")
# Behind a number at the start of a line: the number labels what follows.
_ITEM_MARK: Final = late_pattern(r"\s*(?:[-–—:)\]]|->|→)\s")
# Before a date at the start of a line: "On", "Thursday, ".
_DATE_LEAD: Final = late_pattern(r"^\W*(?:\p{L}{2,10}[\s,.]{1,3})?$")
_IN_BRACKETS: Final = late_pattern(r"^[\[(【〔（].*[\])】〕）]$")
_QUALIFIER_CHARS: Final = 20  # characters before a number that may hold a qualifying word ("about")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One sentence, list item or table row, parsed."""

    row_id: str
    start: int
    end: int
    """Half-open offsets into the row's text."""
    said: str = field(repr=False)
    day: tuple[str, ...]
    """The day or month it belongs to; empty: it holds until further notice."""
    told: date | None
    title: str = field(repr=False)
    path: tuple[str, ...] = field(repr=False)
    speaker: str | None = None
    is_own: bool = False
    """Whether it is in the first person."""
    content: frozenset[str] = field(default=frozenset(), repr=False)
    """Stems of its content words, without numbers and days."""
    frame: tuple[str, ...] = field(default=(), repr=False)
    """Its words in order, without numbers, days and denials."""
    names: frozenset[str] = field(default=frozenset(), repr=False)
    numbers: tuple[Quantity, ...] = field(default=(), repr=False)
    days: tuple[DateMention, ...] = field(default=(), repr=False)
    is_denied: bool = False
    is_lasting: bool = False
    is_changing: bool = False
    is_logged: bool = False
    """Whether it is a log entry (a message without a speaker); logged events may recur within a day."""
    fields: tuple["Field", ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A named value: `label: value`, a table cell, or a state ("Anna lives in Lisbon")."""

    of: tuple[str, ...]
    """Its subject, then its name."""
    value: str
    is_single: bool
    """Whether its name implies one value at a time."""
    is_lasting: bool = False
    is_state: bool = False
    """Whether it was stated in a sentence."""


def statements_of(rows: Iterable[Observation]) -> Iterator[Statement]:
    """Yield the statements of rows, sentence by sentence; sentences that assert nothing are skipped."""
    for row in rows:
        quoted, tasks = quoted_offsets(row.text), _open_tasks(row.text)
        for start, end in sentences_of(row.text):
            if start not in quoted and span_at(tasks, start) is None and _is_asserted(row.text[start:end]):
                statement = _statement(row, start, end)
                if statement is not None:
                    yield statement


def _is_asserted(said: str) -> bool:
    """Return whether a text states something as true, and is not mostly a link or an address."""
    bare = without_markup(said)
    if _NO_STATEMENT.search(bare) or opening_phrase("conflicts", "asks").match(bare):
        return False
    if every_phrase("conflicts", "supposed").search(bare):
        return False
    if "[" not in said:  # no link
        return True
    linked = sum(len(match[1]) for match in _LINK.finditer(said))
    return 2 * linked < len(bare) and bool(words(_WIKI.sub("", _LINK.sub("", said))))


def _open_tasks(text: str) -> list[tuple[int, int]]:
    """Return the spans of lines that are unfinished to-do items."""
    spans: list[tuple[int, int]] = []
    start = 0
    for line in text.split("\n"):
        item = list_item_of(line) if "[ ]" in line or "☐" in line else None
        if item is not None and item.is_done is False:
            spans.append((start, start + len(line)))
        start += len(line) + 1
    return spans


def _statement(row: Observation, start: int, end: int) -> Statement | None:
    said = without_markup(row.text[start:end])
    found = words(said)
    is_field = cells_of(said) is not None or _LABEL.match(said) is not None
    if len(found) > _LONGEST or (len(found) < _SHORTEST and not is_field):
        return None
    may_have_days = any(word.is_number or word.is_capital for word in found)  # each date has one of them
    days = stated_dates(said) if may_have_days else ()
    numbers = tuple(_numbers(said, found, days))
    figures = [(each.start, each.end) for each in (*days, *numbers)]
    rest = [word for word in found if not any(first <= word.start < last for first, last in figures)]
    content = [word for word in rest if not word.is_stop and not is_negator(word)]
    first_person = every_word("persons", "first_singular", "first_plural")
    return Statement(
        row_id=row.id,
        start=start,
        end=end,
        said=said,
        day=_day_of(row, said, days),
        told=row.created_at.date() if has_date(row.created_at) else None,
        title=row.context_path[0] if row.context_path else "",
        path=row.context_path,
        speaker=row.speaker,
        is_own=any(word.key in first_person for word in rest),
        content=frozenset(word.stem for word in content),
        frame=tuple(word.key for word in rest if not is_negator(word)),
        names=frozenset(_names(said, content)),
        numbers=numbers,
        days=days,
        is_denied=has_negation(said, found),
        is_logged=row.thread is not None and row.speaker is None and not row.context_path,
        is_lasting=every_phrase("conflicts", "lasting").search(said) is not None,
        is_changing=every_phrase("conflicts", "changing").search(said) is not None,
        fields=tuple(_fields(row, said)),
    )


def _numbers(said: str, found: list[Word], days: tuple[DateMention, ...]) -> Iterator[Quantity]:
    for each in compound_quantities(said, found):
        is_day = any(day.start < each.end and each.start < day.end for day in days)
        is_vague = each.is_soft or each.is_several or _is_approximate(said, each)
        if not (is_day or is_vague or _is_label(said, found, each)):
            yield each


def _is_approximate(said: str, number: Quantity) -> bool:
    """Return whether a number is inexact: "about 20", "20-30"."""
    before, after = said[max(0, number.start - _QUALIFIER_CHARS) : number.start], said[number.end : number.end + 3]
    if _APPROXIMATE.search(before[-3:] + said[number.start : number.end] + after):
        return True
    return _ending_in("about", r"\W+(?:\w+\W+)?$").search(before) is not None


@cache
def _ending_in(key: str, tail: str) -> "regex.Pattern[str]":
    listed = "|".join(regex.escape(each) for each in sorted(entries("conflicts", key), key=len, reverse=True))
    return late_pattern(rf"(?<!\w)(?:{listed}){tail}", regex.IGNORECASE)


def _is_label(said: str, found: list[Word], number: Quantity) -> bool:
    """Return whether a number identifies something ("part 2", "7 - Search") instead of counting."""
    place = next((at for at, word in enumerate(found) if word.start >= number.start), len(found))
    if _IN_BRACKETS.search(said[max(0, number.start - 1) : number.end + 1]):
        return True
    if place == 0:
        is_alone = number.unit is None and place + 1 < len(found) and found[place + 1].is_stop
        return is_alone or _ITEM_MARK.match(said, number.end) is not None
    before = found[place - 1]
    # "Boeing 747"; a first word has its capital anyway.
    is_name = before.is_capital and place > 1 and not before.is_stop and number.unit is None
    lead = said[max(0, number.start - _QUALIFIER_CHARS) : number.start]
    return is_name or _ending_in("follows", r"\W+(?:\p{L}-)?$").search(lead) is not None


def _names(said: str, content: list[Word]) -> Iterator[str]:
    for word in content:
        lead = said[: word.start]
        opens = not lead.strip(" \t\"'“(*_-") or lead.rstrip()[-1:] in ".!?:"  # its capital says nothing
        if word.is_capital and (not opens or not is_common_word(word.key)):
            yield word.stem


def _day_of(row: Observation, said: str, days: tuple[DateMention, ...]) -> tuple[str, ...]:
    """Return a statement's day or month: at the start of its line, else in its path, else the day of a message."""
    if days and not any(char.isalnum() for char in _DATE_LEAD.sub("", said[: days[0].start])):
        return (f"{days[0].year}-{days[0].month}-{days[0].day}",)
    for place, step in enumerate(row.context_path):
        dated = stated_dates(step.replace("_", "-"))  # Logseq: 2024_05_01
        if any(each.year for each in dated) and "(" not in step:
            return tuple(row.context_path[place:])
    is_message = row.speaker is not None or row.thread is not None or not row.context_path
    return (row.created_at.date().isoformat(),) if has_date(row.created_at) and is_message else ()


def _fields(row: Observation, said: str) -> Iterator[Field]:
    cells = cells_of(said)
    if cells is not None:
        yield from _cells(row, cells)
        return
    label = _LABEL.match(said)
    if label is not None:
        name = " ".join(word.key for word in words(label[1]))
        # Its subject: the note's title, and the innermost heading or bullet above.
        subject = dict.fromkeys(step.casefold() for step in (*row.context_path[:1], *row.context_path[-1:]))
        yield Field(of=(*subject, name), value=label[2].strip(), is_single=name in _single_labels())
        return
    yield from _states(said)


def _cells(row: Observation, cells: tuple[str, ...]) -> Iterator[Field]:
    heads = [head.strip().casefold() for head in row.context_path[-1].split(",")] if row.context_path else []
    if len(heads) != len(cells) or not cells[0]:
        return
    for head, cell in zip(heads[1:], cells[1:], strict=True):  # the first cell says of what
        of = (*(step.casefold() for step in row.context_path[:1]), cells[0].casefold(), head)
        yield Field(of=of, value=cell, is_single=head in _single_labels())


@cache
def _single_labels() -> frozenset[str]:
    return frozenset(" ".join(word.key for word in words(label)) for label in entries("conflicts", "labels"))


def _states(said: str) -> Iterator[Field]:
    """Yield the state in a sentence: "Anna lives in Lisbon"."""
    for key in ("lasting", "changing"):
        match = every_phrase("conflicts", key).search(said)
        if match is None:
            continue
        value = _STATE_ENDS.split(said[match.end() :], maxsplit=1)[0].strip()
        subject = sorted(word.stem for word in words(said[: match.start()]) if not word.is_stop)
        parts = words(value)
        # Only a name or number is a value: "lives in Lisbon", not "lives in constant fear".
        if parts and len(parts) <= 5 and (parts[0].is_capital or parts[0].is_number):
            yield Field(
                of=(*subject, stem_of(match.group().casefold())),
                value=value,
                is_single=True,
                is_lasting=key == "lasting",
                is_state=True,
            )
            return
