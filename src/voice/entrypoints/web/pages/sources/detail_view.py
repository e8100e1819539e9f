"""What the page of one source shows: its words, provenance, past and citations.

Law: values in, values out. What a person reads as provenance is a list of (what, value) in one order for every kind of
row; what is not known is not told as if it were.
Source: DESIGN 8 Web (sources browser); promises 6, 9; rulings A10, C10, F.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from voice.core.graph.thoughts.vouching import is_noted
from voice.core.interchange.origin import Location
from voice.core.messages.showing import A_PROGRAM
from voice.core.records import (
    Entity,
    GraphRow,
    Observation,
    Origin,
    Relation,
    Row,
    RowStatus,
    Scope,
    Thought,
    TrustTier,
    table_of,
)
from voice.core.render.answer import quoted
from voice.core.text.display import truncate
from voice.core.text.note_context import title_of
from voice.entrypoints.web.pages.addresses import InvalidParameter, graph_url, source_url
from voice.entrypoints.web.pages.excerpts import MOST_SHOWN, MarkedText, Span, marked_text, steering_in
from voice.entrypoints.web.pages.review.noted import STATES, NotesQuery
from voice.entrypoints.web.pages.source_list import (
    ONE_OF,
    Entry,
    cut,
    entry_of,
    marks_of,
    place_of,
    spaced_relation,
    trust_of,
)
from voice.services.graph.row_dossier import Dossier, Ground
from voice.services.recall.pins import PinView

_ORIGINS: Final[Mapping[Origin, str]] = {
    Origin.HUMAN: "a person",
    Origin.LOGGED: "a program's log of what a person did",
    Origin.TOOL: "a tool, or other people",
    Origin.MODEL: "a language model",
}
_TIERS: Final[Mapping[TrustTier, str]] = {
    TrustTier.GREEN: "green: said, logged or approved by a person",
    TrustTier.AMBER: "amber: from a tool or another person, or of unknown origin",
    TrustTier.RED: "red: written by a model",
}
_AROUND: Final = 120  # characters around a place
_PLACE_DIGITS: Final = 12  # digits of a place
_TITLE_CHARS: Final = 72  # of a title
_ELLIPSIS: Final = "…"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One thing that is known of a row."""

    name: str
    text: str = ""
    moment: datetime | None = None
    url: str | None = None
    is_code: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundView:
    """A place in a thought that a row rests on."""

    thought_id: str
    url: str
    created_at: datetime | None = None
    title: str = ""
    before: str = ""
    text: str = ""
    after: str = ""
    is_told: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PastVersion:
    """A wording that was replaced."""

    entry: Entry
    until: datetime | None
    reason: str
    author: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceView:
    """What the page of a source shows."""

    url: str
    kind: str
    title: str
    text: MarkedText
    marks: tuple[str, ...]
    trust: TrustTier
    created_at: datetime
    facts: tuple[Fact, ...]
    grounds: tuple[GroundView, ...]
    derived: tuple[Entry, ...]
    named: tuple[tuple[str, str], ...]
    graph: str | None
    replaced: tuple[PastVersion, ...]
    successor: Entry | None
    pins: tuple[PinView, ...]
    hidden: int
    is_withheld: bool
    can_change: bool
    """Whether it can be corrected and pinned: it is what holds now."""
    words: str
    """What a correction begins with: its own words, of an edge or an entity its description."""

    @property
    def unseen(self) -> tuple[str, ...]:
        """The numbers of the characters in `words` that cannot be seen: a field leaves them out."""
        return steering_in(self.words)


def view_of(dossier: Dossier, span: Span | None, *, show_all: bool, found: Location | None = None) -> SourceView:
    """Return what the page shows, `span` marked in it, a long text whole if `show_all`; `found`: where the row is."""
    row = dossier.row
    return SourceView(
        url=source_url(row.id),
        kind=ONE_OF[table_of(row.id)],
        title="" if dossier.is_withheld else title_in_words(row, dossier.text),  # nothing is told of withheld words
        text=marked_text(dossier.text, [span] if span else (), most=None if show_all else MOST_SHOWN),
        marks=marks_of(row),
        trust=trust_of(row),
        created_at=row.created_at,
        facts=tuple(_facts(dossier, found)),
        grounds=tuple(map(_ground, dossier.grounds)),
        derived=tuple(entry_of(each, dossier.texts[each.id]) for each in dossier.derived),
        named=tuple((each.name, source_url(each.id)) for each in dossier.entities),
        graph=_picture_url(dossier),
        replaced=tuple(_past_version(each, dossier.texts[each.id]) for each in dossier.replaced),
        successor=None
        if dossier.successor is None
        else entry_of(dossier.successor, dossier.texts[dossier.successor.id]),
        pins=dossier.pins,
        hidden=dossier.hidden,
        is_withheld=dossier.is_withheld,
        can_change=row.status is RowStatus.ACTIVE and not dossier.is_withheld,  # what was replaced is the past
        words=_correctable_text(row),
    )


def title_in_words(row: Row, text: str) -> str:
    """Return what a source is called: a note by its name, anything else by its first words."""
    named = title_of(row.source_ref) if isinstance(row, Thought) else None  # rows of the graph are in no file
    if isinstance(row, Entity):
        named = row.name
    return truncate(named or quoted(spaced_relation(text) if isinstance(row, Relation) else text), _TITLE_CHARS)


def span_of(params: Mapping[str, str]) -> Span | None:
    """Return the place that an address names, None where it names none; what is no place is refused (InvalidParams)."""
    ends = start, end = params.get("from", ""), params.get("to", "")  # bound at once, to ask whether either is there
    if not any(ends):
        return None
    if not all(each.isascii() and each.isdigit() and len(each) <= _PLACE_DIGITS for each in ends):
        raise InvalidParameter(
            "`from` and `to` are the start and the end of a place in the text, in characters; give both"
        )
    if int(start) >= int(end):
        raise InvalidParameter("`from` must be smaller than `to`")  # an empty place shows nothing
    return int(start), int(end)


def _facts(dossier: Dossier, found: Location | None) -> Iterator[Fact]:
    row = dossier.row
    if found is not None:
        yield Fact(name="Found in", text=found.label, url=found.uri)
    yield Fact(name="Comes from", text=_ORIGINS[row.origin])
    yield Fact(name="Trust", text=_TIERS[trust_of(row)])
    yield Fact(name="Said or true on", moment=row.created_at)
    yield Fact(name="Stored", moment=row.recorded_at)
    yield from _own_facts(row)
    if row.tags:
        yield Fact(name="Tags", text=", ".join(map(cut, row.tags)))
    yield from _scope(row.scope)
    if row.revision > 1:
        yield Fact(name="Revision", text=f"{row.revision}")
    yield from _ending(row)
    yield Fact(name="Vector", text=row.embedding_status)
    yield Fact(name="Id", text=row.id, is_code=True)
    yield Fact(name="Content hash", text=dossier.content_hash, is_code=True)


def _own_facts(row: Row) -> Iterator[Fact]:
    if isinstance(row, Thought):
        yield Fact(name="Kind", text=row.kind)
        yield from _review(row)
        yield from _spoken(row)
        if row.source_ref:
            yield Fact(name="Place in the source", text=row.source_ref, is_code=True)
        return
    if isinstance(row, Observation):
        if row.context_path:
            yield Fact(name="Context", text=place_of(row))
        yield from _spoken(row)
    if isinstance(row, Entity):
        yield Fact(name="Type", text=row.entity_type)
        if row.aliases:
            yield Fact(name="Other names", text=", ".join(row.aliases))
    yield from _validity(row)


def _review(row: Thought) -> Iterator[Fact]:
    """Yield which program noted it, and what its owner said of it."""
    if row.vouched is None:
        return
    yield Fact(name="Noted by", text=row.noted_by or A_PROGRAM)
    asked = NotesQuery(state=row.vouched, noted_by=row.noted_by or "", private=row.is_private)
    yield Fact(name="Review", text=STATES[row.vouched], url=asked.url if is_noted(row) else None)


def _spoken(row: Thought | Observation) -> Iterator[Fact]:
    if row.speaker:
        yield Fact(name="Speaker", text=row.speaker)
    if row.thread:
        yield Fact(name="Thread or capsule", text=row.thread, is_code=True)


def _validity(row: GraphRow) -> Iterator[Fact]:
    if row.confidence < 1:  # certain is not worth a line
        yield Fact(name="Confidence", text=f"{row.confidence:.0%} when found")
    if row.valid_from:
        yield Fact(name="True since", moment=row.valid_from)
    if row.valid_until:
        yield Fact(name="True until", moment=row.valid_until)


def _scope(scope: Scope) -> Iterator[Fact]:
    named = {"session": scope.session_id, "repository": scope.repo_id, "agent": scope.agent_id, "user": scope.user_id}
    yield from (Fact(name=f"Belongs to ({name})", text=value, is_code=True) for name, value in named.items() if value)


def _ending(row: Row) -> Iterator[Fact]:
    if row.superseded_at:
        yield Fact(name="Superseded", moment=row.superseded_at)
    if row.superseded_reason:
        yield Fact(name="Reason", text=row.superseded_reason)
    if isinstance(row, Thought) and row.removal_marked_at and row.status is RowStatus.REMOVAL:
        yield Fact(name="Marked for removal", moment=row.removal_marked_at)


def _ground(ground: Ground) -> GroundView:
    at, thought = ground.at, ground.thought
    url = source_url(at.thought_id, at.start, at.end)
    if thought is None or thought.status is RowStatus.REDACTED:  # the place stays, the words are gone
        return GroundView(thought_id=at.thought_id, url=url)
    text, start, end = thought.content, max(0, at.start - _AROUND), at.end + _AROUND
    return GroundView(
        thought_id=at.thought_id,
        url=url,
        created_at=thought.created_at,
        title=title_of(thought.source_ref) or "",
        before=(_ELLIPSIS if start else "") + text[start : at.start],
        text=text[at.start : at.end],
        after=text[at.end : end] + (_ELLIPSIS if end < len(text) else ""),
        is_told=True,
    )


def _past_version(row: Row, text: str) -> PastVersion:
    author = row.superseded_author
    return PastVersion(
        entry=entry_of(row, text),
        until=row.superseded_at,
        reason=row.superseded_reason or "",
        author="" if author is None else _ORIGINS[author],
    )


def _picture_url(dossier: Dossier) -> str | None:
    """Return where the picture around the row is: around itself, or around the first entity that it names."""
    row = dossier.row
    if isinstance(row, Entity):
        return graph_url(row.id) if row.status is RowStatus.ACTIVE else None  # once merged it has none
    return graph_url(dossier.entities[0].id) if dossier.entities else None


def _correctable_text(row: Row) -> str:
    if isinstance(row, Entity | Relation):
        return row.description  # an edge's words are its description
    return row.content if isinstance(row, Thought) else row.text
