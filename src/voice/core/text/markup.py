"""Marks of Markdown and HTML in a text, and what is read without them: fenced code, links, emphasis, tags.

Law: what a renderer would not show as code is none: an opening mark with a backtick behind it opens nothing, and only a
mark of at least its length, alone on its line, closes it. A bullet may stand before the opening mark. Links are their
words; code and addresses stay verbatim. Offsets are those of the written text. Linear time.
Source: CommonMark, fenced code blocks; rulings C13, D1, D22, I1.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final

from voice.core.text.lazy import late_pattern

_BULLETS: Final = r"[ \t]*+(?:(?:[-*+•]|\d{1,9}[.)])[ \t]++)*+"  # may stand before a mark that opens code
_OPENS: Final = _BULLETS + r"(?P<fence>(?P<sign>[`~])(?P=sign){2,}+)(?!(?<=`)[^\n]*`)"  # "``` a`b" opens nothing
FENCE: Final = re.compile(_OPENS)
FENCED: Final = rf"^{_OPENS}(?P<info>[^\n]*+)\n.*?(?:^[ \t]*(?P=fence)(?P=sign)*+[ \t]*$|\Z)"
"""A part of a pattern, whose "^" and "$" are a line's and whose "." is any character."""
_FENCED: Final = re.compile(FENCED, re.MULTILINE | re.DOTALL)


def fenced_code(text: str) -> list[tuple[int, int]]:
    """Return the half-open spans of fenced code, from its first to its last mark, or to the end of the text."""
    if "```" not in text and "~~~" not in text:
        return []
    return [(found.start("fence"), found.start() + len(found[0].rstrip())) for found in _FENCED.finditer(text)]


def fence_after(line: str, fence: str | None) -> str | None:
    """Return the mark of the code that is open behind a line, given that before it; None outside of code."""
    if fence is None:
        return (opened := FENCE.match(line)) and opened[1]
    return None if line.strip().startswith(fence) and not line.strip().strip(fence[0]) else fence


_Span = tuple[int, int]
# Linear: each turn of a loop begins with a bracket that nothing before it takes, or is bounded.
_LINK = late_pattern(
    r"!?\[(?P<said>[^\[\]\n]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*\)(?:\{[^{}\n]*+\})?"  # with its attributes
    r"|!?\[\[(?:[^\[\]|\n]*\|)?(?P<said>[^\[\]|\n]+)\]\]"
)
_TAGS: Final = (
    "a b big br caption code details div dd dl dt em figcaption figure font h1 h2 h3 h4 h5 h6 hr i img kbd li mark ol "
    "p pre section small span strong summary table tbody td th thead tr u ul video"
)
# What stands behind its name without "=" is no attribute: "<Mark said no>".
_TAG = late_pattern(
    r"(?i)<(?P<opens>\L<tags>)(?:\s(?=[^<>\n]*=)[^<>\n]*+)?\s?/?>|\s{0,8}</(?P<closes>\L<tags>)>", tags=_TAGS.split
)
_VERBATIM = late_pattern(r"`[^`\n]+`|\b[a-z]{2,9}://[^\s()<>\[\]]+")  # in these "_" and "*" mark nothing
_EMPHASIS = (
    late_pattern(
        r"(?<![A-Za-z0-9*])(?P<mark>\*\*)(?=[^\s*])(?:[^*\n]|\*(?!\*)){1,400}?(?<=\S)(?P<end>\*\*)(?![A-Za-z0-9*])"
    ),
    late_pattern(r"(?<![\w=])(?P<mark>==)(?=[^\s=])[^=\n]{1,400}(?<=\S)(?P<end>==)(?![\w=])"),
    late_pattern(r"(?<![\w*])(?P<mark>\*)(?=[^\s*])[^*\n]{1,400}(?<=\S)(?P<end>\*)(?![\w*])"),
    late_pattern(r"(?<!\w)(?P<mark>_)(?=[^\s_])[^_\n]{1,400}(?<=\S)(?P<end>_)(?!\w)"),
)
_MASK: Final = "\0"  # a character that cannot delimit emphasis


def without_markup(text: str) -> str:
    """Return a text with links as their words and without emphasis marks and tags of HTML."""
    return readable(text)[0]


def readable(text: str, spans: Iterable[_Span] = ()) -> tuple[str, list[_Span]]:
    """Return a text `without_markup`, with spans mapped."""
    pairs, tags = mark_pairs(text), _tags(text)
    if not (pairs or tags):
        return text, list(spans)
    kept = _unmarked(text, [*chain.from_iterable(pairs), *tags])
    # A kept character's new offset is its place in `kept`.
    moved = [(bisect_left(kept, start), bisect_left(kept, end)) for start, end in spans]
    breaks = {start - 1 for start, _ in tags if text[start - 1 : start + 2].lower() == "<br"}
    return "".join(" " if at in breaks else text[at] for at in kept), moved


def readable_offsets(text: str) -> Sequence[int]:
    """Return the offsets of the characters that stay in a text without links and emphasis marks."""
    pairs = mark_pairs(text)
    return _unmarked(text, chain.from_iterable(pairs)) if pairs else range(len(text))


def _unmarked(text: str, left_out: Iterable[_Span]) -> tuple[int, ...]:
    marks = bytearray(len(text))
    for start, end in left_out:
        marks[start:end] = b"\1" * (end - start)
    return tuple(at for at, is_mark in enumerate(marks) if not is_mark)


def mark_pairs(text: str) -> list[tuple[_Span, _Span]]:
    """Return the spans of the marks before and after the words of each link and emphasis."""
    if frozenset("*_=[").isdisjoint(text):
        return []
    masked = _without_code(text)
    links = [((link.start(), link.start("said")), (link.end("said"), link.end())) for link in _LINK.finditer(masked)]
    masked = _LINK.sub(lambda link: _mask_marks(link[0], link["said"], link.start("said") - link.start()), masked)
    emphases = chain.from_iterable(pattern.finditer(masked) for pattern in _EMPHASIS)
    return links + [(found.span("mark"), found.span("end")) for found in emphases]


def _tags(text: str) -> list[_Span]:
    """Return the spans of tags of HTML, those that close with the blanks before them, `<br>` without its first sign.

    A name in angle brackets right behind a word opens only where one of that name closes: `List<i>` is none.
    """
    found = list(_TAG.finditer(_without_code(text))) if "<" in text else []
    closed = {tag["closes"].lower() for tag in found if tag["closes"]}
    spans = list[_Span]()
    for tag in found:
        opens, begins = (tag["opens"] or "").lower(), tag.start()
        if not opens or opens in closed or opens == "br" or not text[max(begins - 1, 0) : begins].isalnum():
            spans.append((begins + (opens == "br"), tag.end()))
    return spans


def _without_code(text: str) -> str:
    """Return a text of the same length in which code and addresses are masked."""
    parts, done = list[str](), 0
    for start, end in fenced_code(text):
        parts += (text[done:start], _MASK * (end - start))
        done = end
    return _VERBATIM.sub(lambda found: _MASK * len(found[0]), "".join((*parts, text[done:])))


def _mask_marks(link: str, said: str, at: int) -> str:
    return f"{_MASK * at}{said}{_MASK * (len(link) - at - len(said))}"
