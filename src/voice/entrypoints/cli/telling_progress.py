"""Progress in lines, for who watches no terminal: a log, a pipe, a service.

Law: a line every ten seconds at most, the first after ten; it says how much was done, how fast, and about how long it
takes still where that is known.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

EVERY_S: Final = 10.0


@dataclass(slots=True, kw_only=True)
class ProgressLines:
    """Tells how far a work is."""

    clock: Callable[[], float]
    tell: Callable[[str], None]
    _begun: float = field(init=False)
    _told: float = field(init=False)
    _steps: dict[str, tuple[int, int | None]] = field(default_factory=dict[str, tuple[int, int | None]])

    def __post_init__(self) -> None:
        self._begun = self._told = self.clock()

    def advance(self, title: str, done: int, total: int | None) -> None:
        """Take note of how far a part of the work is, and tell all of it when ten seconds have gone by."""
        self._steps[title] = done, total
        now = self.clock()
        if now - self._told >= EVERY_S:
            self._told = now
            self.tell("; ".join(_in_words(name, *step, now - self._begun) for name, step in self._steps.items()))


def _in_words(title: str, done: int, total: int | None, seconds: float) -> str:
    if not total:
        return f"{title}: {done:,} rows, {done / seconds:,.0f} a second"
    left = f", about {_duration(seconds * (total - done) / done)} left" if 0 < done < total else ""
    return f"{title}: {min(100, 100 * done // total)} %{left}"


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
