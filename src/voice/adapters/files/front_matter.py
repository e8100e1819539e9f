"""The front matter of a note: YAML between `---`, TOML between `+++` (Hugo), or a JSON object.

Law: every YAML value is read as the text that was written (none becomes a number or a date), aliases in YAML are
refused (they can expand a few bytes to gigabytes), and only known keys have a meaning. A field that cannot be read is
reported and costs no other; if it says whether the note is private, the note is private. What only looks like front
matter (a rule with words under it) belongs to the note's text.

Source: ruling I6; docs/formats.md.
"""

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from typing import Final, TypeVar, cast

import yaml

from voice.core.errors import InvalidParams
from voice.core.interchange.foreign.dates import DateReading
from voice.core.messages.files import DATE_AMBIGUOUS
from voice.core.text.word_lists import word_set

# "---", fields, "---" or "..."; also empty, "---\n---".
_BLOCK: Final = re.compile(r"\A---[ \t]*\n(.*?)(?:\A|(?<=\n))(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_TOML: Final = re.compile(r"\A\+\+\+[ \t]*\n(.*?)(?:\A|(?<=\n))\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL)
# PyYAML's time grows with the square of the number of brackets; this length takes a second or two at worst.
_MAX_CHARS: Final = 16 * 1024
_MAX_DEPTH: Final = 50  # of nested values
# "key: value", also in quotation marks.
_YAML_FIELD: Final = re.compile(r"([^\s:#\[\]{}\"'-][^:\n]{0,60}|\"[^\":\n]{1,60}\"|'[^':\n]{1,60}'):(?=\s|$)")
_TOML_FIELD: Final = re.compile(r"([A-Za-z0-9_-]{1,60})[ \t]*=")
# A one-line value that opens no bracket or quotation; a second colon in it belongs to it.
_PLAIN: Final = re.compile(r"[^\s\"'\[\]{}&*!|>%@`#][^\n]*")
# By how surely they tell of the day that the note is about.
_DATE_KEYS: Final = (
    *("date", "created", "created_at", "day", "datetime", "published"),
    *("date created", "created date", "creation date", "date_created", "created_date", "creation_date"),
)
_PRIVATE_KEYS: Final = ("private", "is_private")
_TEXT_KEYS: Final = ("title", "kind", "speaker", "thread")
_KNOWN: Final = frozenset({*_DATE_KEYS, *_PRIVATE_KEYS, *_TEXT_KEYS, "tags"})
_TRUE: Final = frozenset({"true", "yes", "on", "1"})
_FALSE: Final = frozenset({"false", "no", "off", "0", ""})
_SHOWN_NAME: Final = 40  # in reports
_METADATA: Final = word_set(
    "id uid uuid slug permalink layout template draft weight toc lang aliases alias tag category categories cssclass "
    "cssclasses publish published public image cover banner icon sticker position comments lastmod math type"
)
# Parts of names of fields that programs write.
_OF_PROGRAMS: Final = ("plugin", "modified", "updated", "banner", "cssclass")
_LONGEST_FACT: Final = 300  # longer ones are texts, not facts
_Value = TypeVar("_Value")


class FrontMatter:
    """The front matter of a note; it remembers which fields could not be read."""

    def __init__(self, data: Mapping[str, object], broken: tuple[str, ...] = ()) -> None:
        self._data = {_key(name): value for name, value in data.items()}
        self._broken: dict[str, bool] = dict.fromkeys(map(_key, broken), False)  # whether it is a date of two readings

    def text(self, name: str) -> str | None:
        """Return a text; None if it is missing or empty."""
        return self._or_broken(name, lambda: self._text(name), None)

    def instant(self, dates: DateReading) -> datetime | None:
        """Return the first date key's value that can be read."""
        for name in _DATE_KEYS:
            moment = self._or_broken(name, lambda key=name: dates.instant(self._data.get(key)), None)
            if moment is not None:
                return moment
        return None

    def with_fields(self, more: Mapping[str, str]) -> "FrontMatter":
        """Return it with the fields that the note's text gives; its own fields take precedence."""
        return FrontMatter({**{key: value for key, value in more.items() if value}, **self._data}, tuple(self._broken))

    def tags(self) -> tuple[str, ...]:
        """Return its tags, without a leading #: a list, or a text with commas."""
        return tuple(tag for text in self.texts("tags") if (tag := text.lstrip("#")))

    def texts(self, name: str) -> tuple[str, ...]:
        """Return the texts in a list, or in a text with commas, without blank ones; inner lists are flattened."""
        value = self._data.get(name)
        parts: object = value.split(",") if isinstance(value, str) else value or []
        # None is never text, so anything else counts as broken.
        found = _flatten(cast("list[object]", parts)) if isinstance(parts, list) else [None]
        texts = [each.strip() for each in found if isinstance(each, str) and "\x00" not in each]  # NUL is in no text
        if len(texts) < len(found):
            self._broken[name] = False
        return tuple(text for text in texts if text)

    def __contains__(self, name: str) -> bool:
        """Return whether it has a key."""
        return name in self._data

    def is_private(self) -> bool:
        """Return whether the note is private; an unclear value means private."""
        for name in _PRIVATE_KEYS:
            word = self._or_broken(name, lambda key=name: (self._text(key) or "").lower(), "?")
            if word not in _FALSE and word not in _TRUE:  # "maybe" means private, and is reported
                self._broken[name] = False
            if word not in _FALSE or name in self._broken:
                return True
        return False

    def facts(self) -> str:
        """Return what it says of what the note is about, a field a line ("Birthday: 13 July"), in its own order."""
        told = ((name, _told(value)) for name, value in self._data.items() if not _is_metadata(name))
        return "\n".join(f"{name}: {value}" for name, value in told if value and name not in self._broken)

    def unknown(self) -> tuple[str, ...]:
        """Return the unknown keys, without those of facts."""
        names = (
            name for name in self._data if name not in _KNOWN and (_is_metadata(name) or not _told(self._data[name]))
        )
        return tuple(sorted(name[:_SHOWN_NAME] for name in names))

    def broken(self) -> tuple[str, ...]:
        """Return the keys whose values could not be read so far, but for dates of two readings."""
        return tuple(name[:_SHOWN_NAME] for name, is_unclear in self._broken.items() if not is_unclear)

    def is_unclear(self) -> bool:
        """Return whether a date could be read in two ways so far."""
        return any(self._broken.values())

    def _text(self, name: str) -> str | None:
        value = self._data.get(name)
        if isinstance(value, bool | int | float | date | time):  # TOML and JSON give such values
            value = str(value)
        if value is None or (isinstance(value, str) and not value.strip()):
            return None
        if not isinstance(value, str) or "\x00" in value:
            raise InvalidParams("is not text")
        return value.strip()

    def _or_broken(self, name: str, read: Callable[[], _Value], otherwise: _Value) -> _Value:
        try:
            return read()
        except InvalidParams as fault:
            self._broken[name] = fault.message == DATE_AMBIGUOUS
            return otherwise


def _key(name: str) -> str:
    """Return a field's name, without capitals if it is metadata: `Private` is `private`."""
    return name.strip().casefold() if _is_metadata(name) else name.strip()


def _is_metadata(name: str) -> bool:
    """Return whether a field is about the file, not about what the note is about."""
    key = name.strip().casefold()
    return key in _KNOWN or key in _METADATA or any(part in key for part in _OF_PROGRAMS)


def _told(value: object) -> str:
    """Return a field's value as words, a list with commas; empty if it says nothing, or too much for a line."""
    parts = _flatten(cast("list[object]", value)) if isinstance(value, list) else [value]
    texts = [" ".join(str(each).split()) for each in parts if isinstance(each, str | int | float | date)]
    said = ", ".join(text for text in texts if text)
    is_said = len(texts) == len(parts) and len(said) <= _LONGEST_FACT and any(map(str.isalnum, said))
    return said if is_said and "\x00" not in said else ""


def split_front_matter(text: str) -> tuple[FrontMatter, str]:
    """Return a note's front matter and its body; without front matter, an empty one and the whole text."""
    if found := _TOML.match(text):
        front = _parse_toml(found[1])
    elif found := _BLOCK.match(text):
        front = _parse_yaml(found[1])
    else:
        return _split_json(text)
    return (FrontMatter({}), text) if front is None else (front, text[found.end() :])


def _flatten(parts: list[object]) -> list[object]:
    return [each for part in parts for each in (cast("list[object]", part) if isinstance(part, list) else [part])]


def _split_json(text: str) -> tuple[FrontMatter, str]:
    """Return the JSON object that a note begins with (Hugo), and the text after it."""
    if not text.startswith("{"):
        return FrontMatter({}), text
    try:
        value, end = cast("tuple[object, int]", json.JSONDecoder().raw_decode(text[:_MAX_CHARS]))  # bounded as YAML is
    except (ValueError, RecursionError):
        return FrontMatter({}), text
    rest = text[end:].lstrip(" \t")
    if not isinstance(value, dict) or not value or not rest.startswith("\n"):  # `{` may begin any text
        return FrontMatter({}), text
    return FrontMatter(cast("dict[str, object]", value)), rest[1:]


def _parse_toml(source: str) -> FrontMatter | None:
    try:
        if len(source) <= _MAX_CHARS:
            return FrontMatter(tomllib.loads(source))
    except (tomllib.TOMLDecodeError, RecursionError):
        pass
    # As a whole it cannot be read.
    return _parse_fields(_fields(source, _TOML_FIELD), lambda name, field: tomllib.loads(field)[name])


def _parse_yaml(source: str) -> FrontMatter | None:
    """Return the front matter in a block; None if the block belongs to the note's text."""
    try:
        value = _load_yaml(source)
    except yaml.YAMLError:
        return _parse_fields(_fields(source, _YAML_FIELD), _yaml_value)
    if value is None or value == "":
        return FrontMatter({})
    if not isinstance(value, dict):
        return None
    data = {str(name): item for name, item in cast("dict[object, object]", value).items()}
    # "---", a blank line and a word with a colon is a rule over text.
    return None if source.startswith("\n") and data.keys().isdisjoint(_KNOWN) else FrontMatter(data)


def _load_yaml(source: str) -> object:
    if len(source) > _MAX_CHARS:
        raise yaml.YAMLError
    try:
        return yaml.load(source, Loader=_TextLoader)  # noqa: S506 - builds texts, lists and maps only
    except (RecursionError, ValueError) as error:
        raise yaml.YAMLError from error


def _yaml_value(name: str, source: str) -> object:
    """Return a field's value; on a plain line a second colon belongs to the value."""
    value = source.partition(":")[2].strip()
    try:
        read = _load_yaml(source)
        return cast("dict[str, object]", read)[name] if isinstance(read, dict) and name in read else value
    except yaml.YAMLError:
        if _PLAIN.fullmatch(value):
            return value
        raise


def _fields(source: str, pattern: re.Pattern[str]) -> dict[str, str] | None:
    """Return the source of each field of a block by name; None if the block is prose."""
    # A field begins at the start of a line and includes the following lines that are indented, list items or blank.
    fields: dict[str, list[str]] = {}
    lines: list[str] = []
    is_plain = not source.startswith("\n")
    for line in source.split("\n"):
        if found := pattern.match(line):
            lines = fields[found[1].strip("\"' ")] = [line]
        elif not line.startswith("#"):  # comments belong to no field
            is_plain = is_plain and (bool(lines) or not line.strip()) and line[:1] in {"", " ", "\t", "-", "]", "}"}
            lines.append(line)
    if not fields or (not is_plain and fields.keys().isdisjoint(_KNOWN)):
        return None
    return {name: "\n".join(found).rstrip() for name, found in fields.items()}


def _parse_fields(fields: Mapping[str, str] | None, read: Callable[[str, str], object]) -> FrontMatter | None:
    """Return the fields, each parsed by itself, as many of them as a block may hold in all."""
    if fields is None:
        return None
    data: dict[str, object] = {}
    broken: list[str] = []
    left = _MAX_CHARS
    for name, source in fields.items():
        left -= len(source)
        if left < 0:  # the limit holds for all fields together
            broken.append(name)
            continue
        try:
            data[name] = read(name, source)
        except (yaml.YAMLError, ValueError, KeyError, RecursionError):
            broken.append(name)
    return FrontMatter(data, tuple(broken))


class _TextLoader(yaml.BaseLoader):
    """Reads every scalar as text, and refuses aliases and deep nesting."""

    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """Refuse aliases and deep nesting, whose time grows with the square of the depth."""
        if self.check_event(yaml.AliasEvent) or self.depth > _MAX_DEPTH:  # an alias can expand without end
            raise yaml.YAMLError
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node
