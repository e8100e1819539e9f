"""Real time, and the clock that tests set; implement `Clock`."""

import time
from datetime import UTC, datetime, timedelta

from voice.core.records import require_utc


class SystemClock:
    """The machine's clocks: the wall for `now`, the monotonic one for durations."""

    def now(self) -> datetime:
        """Return the current instant, aware, in UTC."""
        return datetime.now(UTC)

    def monotonic_ms(self) -> float:
        """Return milliseconds of a clock that never goes back."""
        return time.monotonic() * 1000


class FixedClock:
    """A clock that stands where it was put and moves when told, or by `step` with every look at it.

    Both clocks move together, so a latency measured with it is a known number.
    """

    def __init__(self, now: datetime, *, step: timedelta = timedelta(0)) -> None:
        self._now = require_utc(now, "a clock")
        self._started = self._now
        self._step = step

    def now(self) -> datetime:
        """Return the instant it stands at, then take a step."""
        now = self._now
        self._now += self._step
        return now

    def monotonic_ms(self) -> float:
        """Return the milliseconds since it was made, then take a step."""
        return (self.now() - self._started) / timedelta(milliseconds=1)

    def advance(self, by: timedelta) -> None:
        """Move it by `by`."""
        self._now += by


class MovedClock:
    """A clock that runs as fast as the real one, but started at another moment: the example memory's "today"."""

    def __init__(self, start: datetime) -> None:
        self._start = require_utc(start, "a clock")
        self._began = time.monotonic()

    def now(self) -> datetime:
        """Return the start plus the time that has really passed."""
        return self._start + timedelta(seconds=time.monotonic() - self._began)

    def monotonic_ms(self) -> float:
        """Return milliseconds of a clock that never goes back."""
        return time.monotonic() * 1000
