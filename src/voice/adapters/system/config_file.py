"""voice.toml, read and first written.

Law: a file that is not there is an empty one; a file that cannot be read or parsed stops the program with its place and
nothing of its content (promise 6). Writing never replaces a file, and what is written is 0600 (ruling H).

Source: rulings A8, C16, H.
"""

import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from voice.core.errors import ConfigurationError

CONFIG_NAME = "voice.toml"
_MAX_BYTES = 1_000_000
_PLACE = re.compile(r"\(at ([^()]+)\)$")


def read_config(path: Path) -> Mapping[str, object]:
    """Return the tables of a voice.toml; empty when there is no such file.

    Raises:
        ConfigurationError: the file cannot be read, is far too large, or is not TOML in UTF-8.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_BYTES + 1)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}") from None
    if len(content) > _MAX_BYTES:
        raise ConfigurationError(f"{path} is larger than a settings file can be; is it the right file?")
    try:
        return tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError:
        raise ConfigurationError(f"{path} is not UTF-8 text; save it as UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        raise ConfigurationError(f"{path} is not valid TOML{f' at {place[1]}' if place else ''}") from None


def write_new_config(path: Path, text: str) -> None:
    """Write a voice.toml that did not exist, readable by its owner alone; a failed attempt leaves none.

    Raises:
        ConfigurationError: there is one already, or it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if path.exists():
            raise ConfigurationError(f"{path} exists already; edit it, or move it away first")
        _create(path, text)
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be written: {error.strerror}") from None


def _create(path: Path, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        path.unlink(missing_ok=True)
        raise
