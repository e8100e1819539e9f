"""What a correction or a removal does to other rows, and why a row goes along with another.

Law: observations of a corrected thought's old words are superseded by their counterparts; other rows move with words
that still exist. A statement or edge that loses its last source is superseded, entities stay (ruling F). A corrected
statement changes no other row: rows that still say the old words are only reported.

Observations and relations rest on the thoughts of their provenance, summaries on what they sum up, entities on
provenance and on rows that name them. Rows leave and return with their last thought; redacted rows do not. The reasons
follow `plan_forget` and form no cycle; they end at what was meant.
Source: rulings A21, C13, F, G.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Final

from voice.core.graph.corrections import Correction, superseded
from voice.core.graph.entity_names import NameIndex, ids_of_mentions
from voice.core.graph.removal.forget_cascade import ForgetPlan, thoughts_of
from voice.core.graph.removal.lifecycle import unmarked
from voice.core.graph.review.candidates import Candidate, CandidateStatus
from voice.core.graph.row_display import named_by, readable_text_of
from voice.core.graph.thoughts.distillation import observation_id
from voice.core.records import Entity, EntityName, GraphRow, Observation, Provenance, Relation, Row, RowStatus, Thought
from voice.core.text.normalise import content_hash, norm_v1
from voice.core.text.words import content_words

_Spans = tuple[Provenance, ...]
_LEAST_IN_COMMON: Final = 0.5  # share of the shorter note's words; with less in common it is another note


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionEffects:
    """Rows changed by a corrected thought."""

    superseded: tuple[GraphRow, ...] = field(default=(), repr=False)
    moved: tuple[GraphRow, ...] = field(default=(), repr=False)
    """Rows that continue with moved or fewer sources."""


def effects_of_correction(
    derived: Iterable[GraphRow], old: Thought, new: Thought, fresh: Sequence[Observation], correction: Correction
) -> CorrectionEffects:
    """Return the effects on the rows that rest on `old`; inactive ones stay as they are."""
    live = [row for row in derived if row.status is RowStatus.ACTIVE]
    distilled = [row for row in live if isinstance(row, Observation) and _is_distilled(row, old)]
    heirs = successors(distilled, fresh)
    gone: list[GraphRow] = [superseded(row, by=heirs.get(row.id), correction=correction) for row in distilled]
    moved: list[GraphRow] = []
    distilled_ids = {row.id for row in distilled}
    for row in live:
        spans = _rebased(row.provenance, old, new)
        if row.id in distilled_ids or (isinstance(row, Entity) and not spans):  # ruling F: entities stay
            continue
        if spans:
            moved.append(replace(row, provenance=spans, revision=row.revision + 1))
        else:
            gone.append(superseded(row, by=None, correction=correction))
    return CorrectionEffects(superseded=tuple(gone), moved=tuple(moved))


def candidate_after(candidate: Candidate, old: Thought, new: Thought) -> Candidate | None:
    """Return a candidate after a correction of a source thought: unchanged, changed, or None to delete it.

    Pending candidates go with their last source; decided ones stay. A note that became private no longer supports a
    public candidate with other sources, and hides one without.
    """
    spans = _rebased(candidate.provenance, old, new)
    elsewhere = tuple(span for span in spans if span.thought_id not in (old.id, new.id))
    if new.is_private and not candidate.is_private and elsewhere:
        spans = elsewhere
    if not spans and candidate.status is CandidateStatus.PENDING:
        return None
    is_private = candidate.is_private or (new.is_private and not elsewhere)
    left = replace(candidate, provenance=spans or candidate.provenance, is_private=is_private)
    return candidate if left == candidate else replace(left, revision=candidate.revision + 1)


def successors(old: Sequence[Observation], new: Sequence[Observation]) -> Mapping[str, str]:
    """Map old statements to new ones by id, by text diff; a changed run by position, its surplus to nothing."""
    before = sorted(old, key=_place)
    after = sorted(new, key=_place)
    # With `autojunk`, a sentence that a long note repeats would start no match.
    matcher = SequenceMatcher(None, [row.text for row in before], [row.text for row in after], autojunk=False)
    pairs: dict[str, str] = {}
    for _, start, end, other, last in matcher.get_opcodes():
        pairs |= {before[start + step].id: after[other + step].id for step in range(min(end - start, last - other))}
    return pairs


def is_edit_of(old: str, new: str) -> bool:
    """Return whether a text at the same place is an edit of the old one."""
    before, after = set(old.casefold().split()), set(new.casefold().split())
    shorter = min(len(before), len(after))
    return shorter > 0 and len(before & after) >= _LEAST_IN_COMMON * shorter


def _place(row: Observation) -> tuple[int, int]:
    return (row.provenance[0].start, row.provenance[0].end)


def _is_distilled(row: Observation, thought: Thought) -> bool:
    return any(
        row.id == observation_id(thought.id, span.start, span.end)
        for span in row.provenance
        if span.thought_id == thought.id
    )


def _rebased(spans: _Spans, old: Thought, new: Thought) -> _Spans:
    """Return the remaining sources: other thoughts, and words that exist in the new one."""
    kept = (span if span.thought_id != old.id else _moved(span, old, new) for span in spans)
    return tuple(dict.fromkeys(span for span in kept if span is not None))


def _moved(span: Provenance, old: Thought, new: Thought) -> Provenance | None:
    if (span.start, span.end) == (0, len(old.content)):  # the whole note, however it reads now
        return Provenance(thought_id=new.id, start=0, end=len(new.content))
    words = old.content[span.start : span.end]
    start = new.content.find(words)
    return Provenance(thought_id=new.id, start=start, end=start + len(words)) if words and start >= 0 else None


def still_saying(
    rows: Iterable[GraphRow], before: str, after: str, *, nodes: Iterable[EntityName], places: Sequence[Provenance]
) -> tuple[Entity | Relation, ...]:
    """Return the rows that say what `before` says and `after` does not, sorted by id.

    Args:
        rows: edges and entities of the same notes or of the statement's entities.
        places: sources of the old words.
    """
    index = NameIndex.of(nodes)
    named, kept = (frozenset(ids_of_mentions(index.mentions(text))) for text in (before, after))
    old, new = _stems(before), _stems(after)
    found: dict[str, Entity | Relation] = {}
    for row in rows:
        if row.status is not RowStatus.ACTIVE:
            continue
        if isinstance(row, Entity) and _stems(row.description) & (old - new):
            found[row.id] = row
        if isinstance(row, Relation):
            ends = {row.source_id, row.target_id}
            is_stated = _rests_on(row, places) or _stems(row.rel_type.replace("_", " ")) <= old
            if ends <= named and not ends <= kept and is_stated:
                found[row.id] = row
    return tuple(found[row_id] for row_id in sorted(found))


def stretches_saying(thoughts: Mapping[str, Thought], after: str, places: Sequence[Provenance]) -> Mapping[str, str]:
    """Return by thought id the source text of the statement, where it differs from `after`."""
    found: dict[str, str] = {}
    for place in places:
        thought = thoughts.get(place.thought_id)
        if thought is None or thought.status is not RowStatus.ACTIVE:
            continue
        stretch = thought.content[place.start : place.end]
        if norm_v1(stretch) != norm_v1(after):
            found.setdefault(thought.id, stretch)
    return found


def spoken(row: Entity | Relation, called: Mapping[str, str]) -> str:
    """Return an entity's description or an edge in one line; `called` maps ids to names."""
    if isinstance(row, Entity):
        return row.description
    return f"{called[row.source_id]} --{row.rel_type}--> {called[row.target_id]}"


def _stems(text: str) -> frozenset[str]:
    return frozenset(word.stem for word in content_words(text))


def _rests_on(row: Relation, places: Sequence[Provenance]) -> bool:
    return bool(row.provenance) and all(
        any(
            span.thought_id == place.thought_id and place.start <= span.start and span.end <= place.end
            for place in places
        )
        for span in row.provenance
    )


def rests_on(row: Row) -> frozenset[str]:
    """Return the thoughts a row rests on; empty for an ordinary thought."""
    if isinstance(row, Thought):
        return frozenset(row.summary_of if row.is_synthesis else ())
    return frozenset(origin.thought_id for origin in row.provenance)


def rests_only_on(row: Row, leaving: Collection[str]) -> bool:
    """Return whether a row rests only on leaving thoughts; `leaving` are their ids."""
    behind = rests_on(row)
    return bool(behind) and behind <= set(leaving) and row.status is not RowStatus.REDACTED


def rows_resting_only_on(rows: Iterable[Row], leaving: Collection[str]) -> frozenset[str]:
    """Return the ids of rows that rest only on thoughts `leaving` or gone; `rows` have all that names an entity."""
    candidates = tuple(rows)
    alone = {row.id for row in candidates if not isinstance(row, Entity) and rests_only_on(row, leaving)}
    named = {node for row in candidates if row.id not in alone for node in named_by(row)}
    # Entities last: a row that stays may name them.
    unnamed = (row for row in candidates if isinstance(row, Entity) and row.id not in named)
    return frozenset(alone | {row.id for row in unnamed if rests_only_on(row, leaving)})


def rows_after_removal(
    rows: Iterable[Row], leaving: Collection[str], now: datetime, *, are_gone: bool = False
) -> tuple[GraphRow, ...]:
    """Return the graph rows that leave or return, updated, sorted by id.

    Args:
        are_gone: whether their notes are gone, so that the rows stay visible in the past.
    """
    graph = sorted((row for row in rows if not isinstance(row, Thought)), key=lambda row: row.id)
    alone = rows_resting_only_on(graph, leaving)
    gone_at = now if are_gone else None
    changed: list[GraphRow] = []
    for row in graph:
        if row.id not in alone:
            back = unmarked(row, now)  # None unless it was marked
            changed += [back] if back is not None else []
        elif row.status is RowStatus.ACTIVE:
            changed.append(replace(row, status=RowStatus.REMOVAL, superseded_at=gone_at, revision=row.revision + 1))
    return tuple(changed)


class DependencyReason(StrEnum):
    """Why a row goes along with another."""

    SENTENCE = "sentence"
    RESTS = "rests"
    """Found in that note, without a remaining source."""
    EARLIER = "earlier"
    """An earlier value of that row."""
    SUMMARY = "summary"
    END = "end"
    """An edge of that entity."""
    SAME_WORDS = "same_words"


@dataclass(frozen=True, slots=True, kw_only=True)
class DependentRow:
    """A row that goes along."""

    row: Row
    tie: DependencyReason
    to: str
    """The id of the row it goes with."""


def dependent_rows(found: ForgetPlan, before: Collection[str] = ()) -> tuple[DependentRow, ...]:
    """Return the derived rows with reasons, in the order of `found.derived`; `before`: ids that went earlier."""
    gone = {row.id for row in found.meant}.union(before)
    by_text = {content_hash(readable_text_of(row)): row.id for row in reversed(found.meant)}  # the first of equals
    explained: dict[str, DependentRow] = {}
    left = found.derived
    # Each round explains what goes with the rows of the rounds before, until nothing is left.
    while known := [each for row in left if (each := _dependent(row, gone, by_text)) is not None]:
        for each in known:
            explained[each.row.id] = each
            by_text.setdefault(content_hash(readable_text_of(each.row)), each.row.id)
        gone.update(explained)
        left = tuple(row for row in left if row.id not in explained)
    return tuple(explained[row.id] for row in found.derived)  # complete: the plan used the same rules


def _dependent(row: Row, gone: Collection[str], by_text: Mapping[str, str]) -> DependentRow | None:
    """Return why a row goes with those known to go; None if it does not."""
    sources = [each for each in thoughts_of(row) if each in gone]
    if sources and isinstance(row, Observation):  # one of its notes is enough
        return DependentRow(row=row, tie=DependencyReason.SENTENCE, to=sources[0])
    if sources and len(sources) == len(thoughts_of(row)):
        return DependentRow(row=row, tie=DependencyReason.RESTS, to=sources[0])
    if row.superseded_by is not None and row.superseded_by in gone:
        return DependentRow(row=row, tie=DependencyReason.EARLIER, to=row.superseded_by)
    summed = [each for each in row.summary_of if each in gone] if isinstance(row, Thought) else []
    if summed:
        return DependentRow(row=row, tie=DependencyReason.SUMMARY, to=summed[0])
    ends = [each for each in (row.source_id, row.target_id) if each in gone] if isinstance(row, Relation) else []
    if ends:
        return DependentRow(row=row, tie=DependencyReason.END, to=ends[0])
    same = by_text.get(content_hash(readable_text_of(row))) if isinstance(row, Thought | Observation) else None
    return None if same is None else DependentRow(row=row, tie=DependencyReason.SAME_WORDS, to=same)
