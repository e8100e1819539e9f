"""The list of a note that a question asks for.

Law: a list is what stands under one heading, leading line, bullet or title. It is the one whose head holds most of
the question's telling words; where none holds any, or one of few items says more of them itself, the question is
answered by a sentence and not by a list. Nothing of a list is left out here.

Source: DESIGN 5; ruling I1.
"""

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final, NamedTuple

from voice.core.answering.layout import Part, Stretch
from voice.core.answering.question_terms import term_weights
from voice.core.grounding.quotation.counted import CountOf
from voice.core.retrieval.values import Candidate
from voice.core.text.counting import counted
from voice.core.text.normalise import norm_v1
from voice.core.text.numbers import quantities
from voice.core.text.outlines import Line, Outline, outline_of
from voice.core.text.words import stems_in, words

_ROOT: Final = -1
_LEAST_ITEMS: Final = 2
_NUMBER: Final = 3.0
"""The weight of a number of the question in the head of a list: a year, a day."""
MOST_LINES: Final = 40
"""The most lines of one list that are given."""
_LED: Final = 0.5
"""The weight of a heading over a lead-in that says nothing of the question ("Then:")."""
_SLIGHT: Final = 2.0
"""The most weight of a word in a counting question that nothing above the list says: "read", "have"."""


class Place(NamedTuple):
    """A stretch of a note, half-open."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteList:
    """A list of a note."""

    head: str
    """The heading, lead-in or bullet above its items; empty if that is the note itself."""
    items: tuple[Place, ...]
    """Its direct items, in order."""
    lines: tuple[Place, ...]
    """Its items with all their sub-items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundList:
    """A list of a note, and the rows that hold it."""

    note_list: NoteList
    title: str
    """The title of its note."""
    path: tuple[str, ...]
    """The context path of the hit."""
    rows: tuple[Candidate, ...]
    """The rows that hold its lines, in the note's order."""
    items: tuple[Stretch, ...]
    """The beginning of each direct item that a row holds."""
    lines: tuple[tuple[Stretch, ...], ...]
    """All its lines that a row holds, sentence by sentence."""

    @property
    def part(self) -> Part:
        """The list as a part of an answer, headed by the number of items if every item can be cited."""
        given = tuple(stretch for line in self.lines[:MOST_LINES] for stretch in line)
        is_whole = len(self.items) == len(self.note_list.items) and len(self.items) <= MOST_LINES
        counted = self._counted if is_whole and (self.note_list.head or self.title) else None
        return Part(stretches=given, counted=counted, counting=self.items if counted else (), is_list=True)

    @property
    def _counted(self) -> CountOf:
        head = self.note_list.head
        is_named_twice = norm_v1(head) == norm_v1(self.title)
        return CountOf(unit="item", head=head or self.title, title="" if is_named_twice or not head else self.title)

    @property
    def left(self) -> str:
        """A sentence about the lines that are not given; empty if all are."""
        left = len(self.note_list.lines) - len(self.lines[:MOST_LINES])
        return f"{counted(left, 'line')} of this list {'is' if left == 1 else 'are'} not shown here." if left else ""

    def counted(self, noun: str, question: str) -> Part | None:
        """Return the items as an answer to "how many"; None if they are not what the question counts.

        Args:
            noun: what the question counts, in its words.
            question: the person's, without its time.
        """
        head = self.note_list.head or self.title
        over = stems_in(" ".join((head, self.title, *self.path)))
        nouns = [word.stem for word in words(noun)]
        is_it = bool(nouns) and nouns[-1] in stems_in(head)
        others = (weight for stem, weight in term_weights(question).items() if stem not in over)
        if not is_it or len(self.items) < len(self.note_list.items) or max(others, default=0.0) > _SLIGHT:
            return None
        return Part(stretches=self.items, counted=self._counted, is_list=True)


def says_how_many(text: str, noun: str) -> bool:
    """Return whether a text says itself how many of something there are: "twelve books"."""
    stems = stems_in(noun)
    return any(each.head in stems for each in quantities(text) if not each.is_time)


def list_asked(content: str, found: Place, question: str, *, title: str) -> NoteList | None:
    """Return the list a question asks for, among those that the hit is in or heads.

    Args:
        content: of the note.
        found: what was found in it.
        question: the person's, with its time.
        title: what the note is called.
    """
    outline = outline_of(content)
    telling = _weights(question)
    heads = dict.fromkeys(_heads(outline, found))
    ranked = sorted(((_said(content, outline, head, title, telling), head) for head in heads), reverse=True)
    if not ranked or not ranked[0][0]:
        return None
    said, head = ranked[0]
    items = outline.under(head)
    over = [] if head == _ROOT else [outline.lines[head].said, *(line.said for line in outline.over(head))]
    own = stems_in(" ".join((title, *over)))
    held = [stems_in(outline.lines[item].said) - own for item in items]
    shared = {stem for stem in telling if sum(stem in stems for stems in held) * 2 >= len(held)}
    if any(_weight(stems - shared, telling) > said for stems in held):
        return None
    return NoteList(
        head="" if head == _ROOT else outline.lines[head].said,
        items=tuple(_place(outline.lines[item]) for item in items),
        lines=tuple(_place(outline.lines[line]) for line in outline.below(head)),
    )


def _heads(outline: Outline, found: Place) -> Iterator[int]:
    """Yield the lines of the hit and their parents that have a list under them."""
    for at in outline.at(found.start, found.end):
        yield from (head for head in (at, outline.lines[at].parent) if len(outline.under(head)) >= _LEAST_ITEMS)


def _weights(question: str) -> dict[str, float]:
    numbers = {word.stem: _NUMBER for word in words(question) if word.is_number}
    return {**term_weights(question), **numbers}


def _said(content: str, outline: Outline, head: int, title: str, telling: Mapping[str, float]) -> float:
    """Return how much of the question the head of a list says: its heading, bullet, lead-in or note title."""
    if head == _ROOT:
        return _weight(stems_in(title), telling)
    line = outline.lines[head]
    if line.kind != "lead":
        return _weight(stems_in(line.said), telling)
    heading = next((over.said for over in outline.over(head)), title)
    own = _weight(stems_in(content[line.start : line.end]), telling)
    return own or _LED * _weight(stems_in(heading), telling)


def _weight(stems: AbstractSet[str], telling: Mapping[str, float]) -> float:
    """Return the weight of the question's words among some stems."""
    return sum(telling.get(stem, 0.0) for stem in stems)


def _place(line: Line) -> Place:
    return Place(line.start, line.end)
