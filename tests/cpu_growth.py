"""How the CPU that something takes grows with the length of its text.

Law: fails only clearly. CPU, not wall time, without garbage collection, the best of several, over two doublings, and
only where it takes enough to measure. What does not end is ended by a signal, which both engines of patterns heed.
"""

import gc
import math
import signal
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NamedTuple

from tiers import slowness

PER_DOUBLING = 2.2
SMALLEST = 50
_SCREENED, _TRIES = 1_000, 4

Run = Callable[[], object]
Work = Callable[[int], Run]
"""What is measured, made of a number of characters."""


class Measured(NamedTuple):
    """What one work takes, and how that grows."""

    chars: int
    seconds: float
    per_doubling: float

    @property
    def is_bounded(self) -> bool:
        """Whether twice the text takes about twice the CPU, or what it takes is next to nothing."""
        return self.per_doubling <= PER_DOUBLING


class _Endless(BaseException):
    """Raised into a work that goes on and on; no `except Exception` of the work's own holds it up."""


def dearest(works: Mapping[str, Work], *, most: int, chars: int = _SCREENED) -> list[str]:
    """Return the names of the works that take most CPU for so many characters, the dearest first."""
    spent = {name: _seconds(work(chars), 1) for name, work in works.items()}
    return sorted(spent, key=lambda name: -spent[name])[:most]


def measured(work: Work, *, longest: int, enough: float) -> Measured:
    """Return how the CPU of a work grows.

    Args:
        work: each text that it makes is another one, so that no cache answers; making it is not measured.
        longest: the greatest number of characters.
        enough: the seconds from which on they tell something; what takes less of the longest text is bounded.
    """
    chars, most = 4 * SMALLEST, max(enough * 20, longest / 20_000)
    fixed = _seconds(work(SMALLEST), most)
    if _seconds(work(longest), enough * 2) - fixed <= enough:
        return Measured(longest, fixed, 1)
    while chars < longest and math.isfinite(fixed):
        chars = min(4 * chars, longest)
        found = _measured_at(work, chars, fixed, enough, most)
        if found is not None and not found.is_bounded:  # where it takes longer, what disturbs it weighs less
            found = _measured_at(work, 4 * chars, fixed, enough, most) or Measured(chars, fixed, 1)
        if found is not None:
            return found
    return Measured(chars, fixed, 1 if math.isfinite(fixed) else math.inf)


def _measured_at(work: Work, chars: int, fixed: float, enough: float, most: float) -> Measured | None:
    """Return how the CPU grows up to so many characters, none where they take too little to tell."""
    spent = _seconds(work(chars), most) - fixed
    if spent <= enough or not math.isfinite(spent):
        return None if spent <= enough else Measured(chars, spent, math.inf)
    # one run of the longest text may clear the work: what disturbed it made it longer
    found: Measured | None = _growth(chars, _best(work, chars // 4, most) - fixed, spent)
    for _ in range(_TRIES):
        if found is not None and not found.is_bounded:
            found = _compared(work, chars, enough, most)
    return found


def unbounded(growths: Mapping[str, Measured]) -> dict[str, Measured]:
    """Return those that grow faster than their text."""
    return {name: growth for name, growth in growths.items() if not growth.is_bounded}


def _compared(work: Work, chars: int, enough: float, most: float) -> Measured | None:
    fixed, less, more = (_best(work, each, most) for each in (SMALLEST, chars // 4, chars))
    # what was loaded with the first text is loaded
    return None if more - fixed <= enough * slowness() else _growth(chars, less - fixed, more - fixed)


def _growth(chars: int, less: float, more: float) -> Measured:
    """Return how what is not fixed grew from a quarter of so many characters to all of them."""
    ratio = more / max(less, 1e-4)
    # what is fixed was measured with the smallest text, so that what is left grew from there
    steps = math.log((chars - SMALLEST) / (chars // 4 - SMALLEST))
    return Measured(chars, more, 2 ** (math.log(ratio) / steps) if math.isfinite(ratio) else math.inf)


def _best(work: Work, chars: int, most: float) -> float:
    first = _seconds(work(chars), most)
    return first if first > most / 4 else min(first, _seconds(work(chars), most), _seconds(work(chars), most))


def _seconds(run: Run, most: float) -> float:
    """Return the CPU that a run takes; infinite when it is more than `most`."""
    began = time.process_time()
    try:
        with _without_collection(), _ended_after(most):
            run()
    except _Endless:
        return math.inf
    return time.process_time() - began


@contextmanager
def _without_collection() -> Generator[None]:
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextmanager
def _ended_after(seconds: float) -> Generator[None]:
    before = signal.signal(signal.SIGPROF, _end)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _end(_signal: int, frame: FrameType | None) -> None:
    if frame is not None and "coverage" in Path(frame.f_code.co_filename).parts:  # it may hold its lock: a moment later
        signal.setitimer(signal.ITIMER_PROF, 0.001)
        return
    raise _Endless
