"""The data directory: its path, its mode, and its key.

Law: the directory is 0700, whoever made it (ruling H); wider rights are removed, because it is ours. Its key is 32
random bytes in a file of mode 0600, made once, atomically, and never exported. The hashes of prompts and tombstones are
made with it (rulings D20, H), so a new key beside an old store would let forgotten rows come back, and is never made
silently. A key that others can read is refused, because they may know it.
"""

import os
import secrets
from pathlib import Path

import platformdirs

from voice.adapters.disk.private_files import disk_error, secure_directory, sync_directory, write_new
from voice.core.errors import ConfigurationError
from voice.core.settings.values import Settings

_APP = "voice"


def data_directory() -> Path:
    """Return the default data directory: the platform's place for application data (XDG)."""
    return Path(platformdirs.user_data_dir(_APP, appauthor=False))


def models_directory() -> Path:
    """Return the directory of fetched model files, which all data directories share."""
    return Path(platformdirs.user_data_dir(f"{_APP}-models", appauthor=False))


def expanded(path: str) -> Path:
    """Return the path `path`, with `~` and `~user` replaced by home directories. Raises ConfigurationError: there is no
    such home directory."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise ConfigurationError(f"{path} begins with a home directory that is not there; write it in full") from None


def home_at(named: str | None) -> Path:
    """Return the resolved data directory: the named one, or the default. Raises ConfigurationError: see `expanded`; or
    links lead round in a circle."""
    place = expanded(named) if named else data_directory()
    try:
        return place.resolve()
    except RuntimeError:
        raise ConfigurationError(f"the links of {place} lead round in a circle; name another directory") from None


def archives_in(home: Path, directory: str) -> Path:
    """Return the resolved directory of archives; a relative one belongs to the data directory (see `expanded`)."""
    return (home / expanded(directory)).resolve()


def places_of(settings: Settings, home: Path) -> dict[str, str]:
    """Return the directories in use, by the name of their setting (see `expanded`)."""
    return {"store.home": str(home), "archive.directory": str(archives_in(home, settings.archive.directory))}


def secure_home(home: Path) -> Path:
    """Create the data directory if needed, make it private, and return its absolute path. Raises ConfigurationError: it
    is not a directory, or cannot be written; StoreUnavailable: the disk is full or fails."""
    return secure_directory(home.expanduser().absolute())


KEY_BYTES = 32
KEY_NAME = "key"
STORE_NAME = "memory"
"""The default store's directory in a home; if it exists, there must be a key."""


def load_key(home: Path) -> bytes:
    """Return the key of the data directory; makes it if there is neither a key nor a store. Raises ConfigurationError:
    the key of a store is missing, or a key has not 32 bytes or can be read by others; StoreUnavailable: the disk is
    full or fails."""
    path = home / KEY_NAME
    try:
        if not path.exists() and not (home / STORE_NAME).exists():  # beside a store no new key is made
            _create(path)
        return _read(path)
    except FileNotFoundError:
        raise ConfigurationError(
            f"{path} is missing; the store's hashes were made with it, so put it back from your own copy"
        ) from None
    except OSError as error:
        raise disk_error(error, path) from None


def _create(path: Path) -> None:
    """Write the key under another name and link it to its path: of two processes one succeeds, and both read its
    key."""
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        write_new(draft, secrets.token_bytes(KEY_BYTES))
        path.hardlink_to(draft)  # fails if the name was taken meanwhile
    except FileExistsError:
        return  # another process was first; its key counts
    finally:
        draft.unlink(missing_ok=True)
    sync_directory(path.parent)


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_mode & 0o077:
            raise ConfigurationError(
                f"others can read {path}; if they have not, run: chmod 600 {path}; otherwise make a new store"
            )
        key = file.read(KEY_BYTES + 1)  # one more byte tells that it is too long
    if len(key) != KEY_BYTES:
        raise ConfigurationError(f"{path} is not a key of {KEY_BYTES} bytes; put it back from your own copy")
    return key
