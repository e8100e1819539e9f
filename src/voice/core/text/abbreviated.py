"""Ids as people type them: whole, or as much of the beginning as tells one id from all others.

Law: a beginning means one id or none; where it could mean several nobody guesses, the error lists them. A whole id is
always meant as it stands, even where others begin with it. What looks like no id, such as a name, is left as it is.
"""

import re
from collections.abc import Sequence

from voice.core.errors import InvalidParams, UnknownId

LEAST = 4
"""Characters behind the colon without which a beginning is none: fewer are a slip more often than a choice."""
MOST_LISTED = 5
_BEGINNING = re.compile(r"([a-z]:[0-9A-Za-z_.~-]*?)(…|\.\.\.)?")


def uncut(said: str) -> str:
    """Return what was said without the dots that say it goes on."""
    return said.removesuffix("…").removesuffix("...")


def beginning_of(said: str) -> str | None:
    """Return what the meant id begins with; None where `said` is none that is to be looked up.

    Raises:
        InvalidParams: it says that it is abbreviated, and is too short.
    """
    found = _BEGINNING.fullmatch(said)
    if found is None:
        return None
    if len(found[1].partition(":")[2]) >= LEAST:
        return found[1]
    if found[2]:
        raise InvalidParams(f"{said!r} is too little of an id; say at least {LEAST} characters behind the colon")
    return None


def meant_among(said: str, found: Sequence[str]) -> str:
    """Return the one id that `said` means among all that begin with its beginning.

    Where there is none, a whole id is handed back, for whoever looks for it to say so.

    Raises:
        UnknownId: it is abbreviated, and no id begins with it.
        InvalidParams: it could mean several; the message lists them.
    """
    start = beginning_of(said) or said
    is_cut = start != said
    if (start in found and not is_cut) or not (found or is_cut):
        return start
    if len(found) == 1:
        return found[0]
    if not found:
        raise UnknownId(f"no id begins with {start!r}; `voice retrieve` and `voice kg list` show ids")
    listed = ", ".join(found[:MOST_LISTED]) + (", …" if len(found) > MOST_LISTED else "")
    raise InvalidParams(f"{said!r} could mean several: {listed}; use more of the id")
