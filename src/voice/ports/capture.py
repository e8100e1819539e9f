"""Capture of agents' sessions: those that ended and wait, and the directory that an agent worked in.

Law: one process at a time takes in; a session is gone from the spool once what came of it is noted, and one that cannot
be taken in stays. No word that anybody said is in it.

The directory that an agent worked in. Looks, and changes nothing; runs no program that the directory names; asks no
other machine. A directory that is gone holds nothing.

Source: docs/capture.md.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from voice.core.capture.values import CaptureOutcome, CaptureTotals, EndedSession, Host


class Spool(Protocol):
    """The spool of one memory."""

    def taking(self) -> AbstractAsyncContextManager[tuple[EndedSession, ...]]:
        """Yield the sessions that wait, the oldest first; none while another process takes them in."""
        ...

    async def done(self, ended: EndedSession, came: CaptureOutcome | None) -> None:
        """Note what came of a session, None where the ignore rules keep it out; one with a fault waits on."""
        ...

    async def waiting(self) -> Mapping[str, tuple[EndedSession, str | None]]:
        """Return the sessions that wait, by their names in the spool, each with why it could not be taken in."""
        ...

    async def captured(self) -> Mapping[Host, CaptureTotals]:
        """Return what came in so far."""
        ...


class WorkingTree(Protocol):
    """Looks into a working directory and the repository around it."""

    async def ignore_file(self, directory: str) -> str | None:
        """Return what the nearest `.voiceignore` says, from the directory up to the root of its repository."""
        ...

    async def found(self, directory: str, names: Sequence[str]) -> frozenset[str]:
        """Return those of some files and commits that are there: as paths from the directory, from the root of its
        repository or from any directory in it, or as commits, branches and tags that git knows."""
        ...
