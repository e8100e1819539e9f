"""Thoughts that are marked, archived, taken away and brought back, for programs: `Voice.removals`.

Law: as `voice.entrypoints.library`. Nothing is taken away unless `apply` says so, and nothing that no verified archive
holds exactly as it stands (docs/archive.md).

    await voice.removals.mark(["t:01jq…"])
    await voice.removals.export(form="jsonl")
    gone = (await voice.removals.finalise(apply=True)).gone
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from voice.core.records import Tombstone
from voice.ports.archives import ArchiveFormat
from voice.services.removal.archives import Exported, Restored
from voice.services.removal.removals import Finalised, MarkedForRemoval, RemovalList
from voice.wiring.services import Services


@dataclass(frozen=True, slots=True)
class Removals:
    """The removals of one open memory."""

    services: Services

    async def mark(self, ids: Sequence[str], *, dry_run: bool = False) -> MarkedForRemoval:
        """Mark thoughts for removal: they are found no more, and stay as provenance; a marked one keeps its day.

        Raises:
            UnknownId, InvalidParams: one of them is no thought, or cannot be marked; nothing was marked.
        """
        return await self.services.archiving.removals.mark(ids, dry_run=dry_run)

    async def unmark(self, ids: Sequence[str], *, dry_run: bool = False) -> MarkedForRemoval:
        """Take marks away again.

        Raises:
            UnknownId: one of them is no thought; nothing was changed.
        """
        return await self.services.archiving.removals.unmark(ids, dry_run=dry_run)

    async def list(self, ids: Sequence[str] = ()) -> RemovalList:
        """Return the marked thoughts, each with the day it falls due and what keeps it from going.

        Raises:
            UnknownId, InvalidParams: one of the ids is no marked thought's.
        """
        return await self.services.archiving.removals.listed(ids)

    async def export(
        self, ids: Sequence[str] = (), *, form: ArchiveFormat | None = None, dry_run: bool = False
    ) -> Exported:
        """Archive marked thoughts that no verified archive holds as they stand.

        Args:
            ids: which; none of them means all.
            form: `parquet` or `jsonl`; None is the setting `archive.format`.
            dry_run: say what would be archived.

        Raises:
            UnknownId, InvalidParams: one of the ids is no marked thought's.
            ConfigurationError, StoreUnavailable: the archive cannot be written.
        """
        return await self.services.archiving.export(ids, form=form, dry_run=dry_run)

    async def finalise(self, ids: Sequence[str] = (), *, apply: bool = False) -> Finalised:
        """Take away marked thoughts that nothing keeps from going; a dry run unless `apply` is true.

        Raises:
            UnknownId, InvalidParams: one of the ids is no marked thought's, or one was changed meanwhile.
        """
        return await self.services.archiving.removals.finalise(ids, apply=apply)

    async def restore(self, path: Path | str, ids: Sequence[str] = (), *, dry_run: bool = False) -> Restored:
        """Bring back what an archive holds, or those of its thoughts that are named; not what was forgotten.

        Raises:
            DataFileError: the archive does not verify.
            InvalidParams: one of the ids is not in it.
        """
        return await self.services.archiving.restore(str(path), ids, dry_run=dry_run)

    async def fate(self, ids: Sequence[str]) -> dict[str, Tombstone]:
        """Return the tombstones of those rows that are gone: what became of the source of a citation."""
        return await self.services.archiving.removals.fate(ids)
