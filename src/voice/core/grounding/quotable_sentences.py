"""The whole sentences of a row in each form in which they may be quoted.

Law: only whole sentences are quotable; a fragment can reverse the meaning ("wrongly believed that *Tom was married*"),
and so can words of quoted speech without its marks. Struck-out and hidden text is excluded. Resolved text keeps the
original's length, so offsets hold (ruling C13). Case, emphasis, white space and the kind of quotation marks, dashes and
pauses do not matter (`norm_v1`); words, digits, symbols, arrows, signs of a number, `!` before a word, question mark,
boxes, capitals inside a word do, and where a sentence pauses. Linear time.
Source: DESIGN 6 (quoted); CommonMark, GFM task lists and strikethrough; Obsidian comments and links; ruling A10.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain, islice
from typing import Final, NamedTuple

import regex

from voice.core.text.language_data import entries
from voice.core.text.lazy import late_pattern
from voice.core.text.markdown import cells_of, header_above, indent_width, is_lead_in
from voice.core.text.markup import fence_after
from voice.core.text.normalise import comparable_text
from voice.core.text.sentences import sentence_spans, sentences, speech_spans

OPEN: Final = "☐"
DONE: Final = "☑"
_LONGEST = 40  # characters of a state such as "done"
# Every repetition below has a bound: an unclosed mark before a long text must not take quadratic time.
_STRUCK = late_pattern(r"~~(?=\S)[^~]{1,4000}~~|<(?P<tag>del|s)>[^<]{0,4000}</(?P=tag)>")
_COMMENTS: Final = (("<!--", "-->"), ("%%", "%%"))  # HTML and Obsidian
_ALIASED = late_pattern(r"\[\[[^\[\]|\n]{1,200}\|(?=[^\[\]\n]{1,200}\]\])")  # "[[Page|" of "[[Page|alias]]"
_IMAGE = late_pattern(r"!\[[^\]\n]{0,400}\]\((?:[^()\s]|\([^()\s]{0,200}+\)){0,600}+\)")
_LINK = late_pattern(r"\]\((?:[^()\s]|\([^()\s]{0,200}+\)){1,600}+\)")
_FOOTNOTE = late_pattern(r"\[\^[^\]\s]{1,20}\]")
OTHER: Final = "☒"
"""The sign of a box that is neither open nor done: cancelled, put off, in question."""
# "[ ]", "[x]", and Obsidian's "[/]" begun, "[-]" cancelled; not "a[x]" or "![x]".
_BOX = late_pattern(r"(?<![\w\])!])\[([ xX✓✔/<>?-])\](?=[ \t])")


def resolve_markup(text: str, *, of: Sequence[str] | None = None) -> str:
    """Return `text` with its markup applied; every kept character keeps its offset.

    Struck-out or hidden text and images become spaces, links keep their name, check boxes become `☐` or `☑`.

    Args:
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
        text = _BOX.sub(lambda box: f"{_sign_of_box(box[1])}  ", text)  # as long as "[x]", so that offsets hold
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
    """Return `text` with a state before its colon ("Done: …", `data/language/boxes.toml`) as the sign of its box."""
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
    return "".join("\n" if char == "\n" else " " for char in text)  # line breaks stay: lists depend on them


# "- x", "3. x", "(a) x"; not "-5" or "3.5", which no blank follows.
ITEM = late_pattern(r"(?P<indent>[ \t]*+)(?:[-*+•‣◦–]|\(?(?:\d{1,3}|[a-z])[.)])[ \t]++(?=\S)")
MAX_TOKENS = 600
"""A longer sentence is never quotable."""
_MAX_LEADS = 3  # introductions above an item that a quotation may begin with
_NO_ITEM = -1

Tokens = tuple[str, ...]
PAUSE: Final = ","
"""Stands in a wording where its text has a comma, colon or dash."""
JOIN: Final = "|"
"""Stands in a wording between what is joined: there an answer may pause or not."""
_PAUSES = late_pattern(r"[,;:—–―、，；：|]|\s-+\s")


class _Line(NamedTuple):
    """A non-empty line, with its position in lists."""

    indent: int  # `_NO_ITEM` if it is not a list item
    # What introduces the items below it, nearest first; starts with its own last sentence if that ends in a colon.
    leads: tuple[Tokens, ...]
    # Index of the nearest less indented line above an item, or of the line that leads in fenced code.
    parent: int | None
    heading: str  # nearest line above that is neither item nor table row


class Lists:
    """The lines of one text with their list structure."""

    def __init__(self, text: str) -> None:
        self._starts: list[int] = []
        self._lines: list[_Line] = []
        self._leads: dict[int, Tokens] = {}
        self._headings: dict[str, Tokens] = {}
        open_lines: list[int] = []
        heading, begins, fence = "", 0, None
        starts = {end: start for start, end in sentence_spans(text)}
        for line in text.split("\n"):
            before, fence = fence, fence_after(line, fence)
            is_code = bool(before or fence)
            if line.strip():
                self._starts.append(begins)
                ends = begins + len(line.rstrip())
                # A sentence that an editor wrapped begins on a line before.
                wrapped = text[starts.get(ends, begins) : begins]
                self._add(line, open_lines, heading, wrapped=wrapped, is_code=is_code)
                is_over_lists = self._lines[-1].indent == _NO_ITEM and not line.lstrip().startswith("|")
                heading = line if is_over_lists and not is_code else heading
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
            # Kept by parent: a list of n items would join the same leads n times.
            self._leads[parent] = tuple(islice(tokens, MAX_TOKENS))
        return self._leads[parent]

    def heading(self, start: int) -> Tokens:
        """Return the tokens of the line above the list or table at `start`."""
        said = self._at(start).heading
        if said not in self._headings:
            self._headings[said] = wording_of(said.strip(" \t#*_:"))[:MAX_TOKENS]
        return self._headings[said]

    def _at(self, start: int) -> _Line:
        return self._lines[bisect_right(self._starts, start) - 1]

    def _add(self, text: str, open_lines: list[int], heading: str, *, wrapped: str, is_code: bool) -> None:
        """Append a line; `open_lines` is the stack of possible parents, of which the nearest leads in code."""
        if is_code:
            self._lines.append(_Line(_NO_ITEM, (), open_lines[-1] if open_lines else None, heading))
            return
        item = ITEM.match(text)
        width = indent_width(text)
        if (
            item is None
            and open_lines
            and _NO_ITEM < self._lines[open_lines[-1]].indent < width
            and not is_lead_in(text)
        ):
            self._lines.append(_Line(_NO_ITEM, (), None, heading))  # a further line of an item: its list goes on
            return
        indent = _NO_ITEM if item is None else width
        while open_lines and self._lines[open_lines[-1]].indent >= indent:  # plain text (-1) closes every list
            open_lines.pop()
        parent = open_lines[-1] if open_lines and item else None
        over = () if parent is None else self._lines[parent].leads
        own: tuple[Tokens, ...] = ()
        if is_lead_in(text) and not text.lstrip().startswith("|"):
            said = f"{wrapped}{text}" if wrapped else sentences(text[item.end() :] if item else text)[-1]
            own = ((*wording_of(said)[:MAX_TOKENS], JOIN),)
        open_lines.append(len(self._lines))
        self._lines.append(_Line(indent, (*own, *over)[:_MAX_LEADS], parent, heading))


# Words with marks inside ("3.5", "C++", "a@b.org"), then every sign that can change a meaning: currency, "<",
# "?", a sign before a number, accountants' "(5)", "!" of "!important", "~5", emoji. Marks of emphasis are none.
_TOKEN = late_pattern(
    r"[\p{L}\p{M}\p{N}]++(?:['.,:/@_+&-][\p{L}\p{M}\p{N}]++)*+(?:\+\+?|#(?!\w))?"
    r"|[\p{Sc}%‰=<>^°?¿؟§&/]|(?!\uFFFD)\p{So}|[+-](?=\s?\p{N})|\((?=\s?[\p{Sc}+-]?\s?\p{N}[\p{N}.,]*+\s?[\p{Sc}%]?\s?\))"
    r"|(?![+|~])\p{Sm}|!(?=[\w=])|(?:~+|\|\|)(?=\S)|\p{Extended_Pictographic}"
)
_MARK_ONLY = frozenset("¿")
_SHORTEST_SHOUT = 2  # letters: "US" is not "us", but "NOT" is "not"


class Token(NamedTuple):
    """A comparable word, number or symbol; `start:end` are offsets into its text."""

    said: str
    start: int
    end: int


@lru_cache(maxsize=2048)
def tokens_in(text: str) -> tuple[Token, ...]:
    """Return the tokens of `text`, in order; where a capital tells words apart ("mW", "US") it is kept."""
    folded = comparable_text(text)
    found: list[Token] = []
    for one in _TOKEN.finditer(folded.text):
        start, end = folded.starts[one.start()], folded.ends[one.end() - 1]
        own, sign = text[start:end], one[0]
        is_bullet = (
            sign in "+-" and text[end : end + 1].isspace() and not text[:start].rpartition("\n")[2].strip("> \t")
        )
        if sign not in _MARK_ONLY and not is_bullet:
            said = own if own.lower() == sign and _is_told_by_case(own) else "?" if sign == "؟" else sign
            found.append(Token(said, start, end))
    return tuple(found)


def tokens_of(text: str) -> Tokens:
    """Return the comparable tokens of `text`, in order."""
    return tuple(one.said for one in tokens_in(text))


def pauses(text: str, start: int, end: int) -> bool:
    """Return whether `text` has a comma, colon or dash between two offsets."""
    return _PAUSES.search(text, start, end) is not None


def wording_of(text: str) -> Tokens:
    """Return the tokens of `text` with its pauses."""
    found: list[str] = []
    last = 0
    for one in tokens_in(text):
        found += (PAUSE, one.said) if found and pauses(text, last, one.start) else (one.said,)
        last = one.end
    return tuple(found)


def _is_told_by_case(word: str) -> bool:
    """Return whether a word has a capital inside, and is short or has small letters too: no shouted word."""
    return word[1:] != word[1:].lower() and (len(word) <= _SHORTEST_SHOUT or word != word.upper())


_TYPE = late_pattern(r"^(?P<name>[^():]{1,200}) \([^()]{1,40}\)(?=:|$)")
_QUOTATION = late_pattern(r"[\"“”„«»‹›「」『』]|(?<!\w)['‘‚](?=\p{L})[^\n]{0,2000}?(?<=\S)['’‘](?!\w)")


_ARROWS = str.maketrans("→—", "  ")  # same length, so that offsets hold


class QuotableSentence(NamedTuple):
    """One whole sentence of a row; `start:end` are offsets into the row's text."""

    start: int
    end: int
    readings: tuple[tuple[str, ...], ...]
    """Its own wordings, plainest first."""
    is_reported: bool = False
    """Whether it contains quotation marks: then "I" may be someone else."""
    is_speech: bool = False
    """Whether all of it stands in quotation marks; a quotation of it then has them too."""
    lead: tuple[str, ...] = ()
    """Wording of its introduction; a quotation starts with it, once for all items of a list."""
    heading: tuple[str, ...] = ()
    """Wording of the line above its list; a quotation may start with it."""


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
        for said in (plain, plain.translate(_ARROWS))
        for one in (*_own_statements(text, said), *_parts_of_rendering(said))
    )


def has_quotation(text: str) -> bool:
    """Return whether a text contains words in quotation marks."""
    return _QUOTATION.search(text) is not None


def _own_statements(text: str, plain: str) -> tuple[QuotableSentence, ...]:
    lists, speech = Lists(plain), speech_spans(plain)
    found = (_statement(plain, start, end, lists, speech) for start, end in sentence_spans(plain))
    return tuple(one._replace(end=link_end(text, one.end)) for one in found if one.readings)


def _statement(text: str, start: int, end: int, lists: Lists, speech: Sequence[tuple[int, int]]) -> QuotableSentence:
    lead = lists.lead(start)
    # A sentence whose tokens are all hidden or struck out has no reading and is not quotable.
    readings = tuple(dict.fromkeys(filter(None, _readings(text, start, end))))
    at = bisect_right(speech, start, key=lambda span: span[0]) - 1
    is_speech = at >= 0 and not tokens_of(text[min(end, speech[at][1]) : end])
    is_listed = lists.is_item(start) or cells_of(text[start:end]) is not None
    return QuotableSentence(
        start,
        end,
        readings,
        is_reported=is_speech or has_quotation(text[start:end]),
        is_speech=is_speech,
        lead=lead,
        heading=lists.heading(start) if is_listed and not lead else (),
    )


def _readings(text: str, start: int, end: int) -> Iterator[Tokens]:
    sentence = text[start:end]
    item = ITEM.match(sentence)
    cells = cells_of(sentence)
    if cells is not None:
        yield _joined(cells)  # a row may be quoted without the heads of its columns
        heads = header_above(text, start) or ()
        yield _joined(part for head, cell in zip(heads, cells, strict=False) if cell for part in (head, cell))
        return
    yield wording_of(sentence[item.end() :] if item else sentence)
    if item and item.group().strip()[:1].isalnum():  # "3. Mai" at the start of a line is a day, not the third item
        yield wording_of(sentence)


def _joined(parts: Iterable[str]) -> Tokens:
    said = filter(None, map(wording_of, parts))
    return tuple(token for number, part in enumerate(said) for token in ((JOIN, *part) if number else part))


def _parts_of_rendering(text: str) -> Iterator[QuotableSentence]:
    """Yield the parts of a graph rendering ("name (type): description; relation → name"), each with its name."""
    found = _TYPE.match(text)
    if found is None:
        return
    name, start = found["name"], found.end() + 1
    yield QuotableSentence(0, len(text), (_joined((name, *text[start:].split(";"))),))
    for part in text[start:].split(";"):
        end = start + len(part)
        if part.strip():
            yield QuotableSentence(start, end, (_joined((name, part)), wording_of(part)))
        start = end + 1
