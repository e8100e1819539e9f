"""What forgetting needs of stores beside their rows.

Law: taking words away is one transaction and can be done again; nothing else of a record changes by it, and no figure.

Source: rulings G, H; docs/forgetting.md.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from voice.core.records import Row
from voice.core.session.forgetting import ForgottenContent
from voice.core.session.values import DialogueExchange


class ExchangeWords(Protocol):
    """Takes words out of turns that are stored."""

    async def take_away(self, exchanges: Sequence[DialogueExchange]) -> None:
        """Put each turn, bare of some words, in the place of the stored one; it keeps its number and its link.

        Raises:
            UnknownId: one of them is not stored; nothing was written.
            SessionConflict: another one is stored in its place; nothing was written.
            StoreError: nothing was written.
        """
        ...


class DerivedElsewhere(Protocol):
    """A store of what was derived from rows and is no row: staged candidates, archives, a log of merges.

    What is registered with `voice.services.removal.forget.Forget.elsewhere` is reached like everything else.
    """

    @property
    def kind(self) -> str:
        """What it holds, in the plural, as a person is told: "candidates"."""
        ...

    async def reached(self, gone: ForgottenContent) -> list[str]:
        """Return the ids of what rests on one of the rows that go, or quotes what they said, in order."""
        ...

    async def take_away(self, ids: Sequence[str], gone: ForgottenContent) -> None:
        """Remove what is under these ids for good, or what it holds of what goes; what is not there is passed over.

        Raises:
            SessionConflict: something was changed meanwhile; it is asked for again.
            StoreError: it cannot be written.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelved:
    """What archives hold."""

    rows: tuple[Row, ...] = ()
    """Each once, as the newest archive has it."""
    paths: tuple[str, ...] = ()
    """Of the archives, and of those of other memories beside them: none of these is a file that may be removed."""
    faults: tuple[str, ...] = ()
    """A sentence for each archive that cannot be read: what it holds is not reached."""


class ShelvedRows(DerivedElsewhere, Protocol):
    """Knows what was archived, so that it is found and forgotten like what is stored.

    It is taken away last of all: what an archive holds tells what is still to do.
    """

    async def shelved(self) -> Shelved:
        """Return the rows of every archive that can be read.

        Raises:
            StoreUnavailable, ConfigurationError: the directory cannot be read.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Traces:
    """Files that name rows."""

    paths: tuple[str, ...] = ()


class TraceFiles(Protocol):
    """Finds files in the data directory that are no part of the store: exports, session files, backups."""

    async def naming(self, row_ids: Collection[str]) -> Traces:
        """Return the files that hold one of these ids, by their path.

        Raises:
            StoreUnavailable: one of them cannot be read.
        """
        ...

    async def remove(self, traces: Traces) -> None:
        """Remove those files; one that is not there is passed over.

        Raises:
            StoreUnavailable: one of them cannot be removed.
        """
        ...
