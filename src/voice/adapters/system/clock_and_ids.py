"""Time and new ids, real ones and predictable ones for tests; implement `Clock` and `IdSource`.

An id's key is 26 characters of `[0-9a-z]`: ten of time in milliseconds, sixteen random. Keys of one source always rise,
also within a millisecond and when the machine's clock is set back; two processes never meet (80 random bits).
"""

import secrets
import threading
import time
from collections import Counter
from datetime import UTC, datetime, timedelta

from voice.core.records import require_utc
from voice.ports.system import Clock


class SystemClock:
    """The machine's clocks: the wall clock for `now`, the monotonic one for durations."""

    def now(self) -> datetime:
        """Return the current time in UTC."""
        return datetime.now(UTC)

    def monotonic_ms(self) -> float:
        """Return monotonic milliseconds."""
        return time.monotonic() * 1000


class FixedClock:
    """A clock that moves only when it is told, or by `step` with every reading."""

    def __init__(self, now: datetime, *, step: timedelta = timedelta(0)) -> None:
        self._now = require_utc(now, "a clock")
        self._started = self._now
        self._step = step

    def now(self) -> datetime:
        """Return its time, then take a step."""
        now = self._now
        self._now += self._step
        return now

    def monotonic_ms(self) -> float:
        """Return the milliseconds since it was made, then take a step."""
        return (self.now() - self._started) / timedelta(milliseconds=1)

    def advance(self, by: timedelta) -> None:
        """Move the clock by `by`."""
        self._now += by


class MovedClock:
    """A clock that runs at real speed from another start: the example memory's "today"."""

    def __init__(self, start: datetime) -> None:
        self._start = require_utc(start, "a clock")
        self._began = time.monotonic()

    def now(self) -> datetime:
        """Return the start plus the real time since then."""
        return self._start + timedelta(seconds=time.monotonic() - self._began)

    def monotonic_ms(self) -> float:
        """Return monotonic milliseconds."""
        return time.monotonic() * 1000


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's, in lower case: no i, l, o, u
_TIME_CHARS = 10  # 50 bits of milliseconds, enough for 35,000 years
_CHANCE_CHARS = 16
_CHANCE_BITS = 5 * _CHANCE_CHARS  # a character holds 5 bits
KEY_CHARS = _TIME_CHARS + _CHANCE_CHARS


class SystemIds:
    """Ids from a clock and the system's random source; safe to share between threads."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._last = 0

    def new_id(self, prefix: str) -> str:
        """Return a new `<prefix>:<key>`."""
        since = max(self._clock.now() - _EPOCH, timedelta(0))  # a clock before 1970 counts as 1970
        drawn = since // timedelta(milliseconds=1) << _CHANCE_BITS | secrets.randbits(_CHANCE_BITS)
        with self._lock:
            self._last = number = max(drawn, self._last + 1)  # not below the last, whatever the clock says
        return f"{prefix}:{_key(number)}"


class CountingIds:
    """Ids that count from 1 for each prefix: `t:00000000000000000000000001`, …"""

    def __init__(self) -> None:
        self._counts = Counter[str]()

    def new_id(self, prefix: str) -> str:
        """Return the next `<prefix>:<key>`."""
        self._counts[prefix] += 1
        return f"{prefix}:{_key(self._counts[prefix])}"


def _key(number: int) -> str:
    digits = (_DIGITS[(number >> 5 * place) & 31] for place in reversed(range(KEY_CHARS)))
    return "".join(digits)
