"""Plan which rows a forgetting removes, changes and leaves.

Law: rows with the same text, earlier values, summaries, and rows without a remaining source go along. A row with
another
source, or named by a remaining row, stays without its references. A derived row whose successor says the same does not
spread by text. For a deleted note (`others_stay`) equal texts of others stay. Idempotent; depends on rows alone.
Source: rulings A13, C10, F, G, H; docs/forgetting.md.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, TypeVar, assert_never

from voice.core.errors import InvalidParams
from voice.core.graph.row_text import named_by, readable_text_of
from voice.core.messages import memory as messages
from voice.core.records import EmbeddingStatus, Entity, GraphRow, Observation, Relation, Row, RowStatus, Thought
from voice.core.text.instants import has_date
from voice.core.text.leakage import LeakMarkers, contains_phrase, leak_markers_of
from voice.core.text.normalise import content_hash, norm_v1
from voice.core.text.spans import locate

_R = TypeVar("_R", bound=Row)
Act = Literal["forget", "redact"]
"""Remove and leave a tombstone, or keep the row without its words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetRequest:
    """What to forget: rows by id, or all rows that match the conditions.

    Raises:
        InvalidParams: empty, or both ids and conditions.
    """

    ids: frozenset[str] = frozenset()
    matching: str | None = None
    """A phrase in the row."""
    tags: frozenset[str] = frozenset()
    about: str | None = None
    """A speaker's or entity's name."""
    since: datetime | None = None
    until: datetime | None = None
    """Half-open window of when it was said."""
    others_stay: bool = False
    """Whether equal texts of others stay and may be said again: a note is gone, not a fact."""

    def __post_init__(self) -> None:
        for text, option in ((self.matching, "--matching"), (self.about, "--about")):
            if text is not None and not norm_v1(text):
                raise InvalidParams(messages.nothing_to_forget_by(option))
        if self.ids and self.describes:
            raise InvalidParams(messages.FORGET_BOTH_WAYS)
        if not (self.ids or self.describes):
            raise InvalidParams(messages.FORGET_WHAT)

    @property
    def describes(self) -> bool:
        """Whether rows are selected by conditions."""
        return bool(self.matching or self.tags or self.about or self.since or self.until)


@dataclass(frozen=True, slots=True, kw_only=True)
class RemainingMention:
    """A remaining row with words of what goes."""

    row: Row
    start: int = 0
    end: int = 0
    """Span in `readable_text_of(row)`; empty if it is only the source."""
    is_meant: bool = False
    """Whether they are words of a meant row, not only of a derived one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetPlan:
    """Effects of forgetting on a memory's rows."""

    meant: tuple[Row, ...] = ()
    """Selected rows, by id."""
    derived: tuple[Row, ...] = ()
    """Rows that go along, by id."""
    changed: tuple[Row, ...] = field(default=(), repr=False)
    """Remaining rows, updated, by id."""
    still_said: tuple[RemainingMention, ...] = ()
    """Remaining rows with words of what goes, by id."""
    giveaway: LeakMarkers = LeakMarkers()
    others_stay: bool = False
    """Whether the words may be said again (`ForgetRequest`)."""
    said_on: frozenset[str] = frozenset()
    """Derived ids whose successor stays and says the same."""

    @property
    def going(self) -> tuple[Row, ...]:
        """All rows that go."""
        return (*self.meant, *self.derived)

    @property
    def unasked(self) -> tuple[Row, ...]:
        """Rows not selected: derived ones and remaining mentions."""
        return (*self.derived, *(each.row for each in self.still_said))


def plan_forget(
    rows: Mapping[str, Row], wanted: ForgetRequest, act: Act, *, before: Collection[str] = ()
) -> ForgetPlan:
    """Plan a forgetting.

    Args:
        rows: the whole memory by id; redacted rows can be forgotten, not redacted.
        act: references to a redacted row stay.
        before: wanted ids without a row; their dependents still go.
    """
    told = {each: row for each, row in rows.items() if act == "forget" or row.status is not RowStatus.REDACTED}
    meant = {row.id for row in told.values() if _is_meant(row, wanted, told)}
    going = _closure(told, meant, before, others_stay=wanted.others_stay)
    staying = [row for row in told.values() if row.id not in going]
    texts = [readable_text_of(told[row_id]) for row_id in sorted(going)]
    giveaway = leak_markers_of(texts, map(readable_text_of, staying), named=wanted.matching)
    changed = (_unreasoned(row, without_forgotten(row, going.union(before), act), giveaway) for row in staying)
    said_on = frozenset(each for each in going - meant if _is_said_on(told[each], told, going))
    asked = [
        told[each] for each in sorted(going - said_on) if each in meant or isinstance(told[each], Thought | Observation)
    ]
    sources = {thought_id for row in asked for thought_id in thoughts_of(row)} - going
    words = _words_of(asked, meant, wanted.matching or "")
    still = (_still_said(row, words, sources) for row in staying if row.status is not RowStatus.REDACTED)
    return ForgetPlan(
        meant=tuple(told[row_id] for row_id in sorted(meant)),
        derived=tuple(told[row_id] for row_id in sorted(going - meant)),
        changed=tuple(sorted((row for row in changed if row is not None), key=lambda row: row.id)),
        still_said=tuple(sorted((each for each in still if each is not None), key=lambda each: each.row.id)),
        giveaway=giveaway,
        others_stay=wanted.others_stay,
        said_on=said_on,
    )


def thoughts_of(row: Row) -> tuple[str, ...]:
    """Return the source thoughts of a graph row; empty for a thought."""
    return () if isinstance(row, Thought) else tuple(origin.thought_id for origin in row.provenance)


def redacted(row: Row) -> Row:
    """Return the row without its words; id, dates, tags, scope and references stay."""
    bare = replace(
        row,
        status=RowStatus.REDACTED,
        superseded_reason=None,
        revision=row.revision + 1,
        embedding_status=EmbeddingStatus.PENDING,
    )
    match bare:
        case Thought():
            return replace(
                bare,
                content="",
                speaker=None,
                source_ref=None,
                submode=None,
                enriched_content=None,
                framework_analysis=None,
                vouched=None,
                vouched_at=None,
                vouched_spans=(),
                unfound=(),
            )
        case Observation():
            return replace(bare, text="", speaker=None)
        case Entity():
            return replace(bare, name="", description="", aliases=())
        case Relation():
            return replace(bare, description="")
        case _:
            assert_never(bare)


def without_forgotten(row: _R, going: Collection[str], act: Act) -> _R | None:
    """Return a remaining row without references to what goes; None if it has none.

    Args:
        going: ids of what goes.
        act: references to redacted rows stay.
    """
    if isinstance(row, Thought):
        is_enriched = bool(row.enriched_content) and bool(set(row.injected_memories) & set(going))
        return replace(row, enriched_content=None, revision=row.revision + 1) if is_enriched else None
    if act == "redact" or not (set(thoughts_of(row)) | set(named_by(row))) & set(going):
        return None
    kept = tuple(origin for origin in row.provenance if origin.thought_id not in going)
    left = replace(row, provenance=kept, revision=row.revision + 1)
    if isinstance(left, Observation):
        return replace(left, entity_ids=tuple(each for each in left.entity_ids if each not in going))
    if kept or not isinstance(left, Entity):
        return left
    # What described it was in what goes; its name is said by what stays.
    return replace(left, description="", embedding_status=EmbeddingStatus.PENDING)


def _unreasoned(row: Row, left: Row | None, giveaway: LeakMarkers) -> Row | None:
    """Remove a correction's reason that quotes what goes."""
    if not giveaway.is_quoted_in(row.superseded_reason):
        return left
    return replace(left or row, superseded_reason=None, revision=row.revision + 1)


def _is_meant(row: Row, wanted: ForgetRequest, rows: Mapping[str, Row]) -> bool:
    if wanted.ids:
        return row.id in wanted.ids
    is_open = wanted.since is None and wanted.until is None
    has_begun = wanted.since is None or wanted.since <= row.created_at
    in_time = is_open or (
        has_date(row.created_at) and has_begun and (wanted.until is None or row.created_at < wanted.until)
    )
    return (
        in_time
        and wanted.tags <= set(row.tags)
        and (wanted.matching is None or _holds(row, wanted.matching))
        and (wanted.about is None or _names(row, wanted.about, rows))
    )


def _holds(row: Row, text: str) -> bool:
    aliases = row.aliases if isinstance(row, Entity) else ()
    enriched = row.enriched_content if isinstance(row, Thought) else None
    return any(
        contains_phrase(norm_v1(each), norm_v1(text)) for each in (readable_text_of(row), *aliases, enriched or "")
    )


def _names(row: Row, name: str, rows: Mapping[str, Row]) -> bool:
    """Return whether a row has the name, was said by it, refers to it, or contains it."""
    wanted = norm_v1(name)
    if isinstance(row, Entity):
        return wanted in map(norm_v1, (row.name, *row.aliases))
    speaker = None if isinstance(row, Relation) else row.speaker
    pointed = [rows[each] for each in named_by(row) if each in rows]
    is_pointed = any(isinstance(node, Entity) and _names(node, name, rows) for node in pointed)
    return is_pointed or norm_v1(speaker or "") == wanted or _holds(row, name)


def _closure(
    rows: Mapping[str, Row], meant: Collection[str], before: Collection[str], *, others_stay: bool
) -> frozenset[str]:
    """Return the ids of all rows that go with the meant ones, as a fixed point."""
    going = set(meant)
    while True:
        out = going.union(before)
        telling = (each for each in going if each in meant or not _is_said_on(rows[each], rows, out))
        words = (readable_text_of(rows[row_id]) for row_id in telling)
        said = None if others_stay else {content_hash(each) for each in words if norm_v1(each)}
        left = [row for row in rows.values() if row.id not in out]
        named = {node for row in left for node in _kept_nodes(row, out, others_stay=others_stay)}
        more = {row.id for row in left if _goes_with(row, out, said=said, named=named)}
        if not more:
            return frozenset(going)
        going |= more


def _goes_with(row: Row, going: Collection[str], *, said: Collection[str] | None, named: Collection[str]) -> bool:
    """Return whether a row goes; `said` None lets equal texts stay."""
    if _successor_of(row) in going:
        return True
    match row:
        case Thought():
            return bool(set(row.summary_of) & set(going)) or content_hash(row.content) in (said or ())
        case Observation():
            return _falls(row, going, others_stay=said is None) or content_hash(row.text) in (said or ())
        case Entity():
            return _rests_on_nothing_else(row, going) and row.id not in named
        case Relation():
            return _rests_on_nothing_else(row, going) or bool({row.source_id, row.target_id} & set(going))
        case _:
            assert_never(row)


def _falls(row: Observation, going: Collection[str], *, others_stay: bool) -> bool:
    """Return whether a statement goes: with any of its thoughts, or with the last one if others stay."""
    return _rests_on_nothing_else(row, going) if others_stay else bool(set(thoughts_of(row)) & set(going))


def _is_said_on(row: Row, rows: Mapping[str, Row], going: Collection[str]) -> bool:
    """Return whether a row's successor stays and says the same."""
    heir = rows.get(_successor_of(row) or "")
    return (
        heir is not None and heir.id not in going and norm_v1(readable_text_of(heir)) == norm_v1(readable_text_of(row))
    )


def _rests_on_nothing_else(row: GraphRow, going: Collection[str]) -> bool:
    behind = thoughts_of(row)
    return bool(behind) and set(behind) <= set(going)


def _successor_of(row: Row) -> str | None:
    """Return a row's successor, with which it goes as its past value."""
    return row.superseded_by


def _kept_nodes(row: Row, going: Collection[str], *, others_stay: bool) -> tuple[str, ...]:
    """Return the entities named by a row that stays."""
    if _successor_of(row) in going:
        return ()
    if isinstance(row, Observation):
        return () if _falls(row, going, others_stay=others_stay) else row.entity_ids
    if not isinstance(row, Relation) or _rests_on_nothing_else(row, going):
        return ()
    return (row.source_id, row.target_id)


def _words_of(asked: Iterable[Row], meant: Collection[str], matching: str) -> dict[str, bool]:
    """Return the phrases to look for, and whether they are of meant rows; those first."""
    said = [(text, row.id in meant) for row in asked for text in _told_by(row)]
    of_meant = dict.fromkeys([*(text for text, is_meant in said if is_meant), matching], True)
    return of_meant | {text: False for text, _ in said if text not in of_meant}


def _told_by(row: Row) -> tuple[str, ...]:
    """Return a row's phrases: its text, and an entity's names."""
    return (readable_text_of(row), row.name, *row.aliases) if isinstance(row, Entity) else (readable_text_of(row),)


def _still_said(row: Row, texts: Mapping[str, bool], sources: Collection[str]) -> RemainingMention | None:
    """Return where a row says one of `texts`; None if nowhere and it is not a source."""
    said = readable_text_of(row)
    normal = norm_v1(said)
    again = next((text for text in texts if contains_phrase(normal, norm_v1(text))), None)
    if again is None:
        return RemainingMention(row=row) if row.id in sources else None
    found = locate(again, said)
    return RemainingMention(row=row, start=found.start, end=found.end, is_meant=texts[again])
