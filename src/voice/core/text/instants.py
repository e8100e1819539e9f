"""How an instant is written for programs.

Law: one form everywhere: in UTC, ending in `Z` (spec inner_voice.retrieve, Output Schema). A zone is named beside it
where days of a zone are meant. A row whose date nobody told has none that is shown, searched or counted (ruling I2).
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

UNDATED: Final = datetime.min.replace(tzinfo=UTC)
"""Stands where nobody said when a thing was told (ruling I2); nobody can name its year."""


def is_told(moment: datetime) -> bool:
    """Return whether a row's date was told; the first year of the calendar, in any zone, stands for "unknown"."""
    return moment.year > UNDATED.year


def first_told(moments: Iterable[datetime]) -> datetime:
    """Return the earliest date that was told; `UNDATED` where none was."""
    return min(filter(is_told, moments), default=UNDATED)


def in_order(moment: datetime, *, latest_first: bool = False) -> tuple[bool, float]:
    """Return the key that sorts by date; what is undated comes last in either order."""
    seconds = (moment - UNDATED.replace(tzinfo=moment.tzinfo)).total_seconds()
    return not is_told(moment), -seconds if latest_first else seconds


def render_told(moment: datetime) -> str | None:
    """Return a row's date as programs read it; None where it is undated."""
    return render_instant(moment) if is_told(moment) else None


def render_instant(moment: datetime) -> str:
    """Return an instant as `2026-03-05T14:00:00Z`, with a fraction of a second only where there is one."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
