"""Imports that are under way, as every process of one memory sees them.

Law: an import is seen from its first row to its last; one whose process was killed is seen as broken off until the
same path has come in. To mark one is a help and no condition: where it cannot be marked it runs, and is not seen.

Source: docs/import.md, "While an import runs".
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from voice.core.interchange.import_preview import UnfinishedImport

Tell = Callable[[int], None]
"""Called with how many rows are stored so far."""


class ImportMarks(Protocol):
    """Marks imports as under way, and sees those of all processes."""

    def mark_running(self, path: str, *, is_sync: bool = False) -> AbstractContextManager[Tell]:
        """Mark an import while the block runs; a block that ends with an error leaves it marked as broken off."""
        ...

    def seen(self) -> tuple[UnfinishedImport, ...]:
        """Return the imports that have not ended; one that was broken off and whose source is gone is none."""
        ...


class Unmarked:
    """Marks nothing and sees nothing."""

    def mark_running(self, path: str, *, is_sync: bool = False) -> AbstractContextManager[Tell]:  # noqa: ARG002  (named by the port)
        """See the port."""
        return nullcontext(lambda _rows: None)

    def seen(self) -> tuple[UnfinishedImport, ...]:
        """See the port."""
        return ()
