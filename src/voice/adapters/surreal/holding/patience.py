"""How long a guest waits for a holder that says nothing.

Law: the engine holds the interpreter while a statement runs, so a holder that is at it cannot say so. Where the system
tells whether its process runs or is stopped, one that runs is waited for several times as long as one that does not:
it will answer, and nobody could take over from it anyway. Where nobody tells, silence is what counts.

Source: docs/holder.md, "When the holder goes away"; proc(5), /proc/PID/stat.
"""

import time
from pathlib import Path
from typing import Final

GRACE_S: Final = 0.05
"""What a program whose own event loop was busy is given to read what had come meanwhile."""
TIMES: Final = 6
"""How many times as long a holder is waited for that runs and says nothing."""
_LOOK_AGAIN_S: Final = 1.0
_PROC: Final = Path("/proc")
_STOPPED: Final = frozenset("TtZX")


def is_running(pid: int | None) -> bool:
    """Return whether the process is there and not stopped; False where nobody knows."""
    if pid is None:
        return False
    try:
        told = (_PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    # The name of the program comes before its state, in parentheses, and may hold some itself.
    state = told.rpartition(")")[2].split()
    return bool(state) and state[0] not in _STOPPED


class Patience:
    """The time that one holder gets before it counts as silent."""

    def __init__(self, wait_s: float, pid: int | None) -> None:
        """Begin to wait now.

        Args:
            wait_s: how long a holder may be silent of which nobody knows whether it runs.
            pid: the holder's process, as the system names it.
        """
        self._wait_s = wait_s
        self._pid = pid
        self._heard = time.monotonic()

    @property
    def deadline(self) -> float:
        """The monotonic instant until which it has time of its own, whatever its process does."""
        return self._heard + self._wait_s

    def hear(self) -> None:
        """Grant the holder its whole time from now on."""
        self._heard = time.monotonic()

    def left_s(self) -> float:
        """Return how long to wait before asking again whether it is over."""
        now = time.monotonic()
        first = self.deadline + GRACE_S - now
        return max(first if first > 0 else min(_LOOK_AGAIN_S, self._end - now), GRACE_S)

    @property
    def is_over(self) -> bool:
        """Whether the holder was silent too long."""
        past = time.monotonic() - GRACE_S
        return past > self._end or (past > self.deadline and not is_running(self._pid))

    @property
    def silent_s(self) -> float:
        """How long the holder has been silent at least, once it is over."""
        return self._wait_s * (TIMES if time.monotonic() > self._end else 1)

    @property
    def _end(self) -> float:
        return self._heard + TIMES * self._wait_s
