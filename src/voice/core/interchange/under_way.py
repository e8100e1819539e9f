"""What to say of imports that are under way, or were broken off, beside an answer that knows only a part of them.

Source: docs/import.md, "While an import runs".
"""

from collections.abc import Iterable
from dataclasses import dataclass

from voice.core.text.counting import counted


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
        records = counted(self.rows, "record")
        name = "the piped input" if self.path == "-" else f"“{self.path.rstrip('/').rpartition('/')[2] or self.path}”"
        if not self.runs:
            what = "sync" if self.is_sync else "import"
            return (
                f"the {what} of {name} stopped early, after {records}, so this answer may miss something; to finish "
                "it, run the same command again"
            )
        what = "sync" if self.is_sync else "import"
        return (
            f"the {what} of {name} is still running ({records} so far), so this answer may miss something; ask again "
            "when it is done"
        )


def told_of(seen: Iterable[ImportSeen]) -> tuple[str, ...]:
    """Return a line for each path that is imported, those that run first; of one that was begun again, one."""
    by_path: dict[str, ImportSeen] = {}
    for each in sorted(seen, key=lambda each: (not each.runs, -each.rows)):
        by_path.setdefault(each.path, each)
    return tuple(each.told for each in sorted(by_path.values(), key=lambda each: (not each.runs, each.path)))
