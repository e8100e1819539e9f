"""The directory of an embedded store: which one may be used, and what in it is the engine's.

Law: nothing but the engine's own files is touched, and a directory that holds something else is not made a store. The
engine reads a `?` in a path as the beginning of options and would keep the store somewhere else.

Source: ruling H.1; docs/store.md.
"""

from pathlib import Path
from typing import Final

from voice.adapters.disk.private_files import disk_error, make_private
from voice.adapters.disk.store_files import MANIFEST_NAME
from voice.core.errors import ConfigurationError

_LOCK: Final = "LOCK"
_ENGINES: Final = frozenset({_LOCK, MANIFEST_NAME, "sstables", "vlog", "wal"})


def engine_lock(directory: Path) -> Path:
    """Return the file that an engine locks which has the store in `directory` open."""
    return directory / _LOCK


def engine_manifest(directory: Path) -> Path:
    """Return what an engine keeps of a store in `directory` as long as there is one."""
    return directory / MANIFEST_NAME


def require_directory_for_store(directory: Path) -> None:
    """Check that a store is in `directory`, or that one may be made there.

    Raises:
        ConfigurationError: the engine cannot be given that path, or something else is kept there.
        StoreUnavailable: it cannot be read.
    """
    if set(str(directory)) & set("?\x00"):
        raise ConfigurationError(
            f"a store cannot be kept in {directory}, because its engine takes no “?” in a path; "
            "choose another directory with VOICE_HOME or SURR_DB_URL"
        )
    try:
        held = {each.name for each in directory.iterdir()} if directory.is_dir() else set[str]()
    except OSError as error:
        raise disk_error(error, directory) from None
    if not (held <= _ENGINES or {_LOCK, MANIFEST_NAME} <= held):
        raise ConfigurationError(
            f"{directory} holds something that is no store; name a new or empty directory in SURR_DB_URL"
        )


def make_store_private(directory: Path) -> None:
    """Take everybody else's rights to the engine's files away; whatever else lies beside them is left alone."""
    for name in sorted(_ENGINES):
        make_private(directory / name)
