"""What a corrected thought changes in the graph, and what still says the old words.

Law: what was distilled from the old thought is superseded, each statement by the one that stands in its place in the
new thought. Of the rest, what rests on words that still stand there moves with them, word for word; a node stays, for
who was spoken of does not depend on what was said; a statement or an edge whose words are gone loses that ground, and
with its last one its life: nothing is claimed on behalf of words that somebody took back (ruling F). What rests on the
whole of a note rests on the whole of the new one. What waits for review follows by the same rule.

What still says what a statement said before it was corrected. A correction of a statement changes nothing that rests on
the same note (ruling F): whoever corrected it is told of the edges and descriptions that still hold what was taken
back, and decides. An edge holds it when both its ends are named in the old words, one of them in the new words no more,
and it rests on that very place, or is of a kind that the old words spell out. A description holds it when it has a
telling word that the old words had and the new ones lack. A note holds it when the stretch that the statement was cut
from says something else than the new words.

Source: rulings A21, C13, F; ruling F.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from typing import Final

from voice.core.graph.corrections import Correction, superseded
from voice.core.graph.entity_names import NameIndex, ids_of_mentions
from voice.core.graph.review.candidates import Candidate, CandidateStatus
from voice.core.graph.thoughts.distillation import observation_id
from voice.core.records import Entity, EntityName, GraphRow, Observation, Provenance, Relation, RowStatus, Thought
from voice.core.text.normalise import norm_v1
from voice.core.text.words import content_words

_Spans = tuple[Provenance, ...]
LEAST_IN_COMMON: Final = 0.5
"""The share of the shorter note's words that an edited note keeps; with fewer it is another note in the same place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionEffects:
    """The rows that a corrected thought changes besides itself, as they now stand."""

    superseded: tuple[GraphRow, ...] = field(default=(), repr=False)
    moved: tuple[GraphRow, ...] = field(default=(), repr=False)
    """Those that go on, resting on the new thought, or on one ground less."""


def effects_of_correction(
    derived: Iterable[GraphRow], old: Thought, new: Thought, fresh: Sequence[Observation], correction: Correction
) -> CorrectionEffects:
    """Return what becomes of the rows that rest on `old`.

    Args:
        derived: the rows whose provenance names it; what is not live stays as it is.
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
    return CorrectionEffects(superseded=tuple(gone), moved=tuple(moved))


def candidate_after(candidate: Candidate, old: Thought, new: Thought) -> Candidate | None:
    """Return what is left of a candidate when a thought behind it is corrected; itself if all is, None if nothing is.

    One that waits goes with its last words; what was decided is remembered. A note that became private adds nothing to
    what rests on others, too, and hides what rests on it alone.

    Args:
        candidate: as it is stored.
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


def still_saying(
    rows: Iterable[GraphRow], before: str, after: str, *, nodes: Iterable[EntityName], places: Sequence[Provenance]
) -> tuple[Entity | Relation, ...]:
    """Return those of the rows that hold what `before` says and `after` does not, by id.

    Args:
        rows: edges and entities that rest on the same notes, or that the statement is about; others are left out.
        before: the old words.
        after: the new ones.
        nodes: the entities that may be named.
        places: what the old words rest on.
    """
    index = NameIndex.of(nodes)
    named, kept = (frozenset(ids_of_mentions(index.mentions(text))) for text in (before, after))
    old, new = _telling(before), _telling(after)
    found: dict[str, Entity | Relation] = {}
    for row in rows:
        if row.status is not RowStatus.ACTIVE:
            continue
        if isinstance(row, Entity) and _telling(row.description) & (old - new):
            found[row.id] = row
        if isinstance(row, Relation):
            ends = {row.source_id, row.target_id}
            is_here = _rests_on(row, places) or _telling(row.rel_type.replace("_", " ")) <= old
            if ends <= named and not ends <= kept and is_here:
                found[row.id] = row
    return tuple(found[row_id] for row_id in sorted(found))


def stretches_saying(thoughts: Mapping[str, Thought], after: str, places: Sequence[Provenance]) -> Mapping[str, str]:
    """Return of each live note, by its id, the stretch that was cut out as a statement and does not say `after`.

    Args:
        thoughts: notes by id; those that are not given are left out.
        after: the new words.
        places: what the statement rests on.
    """
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
    """Return in a line what it says; `called` has the names of the entities."""
    if isinstance(row, Entity):
        return row.description
    return f"{called[row.source_id]} --{row.rel_type}--> {called[row.target_id]}"


def _telling(text: str) -> frozenset[str]:
    return frozenset(word.stem for word in content_words(text))


def _rests_on(row: Relation, places: Sequence[Provenance]) -> bool:
    """Return whether all that the edge rests on lies within the places."""
    return bool(row.provenance) and all(
        any(
            span.thought_id == place.thought_id and place.start <= span.start and span.end <= place.end
            for place in places
        )
        for span in row.provenance
    )
