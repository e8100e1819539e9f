"""The entities a row named at an earlier moment, before merges and undos.

Law: merges rename rows in place; the log reverses that event by event (ruling F). Rows changed otherwise since stay.
Source: rulings C10, F.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from voice.core.graph.entities.merge import Merge, RenamedRow, renamed
from voice.core.graph.row_display import named_by
from voice.core.records import Observation, Relation

_Row = TypeVar("_Row", Observation, Relation)


class MergeHistory:
    """A memory's merges, replayed backwards to a moment."""

    def __init__(self, merges: Iterable[Merge], moment: datetime) -> None:
        """Build from all merges, including undone ones."""
        self._every = tuple(merges)
        self._moment = moment
        self._moves: dict[str, list[tuple[RenamedRow, Merge, bool]]] = {}  # by row id, the latest event first
        for merge, was_made in self._since():
            for moved in merge.moved:
                self._moves.setdefault(moved.row_id, []).append((moved, merge, was_made))
        self.absorbed = frozenset(each.absorbed for each in self._every)
        """Absorbed entities; none is a past value of the one that absorbed it."""
        self.ended = frozenset(
            ended.row_id
            for each in self._every
            if each.undone_at is not None and each.at <= moment < each.undone_at
            for ended in each.ended
        )
        """Relations that hold again and did not then."""

    def around(self, entity_ids: Sequence[str]) -> list[str]:
        """Return the ids with all entities ever merged with them, whose rows may name them now."""
        pairs = [{each.kept, each.absorbed} for each in self._every]
        found, before = set(entity_ids), set[str]()
        while found != before:  # until no merge adds one: merges chain
            before = set(found)
            found.update(row_id for pair in pairs if pair & before for row_id in pair)
        return sorted(found)

    def row(self, row: _Row) -> _Row:
        """Return the row with its names at the moment."""
        for moved, merge, was_made in self._moves.get(row.id, ()):
            together = renamed(moved.named, merge)
            now, then = (together, moved.named) if was_made else (moved.named, together)
            if named_by(row) == tuple(dict.fromkeys(now)):
                row = _naming(row, then)
        return row

    def _since(self) -> Iterable[tuple[Merge, bool]]:
        """Yield events since the moment, latest first: a merge, and whether it was made or undone."""
        made = [(each.at, each, True) for each in self._every]
        undone = [(each.undone_at, each, False) for each in self._every if each.undone_at is not None]
        since = [event for event in (*made, *undone) if event[0] > self._moment]
        # The latest first; of one instant the undo is later than the merge.
        since.sort(key=lambda event: (event[0], not event[2], event[1].seq), reverse=True)
        return ((merge, was_made) for _, merge, was_made in since)


def _naming(row: _Row, named: tuple[str, ...]) -> _Row:
    if isinstance(row, Observation):
        return replace(row, entity_ids=named)
    return replace(row, source_id=named[0], target_id=named[-1])  # distinct names: a loop has one
