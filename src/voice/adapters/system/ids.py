"""New ids, and the ids that tests can foresee; implement `IdSource`.

Law: a key is 26 characters of `[0-9a-z]`: ten of time in milliseconds, sixteen of chance. Keys of one source always
rise, within a millisecond and when the machine's clock is set back too; two processes never meet (80 random bits).
"""

import secrets
import threading
from collections import Counter
from datetime import UTC, datetime, timedelta

from voice.ports.system import Clock

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
_TIME_CHARS = 10
_CHANCE_CHARS = 16
_CHANCE_BITS = 5 * _CHANCE_CHARS
KEY_CHARS = _TIME_CHARS + _CHANCE_CHARS


class SystemIds:
    """Ids from a clock and the system's source of chance; safe to share between threads."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._last = 0

    def new_id(self, prefix: str) -> str:
        """Return a fresh `<prefix>:<key>`."""
        since = max(self._clock.now() - _EPOCH, timedelta(0))
        drawn = since // timedelta(milliseconds=1) << _CHANCE_BITS | secrets.randbits(_CHANCE_BITS)
        with self._lock:
            self._last = number = max(drawn, self._last + 1)
        return f"{prefix}:{_text_of(number)}"


class CountingIds:
    """Ids that count up per prefix from 1: `t:00000000000000000000000001`, …"""

    def __init__(self) -> None:
        self._counts = Counter[str]()

    def new_id(self, prefix: str) -> str:
        """Return the next `<prefix>:<key>`."""
        self._counts[prefix] += 1
        return f"{prefix}:{_text_of(self._counts[prefix])}"


def _text_of(number: int) -> str:
    digits = (_DIGITS[(number >> 5 * place) & 31] for place in reversed(range(KEY_CHARS)))
    return "".join(digits)
