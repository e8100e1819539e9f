"""Why a row goes along with what is forgotten.

Law: a row that goes without having been meant goes because of another one that goes, and can say which and why. A note
is the unit: each of its sentences goes with it, whatever it speaks of and whether or not it was corrected since, and so
does what was found in that note alone. What took a sentence's place rests on no note and stays, unless it says the same
words. The reasons are those by which `reach` decides; nothing is decided here. No two rows go for one another: whoever
follows the reasons comes to what was meant.

Source: rulings A21 (sentences stand in their note, word for word), G ("reaches text, vector, index, derived rows").
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

from voice.core.graph.forgetting import said_by
from voice.core.graph.reach import RowsReached, thoughts_of
from voice.core.records import Observation, Relation, Row, Thought
from voice.core.text.normalise import content_hash


class Tie(StrEnum):
    """What ties a row to the one that takes it along."""

    SENTENCE = "sentence"
    """It is a sentence of that note."""
    RESTS = "rests"
    """It was found in that note, and rests on nothing that stays."""
    EARLIER = "earlier"
    """It is what that row said before it was corrected."""
    SUMMARY = "summary"
    """It sums that note up."""
    END = "end"
    """It leads to or from that entity."""
    SAME_WORDS = "same_words"
    """It says the same as that row, word for word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Along:
    """A row that goes along."""

    row: Row
    tie: Tie
    to: str
    """The id of what takes it along."""


def going_along(found: RowsReached, before: Collection[str] = ()) -> tuple[Along, ...]:
    """Return each row that goes without having been meant, with why, in the order of `found.derived`.

    Args:
        found: what `reach` found.
        before: the ids of what was named and went before.
    """
    out = {row.id for row in found.meant}.union(before)
    same = {content_hash(said_by(row)): row.id for row in reversed(found.meant)}
    tied: dict[str, Along] = {}
    left = found.derived
    while known := [each for row in left if (each := _along(row, out, same)) is not None]:
        for each in known:
            tied[each.row.id] = each
            same.setdefault(content_hash(said_by(each.row)), each.row.id)
        out.update(tied)
        left = tuple(row for row in left if row.id not in tied)
    return tuple(tied[row.id] for row in found.derived)


def _along(row: Row, out: Collection[str], same: Mapping[str, str]) -> Along | None:
    """Return why a row goes along with what is known to go; None where it goes with nothing of that."""
    behind = [each for each in thoughts_of(row) if each in out]
    if behind and isinstance(row, Observation):
        return Along(row=row, tie=Tie.SENTENCE, to=behind[0])
    if behind and len(behind) == len(thoughts_of(row)):
        return Along(row=row, tie=Tie.RESTS, to=behind[0])
    if row.superseded_by is not None and row.superseded_by in out:
        return Along(row=row, tie=Tie.EARLIER, to=row.superseded_by)
    summed = [each for each in row.summary_of if each in out] if isinstance(row, Thought) else []
    if summed:
        return Along(row=row, tie=Tie.SUMMARY, to=summed[0])
    ends = [each for each in (row.source_id, row.target_id) if each in out] if isinstance(row, Relation) else []
    if ends:
        return Along(row=row, tie=Tie.END, to=ends[0])
    again = same.get(content_hash(said_by(row))) if isinstance(row, Thought | Observation) else None
    return None if again is None else Along(row=row, tie=Tie.SAME_WORDS, to=again)
