"""By what a store on this disk is told from a directory.

Law: a directory is not a store: one that was emptied holds none. What the system does not let us look at is not taken
for absent; whoever asks is told.

Source: docs/store.md.
"""

from pathlib import Path

from voice.adapters.disk.private_files import disk_error

MANIFEST_NAME = "manifest"
"""What the engine keeps in a store's directory as long as there is a store."""


def has_store(directory: Path) -> bool:
    """Return whether a store is in `directory`.

    Raises:
        ConfigurationError, StoreUnavailable: it cannot be looked at.
    """
    try:
        (directory / MANIFEST_NAME).stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise disk_error(error, directory) from None
    return True
