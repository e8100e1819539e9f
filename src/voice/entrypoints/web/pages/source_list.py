"""The query of a list of sources, and the entries that it shows.

Law: values in, values out: nothing is read here. What an address says and nobody offers is refused in words, never
read as if it were not there.
Source: DESIGN 8 Web (sources browser); promises 6, 9; STYLE 1.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Literal

from voice.core.records import (
    Observation,
    Relation,
    Row,
    RowStatus,
    Table,
    Thought,
    TrustTier,
    table_of,
    tier_of_origin,
)
from voice.core.retrieval.candidates import ALL_TABLES, CatalogueFilter
from voice.core.retrieval.searchable_text import LiteralQuery as LiteralWords
from voice.core.retrieval.values import Window
from voice.core.text.display import counted, truncate
from voice.core.text.markup import without_markup
from voice.entrypoints.web.pages.addresses import (
    InvalidParameter,
    Search,
    address_of,
    is_set,
    one_of,
    page_of,
    session_url,
    source_url,
)
from voice.entrypoints.web.pages.excerpts import Piece, excerpt
from voice.services.retrieval.catalogue import TurnMatch

PAGE_SIZE: Final = 25
PATH: Final = "/sources"
_NAME_CHARS: Final = 60  # of a name
_AROUND: Final = 90  # characters of a text shown on each side of what was found in it
_MOST_MARKED: Final = 12  # places of one text that are marked in a list; its page has the rest
Kind = Literal["all", "thoughts", "entities", "observations", "relations", "turns"]
How = Literal["near", "words"]
Standing = Literal["live", "past", "every"]
TAKES: Final = ("kind", "how", "standing", "private", "search", "below", "page")
"""The parameters of the address of the list."""
KINDS: Mapping[Kind, str] = {
    "thoughts": "Thoughts",
    "observations": "Observations",
    "entities": "Entities",
    "relations": "Relations",
    "all": "Everything",
    "turns": "Said in sessions",
}
HOWS: Mapping[How, str] = {"near": "By meaning", "words": "Exact words"}
"""How words are looked for."""
STANDINGS: Mapping[Standing, str] = {"live": "current", "past": "superseded or marked for removal", "every": "both"}
_TABLES: Mapping[Kind, frozenset[Table]] = {
    "all": ALL_TABLES,
    "thoughts": frozenset({Table.THOUGHTS}),
    "entities": frozenset({Table.ENTITIES}),
    "observations": frozenset({Table.OBSERVATIONS}),
    "relations": frozenset({Table.RELATIONS}),
    "turns": frozenset(),  # turns are no rows
}
_STATUSES: Mapping[Standing, frozenset[RowStatus]] = {
    "live": frozenset({RowStatus.ACTIVE}),
    "past": frozenset({RowStatus.SUPERSEDED, RowStatus.REMOVAL}),
    "every": frozenset(RowStatus),
}
ONE_OF: Mapping[Table, str] = {
    Table.THOUGHTS: "thought",
    Table.ENTITIES: "entity",
    Table.OBSERVATIONS: "observation",
    Table.RELATIONS: "relation",
}
TRUST_IN_WORDS: Mapping[str, str] = {
    TrustTier.GREEN: "said, logged or approved",
    TrustTier.AMBER: "from a tool or others",
    TrustTier.RED: "written by a model",
}
"""How far a row can be trusted, by where it came from."""
_ARROW: Final = re.compile(r"—(?=\S)|(?<=\S)→")  # the signs that `spaced_relation` sets apart
_STATUS_MARKS: Mapping[RowStatus, str] = {
    RowStatus.SUPERSEDED: "superseded",
    RowStatus.REMOVAL: "marked for removal",
    RowStatus.REDACTED: "redacted",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceQuery:
    """Which sources somebody wants to see, and from where on."""

    kind: Kind = "all"
    how: How = "near"
    standing: Standing = "live"
    private: bool = False
    search_id: str = ""
    below: int | None = None
    page: int = 1

    @classmethod
    def of(cls, params: Mapping[str, str]) -> "SourceQuery":
        """Return what the parameters of an address say; what is not valid is refused (InvalidParams)."""
        return cls(
            kind=one_of(params, "kind", KINDS, "all"),
            how=one_of(params, "how", HOWS, "near"),
            standing=one_of(params, "standing", STANDINGS, "live"),
            private=is_set(params, "private"),
            search_id=params.get("search", ""),
            below=_valid_place(params.get("below", "")),
            page=page_of(params),
        )

    @property
    def url(self) -> str:
        """The address that says this."""
        params = {
            "search": self.search_id or None,  # what is as by default is not said
            "kind": None if self.kind == "all" else self.kind,
            "how": None if self.how == "near" else self.how,
            "standing": None if self.standing == "live" else self.standing,
            "private": "1" if self.private else None,
            "below": self.below,
            "page": None if self.page == 1 else self.page,
        }
        return address_of(PATH, params)

    @property
    def first(self) -> "SourceQuery":
        """The same from the beginning."""
        return replace(self, below=None, page=1)

    @property
    def skip(self) -> int:
        """How many of what was found for words are on the pages before."""
        return (self.page - 1) * PAGE_SIZE

    def where(self, search: Search, window: Window) -> CatalogueFilter:
        """Return which rows are wanted, of a search and the window that its words for a time mean."""
        return CatalogueFilter(
            tables=_TABLES[self.kind],
            statuses=_STATUSES[self.standing],
            window=window,
            include_tags=search.tags,
            include_private=self.private,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A source in a list."""

    url: str
    kind: str
    text: str
    created_at: datetime
    trust: TrustTier
    place: str
    """Where a statement stands in its note: title, headings, the bullets above it; empty where that is not known."""
    speaker: str | None
    tags: tuple[str, ...]
    marks: tuple[str, ...]
    score: float | None = None
    pieces: tuple[Piece, ...] = ()
    """The text around what was found in it, that marked; none where nothing is marked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEntry:
    """A turn in a list."""

    url: str
    topic: str
    at: datetime
    question: tuple[Piece, ...]
    answer: tuple[Piece, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """Where one can go from a page of a list."""

    next: str | None = None
    first: str | None = None


def marked_pieces(text: str, wanted: LiteralWords | None) -> tuple[Piece, ...]:
    """Return a text around what is looked for in it, that marked; nothing where it is not there."""
    spans = wanted.spans(text)[:_MOST_MARKED] if wanted else ()
    return excerpt(text, spans, around=_AROUND) if spans else ()


def entry_of(row: Row, text: str, *, score: float | None = None, wanted: LiteralWords | None = None) -> Entry:
    """Return a row as a list shows it, what is `wanted` marked; `score` is how well it fits."""
    shown = spaced_relation(text) if isinstance(row, Relation) else without_markup(text)
    return Entry(
        url=source_url(row.id),
        kind=ONE_OF[table_of(row.id)],
        text=shown,
        created_at=row.created_at,
        trust=trust_of(row),
        place=place_of(row) if isinstance(row, Observation) else "",
        speaker=cut(row.speaker) if isinstance(row, Thought | Observation) and row.speaker else None,
        tags=tuple(map(cut, row.tags)),
        marks=marks_of(row),
        score=score,
        pieces=marked_pieces(shown, wanted),
    )


def turn_entry_of(found: TurnMatch, wanted: LiteralWords) -> TurnEntry:
    """Return a turn as a list shows it, with what is looked for marked."""
    turn, said = found.exchange, without_markup(found.exchange.answer)
    question, answer = (marked_pieces(text, wanted) for text in (turn.my_query, said))
    return TurnEntry(
        url=session_url(turn.session_id, turn.index, private=turn.is_withheld),
        topic=found.topic,
        at=turn.timestamp,
        question=question or (Piece(text=truncate(turn.my_query, 3 * _AROUND)),),  # nothing marked: the beginning
        answer=answer or (Piece(text=truncate(said, 3 * _AROUND)),),
    )


def not_of_turns(query: SourceQuery, search: Search) -> tuple[str, ...]:
    """Return what a search for turns ignores, in words."""
    exact = "voice searched for these exact words: it does not search what was said by meaning."
    told = "Turns have no tags, path or status, so voice ignores those filters here. To use them, choose another kind."
    is_filtered = search.tags or search.path or query.standing != "live"
    return (*([exact] if query.how == "near" else []), *([told] if is_filtered else []))


def place_of(row: Observation) -> str:
    """Return where a statement stands in its note, as it is read at a glance."""
    return " › ".join(map(cut, row.context_path))


def cut(name: str) -> str:
    """Return a name, or the beginning of one that is too long to be read at a glance; stored ones have no bound."""
    return name if len(name) <= _NAME_CHARS else f"{name[:_NAME_CHARS]}…"


def spaced_relation(text: str) -> str:
    """Return a relation as it is read: `one — plays in → other`."""
    return _ARROW.sub(lambda found: "— " if found[0] == "—" else " →", text)


def trust_of(row: Row) -> TrustTier:
    """Return how far a row can be trusted, by where it came from."""
    return tier_of_origin(row.origin) if isinstance(row, Thought) else row.trust


def marks_of(row: Row) -> tuple[str, ...]:
    """Return in words what sets a row apart from the others."""
    by_voice = isinstance(row, Thought) and row.is_synthesis
    marks = (
        "private" if row.is_private else "",
        _STATUS_MARKS.get(row.status, ""),
        "written by voice, never a source" if by_voice else "",
    )
    return tuple(filter(None, marks))


def leaf_pages(below: int | None, asked: SourceQuery) -> Pages:
    """Return where a list without words goes on; `below` is where its page ended."""
    more = None if below is None else replace(asked, below=below).url  # a list without words goes on by `seq`
    return Pages(next=more, first=None if asked.below is None else asked.first.url)


def part_pages(asked: SourceQuery, *, has_more: bool) -> Pages:
    """Return where a list of what holds the very words goes on."""
    more = replace(asked, page=asked.page + 1).url if has_more else None
    return Pages(next=more, first=asked.first.url if asked.page > 1 else None)


def count_in_words(total: int | None, shown: int, asked: SourceQuery, order: str) -> str:
    """Return how many were found (None: not known), which of them a page shows, and in which order."""
    if not shown:  # an empty page says so itself
        return ""
    if total is not None and total <= PAGE_SIZE:
        return f"{counted(total, 'source')}, {order}"
    of = "" if total is None else f" of {counted(total, 'source')}"
    return f"{asked.skip + 1:,} to {asked.skip + shown:,}{of}, {order}"


def _valid_place(text: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 16 and int(text) > 0):
        raise InvalidParameter('`below` must be the end of the previous page, a number from 1; follow "Next" there')
    return int(text)
