"""The whole sentences of a row in each way they may be quoted: lists, boxes, tables, markup.

Law: what may be quoted is a whole sentence; a fragment can turn the meaning ("wrongly believed that *Tom was
married*"). An item of a list is quoted with what leads it in, a box with what it says (open, done), a row of a table as
its cells or with their heads. Offsets are those of the row (ruling C13). Knows no grammar.

What is taken back (`~~x~~`) or hidden (`<!-- x -->`, `%% x %%`) is no part of what a note says; a box says whether its
item is open or done. The resolved text has the length of the original, so that offsets hold. Linear in its length.

What leads an item in is found from the line over it that is less indented, not by going up: each line is looked at
once. Of what leads in, no more tokens are kept than a sentence that is quoted may have.

A quotation is compared by its words, numbers and the signs that say something. Case, Unicode form, kinds
of quotation marks and dashes, emphasis and white space make no difference (`norm_v1`); a word, a digit, a minus, a
currency, a percent, a question mark, an open or a done box always do.

Source: DESIGN 6 (quoted); CommonMark, GFM task lists and strikethrough; Obsidian comments and links; ruling A10.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from itertools import chain, islice
from typing import Final, NamedTuple

import regex

from voice.core.text.language_data import entries
from voice.core.text.lazy import late_pattern
from voice.core.text.markdown import cells_of, header_above
from voice.core.text.normalise import comparable_text
from voice.core.text.sentences import sentence_spans

OPEN: Final = "☐"
DONE: Final = "☑"
_LONGEST = 40
_STRUCK = late_pattern(r"~~(?=\S)[^~]{1,4000}~~|<(?P<tag>del|s)>[^<]{0,4000}</(?P=tag)>")
_COMMENTS: Final = (("<!--", "-->"), ("%%", "%%"))
_ALIASED = late_pattern(r"\[\[[^\[\]|\n]{1,200}\|(?=[^\[\]\n]{1,200}\]\])")
_IMAGE = late_pattern(r"!\[[^\]\n]{0,400}\]\((?:[^()\s]|\([^()\s]{0,200}+\)){0,600}+\)")
_LINK = late_pattern(r"\]\((?:[^()\s]|\([^()\s]{0,200}+\)){1,600}+\)")
_FOOTNOTE = late_pattern(r"\[\^[^\]\s]{1,20}\]")
_BOX = late_pattern(r"(?<![\w\])!])\[([ xX✓✔])\](?=[ \t])")


def resolve_markup(text: str) -> str:
    """Return `text` as it reads once its marks are obeyed; every kept character keeps its offset.

    What is struck out or hidden becomes spaces; of `[[page|name]]` and `[name](address)` the name remains, of an image
    nothing; the box of an item becomes one of two signs.
    """
    for opens, closes in _COMMENTS:
        text = _without_comments(text, opens, closes)
    if "~~" in text or "<" in text:
        text = _STRUCK.sub(_blank, text)
    if "[" in text:
        text = _BOX.sub(lambda box: f" {OPEN if box[1] == ' ' else DONE} ", text)
        for pattern in (_IMAGE, _ALIASED, _LINK, _FOOTNOTE):
            text = pattern.sub(_blank, text)
    return text


def link_end(text: str, end: int) -> int:
    """Return where the link ends whose words end at `end`; `end` where none does."""
    found = _LINK.match(text, end)
    return found.end() if found else end


def with_boxes(text: str) -> str:
    """Return `text` with the words for an open or a done item before its colon as the sign of its box.

    The words are data, one list a language (`data/language/boxes.toml`).
    """
    head, colon, rest = text.partition(":")
    said = " ".join(head.split()).casefold()
    if colon and len(said) <= _LONGEST and (sign := _signs().get(said)):
        return f"{sign} {rest}"
    return text


@cache
def _signs() -> Mapping[str, str]:
    return {word: sign for key, sign in (("open", OPEN), ("done", DONE)) for word in entries("boxes", key)}


def _without_comments(text: str, opens: str, closes: str) -> str:
    """Return `text` with each comment as spaces; one that is never closed is a text."""
    at = text.find(opens)
    if at < 0:
        return text
    parts: list[str] = []
    done = 0
    while at >= 0 and (end := text.find(closes, at + len(opens))) >= 0:
        end += len(closes)
        parts += (text[done:at], _spaces(text[at:end]))
        done, at = end, text.find(opens, end)
    return "".join([*parts, text[done:]])


def _blank(found: "regex.Match[str]") -> str:
    return _spaces(found.group())


def _spaces(text: str) -> str:
    return "".join("\n" if char == "\n" else " " for char in text)


ITEM = late_pattern(r"(?P<indent>[ \t]*+)(?:[-*+•‣◦–]|\(?(?:\d{1,3}|[a-z])[.)])[ \t]++(?=\S)")
MAX_TOKENS = 600
"""What has more is never quoted."""
_LEADS = (":", "：", ":**", ":*", ":_")
_MAX_LEADS = 3
_NO_ITEM = -1

Tokens = tuple[str, ...]


class _Line(NamedTuple):
    """A line that says something, and what stands over it."""

    indent: int
    """Of an item; `_NO_ITEM` of any other line."""
    leads: tuple[Tokens, ...]
    """What leads in the items under it, the nearest first: its own words where it does, then what leads itself in."""
    parent: int | None
    """The line that an item stands under: the nearest one over it that is less indented, or no item."""
    heading: str
    """The nearest line over it that is neither an item nor a row of a table."""


class Lists:
    """The lines of one text, each with what stands over it."""

    def __init__(self, text: str) -> None:
        self._starts: list[int] = []
        self._lines: list[_Line] = []
        self._leads: dict[int, Tokens] = {}
        self._headings: dict[str, Tokens] = {}
        open_lines: list[int] = []
        heading, begins = "", 0
        for line in text.split("\n"):
            if line.strip():
                self._starts.append(begins)
                self._add(line, open_lines, heading)
                is_over_lists = self._lines[-1].indent == _NO_ITEM and not line.lstrip().startswith("|")
                heading = line if is_over_lists else heading
            begins += len(line) + 1

    def is_item(self, start: int) -> bool:
        """Return whether the line at `start` is an item of a list."""
        return self._at(start).indent != _NO_ITEM

    def lead(self, start: int) -> Tokens:
        """Return the tokens of what leads in the item at `start`; empty where nothing does."""
        parent = self._at(start).parent
        if parent is None:
            return ()
        if parent not in self._leads:
            tokens = chain.from_iterable(reversed(self._lines[parent].leads))
            self._leads[parent] = tuple(islice(tokens, MAX_TOKENS))
        return self._leads[parent]

    def heading(self, start: int) -> Tokens:
        """Return the tokens of the line over the list or table at `start`."""
        said = self._at(start).heading
        if said not in self._headings:
            self._headings[said] = tokens_of(said.strip(" \t#*_:"))[:MAX_TOKENS]
        return self._headings[said]

    def _at(self, start: int) -> _Line:
        return self._lines[bisect_right(self._starts, start) - 1]

    def _add(self, text: str, open_lines: list[int], heading: str) -> None:
        """Add a line, and put it in place of those of `open_lines` that no later item stands under."""
        item = ITEM.match(text)
        indent = _NO_ITEM if item is None else len(item["indent"].expandtabs(4))
        while open_lines and self._lines[open_lines[-1]].indent >= indent:
            open_lines.pop()
        parent = open_lines[-1] if open_lines and item else None
        over = () if parent is None else self._lines[parent].leads
        leads_in = text.rstrip().endswith(_LEADS) and not text.lstrip().startswith("|")
        own = (tokens_of(text[item.end() :] if item else text)[:MAX_TOKENS],) if leads_in else ()
        open_lines.append(len(self._lines))
        self._lines.append(_Line(indent, (*own, *over)[:_MAX_LEADS], parent, heading))


_TOKEN = late_pattern(
    r"[\p{L}\p{M}\p{N}]++(?:['.,:/@_+&-][\p{L}\p{M}\p{N}]++)*+(?:\+\+?|#(?!\w))?"
    r"|[\p{Sc}%‰=<>≤≥≠±√×÷^°?¿؟☐☑✓✔✗✘✅❌☒]|[+-](?=\p{N})|\p{Extended_Pictographic}"
)
_MARK_ONLY = frozenset("¿")


@lru_cache(maxsize=2048)
def tokens_of(text: str) -> tuple[str, ...]:
    """Return the comparable tokens of `text`, in order."""
    found = _TOKEN.findall(comparable_text(text).text)
    return tuple("?" if sign == "؟" else sign for sign in found if sign not in _MARK_ONLY)


_TYPE = late_pattern(r"^(?P<name>[^():]{1,200}) \([^()]{1,40}\)(?=:|$)")
_QUOTES = frozenset('"“”„«»「」『』')


class QuotableSentence(NamedTuple):
    """One whole sentence of a row; `start:end` are offsets into the row's text."""

    start: int
    end: int
    readings: tuple[tuple[str, ...], ...]
    """The sequences of tokens that are its own words, the plainest first."""
    is_reported: bool
    """Whether quotation marks stand in it: then "I" may be another's."""
    lead: tuple[str, ...] = ()
    """The tokens of what leads it in; a quotation begins with them, once for all items of one list."""
    heading: tuple[str, ...] = ()
    """The tokens of the line over its list that leads nothing in; a quotation may begin with them."""


@lru_cache(maxsize=512)
def quotable_sentences(text: str, source_type: str = "kg_observation") -> tuple[QuotableSentence, ...]:
    """Return the statements of a row's `text`, in order; what is struck out or hidden is in none.

    Args:
        text: the stored text of the row.
        source_type: `kg_observation`, `kg_entity` or `kg_relation`; renderings of the graph name each part's subject.
    """
    plain = resolve_markup(text)
    lists = Lists(plain)
    found = (_statement(plain, start, end, lists) for start, end in sentence_spans(plain))
    found = (one._replace(end=link_end(text, one.end)) for one in found)
    own = tuple(one for one in found if one.readings)
    return own if source_type == "kg_observation" else (*own, *_parts_of_rendering(plain))


def _statement(text: str, start: int, end: int, lists: Lists) -> QuotableSentence:
    lead = lists.lead(start)
    readings = tuple(dict.fromkeys(filter(None, _readings(text, start, end))))
    is_reported = not _QUOTES.isdisjoint(text[start:end])
    is_listed = lists.is_item(start) or cells_of(text[start:end]) is not None
    heading = lists.heading(start) if is_listed and not lead else ()
    return QuotableSentence(start, end, readings, is_reported, lead, heading)


def _readings(text: str, start: int, end: int) -> Iterator[tuple[str, ...]]:
    sentence = text[start:end]
    item = ITEM.match(sentence)
    tokens = tokens_of(sentence[item.end() :] if item else sentence)
    cells = cells_of(sentence)
    if cells is not None:
        yield tuple(token for cell in cells for token in tokens_of(cell))
        heads = header_above(text, start) or ()
        named = zip(heads, cells, strict=False)
        yield tuple(token for head, cell in named if cell for token in (*tokens_of(head), *tokens_of(cell)))
        return
    yield tokens
    if item and item.group().strip()[:1].isalnum():  # "3. Mai" at the start of a line is a day, not the third item
        yield tokens_of(sentence)


def _parts_of_rendering(text: str) -> Iterator[QuotableSentence]:
    """Yield the parts of a rendering of the graph ("name (type): description; relation → name"), each with its name."""
    found = _TYPE.match(text)
    if found is None:
        return
    name, start = tokens_of(found["name"]), found.end() + 1
    yield QuotableSentence(0, len(text), (name + tokens_of(text[start:]),), is_reported=False)
    for part in text[start:].split(";"):
        if part.strip():
            yield QuotableSentence(
                start, start + len(part), ((*name, *tokens_of(part)), tokens_of(part)), is_reported=False
            )
        start += len(part) + 1
