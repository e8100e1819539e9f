"""Reading values that promise nothing.

Law: total; what is of another type than hoped for is as good as left out. Texts come back fit to be stored: no NUL, no
half of a surrogate pair (exports hold them), line feeds for line ends, nothing blank at either end.
"""

import re
from datetime import UTC, datetime, tzinfo
from typing import Final, cast

from voice.core.errors import InvalidParams
from voice.core.interchange.instants import parse_instant, to_utc

_SURROGATES: Final = re.compile("[\ud800-\udfff]")
_MILLISECONDS_FROM: Final = 1e11
"""A count of seconds would mean the year 5138 from here on."""


def as_map(value: object) -> dict[str, object]:
    """Return an object, empty where the value is none."""
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def as_list(value: object) -> list[object]:
    """Return a list, empty where the value is none."""
    return cast("list[object]", value) if isinstance(value, list) else []


def as_text(value: object) -> str:
    """Return a text fit to be stored, empty where the value is none."""
    return stored_text(value) if isinstance(value, str) else ""


def stored_text(text: str) -> str:
    """Return a text fit to be stored."""
    whole = _SURROGATES.sub("\ufffd", text.replace("\x00", ""))
    return whole.replace("\r\n", "\n").strip("\n").rstrip()


def as_instant(value: object, zone: tzinfo = UTC) -> datetime | None:
    """Return the instant that a text or a count of seconds or milliseconds since 1970 names; None where it names none.

    Args:
        value: whatever stood in the file.
        zone: the person's zone, for times without an offset.
    """
    try:
        if isinstance(value, str):
            return parse_instant(value, zone, naive_is_local=True)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        return to_utc(datetime.fromtimestamp(value / 1000 if abs(value) >= _MILLISECONDS_FROM else value, UTC))
    except (InvalidParams, ValueError, OverflowError, OSError):
        return None
