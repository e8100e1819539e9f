"""Undo one import.

Law: what an import stored leaves retrieval and answers, with what rests on it alone and what waits for review; what
rests on something else as well stays, and so does what was corrected, redacted or forgotten since. Nothing is deleted:
the thoughts are marked for removal, so the undo is taken back like any other mark. What goes is told before, and
nothing else goes than what was told.

Source: rulings F, I4; docs/import.md.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from voice.core.errors import InvalidParams
from voice.core.records import RowStatus, Thought
from voice.ports.stores import MemoryStore
from voice.services.graph.extraction import Extracting
from voice.services.imports.gone_notes import DeletedNotes

_PAGE: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoneImport:
    """The rows that an undo takes, or would take, out of use."""

    thoughts: tuple[Thought, ...]
    along: tuple[str, ...]
    """Rows that rest on them alone."""
    stay: int
    """How many thoughts of the import stay, because they changed since."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportUndo:
    """Undoes imports."""

    store: MemoryStore
    gone: DeletedNotes
    extracting: Extracting

    async def foresee(self, thought_ids: Sequence[str]) -> UndoneImport:
        """Return what would be taken out of use, and change nothing.

        Args:
            thought_ids: what the import stored.

        Raises:
            StoreError: it cannot be read.
        """
        thoughts = [each for each in await self._thoughts(thought_ids) if each.status is RowStatus.ACTIVE]
        marking = await self.gone.removals.mark([each.id for each in thoughts], dry_run=True) if thoughts else None
        return UndoneImport(
            thoughts=tuple(thoughts), along=marking.along if marking else (), stay=len(thought_ids) - len(thoughts)
        )

    async def __call__(self, thought_ids: Sequence[str], *, shown: Collection[str]) -> UndoneImport:
        """Take out of use what the import stored.

        Args:
            shown: the thoughts of which it was told that they go.

        Raises:
            InvalidParams: others would go than were shown; nothing was done.
            StoreError, SessionConflict: not all of it is done; ask for the same again.
        """
        found = await self.foresee(thought_ids)
        ids = [each.id for each in found.thoughts]
        if set(ids) != set(shown):
            raise InvalidParams("your memory has changed since you looked, so nothing was undone; look again")
        if ids:
            await self.gone.removals.mark(ids)
            await self.gone.waiting.take_out(ids)
        return found

    async def back(self, thought_ids: Sequence[str]) -> int:
        """Restore what an undo took out of use; return how many thoughts.

        Raises:
            StoreError: not all of it is done; ask for the same again.
        """
        away = [each.id for each in await self._thoughts(thought_ids) if each.status is RowStatus.REMOVAL]
        if away:
            await self.gone.removals.unmark(away)
            await self.extracting.arrived(away)
        return len(away)

    async def _thoughts(self, thought_ids: Sequence[str]) -> list[Thought]:
        found: list[Thought] = []
        for start in range(0, len(thought_ids), _PAGE):
            page = list(thought_ids[start : start + _PAGE])
            rows = await self.store.fetch(page)
            found += [row for row_id in page if isinstance(row := rows.get(row_id), Thought)]
        return found
