"""The files that an engine has open, told from whatever is in their place later.

Law: a path is not a store. What the engine locked when it opened is held by a handle, so that the system gives its
number to no other file, and is compared with what has its name now. Where the two differ, somebody deleted the store,
moved it away or put another one there, and what the engine writes is found by nobody. What the system does not let us
look at is not taken for gone.

Source: docs/holder.md, "When the store is taken away".
"""

import os
from pathlib import Path

from voice.adapters.surreal.directory import engine_lock


class Ground:
    """The store in one directory, as it was when its engine opened it."""

    def __init__(self, directory: Path) -> None:
        """Remember the store in `directory`, which an engine has open.

        Raises:
            OSError: it is gone already.
        """
        self._path = engine_lock(directory)
        self._handle = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        self._found = os.fstat(self._handle)

    @property
    def is_there(self) -> bool:
        """Whether it is still in its place."""
        try:
            return os.path.samestat(self._path.stat(), self._found)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:
            return True

    def close(self) -> None:
        """Let it go; once only."""
        os.close(self._handle)
