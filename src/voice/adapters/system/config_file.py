"""Reading, writing and changing voice.toml.

Law: a missing file counts as empty; one that cannot be read or parsed stops the program with the place of the fault and
nothing of its content (promise 6). A new file replaces none; a change affects one line, and all others stay to the
letter. The file is 0600 (ruling H).

Source: rulings A8, C16, H.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, cast

from voice.adapters.disk.private_files import sync_directory, write_new
from voice.core.errors import ConfigurationError

CONFIG_NAME = "voice.toml"
_MAX_BYTES = 1_000_000
_TABLE = re.compile(r"\s*\[\s*([\w.-]+)\s*\]\s*(?:#.*)?$")  # "[store]", also with a comment behind it
_PLACE = re.compile(r"\(at ([^()]+)\)$")  # "(at line 3, column 5)"; the parser's other words may quote the file


def read_config(path: Path) -> Mapping[str, object]:
    """Return the tables of a voice.toml; empty if there is no such file. Raises ConfigurationError: the file cannot be
    read, is too large, or is not TOML in UTF-8."""
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_BYTES + 1)  # one more byte tells that it is too large
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
    except (ValueError, RecursionError) as error:  # also a number that is too long, or lists nested too deeply
        place = _PLACE.search(str(error))
        raise ConfigurationError(f"{path} is not valid TOML{f' at {place[1]}' if place else ''}") from None


def write_new_config(path: Path, text: str) -> None:
    """Write a new voice.toml, readable by its owner alone; a failed attempt leaves none. Raises ConfigurationError: it
    exists already, or cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if path.exists():
            raise ConfigurationError(f"{path} already exists; edit it, or move it away first")
        write_new(path, text.encode())
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be written: {error.strerror}") from None


def change_config(path: Path, table: str, key: str, value: str) -> None:
    """Change the value of a key of an existing voice.toml, of the top level where `table` is empty: in its line, in the
    commented one of its default, or in a new line. Raises ConfigurationError: it cannot be read or written, or the
    value spans several lines."""
    before = read_config(path)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        place = _find_place(lines, table, key)
        changed = [*lines[: place.start], *place.head, f"{key} = {value}", *lines[place.stop :]]
        text = "\n".join(changed) + "\n"
        # A line was replaced by its look; only parsing tells that nothing else was changed.
        if not _differs_only_in(before, text, table, key):
            raise ConfigurationError(f"{key} spans several lines of {path}; edit it there")
        file = path.resolve()  # of a link, its target
        draft = file.with_name(f".{file.name}.new")
        draft.unlink(missing_ok=True)  # left by a killed change
        write_new(draft, text.encode())
        draft.replace(file)
        sync_directory(file.parent)
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be changed: {error.strerror}") from None


class _Place(NamedTuple):
    """The lines that a key's new line replaces; none for a new key."""

    start: int
    stop: int
    head: tuple[str, ...] = ()  # lines to insert before it


def _find_place(lines: Sequence[str], table: str, key: str) -> _Place:
    heads = {number: found[1] for number, line in enumerate(lines) if (found := _TABLE.match(line))}
    if table and table not in heads.values():
        return _Place(len(lines), len(lines), ("", f"[{table}]"))
    start = next((number + 1 for number, name in heads.items() if name == table), 0) if table else 0
    stop = next((number for number in heads if number >= start), len(lines))
    # Its own line before the commented default.
    for shape in (rf"\s*{re.escape(key)}\s*=", rf"\s*#\s*{re.escape(key)}\s*="):
        for number in range(start, stop):
            if re.match(shape, lines[number]):
                return _Place(number, number + 1)
    # Right below the table's head, where no other table can take it.
    return _Place(start, start)


def _differs_only_in(before: Mapping[str, object], text: str, table: str, key: str) -> bool:
    """Return whether a text is TOML with the same settings as before, except for one key."""
    try:
        return _without(tomllib.loads(text), table, key) == _without(before, table, key)
    except tomllib.TOMLDecodeError:
        return False


def _without(tree: Mapping[str, object], table: str, key: str) -> object:
    inner = cast("Mapping[str, object]", tree.get(table, {})) if table else tree
    rest = {name: value for name, value in inner.items() if name != key}
    return {**{name: value for name, value in tree.items() if name != table}, table: rest} if table else rest
