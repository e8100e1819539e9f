"""Select what a digest, an overview or a list is made of.

Law: a time is told by day, the most telling sentences of each day first chosen, as many days as there is room for;
something is told by the sentences that name it, else by those that stand under its name, of several notes. What is
chosen is given in the order in which it was told, what is undated last. How many are left is counted.

The list of a note that a question asks for. A list is what stands under one heading, leading line, bullet or title. It
is the one whose head holds most of the question's telling words; where none holds any, or one of few items says more of
them itself, the question is answered by a sentence and not by a list. Nothing of a list is left out here.

Source: DESIGN 5; rulings I1, I2.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from voice.core.answering.answer_layout import Part, RowSpan
from voice.core.answering.question_form import form_of, term_weights
from voice.core.answering.sentence_rendering import body_sentences, with_short_parents, with_sub_items
from voice.core.grounding.extractive.evidence_sentences import EvidenceSentence, synonyms_of
from voice.core.grounding.quotations import CountOf, Unit
from voice.core.grounding.values import Evidence
from voice.core.messages import asking as messages
from voice.core.retrieval.values import Candidate
from voice.core.text.instants import has_date
from voice.core.text.language_data import word_weight
from voice.core.text.lazy import late_pattern
from voice.core.text.markdown import Line, Outline, header_above, outline_of
from voice.core.text.normalise import norm_v1
from voice.core.text.numbers import quantities
from voice.core.text.words import content_words, stems_in, strip_possessive, words

MOST_OF_A_TIME: Final = 16
"""The most sentences of a digest."""
MOST_ABOUT: Final = 10
"""The most sentences about something."""
_MOST_OF_A_NOTE: Final = 4  # sentences, so that one note does not tell everything
MOST_MENTIONS: Final = 60
"""The most sentences that are counted."""
_NAMES_A_TOPIC: Final = 2.0  # least weight of a word that is looked up alone
_TELLING: Final = 12  # most words of a sentence that count towards its weight, so that long sentences do not win
_LEAST: Final = 2  # fewest content words of a sentence in a digest


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectedSentences:
    """The chosen sentences."""

    part: Part
    left: int
    """How many sentences were left out."""


class _ScoredSentence(NamedTuple):
    place: int  # index of its row
    sentence: EvidenceSentence
    weight: float


def digest_of(
    rows: Sequence[Evidence], is_then: Callable[[EvidenceSentence], bool] = lambda _: True
) -> SelectedSentences:
    """Return the most telling sentences of each day of a time, each with the bullets above it.

    Args:
        is_then: tells whether a sentence is of that time; its row may be for the sake of another one.
    """
    days: dict[object, list[_ScoredSentence]] = {}
    for point in filter(lambda each: is_then(each.sentence), _scored(rows)):
        created_at = rows[point.place].created_at
        days.setdefault(created_at.date() if has_date(created_at) else None, []).append(point)
    ranked = [sorted(points, key=lambda point: (-point.weight, point.place)) for points in days.values()]
    ranked.sort(key=lambda points: -points[0].weight)
    chosen: list[_ScoredSentence] = []
    # Round by round one of each day, or a day of many words would take every place.
    for turn in range(MOST_OF_A_TIME):
        chosen += [points[turn] for points in ranked if len(points) > turn][: MOST_OF_A_TIME - len(chosen)]
    # A bullet says little without those above it; a set, since two bullets may share them.
    places = {(each.place, line.start, line.end) for each in chosen for line in _bullets_over(rows, each)}
    places |= {(each.place, each.sentence.start, each.sentence.end) for each in chosen}
    stretches = tuple(RowSpan(rows[place].row_id, start, end) for place, start, end in sorted(places))
    return SelectedSentences(part=Part(stretches=stretches), left=sum(map(len, days.values())) - len(chosen))


def _scored(rows: Sequence[Evidence]) -> list[_ScoredSentence]:
    said: set[str] = set()
    found: list[_ScoredSentence] = []
    for place, row in enumerate(rows):
        for sentence in body_sentences(row):
            stems = [word.stem for word in content_words(sentence.text)]
            if len(stems) >= _LEAST and sentence.text not in said:  # repeated notes tell a day once
                said.add(sentence.text)
                found.append(_ScoredSentence(place, sentence, sum(map(word_weight, dict.fromkeys(stems[:_TELLING])))))
    return found


def _bullets_over(rows: Sequence[Evidence], point: _ScoredSentence) -> Iterator[EvidenceSentence]:
    row = rows[point.place]
    outline = outline_of(row.text)
    for at in outline.at(point.sentence.start, point.sentence.end):
        over = [line for line in outline.over(at) if line.kind == "item"]
        yield from (
            each for each in body_sentences(row) for line in over if each.start < line.end and line.start < each.end
        )


def mentions_of(rows: Sequence[Evidence], said: Sequence[str]) -> Part | None:
    """Return the sentences that mention something, counted by day, or by note if one is undated.

    Args:
        said: the words that each of the sentences holds.

    Returns:
        None if no sentence does, more than can be given do, or the words are too common to name a topic.
    """
    stems = stems_in(" ".join(said))
    is_topic = max(map(word_weight, stems), default=0.0) >= _NAMES_A_TOPIC
    found = [(row, line) for row in rows for line in body_sentences(row) if is_topic and stems <= line.own_stems]
    if not found or len(found) > MOST_MENTIONS:  # a count of some of them would be false
        return None
    # Undated mentions belong to no day, but each to a note.
    unit: Unit = "day" if all(has_date(row.created_at) for row, _ in found) else "note"
    stretches = tuple(RowSpan(row.row_id, line.start, line.end) for row, line in found)
    return Part(stretches=stretches, counted=CountOf(unit=unit, word=" ".join(said)))


def names_topic(row: Evidence, stems: AbstractSet[str]) -> bool:
    """Return whether a row or its path names a topic."""
    return bool(stems) and stems <= stems_in(f"{row.text}\n{row.context or ''}\n{row.speaker or ''}")


def sentences_about(rows: Sequence[Evidence], stems: AbstractSet[str], *, most: int = MOST_ABOUT) -> SelectedSentences:
    """Return at most `most` sentences about something, by the stems of its name; `rows` are in the answer's order."""
    named = [(place, row, *sentences_naming(row, stems)) for place, row in enumerate(rows)]
    counts: dict[tuple[str, ...], int] = {}
    chosen: list[tuple[int, RowSpan]] = []
    for place, row, lines, _ in sorted(named, key=lambda each: (not each[3], -each[1].relevance)):
        count = counts.get(row.thought_ids, 0)
        few = lines[: min(most - len(chosen), _MOST_OF_A_NOTE - count)]
        chosen += [(place, RowSpan(row.row_id, line.start, line.end)) for line in few]
        counts[row.thought_ids] = count + len(few)
    stretches = tuple(stretch for _, stretch in sorted(chosen, key=lambda each: each[0]))
    return SelectedSentences(
        part=Part(stretches=stretches), left=sum(len(lines) for *_, lines, _ in named) - len(stretches)
    )


def sentences_naming(row: Evidence, stems: AbstractSet[str]) -> tuple[list[EvidenceSentence], bool]:
    """Return a row's sentences that name something, with sub-items, and True; all and False if none names it."""
    every = body_sentences(row)
    naming = [line for line in every if not stems.isdisjoint(line.own_stems)]
    if not naming:
        return every, False
    return with_short_parents(row, with_sub_items(row, naming, every), every), True


_ROOT: Final = -1  # the note itself: the parent of its topmost lines
_LEAST_ITEMS: Final = 2  # one item is no list
_HEADING: Final = late_pattern(r"^#{1,6}[ \t]+")
_NUMBER: Final = 3.0  # weight of a number of the question in the head of a list: a year, a day
MOST_LINES: Final = 40
"""The most lines of one list that are given."""
_LED: Final = 0.5  # weight of a heading over a lead-in
_NAMED: Final = 1.0  # least weight of a word of the question in the head of a column
_SLIGHT: Final = 2.0  # most weight of a word in a counting question that nothing above the list says: "read", "have"


class NoteSpan(NamedTuple):
    """A stretch of a note, half-open."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteList:
    """A list of a note."""

    head: str
    """The heading, lead-in or bullet above its items; empty if that is the note itself."""
    items: tuple[NoteSpan, ...]
    """Its direct items, in order."""
    lines: tuple[NoteSpan, ...]
    """Its items with all their sub-items."""
    columns: frozenset[str] = frozenset()
    """Stems of the heads of a table's columns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundList:
    """A list of a note, and the rows that hold it."""

    note_list: NoteList
    title: str
    path: tuple[str, ...]
    """The context path of the hit."""
    rows: tuple[Candidate, ...]
    """The rows that hold its lines, in the note's order."""
    items: tuple[RowSpan, ...]
    """The beginning of each direct item that a row holds."""
    lines: tuple[tuple[RowSpan, ...], ...]
    """All its lines that a row holds, sentence by sentence."""

    @property
    def part(self) -> Part:
        """The list as a part of an answer, headed by the number of items if every item can be cited."""
        stretches = tuple(stretch for line in self.lines[:MOST_LINES] for stretch in line)
        # A number is said only where every item can be cited: a count has to equal the cited spans.
        is_complete = len(self.items) == len(self.note_list.items) and len(self.items) <= MOST_LINES
        counted = self._counted if is_complete and (self.note_list.head or self.title) else None
        return Part(stretches=stretches, counted=counted, counting=self.items if counted else (), is_list=True)

    @property
    def _counted(self) -> CountOf:
        head = _HEADING.sub("", self.note_list.head)
        is_named_twice = norm_v1(head) == norm_v1(self.title)
        return CountOf(unit="item", head=head or self.title, title="" if is_named_twice or not head else self.title)

    @property
    def left(self) -> str:
        """A sentence about the lines that are not given; empty if all are."""
        left = len(self.note_list.lines) - len(self.lines[:MOST_LINES])
        return messages.lines_not_shown(left) if left else ""

    def counted(self, noun: str, question: str) -> Part | None:
        """Return the items as an answer to "how many"; None if they are not what the question counts.

        Those are counted that hold what of the question is not said above the list, or as the head of a column.
        `question` is without its time if the list was told then.
        """
        head = self.note_list.head or self.title
        above = stems_in(" ".join((head, self.title, *self.path))) | self.note_list.columns
        # "How many red books" counts what stands under "Books", or in a column of that name.
        is_counted = not (stems_in(head) | self.note_list.columns).isdisjoint([word.stem for word in words(noun)][-1:])
        asked = term_weights(question)
        others = [
            word
            for word in words(question)
            if (word.is_number or asked.get(word.stem, 0.0) > _SLIGHT)
            and above.isdisjoint((word.stem, *synonyms_of(word.stem)))
        ]
        texts, wanted = {row.row.id: row.text for row in self.rows}, {word.stem for word in others}
        items = tuple(
            each for each in self.items if wanted <= stems_in(texts.get(each.row_id, "")[each.start : each.end])
        )
        if not is_counted or len(self.items) < len(self.note_list.items) or not items:
            return None
        part = " ".join(dict.fromkeys(strip_possessive(word.text) for word in others))
        return Part(stretches=items, counted=replace(self._counted, part=part), is_list=True)


def says_how_many(text: str, noun: str) -> bool:
    """Return whether a text says itself how many of something there are: "twelve books"."""
    stems = stems_in(noun)
    return any(each.head in stems for each in quantities(text) if not each.is_time)


def select_list(content: str, found: NoteSpan, question: str, *, title: str) -> NoteList | None:
    """Return the list a question (with its time) asks for, among those that the hit at `found` is in or heads."""
    outline = outline_of(content)
    numbers = {word.stem: _NUMBER for word in words(question) if word.is_number}
    telling = {**term_weights(question), **numbers}
    # The lines of the hit and their parents that have a list under them.
    near = (head for at in outline.at(found.start, found.end) for head in (at, outline.lines[at].parent))
    heads = dict.fromkeys(head for head in near if len(outline.under(head)) >= _LEAST_ITEMS)
    named = {word.stem: max(telling.get(word.stem, 0.0), _NAMED) for word in words(question) if not word.is_stop}
    weights = ((_head_weight(content, outline, head, title, telling), head) for head in heads)
    ranked = sorted(
        ((weight + _weight(_columns(content, outline, head), named), head) for weight, head in weights), reverse=True
    )
    if not ranked or not ranked[0][0]:  # no head says a word of the question
        return None
    weight, head = ranked[0]
    items = outline.under(head)
    over = [] if head == _ROOT else [outline.lines[head].said, *(line.said for line in outline.over(head))]
    above = stems_in(" ".join((title, *over)))
    item_stems = [stems_in(outline.lines[item].said) - above for item in items]
    # What half of the items say is of the list: it singles out none of them.
    shared = {stem for stem in telling if sum(stem in stems for stems in item_stems) * 2 >= len(item_stems)}
    is_counted = form_of(question, is_timed=False).kind == "count"
    if not is_counted and any(_weight(stems - shared, telling) > weight for stems in item_stems):
        return None  # a sentence answers, not a list
    return NoteList(
        head="" if head == _ROOT else outline.lines[head].said,
        items=tuple(_place(outline.lines[item]) for item in items),
        lines=tuple(_place(outline.lines[line]) for line in outline.below(head)),
        columns=_columns(content, outline, head),
    )


def _columns(content: str, outline: Outline, head: int) -> frozenset[str]:
    """Return the stems of the heads of the columns, where what is under a line is a table."""
    first = outline.lines[outline.under(head)[0]]
    return stems_in(" ".join(header_above(content, first.start) or ())) if first.kind == "row" else frozenset()


def _head_weight(content: str, outline: Outline, head: int, title: str, telling: Mapping[str, float]) -> float:
    """Return how much of the question the head of a list says: its heading, bullet, lead-in or note title."""
    if head == _ROOT:
        return _weight(stems_in(title), telling)
    line = outline.lines[head]
    if line.kind != "lead":
        return _weight(stems_in(line.said), telling)
    # "Still to buy:" says what its list is only together with the heading above it.
    heading = next((over.said for over in outline.over(head)), title)
    return _weight(stems_in(content[line.start : line.end]), telling) + _LED * _weight(stems_in(heading), telling)


def _weight(stems: AbstractSet[str], telling: Mapping[str, float]) -> float:
    """Return the weight of the question's words among some stems."""
    return sum(telling.get(stem, 0.0) for stem in stems)


def _place(line: Line) -> NoteSpan:
    return NoteSpan(line.start, line.end)
