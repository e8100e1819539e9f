"""Find, reword or drop a sentence of a row, and keep corrections when a file is read again.

Law: matches are whole words, ignoring case, quotation marks, dashes and spacing; only the sentence changes, list marks
stay. A correction persists while the file has the old sentence exactly once; the file's own changes win (ruling F).
Source: rulings F, I4, I9; docs/import.md, "Keeping a folder in step".
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

from voice.core.graph.thoughts.sentence_kinds import list_mark_length
from voice.core.messages import memory as messages
from voice.core.records import GraphRow, Observation, Origin, Row, RowStatus, Thought
from voice.core.text.markup import mark_pairs, readable_offsets
from voice.core.text.normalise import comparable_text
from voice.core.text.sentences import sentence_spans

Span = tuple[int, int]
TextRow = Thought | Observation
"""A row with sentences."""
_STOPS = ".!?…"


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceMatch:
    """Matched words with their sentence."""

    row: TextRow = field(repr=False)
    places: tuple[Span, ...]
    sentences: tuple[Span, ...]
    """Spans of the containing sentence, per match."""

    @property
    def sentence(self) -> str:
        """The sentence without its list mark."""
        return text_of(self.row)[slice(*self.sentences[0])]

    def put(self, words: str) -> str:
        """Return the row's text with `words` in place of the match."""
        return _replaced(text_of(self.row), self.places, words)

    def changed(self, words: str) -> str:
        """Return only the sentence, changed as by `put`."""
        first, last = self.sentences[0]
        inside = [(start - first, end - first) for start, end in self.places if first <= start and end <= last]
        return _replaced(self.sentence, inside, words)

    def without(self) -> str:
        """Return the row's text without the sentence; "" if nothing else remains."""
        return without_spans(text_of(self.row), self.sentences)


def _replaced(text: str, places: Sequence[Span], words: str) -> str:
    words, pairs = words.strip(), mark_pairs(text)
    by_start, by_end = sorted(pairs), sorted(pairs, key=lambda pair: pair[1][1])
    starts, ends = [before[0] for before, _ in by_start], [after[1] for _, after in by_end]
    for start, end in reversed(places):  # backwards: the offsets before stay true
        # Tuples, as "" is in every string.
        has_two_stops = words[-1:] in tuple(_STOPS) and text[end : end + 1] in tuple(_STOPS)
        # Of a link or emphasis that the words cut, both marks stay.
        opening = by_start[bisect_left(starts, start) : bisect_left(starts, end)]
        closing = by_end[bisect_right(ends, start) : bisect_right(ends, end)]
        opens = (text[slice(*mark)] for mark, after in opening if end <= after[0])
        closes = (text[slice(*mark)] for before, mark in closing if before[0] < start)
        text = "".join((text[:start], *opens, words, *closes, text[end + has_two_stops :]))
    return text


def text_of(row: TextRow) -> str:
    """Return a row's text."""
    return row.content if isinstance(row, Thought) else row.text


def sentences_of(text: str) -> tuple[Span, ...]:
    """Return the spans of sentences with content, without list marks."""
    spans = ((start + list_mark_length(text[start:end]), end) for start, end in sentence_spans(text))
    return tuple((start, end) for start, end in spans if _has_words(text[start:end]))


def runs_of_sentences(text: str, longest: int) -> Iterator[Span]:
    """Yield spans of 1 to `longest` consecutive sentences."""
    spans = sentences_of(text)
    for first, (start, _) in enumerate(spans):
        yield from ((start, end) for _, end in spans[first : first + longest])


def without_spans(text: str, spans: Iterable[Span]) -> str:
    """Return a text without sentence spans; "" if nothing else remains."""
    last = len(text)
    for start, end in sorted(spans, reverse=True):  # backwards; spans may overlap
        text = _without(text, start, min(end, last)) if start < last else text
        last = start
    return text if _has_words(text) else ""


def sentence_matches(row: TextRow, words: str) -> tuple[SentenceMatch, ...]:
    """Return the sentences of `row` that contain `words`, in order; equal sentences are one match."""
    text = text_of(row)
    sentences = sentences_of(text)
    found: dict[str, list[tuple[Span, Span]]] = {}
    for place in _places(text, words):
        around = _around(place, sentences)
        found.setdefault(text[slice(*around)], []).append((place, around))
    return tuple(_match(row, pairs) for pairs in found.values())


def sentence_at(row: TextRow, start: int, end: int) -> SentenceMatch | None:
    """Return the sentence or sentences that overlap the span; None if there are none."""
    text = text_of(row)
    sentences = sentences_of(text)
    if not any(first < end and start < last for first, last in sentences):
        return None
    around = _around((start, end), sentences)
    same = {around, *(span for span in sentences if text[slice(*span)] == text[slice(*around)])}
    return _match(row, sorted((span, span) for span in same))


def _match(row: TextRow, pairs: Sequence[tuple[Span, Span]]) -> SentenceMatch:
    sentences = tuple(dict.fromkeys(sentence for _, sentence in pairs))
    return SentenceMatch(row=row, places=tuple(place for place, _ in pairs), sentences=sentences)


def _places(text: str, words: str) -> list[Span]:
    """Return whole-word matches in the text as shown and as written, in order, with the final stop if present."""
    needle, written = comparable_text(words.strip()).text, comparable_text(text)
    first = re.search(r"\w+", needle)
    if first is None or first[0] not in written.text:
        return []
    shown = readable_offsets(text)
    forms = [(written, range(len(text))), (comparable_text("".join(text[at] for at in shown)), shown)]
    for wanted in dict.fromkeys((needle, needle.rstrip(_STOPS))):  # with its stop first, so that both are replaced
        before, after = (r"(?<!\w)" if wanted[:1].isalnum() else ""), (r"(?!\w)" if wanted[-1:].isalnum() else "")
        pattern = re.compile(f"{before}{re.escape(wanted)}{after}")
        found = sorted(
            {
                (kept[form.starts[each.start()]], kept[form.ends[each.end() - 1] - 1] + 1)
                for form, kept in forms
                for each in pattern.finditer(form.text)
            }
        )
        if found:
            return [place for place, last in zip(found, [(0, 0), *found], strict=False) if last[1] <= place[0]]
    return []


def _around(place: Span, sentences: Iterable[Span]) -> Span:
    overlapping = [(start, end) for start, end in sentences if start < place[1] and place[0] < end]
    return min((place[0], *(start for start, _ in overlapping))), max((place[1], *(end for _, end in overlapping)))


def _without(text: str, start: int, end: int) -> str:
    """Remove a span, and its line if nothing else is on it."""
    line_start, line_end = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    before, behind = text[line_start:start], text[end:line_end]
    # Nothing but a list mark stands before it: the line goes as a whole.
    if not behind.strip() and list_mark_length(before.lstrip() + "x") >= len(before.lstrip()):
        return text[:line_start] + text[line_end + 1 :] if line_end < len(text) else text[: max(line_start - 1, 0)]
    if not behind.strip():
        return text[:line_start] + before.rstrip() + text[line_end:]
    return text[:start] + behind.lstrip() + text[line_end:]


def _has_words(text: str) -> bool:
    return any(char.isalnum() for char in text)


Pair = tuple[str, str]
"""Old and new sentence."""


def corrected_sentences(before: str, after: str) -> tuple[Pair, ...]:
    """Return a note's changed sentences as pairs, one by one where their numbers agree, else as one pair."""
    old, new = sentences_of(before), sentences_of(after)
    old_texts, new_texts = ([text[slice(*span)] for span in spans] for text, spans in ((before, old), (after, new)))
    first = _common_prefix(old_texts, new_texts)
    last = _common_prefix(old_texts[first:][::-1], new_texts[first:][::-1])
    old, new = old[first : len(old) - last], new[first : len(new) - last]
    if not old or not new:
        return ()
    if len(old) != len(new):
        return ((before[old[0][0] : old[-1][1]], after[new[0][0] : new[-1][1]]),)
    pairs = ((before[slice(*was)], after[slice(*now)]) for was, now in zip(old, new, strict=True))
    return tuple((was, now) for was, now in pairs if was != now)


def _common_prefix(some: Sequence[str], others: Sequence[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(some, others, strict=False)))


def with_corrections(text: str, pairs: Iterable[Pair]) -> str:
    """Apply corrections in order, each where its sentence occurs exactly once."""
    for old, new in pairs:
        spans = sentences_of(text)
        starts, ends = {start for start, _ in spans}, {end for _, end in spans}
        start = text.find(old)
        is_unique = start >= 0 and text.find(old, start + 1) < 0
        if is_unique and start in starts and start + len(old) in ends:
            text = text[:start] + new + text[start + len(old) :]
    return text


def is_correction(row: Row) -> bool:
    """Return whether a person corrected a row, rather than an edit of its note."""
    is_past = row.status is RowStatus.SUPERSEDED and row.superseded_by is not None
    return is_past and row.superseded_author is Origin.HUMAN and row.superseded_reason != messages.NOTE_EDITED


def still_corrected(fresh: Sequence[Observation], derived: Iterable[GraphRow]) -> tuple[Observation, ...]:
    """Return fresh statements, superseded where a person corrected the same text in a past or present row."""
    corrected = {row.text: row for row in derived if isinstance(row, Observation) and is_correction(row)}
    return tuple(
        each
        if (past := corrected.get(each.text)) is None
        else replace(
            each,
            status=RowStatus.SUPERSEDED,
            superseded_by=past.superseded_by,
            superseded_at=past.superseded_at,
            superseded_reason=past.superseded_reason,
            superseded_author=past.superseded_author,
        )
        for each in fresh
    )
