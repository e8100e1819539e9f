"""The data directory: where it is, whose it is, and its key.

Law: it is 0700, whoever made it (ruling H); rights that were too wide are taken away, because it is ours.

The key of a data directory. 32 random bytes in a file of mode 0600, made once, atomically, and never exported. The
hashes of prompts and of tombstones are keyed with it (rulings D20, H), so a new key beside an old store would let
forgotten rows come back and is never made silently. A key that others can read is refused, because it may be known to
them.
"""

import os
import secrets
from pathlib import Path

import platformdirs

from voice.adapters.disk.private_files import FILE_MODE, disk_error, secure_directory, sync_directory
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


KEY_BYTES = 32
KEY_NAME = "key"
STORE_NAME = "memory"
"""The default store's directory in a home: where it is, a key must have been."""


def load_key(home: Path) -> bytes:
    """Return the key of the data directory, and make it first if neither a key nor a store is there.

    Raises:
        ConfigurationError: the key of an existing store is missing, or a key is not 32 bytes or can be read by others.
        StoreUnavailable: the disk is full or fails.
    """
    path = home / KEY_NAME
    try:
        if not path.exists() and not (home / STORE_NAME).exists():
            _create(path)
        return _read(path)
    except FileNotFoundError:
        raise ConfigurationError(
            f"{path} is missing; the store's hashes were made with it, so put it back from your own copy"
        ) from None
    except OSError as error:
        raise disk_error(error, path) from None


def _create(path: Path) -> None:
    """Write the whole key under another name and link it into place: of two processes one wins and both read it."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(KEY_BYTES))
            file.flush()
            os.fsync(file.fileno())
        path.hardlink_to(draft)
    except FileExistsError:
        return
    finally:
        draft.unlink(missing_ok=True)
    sync_directory(path.parent)


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_mode & 0o077:
            raise ConfigurationError(
                f"{path} can be read by others; if nobody has, run: chmod 600 {path}; otherwise make a new store"
            )
        key = file.read(KEY_BYTES + 1)
    if len(key) != KEY_BYTES:
        raise ConfigurationError(f"{path} is not a key of {KEY_BYTES} bytes; put it back from your own copy")
    return key
