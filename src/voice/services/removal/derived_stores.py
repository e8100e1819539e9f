"""Archives, candidates and conflicts, as forgetting reaches them.

Law: an archive is never changed: one without what goes is written beside it and read again before it is removed, so
that whoever is killed leaves all that stays in one of them, and doing it again ends it. What else it held is kept. One
that cannot be read is told, and stops nobody; one of another memory is told, and neither searched nor changed.

What becomes of a candidate is decided over it as it is stored, so doing it again does nothing. A record of a conflict
holds no words, but it says that two rows spoke of one thing: it goes with either of them.

Source: rulings F, G, H; `voice.ports.removal`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from voice.core.graph.removal.forget_cascade import Act, without_forgotten
from voice.core.recall.forgetting import candidate_without
from voice.core.records import Row, RowStatus
from voice.core.session.forgetting import ForgottenContent
from voice.ports.removal import Archive, ArchivedRows
from voice.ports.review_stores import CandidateStore, ConflictLog
from voice.services.graph.correction_consequences import all_candidates
from voice.services.removal.archive_shelf import ArchivedElsewhere, ArchiveShelf

_R = TypeVar("_R", bound=Row)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenArchives:
    """`ArchivedRowStore` over the archives of one memory."""

    shelf: ArchiveShelf
    kind: str = "archives"

    async def shelved(self) -> ArchivedRows:
        """Return the rows of every archive that can be read; see the port."""
        held, aside = await self._read()
        # Newest first, so reversed: of a row in several archives, the newest state is left.
        rows = {row.id: row for archive in reversed(held.values()) for row in (*archive.thoughts, *archive.derived)}
        return ArchivedRows(rows=tuple(rows.values()), paths=(*held, *aside.foreign), faults=tuple(aside.faults))

    async def reached(self, gone: ForgottenContent) -> list[str]:
        """Return the paths of the archives that hold something of what goes; see the port."""
        held, _ = await self._read()
        return sorted(path for path, archive in held.items() if archive_without(archive, gone) != archive)

    async def take_away(self, ids: Sequence[str], gone: ForgottenContent) -> None:
        """Put archives without what goes in the place of these; see the port."""
        held, _ = await self._read()
        for path in ids:
            archive = held.pop(path, None)  # out of the comparison with what is written
            if archive is None:
                continue
            left = archive_without(archive, gone)
            # Whoever was killed between writing and removing finds it written.
            if (left.thoughts or left.derived) and left not in held.values():
                form = "parquet" if path.endswith(".parquet") else "jsonl"
                held[(await self.shelf.files.write(left, self.shelf.directory, form=form)).path] = left
            await self.shelf.files.remove(path)

    async def _read(self) -> tuple[dict[str, Archive], ArchivedElsewhere]:
        aside = ArchivedElsewhere()
        return {path: archive async for path, archive in self.shelf.own(aside)}, aside


def archive_without(archive: Archive, gone: ForgottenContent) -> Archive:
    """Return an archive without what goes; an equal one where it holds nothing of it."""
    return replace(
        archive,
        thoughts=_rows_left(archive.thoughts, gone),
        derived=_rows_left(archive.derived, gone),
        vectors=tuple(each for each in archive.vectors if each.row_id not in gone.ids),
    )


def _rows_left(rows: Sequence[_R], gone: ForgottenContent) -> tuple[_R, ...]:
    return tuple(
        _without_words(row, gone)
        for row in rows
        # A redacted row lost its words before it was archived.
        if row.id not in gone.ids or (gone.keeps_hashes and row.status is RowStatus.REDACTED)
    )


def _without_words(row: _R, gone: ForgottenContent) -> _R:
    act: Act = "redact" if gone.keeps_hashes else "forget"
    left = without_forgotten(row, gone.ids, act)
    return row if left is None else replace(left, revision=row.revision)


_PAGE = 500  # candidates at once


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenCandidates:
    """`DerivedStore` over the store of candidates."""

    store: CandidateStore
    kind: str = "candidates"

    async def reached(self, gone: ForgottenContent) -> list[str]:
        """Return the ids of the candidates that hold something of what goes; see the port."""
        every = all_candidates(self.store)
        return sorted([each.id async for each in every if candidate_without(each, gone) is not each])

    async def take_away(self, ids: Sequence[str], gone: ForgottenContent) -> None:
        """Remove candidates, or what they hold of what goes; see the port."""
        for start in range(0, len(ids), _PAGE):
            held = await self.store.fetch(ids[start : start + _PAGE])
            left = {row_id: candidate_without(each, gone) for row_id, each in held.items()}
            changed = [each for row_id, each in left.items() if each and each is not held[row_id]]
            await self.store.save(changed, removed=[row_id for row_id, each in left.items() if each is None])


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenConflicts:
    """`DerivedStore` over the log of conflicts."""

    log: ConflictLog
    kind: str = "conflicts"

    async def reached(self, gone: ForgottenContent) -> list[str]:
        """Return the ids of the conflicts of which a row goes; see the port."""
        return sorted(each.id for each in await self.log.records() if gone.ids.intersection(each.row_ids))

    async def take_away(self, ids: Sequence[str], gone: ForgottenContent) -> None:  # noqa: ARG002 - a record goes whole
        """Remove conflicts; see the port."""
        await self.log.remove(ids)
