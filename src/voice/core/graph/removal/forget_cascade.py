"""Plan which rows a forgetting removes, changes and leaves.

Law: rows with the same text, earlier values, summaries, and rows without a remaining source go along. A row with
another source, or named by a remaining row, stays without its references. A derived row whose successor says the same
does not spread by text. For a deleted note (`others_stay`) equal texts of others stay. Idempotent.
Source: rulings A13, C10, F, G, H; docs/forgetting.md.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal, TypeVar, assert_never

from voice.core.errors import InvalidParams
from voice.core.graph.row_display import named_by, readable_text_of
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
    """What to forget: rows by id, or all that match. Raises InvalidParams: empty, or both ids and conditions."""

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
    sentence: str | None = None
    """What alone is meant of a note; words that go along without it may stay elsewhere and be said again."""

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
    sentence: str | None = None
    said_on: frozenset[str] = frozenset()
    """Derived ids whose successor stays and says the same."""

    @property
    def going(self) -> tuple[Row, ...]:
        """All rows that go."""
        return (*self.meant, *self.derived)


def plan_forget(
    rows: Mapping[str, Row], wanted: ForgetRequest, act: Act, *, before: Collection[str] = ()
) -> ForgetPlan:
    """Plan a forgetting.

    Args:
        rows: the whole memory by id; redacted rows can be forgotten, not redacted.
        act: references to a redacted row stay.
        before: wanted ids without a row; their dependents still go.
    """
    eligible = {each: row for each, row in rows.items() if act == "forget" or row.status is not RowStatus.REDACTED}
    meant = {row.id for row in eligible.values() if _is_meant(row, wanted, eligible)}
    going = _closure(eligible, meant, before, wanted)
    staying = [row for row in eligible.values() if row.id not in going]
    texts = [readable_text_of(eligible[row_id]) for row_id in sorted(going)]  # sorted: sets have no order
    giveaway = leak_markers_of(texts, map(readable_text_of, staying), named=wanted.matching)
    changed = (_without_reason(row, without_forgotten(row, going.union(before), act), giveaway) for row in staying)
    repeated = frozenset(each for each in going - meant if _is_repeated(eligible[each], eligible, going))
    gone = [eligible[row_id] for row_id in sorted(going - repeated)]
    is_whole = wanted.sentence is None
    searched = [row for row in gone if is_whole and (row.id in meant or isinstance(row, Thought | Observation))]
    sources = {thought_id for row in searched for thought_id in thoughts_of(row)} - going
    phrases = _phrases_of(searched, meant, wanted.matching or wanted.sentence or "")
    mentions = (_mention(row, phrases, sources) for row in staying if row.status is not RowStatus.REDACTED)
    return ForgetPlan(
        meant=tuple(eligible[row_id] for row_id in sorted(meant)),
        derived=tuple(eligible[row_id] for row_id in sorted(going - meant)),
        changed=tuple(sorted((row for row in changed if row is not None), key=lambda row: row.id)),
        still_said=tuple(sorted((each for each in mentions if each is not None), key=lambda each: each.row.id)),
        giveaway=giveaway,
        others_stay=wanted.others_stay,
        sentence=wanted.sentence,
        said_on=repeated,
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
    """Return a remaining row without references to what goes, redacted rows apart; None if it has none."""
    if isinstance(row, Thought):
        # An enrichment quotes other memories; once one of them goes, its words must go as well.
        is_enriched = bool(row.enriched_content) and bool(set(row.injected_memories) & set(going))
        return replace(row, enriched_content=None, revision=row.revision + 1) if is_enriched else None
    if act == "redact" or not (set(thoughts_of(row)) | set(named_by(row))) & set(going):
        return None
    spans = tuple(span for span in row.provenance if span.thought_id not in going)
    changed = replace(row, provenance=spans, revision=row.revision + 1)
    if isinstance(changed, Observation):
        return replace(changed, entity_ids=tuple(each for each in changed.entity_ids if each not in going))
    if spans or not isinstance(changed, Entity):
        return changed
    # Its description came from what goes; its name is in what stays.
    return replace(changed, description="", embedding_status=EmbeddingStatus.PENDING)


def _without_reason(row: Row, changed: Row | None, giveaway: LeakMarkers) -> Row | None:
    """Remove a correction's reason that quotes what goes."""
    if not giveaway.is_quoted_in(row.superseded_reason):
        return changed
    return replace(changed or row, superseded_reason=None, revision=row.revision + 1)


def _is_meant(row: Row, wanted: ForgetRequest, rows: Mapping[str, Row]) -> bool:
    if wanted.ids:
        return row.id in wanted.ids
    is_open = wanted.since is None and wanted.until is None
    is_after = wanted.since is None or wanted.since <= row.created_at
    is_before = wanted.until is None or row.created_at < wanted.until
    return (
        (is_open or (has_date(row.created_at) and is_after and is_before))
        and wanted.tags <= set(row.tags)
        and (wanted.matching is None or _contains(row, wanted.matching))
        and (wanted.about is None or _is_about(row, wanted.about, rows))
    )


def _contains(row: Row, text: str) -> bool:
    aliases = row.aliases if isinstance(row, Entity) else ()  # names that the readable text lacks
    enriched = row.enriched_content if isinstance(row, Thought) else None
    return any(
        contains_phrase(norm_v1(each), norm_v1(text)) for each in (readable_text_of(row), *aliases, enriched or "")
    )


def _is_about(row: Row, name: str, rows: Mapping[str, Row]) -> bool:
    """Return whether a row has the name, was said by it, refers to it, or contains it."""
    normal = norm_v1(name)
    if isinstance(row, Entity):
        return normal in map(norm_v1, (row.name, *row.aliases))
    speaker = None if isinstance(row, Relation) else row.speaker  # a relation has no speaker
    nodes = (rows.get(each) for each in named_by(row))
    is_linked = any(isinstance(node, Entity) and _is_about(node, name, rows) for node in nodes)
    return is_linked or norm_v1(speaker or "") == normal or _contains(row, name)


def says(row: Row, sentence: str | None) -> bool:
    """Return whether a row says a sentence; None is in every row."""
    return sentence is None or norm_v1(sentence) in norm_v1(readable_text_of(row))


def _closure(
    rows: Mapping[str, Row], meant: Collection[str], before: Collection[str], wanted: ForgetRequest
) -> frozenset[str]:
    """Return the ids of all rows that go with the meant ones, as a fixed point."""
    going = set(meant)
    while True:
        gone = going.union(before)
        spreading = (each for each in going if each in meant or not _is_repeated(rows[each], rows, gone))
        texts = (readable_text_of(rows[row_id]) for row_id in spreading if says(rows[row_id], wanted.sentence))
        # An empty text is equal to none: it says nothing that must go.
        hashes = None if wanted.others_stay else {content_hash(each) for each in texts if norm_v1(each)}
        staying = [row for row in rows.values() if row.id not in gone]
        named = {node for row in staying for node in _nodes_of_staying(row, gone, others_stay=hashes is None)}
        more = {row.id for row in staying if _goes_with(row, gone, hashes=hashes, named=named)}
        if not more:
            return frozenset(going)
        going |= more


def _goes_with(row: Row, going: Collection[str], *, hashes: Collection[str] | None, named: Collection[str]) -> bool:
    """Return whether a row goes; `hashes` are of texts that go, None lets equal texts stay."""
    if row.superseded_by in going:  # a past value goes with its successor
        return True
    match row:
        case Thought():
            return bool(set(row.summary_of) & set(going)) or content_hash(row.content) in (hashes or ())
        case Observation():
            return _statement_goes(row, going, others_stay=hashes is None) or content_hash(row.text) in (hashes or ())
        case Entity():
            return _loses_all_sources(row, going) and row.id not in named
        case Relation():
            return _loses_all_sources(row, going) or bool({row.source_id, row.target_id} & set(going))
        case _:
            assert_never(row)


def _statement_goes(row: Observation, going: Collection[str], *, others_stay: bool) -> bool:
    """Return whether a statement goes: with any of its thoughts, or with the last one if others stay."""
    return _loses_all_sources(row, going) if others_stay else bool(set(thoughts_of(row)) & set(going))


def _is_repeated(row: Row, rows: Mapping[str, Row], going: Collection[str]) -> bool:
    """Return whether a row's successor stays and says the same."""
    heir = rows.get(row.superseded_by or "")
    if heir is None or heir.id in going:
        return False
    return norm_v1(readable_text_of(heir)) == norm_v1(readable_text_of(row))


def _loses_all_sources(row: GraphRow, going: Collection[str]) -> bool:
    sources = thoughts_of(row)
    return bool(sources) and set(sources) <= set(going)


def _nodes_of_staying(row: Row, going: Collection[str], *, others_stay: bool) -> tuple[str, ...]:
    if row.superseded_by in going:
        return ()  # it goes itself
    if isinstance(row, Observation):
        return () if _statement_goes(row, going, others_stay=others_stay) else row.entity_ids
    if not isinstance(row, Relation) or _loses_all_sources(row, going):
        return ()
    return (row.source_id, row.target_id)


def _phrases_of(rows: Sequence[Row], meant: Collection[str], matching: str) -> list[str]:
    """Return the texts and entity names to look for, those of meant rows first."""
    texts: dict[bool, list[str]] = {True: [], False: []}
    for row in rows:
        names = (row.name, *row.aliases) if isinstance(row, Entity) else ()
        texts[row.id in meant] += (readable_text_of(row), *names)
    return list(dict.fromkeys([*texts[True], matching, *texts[False]]))


def _mention(row: Row, phrases: Sequence[str], sources: Collection[str]) -> RemainingMention | None:
    """Return where a row has one of the phrases; None if nowhere and it is not a source."""
    text = readable_text_of(row)
    normal = norm_v1(text)
    phrase = next((each for each in phrases if contains_phrase(normal, norm_v1(each))), None)
    if phrase is None:
        return RemainingMention(row=row) if row.id in sources else None
    found = locate(phrase, text)
    return RemainingMention(row=row, start=found.start, end=found.end)
