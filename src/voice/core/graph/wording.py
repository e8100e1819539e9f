"""One sentence of a row: found by its words, put otherwise, or left out.

Law: what is found are whole words, in any letter case and with any quotation marks, dashes and spaces; a row that says
them in the same sentence twice says them once and loses them at both places. What is changed is that sentence: every
other character of the row stays as it is, and a list keeps its marks.

Source: ruling I9.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from voice.core.graph.statements import list_mark_length
from voice.core.records import Observation, Thought
from voice.core.text.comparable import comparable_text
from voice.core.text.sentences import sentence_spans

Span = tuple[int, int]
Telling = Thought | Observation
"""A row that says something in sentences."""
_STOPS = ".!?…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """Words of a row, with the sentence that they stand in."""

    row: Telling = field(repr=False)
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


def text_of(row: Telling) -> str:
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


def wordings(row: Telling, words: str) -> tuple[Wording, ...]:
    """Return where `row` says `words`, sentence by sentence, in the order of their first places."""
    text = text_of(row)
    held = sentences_of(text)
    found: dict[str, list[tuple[Span, Span]]] = {}
    for place in _places(text, words):
        around = _around(place, held)
        found.setdefault(text[slice(*around)], []).append((place, around))
    return tuple(_wording(row, pairs) for pairs in found.values())


def sentence_at(row: Telling, start: int, end: int) -> Wording | None:
    """Return the sentence of `row` that holds the stretch, or those that it goes over; None where there is none."""
    text = text_of(row)
    held = sentences_of(text)
    if not any(first < end and start < last for first, last in held):
        return None
    around = _around((start, end), held)
    said = text[slice(*around)]
    same = dict.fromkeys([around, *(span for span in held if text[slice(*span)] == said)])
    return _wording(row, sorted((span, span) for span in same))


def _wording(row: Telling, pairs: Iterable[tuple[Span, Span]]) -> Wording:
    kept = list(pairs)
    sentences = tuple(dict.fromkeys(around for _, around in kept))
    return Wording(row=row, places=tuple(place for place, _ in kept), sentences=sentences)


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
