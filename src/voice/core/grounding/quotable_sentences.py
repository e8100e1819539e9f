"""The whole sentences of a row in each form in which they may be quoted.

Law: only whole sentences are quotable; a fragment can reverse the meaning ("wrongly believed that *Tom was married*").
Struck-out and hidden text is excluded. Resolved text keeps the original's length, so offsets hold (ruling C13). Case,
quotation marks, dashes, commas, emphasis and white space do not matter (`norm_v1`); words, digits, symbols, arrows, `!`
before a word, question mark and boxes do, and capitals inside a word. Linear time.
Source: DESIGN 6 (quoted); CommonMark, GFM task lists and strikethrough; Obsidian comments and links; ruling A10.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
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
OTHER: Final = "☒"
"""The sign of a box that is neither open nor done: cancelled, put off, in question."""
_BOX = late_pattern(r"(?<![\w\])!])\[([ xX✓✔/<>?-])\](?=[ \t])")


def resolve_markup(text: str, *, of: Sequence[str] | None = None) -> str:
    """Return `text` with its markup applied; every kept character keeps its offset.

    Struck-out or hidden text and images become spaces, links keep their name, check boxes become `☐` or `☑`.

    Args:
        text: of a row, or of an answer.
        of: the rows that an answer cites. What hides words there stays, unless one of them holds it to the letter: a
            reader, or a program that renders Markdown, would see what nobody compared.
    """

    def blank(found: "regex.Match[str]") -> str:
        return _spaces(found[0]) if of is None or any(found[0] in row for row in of) else found[0]

    for opens, closes in _COMMENTS:
        text = _without_comments(text, opens, closes, of)
    if "~~" in text or "<" in text:
        text = _STRUCK.sub(blank, text)
    if "[" in text:
        text = _BOX.sub(lambda box: f"{_sign_of_box(box[1])}  ", text)
        for pattern in (_IMAGE, _ALIASED, _LINK, _FOOTNOTE):
            text = pattern.sub(blank, text)
    return text


def signs_for_boxes(text: str) -> str:
    """Return `text` with `☐`, `☑` or `☒` in the place of each check box."""
    return _BOX.sub(lambda box: _sign_of_box(box[1]), text)


def _sign_of_box(mark: str) -> str:
    return OPEN if mark in " /" else OTHER if mark in "<>?-" else DONE


def link_end(text: str, end: int) -> int:
    """Return the end of the link whose name ends at `end`; `end` if there is none."""
    found = _LINK.match(text, end)
    return found.end() if found else end


def with_boxes(text: str) -> str:
    """Return `text` with a state before its colon ("Done: …") replaced by the sign of its box.

    The words are data, per language (`data/language/boxes.toml`).
    """
    head, colon, rest = text.partition(":")
    said = " ".join(head.split()).casefold()
    if colon and len(said) <= _LONGEST and (sign := _sign_of_state().get(said)):
        return f"{sign} {rest}"
    return text


@cache
def _sign_of_state() -> Mapping[str, str]:
    return {word: sign for key, sign in (("open", OPEN), ("done", DONE)) for word in entries("boxes", key)}


def _without_comments(text: str, opens: str, closes: str, of: Sequence[str] | None) -> str:
    """Replace comments with spaces; an unclosed one is text, and so is one that no row of `of` holds."""
    at = text.find(opens)
    if at < 0:
        return text
    parts: list[str] = []
    done = 0
    while at >= 0 and (end := text.find(closes, at + len(opens))) >= 0:
        end += len(closes)
        comment = text[at:end]
        is_hidden = of is None or any(comment in row for row in of)
        parts += (text[done:at], _spaces(comment) if is_hidden else comment)
        done, at = end, text.find(opens, end)
    return "".join([*parts, text[done:]])


def _spaces(text: str) -> str:
    return "".join("\n" if char == "\n" else " " for char in text)


ITEM = late_pattern(r"(?P<indent>[ \t]*+)(?:[-*+•‣◦–]|\(?(?:\d{1,3}|[a-z])[.)])[ \t]++(?=\S)")
MAX_TOKENS = 600
"""A longer sentence is never quotable."""
_LEADS = (":", "：", ":**", ":*", ":_")
_MAX_LEADS = 3
_NO_ITEM = -1

Tokens = tuple[str, ...]


class _Line(NamedTuple):
    """A non-empty line, with its position in lists."""

    indent: int
    """`_NO_ITEM` if it is not a list item."""
    leads: tuple[Tokens, ...]
    """What introduces the items below it, nearest first; starts with the line itself if it ends in a colon."""
    parent: int | None
    """Index of the nearest less indented line above an item."""
    heading: str
    """The nearest line above that is neither item nor table row."""


class Lists:
    """The lines of one text with their list structure."""

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
        """Return whether the line at `start` is a list item."""
        return self._at(start).indent != _NO_ITEM

    def lead(self, start: int) -> Tokens:
        """Return the tokens that introduce the item at `start`; empty if nothing does."""
        parent = self._at(start).parent
        if parent is None:
            return ()
        if parent not in self._leads:
            tokens = chain.from_iterable(reversed(self._lines[parent].leads))
            self._leads[parent] = tuple(islice(tokens, MAX_TOKENS))
        return self._leads[parent]

    def heading(self, start: int) -> Tokens:
        """Return the tokens of the line above the list or table at `start`."""
        said = self._at(start).heading
        if said not in self._headings:
            self._headings[said] = tokens_of(said.strip(" \t#*_:"))[:MAX_TOKENS]
        return self._headings[said]

    def _at(self, start: int) -> _Line:
        return self._lines[bisect_right(self._starts, start) - 1]

    def _add(self, text: str, open_lines: list[int], heading: str) -> None:
        """Append a line; `open_lines` is the stack of possible parents."""
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
    r"|[\p{Sc}%‰=<>^°?¿؟]|(?!\uFFFD)\p{So}|[+-](?=\p{N})|(?![+|~])\p{Sm}|!(?=[\w=])|(?:~+|\|\|)(?=\S)|\p{Extended_Pictographic}"
)
_MARK_ONLY = frozenset("¿")
_SHORTEST_SHOUT = 2
"""Letters: "US" is not "us", but "NOT" is "not"."""


@lru_cache(maxsize=2048)
def tokens_of(text: str) -> tuple[str, ...]:
    """Return the comparable tokens of `text`, in order; where a capital tells words apart ("mW", "US") it is kept."""
    folded = comparable_text(text)
    found = [
        (one[0], text[folded.starts[one.start()] : folded.ends[one.end() - 1]]) for one in _TOKEN.finditer(folded.text)
    ]
    kept = (own if own.lower() == token and _is_told_by_case(own) else token for token, own in found)
    return tuple("?" if sign == "؟" else sign for sign in kept if sign not in _MARK_ONLY)


def _is_told_by_case(word: str) -> bool:
    """Return whether a word has a capital inside, and is short or has small letters too: no shouted word."""
    return word[1:] != word[1:].lower() and (len(word) <= _SHORTEST_SHOUT or word != word.upper())


_TYPE = late_pattern(r"^(?P<name>[^():]{1,200}) \([^()]{1,40}\)(?=:|$)")
_QUOTES = frozenset('"“”„«»「」『』')


class QuotableSentence(NamedTuple):
    """One whole sentence of a row; `start:end` are offsets into the row's text."""

    start: int
    end: int
    readings: tuple[tuple[str, ...], ...]
    """Its own token sequences, plainest first."""
    is_reported: bool
    """Whether it contains quotation marks: then "I" may be someone else."""
    lead: tuple[str, ...] = ()
    """Tokens of its introduction; a quotation starts with them, once for all items of a list."""
    heading: tuple[str, ...] = ()
    """Tokens of the line above its list; a quotation may start with them."""


@lru_cache(maxsize=512)
def quotable_sentences(text: str, source_type: str = "kg_observation") -> tuple[QuotableSentence, ...]:
    """Return the quotable statements of a row's `text`, in order.

    Args:
        source_type: `kg_observation`, `kg_entity` or `kg_relation`; graph renderings also yield each part with its
            subject.
    """
    plain = resolve_markup(text)
    if source_type == "kg_observation":
        return _own_statements(text, plain)
    # The arrows of a rendering may be quoted with it, or left out.
    return tuple(
        one
        for said in (plain, plain.replace("→", " "))
        for one in (*_own_statements(text, said), *_parts_of_rendering(said))
    )


def _own_statements(text: str, plain: str) -> tuple[QuotableSentence, ...]:
    lists = Lists(plain)
    found = (_statement(plain, start, end, lists) for start, end in sentence_spans(plain))
    return tuple(one._replace(end=link_end(text, one.end)) for one in found if one.readings)


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
    """Yield the parts of a graph rendering ("name (type): description; relation → name"), each with its name."""
    found = _TYPE.match(text)
    if found is None:
        return
    name, start = tokens_of(found["name"]), found.end() + 1
    yield QuotableSentence(0, len(text), (name + tokens_of(text[start:]),), is_reported=False)
    for part in text[start:].split(";"):
        end = start + len(part)
        if part.strip():
            own = tokens_of(part)
            yield QuotableSentence(start, end, ((*name, *own), own), is_reported=False)
        start = end + 1
