"""Statements as rows, for the tests of what cannot both hold."""

from datetime import UTC, datetime

from voice.core.records import Observation, Origin
from voice.core.text.instants import UNDATED

NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)


def on(day: str) -> datetime:
    return datetime.fromisoformat(day).replace(tzinfo=UTC)


def stated(
    key: str,
    text: str,
    *path: str,
    day: str | None = None,
    speaker: str | None = None,
    thread: str | None = None,
    until: str | None = None,
) -> Observation:
    return Observation(
        id=f"o:{key}",
        text=text,
        created_at=UNDATED if day is None else on(day),
        recorded_at=NOW,
        origin=Origin.HUMAN,
        context_path=path,
        speaker=speaker,
        thread=thread,
        valid_until=None if until is None else on(until),
    )
