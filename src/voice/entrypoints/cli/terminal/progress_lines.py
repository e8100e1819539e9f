"""Progress in lines, for who watches no terminal: a log, a pipe, a service.

Law: a line every ten seconds, the first after ten, whatever the work is at; it says how much was done, how fast, and
about how long that takes still where it is known, as of the last that was heard of the work.
"""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

EVERY_S: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """A part of a work."""

    done: int
    total: int | None
    begun: float
    at: float
    """When it was as far as that."""

    @property
    def left(self) -> float | None:
        """How many seconds it takes from then on; None where that is not known."""
        if not self.total or not 0 < self.done < self.total or self.at == self.begun:
            return None
        return (self.at - self.begun) * (self.total - self.done) / self.done


@dataclass(slots=True, kw_only=True)
class ProgressLines:
    """Says how far a work is; a part of it begins when it is first heard of."""

    clock: Callable[[], float]
    then: str | None = None
    """The part that comes last, which is told of as long as it has not begun."""
    _steps: dict[str, _Step] = field(default_factory=dict[str, _Step])

    def advance(self, title: str, done: int, total: int | None) -> None:
        """Take note of how far a part of the work is."""
        now = self.clock()
        begun = self._steps[title].begun if title in self._steps else now
        self._steps[title] = _Step(done=done, total=total, begun=begun, at=now)

    def line(self) -> str:
        """Return how far all of it is."""
        told = [_in_words(title, step) for title, step in self._steps.items() if step.done or step.total]
        coming = [f"then {self.then}"] if self.then and self.then not in self._steps else []
        return "; ".join((*(told or ["starting"]), *coming))


@contextmanager
def reported_in_lines(lines: ProgressLines, tell: Callable[[str], None]) -> Generator[None]:
    """Tell every ten seconds how far a work is while the block runs."""
    ended = threading.Event()
    teller = threading.Thread(target=report_until, args=(ended.wait, lines, tell), daemon=True)
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()


def report_until(ended: Callable[[float], bool], lines: ProgressLines, tell: Callable[[str], None]) -> None:
    """Tell how far a work is whenever it has not ended for ten seconds more."""
    while not ended(EVERY_S):
        tell(lines.line())


def _in_words(title: str, step: _Step) -> str:
    if not step.total:
        rate = f", {step.done / (step.at - step.begun):,.0f} a second" if step.at > step.begun else ""
        return f"{title}: {step.done:,} records{rate}"
    percent = min(100, 100 * step.done // step.total)
    if step.left is None:
        return f"{title}: {percent} %"
    duration = f"{step.left:.0f} s" if step.left < 120 else f"{step.left / 60:.0f} min"
    return f"{title}: {percent} %, about {duration} left"
