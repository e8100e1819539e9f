"""Read fields of JSON objects, strictly for our lines, leniently for others', and map foreign objects to thoughts.

Law: `Fields` checks type and range and remembers unread names; messages name the field, never its value; null is
missing. The `as_…` functions are total: wrong types count as missing, texts come back storable. Foreign fields map as
the person says, else by well-known names, which is reported. No field can raise an origin. Privacy flags are understood
or rejected, never guessed.
Source: docs/import.md; rulings A12, H.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, tzinfo
from enum import StrEnum
from typing import Final, TypeVar, cast

from voice.core.errors import InvalidParams
from voice.core.interchange.memory_lines import MAX_TEXT_CHARS, ThoughtLine
from voice.core.messages import files as messages
from voice.core.records import PREFIX_OF_TABLE, Table
from voice.core.text.instants import parse_instant, to_utc

_Choice = TypeVar("_Choice", bound=StrEnum)
_KEY: Final = re.compile(r"[A-Za-z0-9_.~-]{1,128}")
_MAX_COUNT: Final = 2**53  # JSON numbers are exact up to here
_SHOWN_NAME: Final = 40  # of a name in a message


class Fields:
    """One JSON object that tracks which fields were read."""

    def __init__(self, data: Mapping[str, object], zone: tzinfo) -> None:
        self._data = {name: value for name, value in data.items() if value is not None}  # null is missing
        self._left = set(data)  # with null ones: a person is told of any unknown name
        self._zone = zone

    def __contains__(self, name: str) -> bool:
        return name in self._data

    def unknown(self) -> tuple[str, ...]:
        """Return the sorted names of unread fields, truncated for messages."""
        return tuple(sorted(name[:_SHOWN_NAME] for name in self._left))

    def text(self, name: str) -> str | None:
        """Return a text, or None."""
        value = self._take(name)
        return None if value is None else _checked_text(name, value)

    def text_or(self, name: str, default: str) -> str:
        """Return a text, or `default`."""
        value = self.text(name)
        return default if value is None else value

    def required(self, name: str) -> str:
        """Return a text that must be present and not blank."""
        value = self.text(name)
        if value is None or not value.strip():
            raise InvalidParams(messages.field_missing(name))
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts that are not blank."""
        texts = tuple(_checked_text(name, item) for item in self._take_list(name, messages.must_be_texts(name)))
        if not all(text.strip() for text in texts):
            raise InvalidParams(messages.empty_text(name))
        return texts

    def flag(self, name: str) -> bool | None:
        """Return true, false or None."""
        value = self._take(name)
        if value is not None and not isinstance(value, bool):
            raise InvalidParams(messages.must_be_flag(name))
        return value

    def counts(self, name: str) -> tuple[int, ...]:
        """Return a list of non-negative integers."""
        return tuple(_checked_count(name, item) for item in self._take_list(name, messages.must_be_numbers(name)))

    def count(self, name: str) -> int:
        """Return a non-negative integer, 0 if missing."""
        value = self._take(name)
        return 0 if value is None else _checked_count(name, value)

    def share(self, name: str, default: float) -> float:
        """Return a number from 0 to 1."""
        value = self._take(name)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise InvalidParams(messages.must_be_share(name))
        return float(value)

    def instant(self, name: str) -> datetime | None:
        """Return an instant in UTC, or None."""
        value = self.text(name)
        return None if value is None else self._instant(name, value)

    def instants(self, name: str) -> tuple[datetime, ...]:
        """Return a list of instants in UTC."""
        return tuple(self._instant(name, value) for value in self.texts(name))

    def choice(self, name: str, kind: type[_Choice]) -> _Choice | None:
        """Return a member of an enum, or None."""
        value = self.text(name)
        if value is None:
            return None
        if value not in kind._value2member_map_:  # `kind(value)` would raise ValueError
            raise InvalidParams(messages.must_be_one_of(name, ", ".join(kind)))
        return kind(value)

    def row_id(self, name: str, table: Table | None = None) -> str | None:
        """Return a row id, or None; of `table` if given."""
        value = self.text(name)
        return None if value is None else checked_id(name, value, table)

    def row_ids(self, name: str, table: Table | None = None) -> tuple[str, ...]:
        """Return a list of row ids."""
        return tuple(checked_id(name, value, table) for value in self.texts(name))

    def nested(self, name: str) -> "Fields | None":
        """Return a nested object, or None."""
        value = self._take(name)
        return None if value is None else _nested(name, value, self._zone)

    def nested_list(self, name: str) -> "tuple[Fields, ...]":
        """Return a list of nested objects."""
        items = self._take_list(name, messages.must_be_objects(name))
        return tuple(_nested(name, item, self._zone) for item in items)

    def _instant(self, name: str, value: str) -> datetime:
        try:
            return parse_instant(value, self._zone)
        except InvalidParams as error:
            raise InvalidParams(f"“{name}” {error.message}") from None

    def _take(self, name: str) -> object:
        self._left.discard(name)
        return self._data.get(name)

    def _take_list(self, name: str, fault: str) -> list[object]:
        value = self._take(name)
        if value is not None and not isinstance(value, list):
            raise InvalidParams(fault)
        return as_list(cast("object", value))


def checked_id(name: str, value: str, table: Table | None) -> str:
    """Validate a row id: known prefix, key of letters, digits and `_ . ~ -`. Raises InvalidParams: malformed."""
    prefix, _, key = value.partition(":")
    wanted = list(PREFIX_OF_TABLE.values()) if table is None else [PREFIX_OF_TABLE[table]]
    if prefix not in wanted or not _KEY.fullmatch(key):
        raise InvalidParams(messages.must_look_like(name, " or ".join(f"{prefix}:…" for prefix in wanted)))
    return value


def _checked_count(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MAX_COUNT:
        raise InvalidParams(messages.must_be_count(name))
    return value


def _checked_text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise InvalidParams(messages.must_be_text(name))
    if len(value) > MAX_TEXT_CHARS:
        raise InvalidParams(messages.text_too_long(name, MAX_TEXT_CHARS))
    if "\x00" in value:
        raise InvalidParams(messages.has_nul(name))
    if any("\ud800" <= char <= "\udfff" for char in value):  # half of a pair has no UTF-8
        raise InvalidParams(messages.has_surrogate(name))
    return value


def _nested(name: str, value: object, zone: tzinfo) -> Fields:
    if not isinstance(value, dict):
        raise InvalidParams(messages.must_be_object(name))
    return Fields(cast("dict[str, object]", value), zone)


_SURROGATES: Final = re.compile("[\ud800-\udfff]")
_MILLISECONDS_FROM: Final = 1e11  # as seconds: after the year 5138


def as_map(value: object) -> dict[str, object]:
    """Return an object; empty for other types."""
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def as_list(value: object) -> list[object]:
    """Return a list; empty for other types."""
    return cast("list[object]", value) if isinstance(value, list) else []


def as_text(value: object) -> str:
    """Return a storable text; "" for other types."""
    return stored_text(value) if isinstance(value, str) else ""


def stored_text(text: str) -> str:
    """Make a text storable: no NUL or lone surrogates, line feeds only, trimmed."""
    whole = _SURROGATES.sub("\ufffd", text.replace("\x00", ""))
    return whole.replace("\r\n", "\n").strip("\n").rstrip()  # the first line keeps its indent


def as_instant(value: object, zone: tzinfo = UTC) -> datetime | None:
    """Return the instant of a text, in `zone` without offset, or of seconds or ms since 1970; None if invalid."""
    try:
        if isinstance(value, str):
            return parse_instant(value, zone, naive_is_local=True)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        return to_utc(datetime.fromtimestamp(value / 1000 if abs(value) >= _MILLISECONDS_FROM else value, UTC))
    except (InvalidParams, ValueError, OverflowError, OSError):  # years beyond 9999; OSError by platform
        return None


_GUESSES: Final[Mapping[str, tuple[str, ...]]] = {  # ours, and others' names for it, the likeliest first
    "content": ("content", "text", "body", "message", "note"),
    "created_at": ("created_at", "date", "timestamp", "time", "created", "ts"),
    "speaker": ("speaker", "author", "from", "sender", "role"),
    "thread": ("thread", "thread_id", "conversation_id", "conversation"),
    "kind": ("kind",),
    "tags": ("tags", "labels"),
    "is_private": ("is_private", "private"),
    "source_ref": ("id", "uuid", "source_ref"),
}
_TRUE: Final = frozenset({True, "true", "yes", "1"})
_FALSE: Final = frozenset({False, None, "false", "no", "0", ""})  # an empty field says no
_NAMED: Final = 12  # names in a message

FieldMap = Mapping[str, str]  # our field names to theirs


def parse_mapping(entries: Iterable[str]) -> dict[str, str]:
    """Parse mappings such as `content=body`. Raises InvalidParams: malformed, or an unknown field of ours."""
    mapping: dict[str, str] = {}
    for entry in entries:
        ours, equals, theirs = (part.strip() for part in entry.partition("="))
        if not equals or not theirs or ours not in _GUESSES:
            raise InvalidParams(messages.map_shape(", ".join(_GUESSES)))
        mapping[ours] = theirs
    return mapping


def guessed(members: Mapping[str, object], mapping: FieldMap) -> dict[str, str]:
    """Complete `mapping` with well-known names found in `members`."""
    taken = set(mapping.values())
    found = {
        ours: name
        for ours, names in _GUESSES.items()
        if ours not in mapping and (name := next((each for each in names if each in members and each not in taken), ""))
    }
    return {**found, **mapping}


def mapped_line(members: Mapping[str, object], mapping: FieldMap, zone: tzinfo) -> tuple[ThoughtLine, tuple[str, ...]]:
    """Return an object's thought by a complete `mapping` (`guessed`), and the names of unused fields.

    Raises InvalidParams: no text, invalid date, or invalid privacy flag.
    """
    if "content" not in mapping:
        names = ", ".join(f"“{name[:40]}”" for name in list(members)[:_NAMED])
        raise InvalidParams(messages.no_text_field(names))
    told = {ours: _at(members, theirs) for ours, theirs in mapping.items()}
    content = as_text(told["content"])
    if not content.strip():
        raise InvalidParams(messages.field_missing(mapping["content"]))
    if len(content) > MAX_TEXT_CHARS:
        raise InvalidParams(messages.text_too_long(mapping["content"], MAX_TEXT_CHARS))
    at = as_instant(told.get("created_at"), zone)
    if at is None and told.get("created_at") not in {None, ""}:  # a date that is there must be read
        raise InvalidParams(messages.not_a_date(mapping["created_at"]))
    line = ThoughtLine(
        content=content,
        created_at=at,
        kind=_word(told.get("kind")) or "note",
        speaker=_word(told.get("speaker")) or None,
        thread=_word(told.get("thread")) or None,
        source_ref=_word(told.get("source_ref")) or None,
        tags=_tags(told.get("tags")),
        is_private=_is_private(told.get("is_private"), mapping.get("is_private", "")),
    )
    used = {theirs.partition(".")[0] for theirs in mapping.values()} | set(mapping.values())  # "a.b" uses "a"
    return line, tuple(sorted(stored_text(name)[:40] for name in members if name not in used))


def _at(members: Mapping[str, object], name: str) -> object:
    """Return the value under a name or dotted path."""
    if name in members:  # a dot may be part of a name
        return members[name]
    head, dot, rest = name.partition(".")
    inner = members.get(head)
    return _at(cast("dict[str, object]", inner), rest) if dot and isinstance(inner, dict) else None


def _word(value: object) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return as_text(value).strip()


def _tags(value: object) -> tuple[str, ...]:
    parts = value.split(",") if isinstance(value, str) else as_list(value)
    return tuple(tag for part in parts if (tag := as_text(part).strip().lstrip("#")))


def _is_private(value: object, name: str) -> bool:
    word = value.strip().lower() if isinstance(value, str) else value
    known = word if isinstance(word, str | int | float) or word is None else "?"  # what has no hash cannot be looked up
    if known in _TRUE:
        return True
    if known in _FALSE:
        return False
    raise InvalidParams(messages.must_be_flag(name))
