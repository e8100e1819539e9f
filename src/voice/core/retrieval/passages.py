"""Passages: consecutive sentences of one thought around a hit.

Law: a passage keeps whole rows in text order, so citations still name one sentence. It grows from the hit, forwards
first,
within its budget, under the same heading or along bullet nesting. A sentence is in one passage only.
Source: DESIGN 5 "Evidence … is a passage"; ruling I1.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from voice.core.records import Observation, Thought
from voice.core.retrieval.values import Candidate
from voice.core.text.context_path import repeats_path_step
from voice.core.text.instants import has_date

PASSAGE_CHARS: Final = 600
"""Maximum characters: what a re-ranker reads at once."""
_BEFORE_CHARS: Final = 450
"""With this many characters, a passage takes no preceding sentence."""
_HEADINGS: Final = 2
"""Path steps (title, first heading) shared by all sentences of a passage."""


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
    """Return the distinct ids of rows that could join a passage around a hit.

    Args:
        places: sentences of the hits' thoughts, in text order.
    """
    ids: dict[str, None] = {}
    for hit in hits:
        around, at = _around(hit, places)
        for side in (around[at:], around[: at + 1][::-1]):
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
    hits: Sequence[Candidate],
    places: Mapping[str, Sequence[Sentence]],
    visible: Mapping[str, Candidate],
    *,
    limit: int,
) -> tuple[Passage, ...]:
    """Return the passages around hits, in the order of the hits.

    Args:
        hits: best first.
        places: sentences of the hits' thoughts, in text order.
        visible: rows that may be shown, by id.
        limit: maximum number of passages.
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
    room = PASSAGE_CHARS - len(hit.text)
    after = list(_neighbours(hit, (visible.get(each.row_id) for each in around[at + 1 :]), used, room))
    room -= sum(len(each.text) for each in after) + PASSAGE_CHARS - _BEFORE_CHARS
    before = list(_neighbours(hit, (visible.get(each.row_id) for each in reversed(around[:at])), used, room))
    return Passage(rows=(*reversed(before), hit, *after), found=len(before))


def _neighbours(hit: Candidate, adjacent: Iterator[Candidate | None], used: set[str], room: int) -> Iterator[Candidate]:
    """Yield adjacent rows while they are visible, related to the hit, and fit."""
    joined = [hit]
    for each in adjacent:
        if each is None or each.row.id in used or len(each.text) > room:
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
    """Return whether one sentence is nested under the other."""
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
    return ((), 0) if at is None else (sentences, at)
