"""The whole sentences of a row, each in every way it may be quoted.

Law: what may be quoted is a whole sentence; a fragment can turn the meaning ("wrongly believed that *Tom was
married*"). An item of a list is quoted with what leads it in, a box with what it says (open, done), a row of a table as
its cells or with their heads. Offsets are those of the row (ruling C13). Knows no grammar.

Source: DESIGN 6 (quoted).
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from voice.core.grounding.quotation.lists import ITEM, Lists
from voice.core.grounding.quotation.markup import link_end, resolved
from voice.core.grounding.quotation.tokens import tokens_of
from voice.core.text.lazy import late_pattern
from voice.core.text.markdown import cells_of, header_above
from voice.core.text.sentences import sentence_spans

_TYPE = late_pattern(r"^(?P<name>[^():]{1,200}) \([^()]{1,40}\)(?=:|$)")
_QUOTES = frozenset('"“”„«»「」『』')


class Statement(NamedTuple):
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
def statements_of(text: str, source_type: str = "kg_observation") -> tuple[Statement, ...]:
    """Return the statements of a row's `text`, in order; what is struck out or hidden is in none.

    Args:
        text: the stored text of the row.
        source_type: `kg_observation`, `kg_entity` or `kg_relation`; renderings of the graph name each part's subject.
    """
    plain = resolved(text)
    lists = Lists(plain)
    found = (_statement(plain, start, end, lists) for start, end in sentence_spans(plain))
    found = (one._replace(end=link_end(text, one.end)) for one in found)
    own = tuple(one for one in found if one.readings)
    return own if source_type == "kg_observation" else (*own, *_parts_of_rendering(plain))


def _statement(text: str, start: int, end: int, lists: Lists) -> Statement:
    lead = lists.lead(start)
    readings = tuple(dict.fromkeys(filter(None, _readings(text, start, end))))
    is_reported = not _QUOTES.isdisjoint(text[start:end])
    is_listed = lists.is_item(start) or cells_of(text[start:end]) is not None
    heading = lists.heading(start) if is_listed and not lead else ()
    return Statement(start, end, readings, is_reported, lead, heading)


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


def _parts_of_rendering(text: str) -> Iterator[Statement]:
    """Yield the parts of a rendering of the graph ("name (type): description; relation → name"), each with its name."""
    found = _TYPE.match(text)
    if found is None:
        return
    name, start = tokens_of(found["name"]), found.end() + 1
    yield Statement(0, len(text), (name + tokens_of(text[start:]),), is_reported=False)
    for part in text[start:].split(";"):
        if part.strip():
            yield Statement(start, start + len(part), ((*name, *tokens_of(part)), tokens_of(part)), is_reported=False)
        start += len(part) + 1
