"""Imports that run or stopped early, and the warnings about them beside answers.

Source: docs/import.md, "While an import runs".
"""

from collections.abc import Iterable
from dataclasses import dataclass

from voice.core.text.display import counted


@dataclass(frozen=True, slots=True, kw_only=True)
class UnfinishedImport:
    """An import or sync of this memory that has not ended, by whichever process."""

    path: str
    """What is brought in."""
    rows: int
    """How many rows of it are stored."""
    runs: bool
    """False: its process ended before it did."""
    is_sync: bool = False

    @property
    def warning(self) -> str:
        """One line that says what an answer may lack, and what to do."""
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


def warnings_of(seen: Iterable[UnfinishedImport]) -> tuple[str, ...]:
    """Return a warning for each path, running imports first; only one for a path whose import was started again."""
    by_path: dict[str, UnfinishedImport] = {}
    for each in sorted(seen, key=lambda each: (not each.runs, -each.rows)):
        by_path.setdefault(each.path, each)
    return tuple(each.warning for each in sorted(by_path.values(), key=lambda each: (not each.runs, each.path)))
