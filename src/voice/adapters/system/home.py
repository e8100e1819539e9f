"""The data directory: where a person's memory, index and key are.

Law: it is 0700, whoever made it (ruling H); rights that were too wide are taken away, because it is ours.
"""

from pathlib import Path

import platformdirs

from voice.adapters.disk.private_files import secure_directory
from voice.core.errors import ConfigurationError
from voice.core.settings.values import Settings

_APP = "voice"


def data_directory() -> Path:
    """Return where the data is when nobody says otherwise: the platform's place for application data (XDG)."""
    return Path(platformdirs.user_data_dir(_APP, appauthor=False))


def models_directory() -> Path:
    """Return where fetched model files are: beside every data directory, for all of them share these."""
    return Path(platformdirs.user_data_dir(f"{_APP}-models", appauthor=False))


def expanded(path: str) -> Path:
    """Return the path that `path` names, with `~` and `~somebody` as the home directory they stand for.

    Raises:
        ConfigurationError: there is no such home directory.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise ConfigurationError(f"{path} begins with a home directory that is not there; write it in full") from None


def home_at(named: str | None) -> Path:
    """Return the data directory as it resolves: the one that is named, or the usual one.

    Raises:
        ConfigurationError: as `expanded` raises it, or links lead round in a circle.
    """
    place = expanded(named) if named else data_directory()
    try:
        return place.resolve()
    except RuntimeError:
        raise ConfigurationError(f"the links of {place} lead round in a circle; name another directory") from None


def archives_in(home: Path, directory: str) -> Path:
    """Return the directory of archives as it resolves; a relative one is below the data directory.

    Raises:
        ConfigurationError: as `expanded` raises it.
    """
    return (home / expanded(directory)).resolve()


def places_of(settings: Settings, home: Path) -> dict[str, str]:
    """Return the directories that are used, by the name of their setting.

    Raises:
        ConfigurationError: as `expanded` raises it.
    """
    return {"store.home": str(home), "archive.directory": str(archives_in(home, settings.archive.directory))}


def secure_home(home: Path) -> Path:
    """Create the data directory if needed, make it private, and return its absolute path.

    Raises:
        ConfigurationError: it is not a directory, or cannot be written.
        StoreUnavailable: the disk is full or fails.
    """
    return secure_directory(home.expanduser().absolute())
