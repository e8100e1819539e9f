"""voice.toml, read, first written, and changed in one key.

Law: a file that is not there is an empty one; a file that cannot be read or parsed stops the program with its place and
nothing of its content (promise 6). A new file replaces none; of one that is there one line changes, and every other
stays to the letter. What is written is 0600 (ruling H).

Source: rulings A8, C16, H.
"""

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, cast

from voice.core.errors import ConfigurationError

CONFIG_NAME = "voice.toml"
_MAX_BYTES = 1_000_000
_TABLE = re.compile(r"\s*\[\s*([\w.-]+)\s*\]\s*(?:#.*)?$")
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
        raise ConfigurationError(f"{path} is too large for a settings file; is it the right file?")
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
            raise ConfigurationError(f"{path} already exists; edit it, or move it away first")
        _create(path, text)
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be written: {error.strerror}") from None


def change_config(path: Path, table: str, key: str, value: str) -> None:
    """Give a key of a voice.toml another value, in its line, else in that of its default, else in a new one.

    Args:
        path: the file; it is there.
        table: the table that the key stands in; empty for the top.

    Raises:
        ConfigurationError: it cannot be read or written, or the value stands on several lines.
    """
    before = read_config(path)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        place = _place_of(lines, table, key)
        changed = [*lines[: place.start], *place.head, f"{key} = {value}", *lines[place.stop :]]
        text = "\n".join(changed) + "\n"
        if not _says_the_same(before, text, table, key):
            raise ConfigurationError(f"{key} spans several lines of {path}; edit it there")
        aside = path.with_name(f".{path.name}.new")
        aside.unlink(missing_ok=True)
        _create(aside, text)
        aside.replace(path)
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be changed: {error.strerror}") from None


class _Place(NamedTuple):
    """The lines that a key is written over; none where it is new."""

    start: int
    stop: int
    head: tuple[str, ...] = ()
    """What comes before it."""


def _place_of(lines: Sequence[str], table: str, key: str) -> _Place:
    heads = [number for number, line in enumerate(lines) if _TABLE.match(line)]
    if table and not any(_called(lines[number]) == table for number in heads):
        return _Place(len(lines), len(lines), ("", f"[{table}]"))
    start = next((number + 1 for number in heads if _called(lines[number]) == table), 0) if table else 0
    stop = next((number for number in heads if number >= start), len(lines))
    for shape in (rf"\s*{re.escape(key)}\s*=", rf"\s*#\s*{re.escape(key)}\s*="):
        for number in range(start, stop):
            if re.match(shape, lines[number]):
                return _Place(number, number + 1)
    return _Place(start, start)


def _called(line: str) -> str:
    found = _TABLE.match(line)
    return found[1] if found else ""


def _says_the_same(before: Mapping[str, object], text: str, table: str, key: str) -> bool:
    """Return whether a text is TOML that says what was said before, but for one key."""
    try:
        return _without(tomllib.loads(text), table, key) == _without(before, table, key)
    except tomllib.TOMLDecodeError:
        return False


def _without(tree: Mapping[str, object], table: str, key: str) -> object:
    """Return all settings but one."""
    inner = cast("Mapping[str, object]", tree.get(table, {})) if table else tree
    rest = {name: value for name, value in inner.items() if name != key}
    return {**{name: value for name, value in tree.items() if name != table}, table: rest} if table else rest


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
