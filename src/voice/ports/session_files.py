"""Files of conversations: read in whole and checked, or written in whole.

Law: a file is believed only after all of it was read, held against its schema and followed along its chain; what is
wrong is told by its place and never by its text.

Source: docs/sessions.md; ruling H.
"""

from typing import Protocol

from voice.core.session.document import ImportedConversation


class SessionFiles(Protocol):
    """Reading and writing files of conversations."""

    async def read(self, path: str) -> ImportedConversation:
        """Return the conversation in a file; `-` is standard input.

        Raises:
            DataFileError: it cannot be read, is no such file or of another version, or is not what was written.
        """
        ...

    async def write(self, path: str, text: str, *, overwrite: bool = False) -> None:
        """Put `text` into a file that only its owner can read, whole or not at all.

        Raises:
            DataFileError: it is there already and `overwrite` is false, or it cannot be written.
        """
        ...
