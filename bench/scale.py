"""What a memory costs as it grows: `python -m bench.scale --rows N [--dim D] [--growth] [--home DIR] [--json]`.

One process builds a store on disk and its index (`bench.scale_build`), a fresh one opens and measures them
(`bench.scale_measure`), and this one holds what was found against brute force (`bench.scale_exact`). Times are of the
whole retrieval with S0's defaults, provider local-hybrid; `by_provider` has the others, and `ratio_to_numpy` says how
many times as long it takes as plain numpy over the same vectors in the same process (`bench.scale_numpy`). `--growth`
runs 1,000, 10,000, 100,000 and N rows and gives the ratios. `--home` keeps the memory: a second run measures it again
without building it.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final, cast

from bench.report import machine, table
from bench.scale_build import read_built
from bench.scale_data import SHAPES, questions
from bench.scale_exact import Asked, recall_at_10

GROWTH: Final = (1_000, 10_000, 100_000)
_FEWEST_ROWS: Final = 200
"""Fewer have no ten rows to find, or no word of every shape."""
_LEAST_DIM: Final = 8
"""Fewer numbers hold no clusters."""
_MAIN: Final = "local-hybrid"
_ONE_THREAD: Final = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

Figures = dict[str, object]
Shapes = dict[str, dict[str, dict[str, float]]]


def run(home: Path, rows: int, dim: int, *, repeats: int, adds: int, exact: bool) -> Figures:
    """Build the memory in `home` unless it is there, measure it in a fresh process, and check what was found.

    Raises:
        SystemExit: the store in `home` is another one, or a process failed; it has said why.
    """
    _start("bench.scale_build", home, rows=rows, dim=dim)
    built = read_built(home)
    if built is None or built.fold is None:
        raise SystemExit(f"{home} was not built to the end; delete it and begin again")
    if (built.rows, built.dim) != (rows, dim):
        raise SystemExit(f"{home} holds {built.rows} rows of dimension {built.dim}; name another directory")
    disk = _megabytes(home)
    measured = cast("Figures", json.loads(_start("bench.scale_measure", home, repeats=repeats, adds=adds)))
    asked = [Asked(**each) for each in cast("list[dict[str, object]]", measured.pop("asked"))]  # pyright: ignore[reportArgumentType]
    by_provider = cast("dict[str, Shapes]", measured.pop("shapes"))
    memory = cast("dict[str, float]", measured["memory"])
    found = recall_at_10(rows, dim, questions(rows, dim, repeats), asked) if exact else None
    return {
        "rows": rows,
        "dim": dim,
        "ingest_rows_per_s": round(built.ingest.rows_per_s),
        "ingest_cpu_ms_per_row": round(built.ingest.cpu_ms_per_row, 3),
        "fold_rows_per_s": round(built.fold.rows_per_s),
        "fold_cpu_ms_per_row": round(built.fold.cpu_ms_per_row, 3),
        "tidying_after_ingest_cpu_s": round(built.tidying_cpu_s or 0.0, 3),
        "shapes": by_provider[_MAIN],
        "worst_shape_cpu_ms_p50": worst(by_provider[_MAIN]),
        "by_provider": {provider: shapes for provider, shapes in by_provider.items() if provider != _MAIN},
        "rss_mb": memory["peak_mb"],
        "disk_mb": sum(disk.values()),
        "disk_by_part_mb": disk,
        "recall_at_10_of_exact": found,
        **{name: round(value, 3) if isinstance(value, float) else value for name, value in measured.items()},
        **machine(),
    }


def worst(shapes: Shapes) -> float:
    """Return the median of the dearest shape."""
    return max(times["cpu_ms"]["p50"] for times in shapes.values())


def grown(runs: Sequence[Figures]) -> list[Figures]:
    """Return, per step of growth, how many times as much each figure is for how many times the rows."""
    steps: list[Figures] = []
    for small, large in pairwise(runs):
        steps.append(
            {
                "rows": f"{small['rows']} to {large['rows']}",
                **{
                    name: round(cast("float", large[name]) / max(cast("float", small[name]), 0.001), 2)
                    for name in ("rows", "worst_shape_cpu_ms_p50", "open_s", "rss_mb", "disk_mb", "ingest_rows_per_s")
                    if name != "rows"
                },
                "times_rows": round(cast("int", large["rows"]) / cast("int", small["rows"]), 2),
            }
        )
    return steps


def _start(module: str, home: Path, **options: int) -> str:
    said = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    command = [sys.executable, "-m", module, str(home), *said]
    ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **_ONE_THREAD}, check=False)
    if ended.returncode != 0:
        raise SystemExit(f"{module} ended with {ended.returncode}")
    return ended.stdout


def _megabytes(home: Path) -> dict[str, float]:
    parts = ("memory", "index")
    sizes = {part: sum(path.stat().st_size for path in (home / part).rglob("*") if path.is_file()) for part in parts}
    return {"store" if part == "memory" else part: round(size / 1e6, 1) for part, size in sizes.items()}


def _as_table(runs: Sequence[Figures]) -> str:
    heads = ["rows", *SHAPES, "× numpy", "open s", "rss MB", "disk MB", "rows/s in", "add ms"]
    lines = [
        [
            f"{figures['rows']}",
            *(f"{cast('Shapes', figures['shapes'])[shape]['cpu_ms']['p50']:.1f}" for shape in SHAPES),
            f"{max(cast('dict[str, float]', figures['ratio_to_numpy']).values()):.2f}",
            f"{figures['open_s']:.3f}",
            f"{figures['rss_mb']:.0f}",
            f"{figures['disk_mb']:.0f}",
            f"{figures['ingest_rows_per_s']}",
            f"{cast('dict[str, float]', figures['add_one_ms'])['p50']:.1f}",
        ]
        for figures in runs
    ]
    return f"{table(heads, lines)}\nshapes in cpu ms (median of a retrieval); × numpy of the dearest shape; {machine()}"


def at_least(least: int) -> Callable[[str], int]:
    """Return the reader of a whole number that is not below `least`."""

    def read(text: str) -> int:
        number = int(text) if text.removeprefix("-").isdecimal() else least - 1
        if number < least:
            raise argparse.ArgumentTypeError(f"must be a whole number, {least} or more")
        return number

    return read


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print its report."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.scale", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=at_least(_FEWEST_ROWS), default=10_000, help="rows in the memory")
    parser.add_argument("--dim", type=at_least(_LEAST_DIM), default=384, help="numbers per vector")
    parser.add_argument("--growth", action="store_true", help="run 1,000, 10,000, 100,000 and N rows")
    parser.add_argument("--home", type=Path, help="keep the memory here, one directory per size with --growth")
    parser.add_argument("--repeats", type=int, default=20, help="questions of each shape, at least 5")
    parser.add_argument("--adds", type=at_least(1), default=300, help="rows to add one by one")
    parser.add_argument("--no-exact", action="store_true", help="leave the comparison with brute force out")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args(arguments)
    sizes = sorted({*GROWTH, options.rows}) if options.growth else [options.rows]
    with tempfile.TemporaryDirectory(prefix="voice scale ") as passing:
        place = options.home or Path(passing)
        runs = [
            run(
                place / str(rows) if options.growth or not options.home else place,
                rows,
                options.dim,
                repeats=max(options.repeats, 5),
                adds=options.adds,
                exact=not options.no_exact,
            )
            for rows in sizes
        ]
    if options.json:
        print(json.dumps({**runs[-1], "growth": grown(runs), "runs": runs[:-1]} if options.growth else runs[-1]))
    else:
        print(_as_table(runs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
