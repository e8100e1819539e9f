"""The score of a passage that was judged, and the choice of those that an answer is made of.

Law: the best passage decides whether anything is answered. Another one is given beside it only if it says as much of
the question, if the settings ask for more notes, or if it is the latest word on what one sentence answers. What no
longer holds is left out where something current answers.

Source: DESIGN 5; rulings D2, D5, I2.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from voice.core.grounding.extractive.evidence_sentences import match_credit
from voice.core.records import Observation, Thought
from voice.core.retrieval.passages import Passage, has_ended
from voice.core.text.instants import has_date
from voice.core.text.words import stems_in

THRESHOLD: Final = -1.0
"""The least sum with which a passage answers. Raised by hand for near misses, where a re-ranker reads."""
BESIDE_THRESHOLD: Final = -2.15
"""The least sum with which a passage is given beside one that answers."""
_MATCHES: Final = 0.5  # the least credit for a word that counts as held: "left" says "leave"
MAX_PASSAGES: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedPassage:
    """A passage and its score."""

    passage: Passage
    score: float
    """Above `THRESHOLD` it answers the question."""
    is_certain: bool = False
    """Whether it certainly answers; then the answer holds only such passages."""


def chosen_passages(
    judged: Sequence[JudgedPassage], *, sources: int, telling: Mapping[str, float] | None = None
) -> tuple[Passage, ...]:
    """Return the passages to answer with, the best first; none if the best is below the line or too few notes answer.

    What says as much of the question is given beside the best; what says less, where an answer needs more notes.

    Args:
        sources: how many different notes an answer needs.
        telling: `term_weights` of the question; None if it asks for more than one thing.
    """
    if not judged or judged[0].score <= THRESHOLD:
        return ()
    best, *others = judged[:MAX_PASSAGES]
    if best.is_certain:
        others = [one for one in others if one.is_certain]
    else:
        others = [one for one in others if one.score > BESIDE_THRESHOLD and _says_as_much(one, best, telling)]
    chosen = [one.passage for one in (best, *others)]
    notes = [_notes_of(passage) for passage in chosen]
    for one in judged:  # where an answer needs more notes, also what says less; not what is excluded
        own = _notes_of(one.passage)
        if _count_distinct(notes) < sources and one.score > -math.inf and all(map(own.isdisjoint, notes)):
            chosen.append(one.passage)
            notes.append(own)
    return tuple(chosen) if _count_distinct(notes) >= sources else ()


def _says_as_much(one: JudgedPassage, best: JudgedPassage, telling: Mapping[str, float] | None) -> bool:
    """Return whether a passage holds as many telling words as the best one; of a conversation its own rule decides.

    Under the same headings of one note the path says nothing for either.
    """
    row, other = best.passage.hit.row, one.passage.hit.row
    if telling is None or (isinstance(row, Observation) and row.speaker is not None):
        return True
    is_beside = isinstance(row, Observation) and isinstance(other, Observation) and _share_place(row, other)
    texts = (each.passage.hit.text if is_beside else each.passage.placed_text for each in (one, best))
    own, most = (sum(match_credit(stem, stems_in(text)) >= _MATCHES for stem in telling) for text in texts)
    return own >= most and (own > 0 or not is_beside)


def _share_place(row: Observation, other: Observation) -> bool:
    notes = {each.thought_id for each in row.provenance}
    return row.context_path == other.context_path and any(each.thought_id in notes for each in other.provenance)


def with_later_note(
    chosen: Sequence[Passage], judged: Sequence[JudgedPassage], telling: Mapping[str, float]
) -> tuple[Passage, ...]:
    """Return chosen passages with the latest one that was told after the best and holds all telling words itself."""
    if not chosen or not telling or not has_date(best_at := chosen[0].hit.row.created_at):  # undated: nothing is later
        return tuple(chosen)
    chosen_ids = {row.row.id for passage in chosen for row in passage.rows}
    later = [
        one.passage
        for one in judged
        if one.score > -math.inf
        and one.passage.hit.row.created_at > best_at
        and one.passage.hit.row.id not in chosen_ids
        and telling.keys() <= stems_in(one.passage.hit.text)
    ]
    return (*chosen, *sorted(later, key=lambda passage: passage.hit.row.created_at)[-1:])


def without_ended(judged: Sequence[JudgedPassage], now: datetime | None) -> tuple[JudgedPassage, ...]:
    """Return judged passages without those that were found for what no longer holds, where a current one answers."""
    # Where only something outdated answers, it is given.
    current = tuple(one for one in judged if not has_ended(one.passage.hit, now))
    return current if any(one.score > THRESHOLD for one in current) else tuple(judged)


def _count_distinct(notes: Sequence[Collection[str]]) -> int:
    """Count the passages that share no note with one before them, given the notes of each."""
    seen: set[str] = set()
    number = 0
    for own in notes:
        number += seen.isdisjoint(own)
        seen.update(own)
    return number


def _notes_of(passage: Passage) -> set[str]:
    rows = (each.row for each in passage.rows)
    return {place.thought_id for row in rows if not isinstance(row, Thought) for place in row.provenance}
