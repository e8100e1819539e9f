"""What becomes of the graph when a thought behind it is corrected.

Law: what was distilled from the old thought is superseded, each statement by the one that stands in its place in the
new thought. Of the rest, what rests on words that still stand there moves with them, word for word; a node stays, for
who was spoken of does not depend on what was said; a statement or an edge whose words are gone loses that ground, and
with its last one its life: nothing is claimed on behalf of words that somebody took back (ruling F). What rests on the
whole of a note rests on the whole of the new one. What waits for review follows by the same rule.

Source: rulings A21, C13, F.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from typing import Final

from voice.core.graph.candidates import Candidate, CandidateStatus
from voice.core.graph.correcting import Correction, superseded
from voice.core.graph.distil import observation_id
from voice.core.records import Entity, GraphRow, Observation, Provenance, RowStatus, Thought

_Spans = tuple[Provenance, ...]
LEAST_IN_COMMON: Final = 0.5
"""The share of the shorter note's words that an edited note keeps; with fewer it is another note in the same place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """The rows that a corrected thought changes besides itself, as they now stand."""

    superseded: tuple[GraphRow, ...] = field(default=(), repr=False)
    moved: tuple[GraphRow, ...] = field(default=(), repr=False)
    """Those that go on, resting on the new thought, or on one ground less."""


def follow(
    derived: Iterable[GraphRow], old: Thought, new: Thought, fresh: Sequence[Observation], correction: Correction
) -> Followed:
    """Return what becomes of the rows that rest on `old`.

    Args:
        derived: the rows whose provenance names it; what is not live stays as it is.
        old: the thought as it was.
        new: what takes its place.
        fresh: what is distilled from that.
        correction: what was said of the old one.
    """
    live = [row for row in derived if row.status is RowStatus.ACTIVE]
    distilled = [row for row in live if isinstance(row, Observation) and _is_distilled(row, old)]
    heirs = successors(distilled, fresh)
    gone: list[GraphRow] = [superseded(row, by=heirs.get(row.id), correction=correction) for row in distilled]
    moved: list[GraphRow] = []
    done = {row.id for row in gone}
    for row in live:
        spans = _rebased(row.provenance, old, new)
        if row.id in done or (isinstance(row, Entity) and not spans):
            continue
        if spans:
            moved.append(replace(row, provenance=spans, revision=row.revision + 1))
        else:
            gone.append(superseded(row, by=None, correction=correction))
    return Followed(superseded=tuple(gone), moved=tuple(moved))


def candidate_after(candidate: Candidate, old: Thought, new: Thought) -> Candidate | None:
    """Return what is left of a candidate when a thought behind it is corrected; itself if all is, None if nothing is.

    One that waits goes with its last words; what was decided is remembered. A note that became private adds nothing to
    what rests on others, too, and hides what rests on it alone.

    Args:
        candidate: as it is stored.
        old: the thought as it was.
        new: what takes its place.
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
    """Return which statement takes the place of which, by id, as the two notes are read side by side.

    A statement whose words stand on is followed by them; of a run of others each is followed by the one at its place,
    and what has none there by nothing.
    """
    before = sorted(old, key=_place)
    after = sorted(new, key=_place)
    matcher = SequenceMatcher(None, [row.text for row in before], [row.text for row in after], autojunk=False)
    pairs: dict[str, str] = {}
    for _, start, end, other, last in matcher.get_opcodes():
        pairs |= {before[start + step].id: after[other + step].id for step in range(min(end - start, last - other))}
    return pairs


def is_edit_of(old: str, new: str) -> bool:
    """Return whether a note at the same place is the old one edited, and no other note."""
    before, after = set(old.casefold().split()), set(new.casefold().split())
    shorter = min(len(before), len(after))
    return shorter > 0 and len(before & after) >= LEAST_IN_COMMON * shorter


def _place(row: Observation) -> tuple[int, int]:
    return (row.provenance[0].start, row.provenance[0].end)


def _is_distilled(row: Observation, thought: Thought) -> bool:
    return any(
        row.id == observation_id(thought.id, span.start, span.end)
        for span in row.provenance
        if span.thought_id == thought.id
    )


def _rebased(spans: _Spans, old: Thought, new: Thought) -> _Spans:
    """Return the grounds that are left: those elsewhere, and those whose words stand in the new thought."""
    kept = (span if span.thought_id != old.id else _moved(span, old, new) for span in spans)
    return tuple(dict.fromkeys(span for span in kept if span is not None))


def _moved(span: Provenance, old: Thought, new: Thought) -> Provenance | None:
    if (span.start, span.end) == (0, len(old.content)):
        return Provenance(thought_id=new.id, start=0, end=len(new.content))
    words = old.content[span.start : span.end]
    start = new.content.find(words)
    return Provenance(thought_id=new.id, start=start, end=start + len(words)) if words and start >= 0 else None
