"""What all benchmarks share: percentiles, the machine's load, a table for people, progress on a terminal."""

import os
import sys
from collections.abc import Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass, field
from math import ceil
from typing import TypeVar

Item = TypeVar("Item")


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that at least `share` of the values do not exceed."""
    ordered = sorted(values)
    return ordered[max(ceil(share * len(ordered)) - 1, 0)]


@dataclass(slots=True)
class Timings:
    """Milliseconds, one per run."""

    ms: list[float] = field(default_factory=list[float])

    def summary(self) -> dict[str, float]:
        """Return the median and the 95th percentile; 0.0 when nothing was timed."""
        if not self.ms:
            return {"p50": 0.0, "p95": 0.0}
        return {"p50": round(percentile(self.ms, 0.5), 3), "p95": round(percentile(self.ms, 0.95), 3)}


def machine() -> dict[str, float | int]:
    """Return what a figure of time must be read beside: processors and the load of the last minute."""
    return {"processors": os.cpu_count() or 0, "load_1min": round(os.getloadavg()[0], 2)}


def share(value: float, *, of: int, digits: int = 3) -> str:
    """Return a share of `of` trials; a dash where nothing was tried, which is not the same as nothing found."""
    return f"{value:.{digits}f}" if of else "–"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return rows under heads, aligned; the first column left, the others right."""
    lines = [heads, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(heads))]
    return "\n".join(_line(line, widths) for line in lines)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = (
        cell.rjust(width) if column else cell.ljust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "  ".join((first, *others)).rstrip()


def progress(items: Iterable[Item], what: str, *, total: int | None = None) -> Iterator[Item]:
    """Yield the items, counting them on stderr when that is a terminal; `total` for what does not know its length."""
    shown = sys.stderr.isatty()
    of = total if total is not None else len(items) if isinstance(items, Sized) else "?"
    for number, item in enumerate(items, 1):
        yield item
        if shown:
            print(f"\r{what} {number}/{of}", end="", file=sys.stderr, flush=True)
    if shown:
        print(file=sys.stderr)
