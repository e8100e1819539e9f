"""Read a point in time as a person writes it.

Law: an ISO date or time, or the beginning of a time phrase; a time without an offset is the person's own (ruling E).

Source: rulings E, F.
"""

from datetime import datetime
from zoneinfo import ZoneInfo

from voice.core.errors import InvalidParams
from voice.core.nlq.parse import parse_query
from voice.core.settings.values import Settings
from voice.core.text.instants import parse_instant
from voice.wiring.service_settings import nlq_settings


def parse_moment(text: str, what: str, settings: Settings, now: datetime) -> datetime:
    """Return the instant that `text` names; `what` is how the message calls it. Raises InvalidParams: it names none."""
    zone = settings.time.timezone
    try:
        if text.strip()[:4].isdigit():  # "2026-03-05", not "last Friday"
            return parse_instant(text, ZoneInfo(zone), naive_is_local=True)
        # An empty question: the phrase alone gives the window.
        window = parse_query("", now=now, timezone=zone, settings=nlq_settings(settings), when=text).window
    except InvalidParams:
        window = None
    if window is None or window.start is None:  # "before March" has no start
        raise InvalidParams(
            f"{what} is not a date or time between the years 2 and 9998; "
            'write it like 2026-03-05, 2026-03-05T14:00 or "last Friday"'
        )
    return window.start
