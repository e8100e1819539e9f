"""Declare settings, and read their raw values, with bounds and warnings.

Law: a declaration says everything of a setting but its name, which is its field's. Text from the environment and typed
values from a file are read by the same reader. What is not of the kind is unreadable; what is of the kind but out of
range is brought into range and said so (ruling C16). No message repeats a value that could be a secret.
The owner's names are one line. A name is what stands between two commas, without blanks around it; each counts once, in
the order given.
"""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import TypeVar, cast
from urllib.parse import urlsplit

from voice.core.graph.row_display import MAX_DAYS, parse_half_lives, render_half_lives
from voice.core.messages import files as messages
from voice.core.text.instants import is_time_zone

Value = bool | int | float | str | Decimal | None

_T = TypeVar("_T")
_Number = TypeVar("_Number", int, float)
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")  # 18 digits fit 64 bits; int() refuses texts of thousands
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")  # neither "inf" nor "1_000"
_WORD = re.compile(r"[a-z0-9][a-z0-9_-]*")  # "ollama_chat"
_BOOLEANS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
_SHOWN = 40  # characters of a value in a message
_MOST_GLOB_CHARS = 4_000
_MOST_NAMES = 12
_MOST_NAME_CHARS = 80


class Unreadable(ValueError):
    """The raw value is not of the setting's kind; the message ends the sentence "SURR_X …"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedSetting:
    """A value that was understood, with what had to be changed about it."""

    value: Value
    warning: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """How a setting is read, and what it takes, in words for a person."""

    accepts: str
    read: Callable[[object], ParsedSetting]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One thing that can be set."""

    name: str
    env: str
    about: str
    reader: Reader
    default: Value
    """The value that holds when nothing is set."""
    unit: str | None = None
    secret: bool = False
    """Never printed, and read from the environment only."""
    in_file: bool = True

    @property
    def group(self) -> str:
        """The group in `Settings`, and the table in voice.toml."""
        return self.name.partition(".")[0]

    @property
    def field(self) -> str:
        """The field of the group."""
        return self.name.partition(".")[2]

    @property
    def key(self) -> str:
        """The key in voice.toml: the name, but for the gate, which stands at the top (ruling A8)."""
        return self.name.removeprefix("gate.")


def setting(  # noqa: PLR0913 - what is said of a setting, in the order it is read
    default: _T,
    env: str,
    about: str,
    reader: Reader | None = None,
    unit: str | None = None,
    *,
    secret: bool = False,
    in_file: bool = True,
) -> _T:
    """Declare a field of a group as a setting; without a `reader`, its type says how to read it (`table`)."""
    made = partial(Setting, env=env, about=about, unit=unit, secret=secret, in_file=in_file)
    return field(default=default, repr=not secret, metadata={"setting": made, "reader": reader})


def unset(env: str, about: str, reader: Reader | None = None, unit: str | None = None, *, in_file: bool = True) -> None:
    """Declare a setting that is None by default."""
    return setting(None, env, about, reader, unit, in_file=in_file)


def secret(env: str, about: str) -> None:
    """Declare a secret."""
    return setting(None, env, about, text("a secret"), secret=True, in_file=False)


def _shown(raw: object) -> str:
    text = repr(raw)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _text_of(raw: object) -> str:
    if not isinstance(raw, str):
        raise Unreadable(messages.MUST_BE_TEXT)
    return raw.strip()


def _whole(raw: object) -> int:
    if isinstance(raw, int) and not isinstance(raw, bool):  # `true` in TOML is an int to Python
        return raw
    if isinstance(raw, str) and _INTEGER.fullmatch(raw.strip()):
        return int(raw)
    raise Unreadable(messages.must_be_whole(_shown(raw)))


def _real(raw: object) -> float:
    number = math.nan  # what is neither number nor text stays "not a number"
    if isinstance(raw, int | float) and not isinstance(raw, bool):
        number = float(raw) if abs(raw) < 1e300 else math.inf  # float() of an int of 400 digits raises
    elif isinstance(raw, str) and _NUMBER.fullmatch(raw.strip()):
        number = float(raw)
    if not math.isfinite(number):
        raise Unreadable(messages.must_be_number(_shown(raw)))
    return number


def integer(low: int, high: int) -> Reader:
    """Read a whole number, clamped to `[low, high]`."""
    return _clamped(_whole, low, high)


def number(low: float, high: float) -> Reader:
    """Read a number, clamped to `[low, high]`."""
    return _clamped(_real, low, high)


def _clamped(parse: Callable[[object], _Number], low: _Number, high: _Number) -> Reader:
    def read(raw: object) -> ParsedSetting:
        given = parse(raw)
        value = min(max(given, low), high)
        return ParsedSetting(value=value, warning=None if value == given else messages.clamped(given, value, low, high))

    return Reader(accepts=f"{low} to {high}", read=read)


def inside(low: float, high: float, *, otherwise: float) -> Reader:
    """Read a number strictly between `low` and `high`; any other becomes `otherwise`."""

    def read(raw: object) -> ParsedSetting:
        given = _real(raw)
        if low < given < high:
            return ParsedSetting(value=given)
        return ParsedSetting(value=otherwise, warning=messages.not_between(given, low, high, otherwise))

    return Reader(accepts=f"between {low} and {high}", read=read)


def money() -> Reader:
    """Read a sum of US dollars, exact, zero or more."""

    def read(raw: object) -> ParsedSetting:
        text = raw.strip() if isinstance(raw, str) else str(_real(raw))  # text of a float: 0.1 stays 0.1
        try:
            value = Decimal(text)
        except InvalidOperation:
            raise Unreadable(messages.must_be_money(_shown(raw))) from None
        if not value.is_finite() or value < 0:  # Decimal takes "NaN" and "Infinity"
            raise Unreadable(messages.must_be_positive_money(_shown(raw)))
        return ParsedSetting(value=value)

    return Reader(accepts="0 or more", read=read)


def flag() -> Reader:
    """Read yes or no."""

    def read(raw: object) -> ParsedSetting:
        if isinstance(raw, bool):
            return ParsedSetting(value=raw)
        known = _BOOLEANS.get(raw.strip().lower()) if isinstance(raw, str) else None
        if known is None:
            raise Unreadable(messages.must_be_switch(_shown(raw)))
        return ParsedSetting(value=known)

    return Reader(accepts="1 or 0", read=read)


def gate() -> Reader:
    """Read the feature gate: only what switches anything on does (spec inner_voice.retrieve, 1; ruling A8)."""

    def read(raw: object) -> ParsedSetting:
        if isinstance(raw, bool):
            return ParsedSetting(value=raw)
        if not isinstance(raw, str):
            raise Unreadable(messages.MUST_BE_FLAG)
        known = _BOOLEANS.get(raw.strip().lower())
        warning = None if known is not None else messages.SWITCH_UNREADABLE
        return ParsedSetting(value=known is True, warning=warning)  # what cannot be read leaves it off

    return Reader(accepts="1 or 0", read=read)


def one_of(*choices: str) -> Reader:
    """Read one of a closed set of words, whatever their case."""
    listed = ", ".join(choices)

    def read(raw: object) -> ParsedSetting:
        word = raw.strip().lower() if isinstance(raw, str) else None
        if word not in choices:
            raise Unreadable(messages.must_be_among(listed, _shown(raw)))
        return ParsedSetting(value=word)

    return Reader(accepts=listed, read=read)


def word() -> Reader:
    """Read a plain name: lower-case letters, digits, `-` and `_`."""

    def read(raw: object) -> ParsedSetting:
        name = _text_of(raw).lower()
        if not _WORD.fullmatch(name):
            raise Unreadable(messages.must_be_plain_name(_shown(raw)))
        return ParsedSetting(value=name)

    return Reader(accepts="a name", read=read)


def names() -> Reader:
    """Read names with commas between; in a file also a list of them."""

    def read(raw: object) -> ParsedSetting:
        given = cast("list[object]", raw) if isinstance(raw, list) else [raw]  # names = ["Ana", "Ana Lund"] in a file
        told = parse_owner_names(",".join(_text_of(each) for each in given))
        is_short = all(len(name) <= _MOST_NAME_CHARS and name.isprintable() for name in told)
        if not 0 < len(told) <= _MOST_NAMES or not is_short:
            raise Unreadable(messages.must_be_names(_MOST_NAMES, _MOST_NAME_CHARS))
        return ParsedSetting(value=", ".join(told))

    return Reader(accepts="names between commas", read=read)


def parse_owner_names(text: str) -> tuple[str, ...]:
    """Return the names in a line."""
    return tuple(dict.fromkeys(filter(None, (" ".join(name.split()) for name in text.split(",")))))


def globs() -> Reader:
    """Read globs of paths with commas between; in a file also a list of them."""

    def read(raw: object) -> ParsedSetting:
        given = cast("list[object]", raw) if isinstance(raw, list) else [raw]
        told = [part.strip() for each in given for part in _text_of(each).split(",")]
        if not all(each.isprintable() for each in told) or sum(map(len, told)) > _MOST_GLOB_CHARS:
            raise Unreadable(messages.must_be_globs(_MOST_GLOB_CHARS))
        return ParsedSetting(value=", ".join(filter(None, told)) or None)  # nothing but commas is "not set"

    return Reader(accepts="globs of paths between commas", read=read)


def half_lives() -> Reader:
    """Read what ages, and how fast (`voice.core.graph.row_display`)."""

    def read(raw: object) -> ParsedSetting:
        try:
            return ParsedSetting(value=render_half_lives(parse_half_lives(_text_of(raw))))
        except ValueError:
            raise Unreadable(messages.must_be_half_lives(MAX_DAYS)) from None

    return Reader(accepts="none, or class=days between commas", read=read)


def text(accepts: str = "text") -> Reader:
    """Read any text on one line."""

    def read(raw: object) -> ParsedSetting:
        value = _text_of(raw)
        if not value or not value.isprintable():
            raise Unreadable(messages.MUST_BE_ONE_LINE)
        return ParsedSetting(value=value)

    return Reader(accepts=accepts, read=read)


def url(*schemes: str) -> Reader:
    """Read an address of one of `schemes` that carries no user name or password."""
    listed = ", ".join(f"{scheme}://" for scheme in schemes)

    def read(raw: object) -> ParsedSetting:
        address = _text_of(raw)
        try:
            parts = urlsplit(address)
        except ValueError:
            parts = urlsplit("")  # "http://[::1": what cannot be taken apart has no scheme either
        if parts.scheme not in schemes or not address.isprintable():
            raise Unreadable(messages.must_be_address(listed))
        if "@" in parts.netloc:  # a password in an address would be shown
            raise Unreadable(messages.ADDRESS_WITH_USER)
        return ParsedSetting(value=address)

    return Reader(accepts=listed, read=read)


def timezone() -> Reader:
    """Read the IANA name of a time zone that this machine knows."""

    def read(raw: object) -> ParsedSetting:
        name = _text_of(raw)
        if not is_time_zone(name):
            raise Unreadable(messages.must_be_time_zone(_shown(raw)))
        return ParsedSetting(value=name)

    return Reader(accepts="an IANA name", read=read)
