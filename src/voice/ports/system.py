"""The clock and the source of ids: nobody else reads a clock or draws chance."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """The only source of time."""

    def now(self) -> datetime:
        """Return the current instant, aware, in UTC."""
        ...

    def monotonic_ms(self) -> float:
        """Return milliseconds of a clock that never goes back; for latencies and deadlines only."""
        ...


class IdSource(Protocol):
    """The only source of new ids."""

    def new_id(self, prefix: str) -> str:
        """Return a fresh `<prefix>:<key>`; keys are 26 characters `[0-9a-z]`, sort by creation time and never
        repeat."""
        ...
