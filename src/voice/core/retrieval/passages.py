"""Passages of consecutive sentences around a hit, and chosen graph rows as evidence that a prompt may cite.

Law: a passage keeps whole rows in text order, so citations still name one sentence. It grows from the hit, forwards
first, within its budget, under the same heading or along bullet nesting. A sentence is in one passage only.

Evidence is graph rows only (ruling A2), under aliases of its prompt (ruling D4), with the full text for offsets and the
shown part. Source thoughts are kept, to count rows of one thought once (ruling D2).
Source: DESIGN 5 "Evidence … is a passage"; rulings A2, A15, C19, C20, D2, D4, I1.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, NamedTuple, assert_never

from voice.core.errors import InvalidParams
from voice.core.grounding.values import Evidence
from voice.core.messages import asking as messages
from voice.core.records import Entity, EntityName, GraphRow, Observation, Relation, Scope, Thought
from voice.core.retrieval.ranking import by_cosine, unit_score
from voice.core.retrieval.values import LOCAL_HYBRID, SOURCE_TYPE, Candidate, RetrieveParams, Window
from voice.core.text.display import thread_label
from voice.core.text.instants import has_date
from voice.core.text.note_context import PATH_SIGN, repeats_path_step
from voice.core.text.sentences import cap_span

PASSAGE_CHARS: Final = 600
"""Maximum characters: what a re-ranker reads at once."""
_BEFORE_CHARS: Final = 450  # with this many characters, a passage takes no preceding sentence
_HEADINGS: Final = 2  # path steps (title, first heading) shared by all sentences of a passage


class Sentence(NamedTuple):
    """An observation's half-open span in its thought."""

    start: int
    end: int
    row_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """Consecutive sentences of one thought, or one other row."""

    rows: tuple[Candidate, ...]
    """In text order."""
    found: int
    """Index of the hit in `rows`."""
    relevant: frozenset[int] = frozenset()
    """Indexes of the rows that a re-ranker reads as relevant by themselves."""

    @property
    def hit(self) -> Candidate:
        """The row that was found."""
        return self.rows[self.found]

    @property
    def context_path(self) -> tuple[str, ...]:
        """Context path of the first sentence."""
        row = self.rows[0].row
        return row.context_path if isinstance(row, Observation) else ()

    @property
    def text(self) -> str:
        """Its sentences, one per line."""
        return "\n".join(each.text for each in self.rows)

    @property
    def placed_text(self) -> str:
        """Its text under its context path, as a re-ranker reads it."""
        path = " › ".join(self.context_path)
        return f"{path}\n{self.text}" if path else self.text


def has_ended(found: Candidate, now: datetime | None) -> bool:
    """Return whether a row has ended at `now`; without `now`, never."""
    until = None if isinstance(found.row, Thought) else found.row.valid_until
    return until is not None and now is not None and until <= now


def tells_no_end(found: Candidate, now: datetime | None) -> bool:
    """Return whether a row has ended and has no date, so that an answer would state it as current."""
    return has_ended(found, now) and not has_date(found.row.created_at)


def without_ended_neighbours(passage: Passage, now: datetime | None) -> Passage:
    """Remove ended neighbours of the hit."""
    kept = tuple(row for row in passage.rows if row is passage.hit or not has_ended(row, now))
    return Passage(rows=kept, found=kept.index(passage.hit))


def thought_of(candidate: Candidate) -> str | None:
    """Return the thought of a sentence row; None for other rows."""
    row = candidate.row
    return row.provenance[0].thought_id if isinstance(row, Observation) and row.provenance else None


def nearby(hits: Sequence[Candidate], places: Mapping[str, Sequence[Sentence]]) -> tuple[str, ...]:
    """Return the distinct ids of rows that could join a passage around a hit; `places` are in text order."""
    ids: dict[str, None] = {}
    for hit in hits:
        around, at = _around(hit, places)
        for side in (around[at:], around[: at + 1][::-1]):  # forwards, then backwards, both from the hit
            ids |= dict.fromkeys(place.row_id for place in _within_reach(side))
    return tuple(ids)


def _within_reach(sentences: Sequence[Sentence]) -> Iterator[Sentence]:
    """Yield sentences up to the first that exceeds a passage's budget."""
    room = PASSAGE_CHARS
    for place in sentences:
        yield place
        room -= place.end - place.start
        if room < 0:
            return


def join_passages(
    hits: Sequence[Candidate], places: Mapping[str, Sequence[Sentence]], visible: Mapping[str, Candidate], *, limit: int
) -> tuple[Passage, ...]:
    """Return the passages around hits, in the order of the hits.

    Args:
        hits: best first.
        places: sentences of the hits' thoughts, in text order.
        visible: rows that may be shown, by id.
    """
    used: set[str] = set()
    passages: list[Passage] = []
    for hit in hits:
        if len(passages) == limit:
            break
        if hit.row.id not in used:
            passages.append(_passage_around(hit, places, visible, used))
            used.update(each.row.id for each in passages[-1].rows)
    return tuple(passages)


def _passage_around(
    hit: Candidate, places: Mapping[str, Sequence[Sentence]], visible: Mapping[str, Candidate], used: set[str]
) -> Passage:
    around, at = _around(hit, places)
    room = PASSAGE_CHARS - len(hit.text)  # forwards first: the next sentence often says why
    after = list(_neighbours(hit, (visible.get(each.row_id) for each in around[at + 1 :]), used, room))
    # What comes before has less room than what follows.
    room -= sum(len(each.text) for each in after) + PASSAGE_CHARS - _BEFORE_CHARS
    before = list(_neighbours(hit, (visible.get(each.row_id) for each in reversed(around[:at])), used, room))
    return Passage(rows=(*reversed(before), hit, *after), found=len(before))


def _neighbours(hit: Candidate, adjacent: Iterator[Candidate | None], used: set[str], room: int) -> Iterator[Candidate]:
    """Yield adjacent rows while they are visible, related to the hit, and fit."""
    joined = [hit]  # a bullet may be nested under any of those already joined
    for each in adjacent:
        if each is None or each.row.id in used or len(each.text) > room:  # stop: a passage has no gaps
            return
        if not (_share_heading(hit, each) or any(_is_nested(each, other) for other in joined)):
            return
        joined.append(each)
        room -= len(each.text)
        yield each


def _share_heading(one: Candidate, other: Candidate) -> bool:
    return (
        isinstance(one.row, Observation)
        and isinstance(other.row, Observation)
        and one.row.context_path[:_HEADINGS] == other.row.context_path[:_HEADINGS]
    )


def _is_nested(one: Candidate, other: Candidate) -> bool:
    if not (isinstance(one.row, Observation) and isinstance(other.row, Observation)):
        return False
    over, under = sorted((one.row, other.row), key=lambda row: len(row.context_path))
    depth = len(over.context_path)
    steps = under.context_path[depth:]
    return under.context_path[:depth] == over.context_path and repeats_path_step(over.text, steps)


def _around(hit: Candidate, places: Mapping[str, Sequence[Sentence]]) -> tuple[Sequence[Sentence], int]:
    """Return the sentences of a hit's thought, and the hit's index."""
    sentences = places.get(thought_of(hit) or "", ())
    at = next((number for number, each in enumerate(sentences) if each.row_id == hit.row.id), None)
    return ((), 0) if at is None else (sentences, at)  # what is no sentence of a known thought stands alone


EVIDENCE_LIMIT = 60  # rows; a prompt's budget decides how many are shown
EVIDENCE_CANDIDATES = 90
"""Rows scored per table, with room for duplicates (ruling A15)."""

PHRASE_CANDIDATES = 500
"""The same if a quoted phrase filters most of them out."""

_Names = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceRequest:
    """A turn's search; the query is cleaned (`voice.core.retrieval.params`)."""

    query: str = field(repr=False)
    limit: int = EVIDENCE_LIMIT
    floor: float = 0.25
    min_floor: float = 0.15
    window: Window = Window()
    scope: Scope = Scope.ALL
    include_private: bool = False
    include_tags: tuple[str, ...] = ()
    exclude_tags: tuple[str, ...] = ()
    speaker: str | None = None
    now: datetime | None = None
    superseded: bool = False
    phrases: tuple[str, ...] = ()
    """Quoted phrases of the question; rows without any of them are excluded (ruling E)."""
    lexical_only: bool = False
    warnings: tuple[str, ...] = ()

    def to_be_read(self, query: str) -> "EvidenceRequest":
        """Return the request without floors, for rows that are read together with the question."""
        return replace(self, query=query, floor=0.0, min_floor=0.0, limit=EVIDENCE_LIMIT)

    def params(self) -> RetrieveParams:
        """Return the parameters of a graph search by fused rank (rulings A2, C20)."""
        return RetrieveParams(
            query=self.query,
            top_k=self.limit,
            floor=self.floor,
            min_floor=min(self.min_floor, self.floor),
            mix=1.0,  # graph rows only (ruling A2)
            include_private=self.include_private,
            include_tags=self.include_tags,
            exclude_tags=self.exclude_tags,
            provider=LOCAL_HYBRID,
            scope=self.scope,
            window=self.window,
            now=self.now,
            speaker=self.speaker,
            max_candidates_per_source=max(PHRASE_CANDIDATES if self.phrases else EVIDENCE_CANDIDATES, self.limit),
            superseded=self.superseded,
            phrases=self.phrases,
            lexical_only=self.lexical_only,
            warnings=self.warnings,
        )


def as_evidence(candidates: Iterable[Candidate], entities: Iterable[Entity | EntityName]) -> tuple[Evidence, ...]:
    """Return candidates as evidence, aliased `S1`, `S2`, … in order.

    Args:
        entities: the source of entity names, which are used for judging only.

    Raises InvalidParams: a thought is among them (ruling A2).
    """
    names = {entity.id: (entity.name, *entity.aliases) for entity in entities}
    return tuple(_evidence(f"S{number}", candidate, names) for number, candidate in enumerate(candidates, start=1))


def _evidence(alias: str, candidate: Candidate, names: _Names) -> Evidence:
    row = candidate.row
    if isinstance(row, Thought):
        raise InvalidParams(messages.THOUGHT_AS_EVIDENCE)
    start, end = cap_span(candidate.text)  # shown is capped, cited is the whole (rulings C12, C13)
    observation = row if isinstance(row, Observation) else None
    path = PATH_SIGN.join(observation.context_path) if observation else ""
    thread = observation.thread if observation else None
    origin = row.provenance[0] if observation and row.provenance else None
    return Evidence(
        alias=alias,
        row_id=row.id,
        source_type=SOURCE_TYPE[candidate.table],
        text=candidate.text,
        shown=candidate.text[start:end],
        content_hash=candidate.content_hash,
        trust=row.trust,
        created_at=row.created_at,
        entered_at=row.recorded_at,
        thought_ids=tuple(sorted({origin.thought_id for origin in row.provenance})),
        entity_names=_names_of(row, names),
        speaker=observation.speaker if observation else None,
        context=path or None,  # as a prompt shows it (ruling I1)
        thread=thread_label(thread) if thread and not path else None,  # a message's conversation; none for a note
        place=(origin.thought_id, origin.start) if origin else None,
        valid_until=row.valid_until,
        superseded_by=row.superseded_by,
        is_private=candidate.is_private,
        relevance=unit_score(candidate.rank_score),
        score=max(0.0, by_cosine(candidate)),  # a cosine may be negative
    )


def _names_of(row: GraphRow, names: _Names) -> tuple[str, ...]:
    match row:
        case Entity():
            return (row.name, *row.aliases)
        case Observation():
            ids = row.entity_ids
        case Relation():
            ids = (row.source_id, row.target_id)
        case _:
            assert_never(row)
    return tuple(name for entity_id in ids for name in names.get(entity_id, ()))
