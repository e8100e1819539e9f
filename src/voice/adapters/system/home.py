"""The data directory: where a person's memory, index and key are.

Law: it is 0700, whoever made it (ruling H); rights that were too wide are taken away, because it is ours.
"""

from pathlib import Path

import platformdirs

from voice.adapters.disk.private_files import secure_directory
from voice.core.errors import ConfigurationError

_APP = "voice"


def data_directory() -> Path:
    """Return where the data is when nobody says otherwise: the platform's place for application data (XDG)."""
    return Path(platformdirs.user_data_dir(_APP, appauthor=False))


def expanded(path: str) -> Path:
    """Return the path that `path` names, with `~` and `~somebody` as the home directory they stand for.

    Raises:
        ConfigurationError: there is no such home directory.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise ConfigurationError(f"{path} begins with a home directory that is not there; write it in full") from None


def secure_home(home: Path) -> Path:
    """Create the data directory if needed, make it private, and return its absolute path.

    Raises:
        ConfigurationError: it is not a directory, or cannot be written.
        StoreUnavailable: the disk is full or fails.
    """
    return secure_directory(home.expanduser().absolute())
