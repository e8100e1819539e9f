"""A value of a table is one of its row and of its column: what was paid for the mount is not what is owed for it.

Law: where a claim names rows of a table by what their first cells hold, a value that only other rows hold is not of
them; and where a part of a claim names a column, one of the values that it tells is of that column, or it tells none.
What another sentence says outside of tables is for the other checks.

Source: DESIGN 6 stage 4 (numbers); rulings C13, D1.
"""

from collections.abc import Sequence
from itertools import chain
from typing import NamedTuple, Self

from voice.core.grounding.findings import Finding
from voice.core.grounding.pairs import pair_findings, parts_by_marks
from voice.core.grounding.passages import Passage
from voice.core.text.tables import cells_of
from voice.core.text.wordlists import word_set
from voice.core.text.words import Word, words

_COMPARES = word_set(
    "than other others all every everything each else except besides most least more less total sum andere alle "
    "alles als otros otras todos todas más menos"
)
_ELSEWHERE = "the table gives this of another row"
_OTHERWISE = "the table gives this in another column"


class _Row(NamedTuple):
    """A row of a table: its name, and by column what the column is called and what the cell holds."""

    name: frozenset[str]
    columns: tuple[tuple[frozenset[str], frozenset[str]], ...]

    @classmethod
    def of(cls, passage: Passage) -> Self:
        first, *rest = cells_of(passage.text) or ("",)
        pairs = zip(passage.header[1:], rest, strict=False)
        return cls(_held(first), tuple((_held(called), _held(cell)) for called, cell in pairs))

    @property
    def values(self) -> frozenset[str]:
        return frozenset[str]().union(*(held for _, held in self.columns))

    def is_named(self, told: frozenset[str]) -> bool:
        return bool(self.name) and self.name <= told


def cell_findings(text: str, found: Sequence[Word], passages: Sequence[Passage]) -> list[Finding]:
    """Return a finding for a claim that gives a row of a table what another row or another of its columns holds.

    Args:
        text: the claim.
        found: its words.
        passages: the cited sentences.
    """
    rows = [_Row.of(passage) for passage in passages if passage.header]
    if not rows:
        return pair_findings(text, found, passages)
    said = frozenset(chain.from_iterable(_held(passage.text) for passage in passages if not passage.header))
    told = _telling(found)
    named = [row for row in rows if row.is_named(told)]
    names = frozenset(chain.from_iterable((*row.name, *chain(*(called for called, _ in row.columns))) for row in rows))
    parts = [_telling(part) for part in parts_by_marks(text, found)]
    values = [part - names - said for part in parts]
    if _is_of_another_row(parts, values, rows, named):
        return [Finding(flag="number", text=_ELSEWHERE, effect="unsupported")]
    if any(_is_of_another_column(part, own, named or rows) for part, own in zip(parts, values, strict=True)):
        return [Finding(flag="number", text=_OTHERWISE, effect="unsupported")]
    return []


def rows_asked_about(found: Sequence[Word], passages: Sequence[Passage]) -> list[bool]:
    """Return for each sentence whether it may be given: not where a question names other rows of the same table alone.

    Args:
        found: the words of the question; one that compares is about all rows.
        passages: the sentences.
    """
    told = _telling(found)
    names = [_Row.of(passage).name if passage.header else frozenset[str]() for passage in passages]
    if any(word.key in _COMPARES for word in found):
        return [True] * len(passages)
    most: dict[tuple[str, tuple[str, ...]], int] = {}
    for passage, name in zip(passages, names, strict=True):
        table = (passage.row.row_id, passage.header)
        most[table] = max(most.get(table, 0), len(name & told))
    return [
        not name or name <= told or len(name & told) == most[passage.row.row_id, passage.header]
        for passage, name in zip(passages, names, strict=True)
    ]


def _is_of_another_row(
    parts: Sequence[frozenset[str]], values: Sequence[frozenset[str]], rows: Sequence[_Row], named: Sequence[_Row]
) -> bool:
    """Return whether a value stands in rows, but in none of those named: in its own part, where each tells one."""
    if not named:
        return False
    every = frozenset[str]().union(*(row.values for row in rows))
    by_part = [[row for row in named if row.is_named(part)] for part in parts]
    is_each = all(own & every for own, here in zip(values, by_part, strict=True) if here)
    for own, here in zip(values, by_part, strict=True):
        meant = here if here and is_each else named
        if (own & every) - frozenset[str]().union(*(row.values for row in meant)):
            return True
    return False


def _is_of_another_column(part: frozenset[str], values: frozenset[str], rows: Sequence[_Row]) -> bool:
    """Return whether a part of a claim names a column and tells values of these rows, but none of that column."""
    columns = [column for row in rows for column in row.columns]
    told = values & frozenset[str]().union(*(held for _, held in columns))
    asked = {called for called, _ in columns if called and called <= part}
    of_each = ((held & told for called, held in columns if called == one) for one in asked)
    return bool(told) and any(not any(of_one) for of_one in of_each)


def _held(text: str) -> frozenset[str]:
    return _telling(words(text))


def _telling(found: Sequence[Word]) -> frozenset[str]:
    """Return what words tell: a number by its digits, any other by its stem."""
    return frozenset(_digits(word) or word.stem for word in found if not word.is_stop)


def _digits(word: Word) -> str:
    return "".join(filter(str.isdigit, word.text)) if word.is_number else ""
