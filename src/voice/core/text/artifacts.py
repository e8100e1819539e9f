"""File names and commit ids in a text, and the data files of such shapes.

Law: decided by form alone: a path has a separator and an ending or a path prefix, or stands in backticks; a bare file
name has a known ending; a commit is 7-40 lower-case hex digits with a letter and a digit. Not web addresses; line
numbers are dropped. Shape data is read once, on first use.

Source: docs/capture.md; DESIGN 6 "Word lists are data files", 11.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final, cast

_WORD: Final = re.compile(r"(?<![\w./~@%+-])[\w./~@+:#-]{3,400}+")  # at most 400: a longer run is not a path
_COMMIT: Final = re.compile(r"[0-9a-f]{7,40}")
_LINES: Final = re.compile(r"[:#]L?\d{1,7}(?:[-:]L?\d{1,7})?\Z")  # "app.py:12", "app.py#L3-L9"
_ENDING: Final = re.compile(r"[^/]*[^/.]\.[A-Za-z][A-Za-z0-9]{0,9}|\.[A-Za-z][\w.-]{1,40}")  # "a.py", ".git"; not "3.1"
_OPENS: Final = ("/", "./", "../", "~/")
_STOPS: Final = ".:#-+"  # what a sentence puts behind a name


def artifacts_in(text: str) -> tuple[str, ...]:
    """Return the distinct files and commits named in a text, in order."""
    named: dict[str, None] = {}
    for found in _WORD.finditer(text):
        word = found[0].rstrip(_STOPS)
        is_quoted = text[found.start() - 1 : found.start()] == text[found.end() : found.end() + 1] == "`"
        name = _LINES.sub("", word)
        if is_commit(name) or _is_path(name, is_quoted=is_quoted):
            named[name] = None
    return tuple(named)


def is_commit(name: str) -> bool:
    """Return whether a word has the form of a commit id."""
    # "1234567" is a number, "deadbeef" may be a word.
    return bool(_COMMIT.fullmatch(name)) and not name.isdecimal() and any(each.isdecimal() for each in name)


def _is_path(name: str, *, is_quoted: bool) -> bool:
    if any(mark in name for mark in ":#@"):  # web addresses, anchors, mail addresses
        return False
    last = name.rpartition("/")[2]
    ends = bool(_ENDING.fullmatch(last))
    if "/" in name:
        # Nothing after the last "/" is a folder: "src/".
        return bool(name.strip("./~")) and (is_quoted or ends or not last or name.startswith(_OPENS))
    is_other = name.lower() in shape_words("artifacts", "not_files")
    return ends and not is_other and last.rpartition(".")[2].lower() in shape_words("artifacts", "endings")


@cache
def shape_words(area: str, key: str) -> frozenset[str]:
    """Return the words under a key of `voice/data/shapes/<area>.toml`."""
    return frozenset(cast("list[str]", _read(area)[key]))


def shape_numbers(area: str, key: str) -> Mapping[str, int]:
    """Return the numbers by word under a key of `voice/data/shapes/<area>.toml`."""
    return cast("Mapping[str, int]", _read(area)[key])


@cache
def _read(area: str) -> Mapping[str, object]:
    return tomllib.loads((files("voice") / "data" / "shapes" / f"{area}.toml").read_text(encoding="utf-8"))
