"""Folders of notes that a memory is kept in step with.

Law: looking reads files and changes none. What is known of folders is kept beside the memory, for its owner alone; it
holds no word of a note, and losing it loses nothing but which notes have gone since.

Source: ruling I4; docs/import.md, "Keeping a folder in step".
"""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from voice.core.interchange.folder_sync import FollowedFolder, Stamp
from voice.ports.files import FileFormat

FOLLOWED: Final = frozenset({FileFormat.MARKDOWN, FileFormat.OBSIDIAN, FileFormat.LOGSEQ, FileFormat.TEXT})
"""What a folder can hold that is followed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scanned:
    """What lies in a folder of notes."""

    root: str
    """The folder that its places are told from: the vault's, where it is in one."""
    within: str
    """The part of the root that was looked at, ending in `/`; empty is all of it."""
    format: FileFormat
    stamps: Mapping[str, Stamp] = field(default_factory=dict[str, Stamp])
    """By place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteFile:
    """A note as its file is now."""

    text: str = field(repr=False)
    path: str
    is_vault: bool
    """Whether its folder is a vault of Obsidian."""


class NoteTexts(Protocol):
    """Reads single notes."""

    async def note(self, root: str, place: str) -> NoteFile | None:
        """Return the file of a note; None where it is not there, cannot be read, or is not in its folder."""
        ...


class NoteFolders(Protocol):
    """Looks at folders of notes."""

    async def root_of(self, path: str, kind: FileFormat | None) -> Scanned:
        """Return which folder a path means, without what lies in it.

        Raises:
            DataFileError: it is no folder of notes or texts.
        """
        ...

    async def scan(self, folder: Scanned, known: Mapping[str, Stamp]) -> Scanned:
        """Return what lies in a folder; a file whose size and time are as they were known is not read.

        Raises:
            DataFileError: it cannot be read.
        """
        ...

    def watch(self, folder: Scanned) -> AsyncIterator[None]:
        """Yield whenever something in a folder was written, some moments after it was; costs next to nothing between.

        Raises:
            DataFileError: it cannot be watched.
        """
        ...


class FollowedFolders(Protocol):
    """Keeps what is known of folders."""

    async def folders(self) -> Mapping[str, FollowedFolder]:
        """Return what is known, by root.

        Raises:
            DataFileError: it is there and cannot be read.
        """
        ...

    async def keep(self, root: str, followed: FollowedFolder) -> None:
        """Keep what is known of one folder; the others stay as they are.

        Raises:
            ConfigurationError, StoreUnavailable: it cannot be written.
        """
        ...
