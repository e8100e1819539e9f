"""Find, reword or drop a sentence of a row, and keep such corrections when its file is read again.

Law: what is found are whole words, in any letter case and with any quotation marks, dashes and spaces; a row that says
them in the same sentence twice says them once and loses them at both places. What is changed is that sentence: every
other character of the row stays as it is, and a list keeps its marks.

What somebody corrected in a note, in what its file says since. A correction stands while the file says the words whose
place it took, whatever else of the file is edited: they are looked for as whole sentences, and where they stand once. A
statement that was corrected by itself stays corrected in the note that says it still. What the file says otherwise
itself counts (ruling F).

Source: ruling I9; rulings F, I4; docs/import.md, "Keeping a folder in step".
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Final

from voice.core.graph.thoughts.sentence_kinds import list_mark_length
from voice.core.messages import memory as messages
from voice.core.records import GraphRow, Observation, Origin, Row, RowStatus, Thought
from voice.core.text.normalise import comparable_text
from voice.core.text.sentences import sentence_spans

Span = tuple[int, int]
TextRow = Thought | Observation
"""A row that says something in sentences."""
_STOPS = ".!?…"


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceMatch:
    """Words of a row, with the sentence that they stand in."""

    row: TextRow = field(repr=False)
    places: tuple[Span, ...]
    """Where the words stand."""
    sentences: tuple[Span, ...]
    """Where the sentence stands that holds them, for each place."""

    @property
    def sentence(self) -> str:
        """The sentence, without its list mark."""
        return text_of(self.row)[slice(*self.sentences[0])]

    def put(self, words: str) -> str:
        """Return what the row says with `words` in the place of those that were found."""
        return _put(text_of(self.row), self.places, words)

    def changed(self, words: str) -> str:
        """Return the sentence alone as `put` leaves it."""
        first, last = self.sentences[0]
        inside = [(start - first, end - first) for start, end in self.places if first <= start and end <= last]
        return _put(self.sentence, inside, words)

    def without(self) -> str:
        """Return what the row says without the sentence; nothing where it says nothing else."""
        return without_spans(text_of(self.row), self.sentences)


def _put(text: str, places: Sequence[Span], words: str) -> str:
    said = words.strip()
    for start, end in reversed(places):
        ends_twice = said[-1:] in tuple(_STOPS) and text[end : end + 1] in tuple(_STOPS)
        text = text[:start] + said + text[end + ends_twice :]
    return text


def text_of(row: TextRow) -> str:
    """Return what a row says."""
    return row.content if isinstance(row, Thought) else row.text


def sentences_of(text: str) -> tuple[Span, ...]:
    """Return where the sentences of a text stand that say something, without their list marks."""
    spans = ((start + list_mark_length(text[start:end]), end) for start, end in sentence_spans(text))
    return tuple((start, end) for start, end in spans if _says_something(text[start:end]))


def runs_of_sentences(text: str, longest: int) -> Iterator[Span]:
    """Yield where one sentence or several stand, one behind the other, up to `longest` of them."""
    held = sentences_of(text)
    for first, (start, _) in enumerate(held):
        yield from ((start, end) for _, end in held[first : first + longest])


def without_spans(text: str, spans: Iterable[Span]) -> str:
    """Return a text without stretches of sentences; nothing where it says nothing else."""
    last = len(text)
    for start, end in sorted(spans, reverse=True):
        text = _left(text, start, min(end, last)) if start < last else text
        last = start
    return text if _says_something(text) else ""


def sentence_matches(row: TextRow, words: str) -> tuple[SentenceMatch, ...]:
    """Return where `row` says `words`, sentence by sentence, in the order of their first places."""
    text = text_of(row)
    held = sentences_of(text)
    found: dict[str, list[tuple[Span, Span]]] = {}
    for place in _places(text, words):
        around = _around(place, held)
        found.setdefault(text[slice(*around)], []).append((place, around))
    return tuple(_wording(row, pairs) for pairs in found.values())


def sentence_at(row: TextRow, start: int, end: int) -> SentenceMatch | None:
    """Return the sentence of `row` that holds the stretch, or those that it goes over; None where there is none."""
    text = text_of(row)
    held = sentences_of(text)
    if not any(first < end and start < last for first, last in held):
        return None
    around = _around((start, end), held)
    said = text[slice(*around)]
    same = dict.fromkeys([around, *(span for span in held if text[slice(*span)] == said)])
    return _wording(row, sorted((span, span) for span in same))


def _wording(row: TextRow, pairs: Iterable[tuple[Span, Span]]) -> SentenceMatch:
    kept = list(pairs)
    sentences = tuple(dict.fromkeys(around for _, around in kept))
    return SentenceMatch(row=row, places=tuple(place for place, _ in kept), sentences=sentences)


def _places(text: str, words: str) -> Iterator[Span]:
    """Yield where the words stand, whole; the stop that ends them is found where it stands there, too."""
    haystack, needle = comparable_text(text), comparable_text(words.strip()).text
    for wanted in dict.fromkeys((needle, needle.rstrip(_STOPS))):
        before, after = (r"(?<!\w)" if wanted[:1].isalnum() else ""), (r"(?!\w)" if wanted[-1:].isalnum() else "")
        found = list(re.finditer(f"{before}{re.escape(wanted)}{after}", haystack.text)) if wanted else []
        yield from ((haystack.starts[each.start()], haystack.ends[each.end() - 1]) for each in found)
        if found:
            return


def _around(place: Span, held: Iterable[Span]) -> Span:
    """Return from the beginning of the first sentence that a place touches to the end of the last."""
    touched = [(start, end) for start, end in held if start < place[1] and place[0] < end]
    return min((place[0], *(start for start, _ in touched))), max((place[1], *(end for _, end in touched)))


def _left(text: str, start: int, end: int) -> str:
    """Return the text without a stretch, and without the line that held nothing else."""
    line_start, line_end = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    before, behind = text[line_start:start], text[end:line_end]
    if not behind.strip() and list_mark_length(before.lstrip() + "x") >= len(before.lstrip()):
        return text[:line_start] + text[line_end + 1 :] if line_end < len(text) else text[: max(line_start - 1, 0)]
    if not behind.strip():
        return text[:line_start] + before.rstrip() + text[line_end:]
    return text[:start] + behind.lstrip() + text[line_end:]


def _says_something(text: str) -> bool:
    return any(char.isalnum() for char in text)


EDITED: Final = messages.NOTE_EDITED
"""Why a note was corrected whose file says something else; no correction of its owner's."""
Pair = tuple[str, str]
"""What a note said, and what was said instead."""


def corrected_sentences(before: str, after: str) -> tuple[Pair, ...]:
    """Return the sentences of a note in whose place others were put, with those.

    As many as before are taken one by one; of more or fewer, those from the first changed one to the last are one pair.
    """
    old, new = sentences_of(before), sentences_of(after)
    said, says = ([text[slice(*span)] for span in spans] for text, spans in ((before, old), (after, new)))
    first = _same_at_start(said, says)
    last = _same_at_start(said[first:][::-1], says[first:][::-1])
    old, new = old[first : len(old) - last], new[first : len(new) - last]
    if not old or not new:
        return ()
    if len(old) != len(new):
        return ((before[old[0][0] : old[-1][1]], after[new[0][0] : new[-1][1]]),)
    pairs = ((before[slice(*was)], after[slice(*now)]) for was, now in zip(old, new, strict=True))
    return tuple((was, now) for was, now in pairs if was != now)


def _same_at_start(some: Sequence[str], others: Sequence[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(some, others, strict=False)))


def with_corrections(text: str, pairs: Iterable[Pair]) -> str:
    """Return a text with what was put in the place of its sentences, one correction after the other."""
    for said, instead in pairs:
        spans = sentences_of(text)
        starts, ends = {start for start, _ in spans}, {end for _, end in spans}
        start = text.find(said)
        is_alone = start >= 0 and text.find(said, start + 1) < 0
        if is_alone and start in starts and start + len(said) in ends:
            text = text[:start] + instead + text[start + len(said) :]
    return text


def is_correction(row: Row) -> bool:
    """Return whether a person corrected a row, and no edit of its note replaced it."""
    is_past = row.status is RowStatus.SUPERSEDED and row.superseded_by is not None
    return is_past and row.superseded_author is Origin.HUMAN and row.superseded_reason != EDITED


def still_corrected(fresh: Sequence[Observation], derived: Iterable[GraphRow]) -> tuple[Observation, ...]:
    """Return the statements of a note as they stand: superseded where a person corrected them by themselves before.

    Args:
        fresh: what is distilled from the note as it is now.
        derived: what rests on the note as it was, also what is past.
    """
    past = {row.text: row for row in derived if isinstance(row, Observation) and is_correction(row)}
    return tuple(_as(each, past[each.text]) if each.text in past else each for each in fresh)


def _as(statement: Observation, past: Observation) -> Observation:
    return replace(
        statement,
        status=RowStatus.SUPERSEDED,
        superseded_by=past.superseded_by,
        superseded_at=past.superseded_at,
        superseded_reason=past.superseded_reason,
        superseded_author=past.superseded_author,
    )
