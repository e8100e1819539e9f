"""Cutting long text without cutting what it says.

Law: a cut is a span of the stored text, never a new string: `text == full[start:end]` (ruling C13). A long text ends at
its last sentence boundary in [600, 800] characters; failing that at whitespace; failing that at the edge of a grapheme
(ruling C12). Never at the first boundary: "Yes. …" must not become "Yes.".

Source: spec inner_voice.retrieve, Sentence-Boundary Capping; spec retrieval-contract, match context; rulings C12, C13.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable

import regex

from voice.core.text.patterns import late_pattern
from voice.core.text.sentences import sentence_spans

CAP_LOWER = 600
CAP_UPPER = 800
_LOOKAHEAD = 200
"""Characters past the limit that decide whether something before it is a boundary."""

_GRAPHEME = late_pattern(r"\X")
_WORD_END = late_pattern(r"\S(?=\s)")
_WORD_START = late_pattern(r"(?<=\s)\S")


def cap_span(text: str, *, lower: int = CAP_LOWER, upper: int = CAP_UPPER) -> tuple[int, int]:
    """Return the half-open span of the part of `text` that is shown; it begins at 0 and is at most `upper` long.

    Args:
        text: the full stored text or rendering.
        lower: the shortest acceptable cut at a sentence or word.
        upper: the hard limit, at least 1.
    """
    if len(text) <= upper:
        return 0, len(text)
    ahead = text[: upper + _LOOKAHEAD]
    ends = (_sentence_end(ahead, lower, upper), _last_end(_WORD_END, ahead, lower, upper))
    edge = next((end for end in ends if end is not None), None) or _last_end(_GRAPHEME, ahead, 1, upper)
    return 0, edge or upper


def _sentence_end(text: str, lower: int, upper: int) -> int | None:
    ends = [end for _, end in sentence_spans(text) if lower <= end <= upper]
    return ends[-1] if ends else None


def _last_end(pattern: "regex.Pattern[str]", text: str, lower: int, upper: int) -> int | None:
    last = None
    for found in pattern.finditer(text):
        if found.end() > upper:
            break
        last = found.end()
    return last if last is not None and last >= lower else None


def match_span(text: str, terms: Iterable[str], *, width: int = 160) -> tuple[int, int] | None:
    """Return the half-open span of at most `width` characters around the best match of `terms`, or None without one.

    The window holds as many different terms as one window can, is the earliest such, and is cut at words where there
    are words. Case does not matter; a term matches at the start of a word, or anywhere in a script without words.
    It is what recall shows as `match_context` (ruling G.2); its work grows with the text, not with its square.
    """
    places = _places(text, terms)
    if not places:
        return None
    starts = [place[0] for place in places]
    first = max(places, key=lambda place: (_terms_within(places, starts, place[0], width), -place[0]))
    inside = [place for place in places if first[0] <= place[0] and place[1] <= first[0] + width]
    start, end = first[0], max((place[1] for place in inside), default=min(first[1], first[0] + width))
    slack = width - (end - start)
    left = max(0, min(start - slack // 2, len(text) - width))
    right = min(len(text), max(left + width, end))
    return _at_words(text, (left, right), keep=(start, end))


def _places(text: str, terms: Iterable[str]) -> list[tuple[int, int, str]]:
    folded = text.casefold()
    wanted = sorted({term for term in terms if term.strip() and term.casefold() in folded})
    return sorted(
        (found.start(), found.end(), term)
        for term in wanted
        for found in regex.finditer(
            rf"(?:(?<![\p{{L}}\p{{N}}])|(?<=\p{{Lo}})){regex.escape(term)}", text, regex.IGNORECASE
        )
    )


def _terms_within(places: list[tuple[int, int, str]], starts: list[int], start: int, width: int) -> int:
    near = places[bisect_left(starts, start) : bisect_right(starts, start + width)]
    return len({term for _, right, term in near if right <= start + width})


def _at_words(text: str, window: tuple[int, int], *, keep: tuple[int, int]) -> tuple[int, int]:
    left, right = window
    if left > 0 and (word := _WORD_START.search(text, left, keep[0] + 1)) is not None:
        left = word.start()
    if right < len(text) and (end := _last_end(_WORD_END, text[: right + 1], keep[1], right)) is not None:
        right = end
    return left, right
