"""What to say of imports that are under way, or were broken off, beside an answer that knows only a part of them.

Source: docs/import.md, "While an import runs".
"""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportSeen:
    """An import or sync of this memory that has not ended, by whichever process."""

    path: str
    """What is brought in."""
    rows: int
    """How many rows of it are stored."""
    runs: bool
    """False: its process ended before it did."""
    is_sync: bool = False

    @property
    def told(self) -> str:
        """One line that says so, and what to do."""
        name = "what is piped in" if self.path == "-" else f"“{self.path.rstrip('/').rpartition('/')[2] or self.path}”"
        if not self.runs:
            what = "sync" if self.is_sync else "import"
            return (
                f"the {what} of {name} was broken off; the same command goes on from there ({self.rows:,} rows are in)"
            )
        what = "synced" if self.is_sync else "imported"
        return (
            f"{name} is being {what} ({self.rows:,} rows so far); this answer knows no more of it: ask again afterwards"
        )


def told_of(seen: Iterable[ImportSeen]) -> tuple[str, ...]:
    """Return a line for each import, those that run first."""
    return tuple(each.told for each in sorted(seen, key=lambda each: (not each.runs, each.path)))
