"""The directory that an agent worked in.

Law: looks, and changes nothing; runs no program that the directory names; asks no other machine. A directory that is
gone holds nothing.

Source: docs/capture.md.
"""

from collections.abc import Sequence
from typing import Protocol


class WorkingTree(Protocol):
    """Looks into a working directory and the repository around it."""

    async def ignore_file(self, directory: str) -> str | None:
        """Return what the nearest `.voiceignore` says, from the directory up to the root of its repository."""
        ...

    async def found(self, directory: str, names: Sequence[str]) -> frozenset[str]:
        """Return those of some files and commits that are there: as paths from the directory, from the root of its
        repository or from any directory in it, or as commits, branches and tags that git knows."""
        ...
