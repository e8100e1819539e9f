"""Archives of what was taken away, as forgetting reaches them; implements `ShelvedRows` and `DerivedElsewhere`.

Law: an archive is never changed: one without what goes is written beside it and read again before it is removed, so
that whoever is killed leaves all that stays in one of them, and doing it again ends it. What else it held is kept. One
that cannot be read is told, and stops nobody; one of another memory is told, and neither searched nor changed.

Source: rulings F, G, H; `voice.ports.archives`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from voice.core.graph.reach import Act, cut
from voice.core.records import Row, RowStatus
from voice.core.session.forgetting import Gone
from voice.ports.archives import Archive
from voice.ports.forgetting import Shelved
from voice.services.shelf import Aside, Shelf

_R = TypeVar("_R", bound=Row)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenArchives:
    """`ShelvedRows` and `DerivedElsewhere` over the archives of one memory."""

    shelf: Shelf
    kind: str = "archives"

    async def shelved(self) -> Shelved:
        """Return the rows of every archive that can be read; see `ShelvedRows`."""
        held, aside = await self._read()
        rows = {row.id: row for archive in reversed(held.values()) for row in (*archive.thoughts, *archive.derived)}
        return Shelved(rows=tuple(rows.values()), paths=(*held, *aside.foreign), faults=tuple(aside.faults))

    async def reached(self, gone: Gone) -> list[str]:
        """Return the paths of the archives that hold something of what goes; see `DerivedElsewhere`."""
        held, _ = await self._read()
        return sorted(path for path, archive in held.items() if archive_without(archive, gone) != archive)

    async def take_away(self, ids: Sequence[str], gone: Gone) -> None:
        """Put archives without what goes in the place of these; see `DerivedElsewhere`."""
        held, _ = await self._read()
        for path in ids:
            archive = held.pop(path, None)
            if archive is None:
                continue
            left = archive_without(archive, gone)
            # Whoever was killed between writing and removing finds it written.
            if (left.thoughts or left.derived) and left not in held.values():
                form = "parquet" if path.endswith(".parquet") else "jsonl"
                held[(await self.shelf.files.write(left, self.shelf.directory, form=form)).path] = left
            await self.shelf.files.remove(path)

    async def _read(self) -> tuple[dict[str, Archive], Aside]:
        aside = Aside()
        return {path: archive async for path, archive in self.shelf.own(aside)}, aside


def archive_without(archive: Archive, gone: Gone) -> Archive:
    """Return an archive without what goes; an equal one where it holds nothing of it."""
    return replace(
        archive,
        thoughts=_staying(archive.thoughts, gone),
        derived=_staying(archive.derived, gone),
        vectors=tuple(each for each in archive.vectors if each.row_id not in gone.ids),
    )


def _staying(rows: Sequence[_R], gone: Gone) -> tuple[_R, ...]:
    return tuple(_bare(row, gone) for row in rows if row.id not in gone.ids or _says_nothing(row, gone))


def _says_nothing(row: Row, gone: Gone) -> bool:
    """Return whether the words of a row that is redacted went before it was archived."""
    return gone.keeps_hashes and row.status is RowStatus.REDACTED


def _bare(row: _R, gone: Gone) -> _R:
    act: Act = "redact" if gone.keeps_hashes else "forget"
    left = cut(row, gone.ids, act)
    return row if left is None else replace(left, revision=row.revision)
