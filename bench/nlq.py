"""How exactly questions about time are understood.

    python -m bench.nlq --data bench/data/nlq-own.jsonl --json

Reads JSON lines `{"question","now","timezone","from","to","trap"}`: UTC, `null` is an open end, `trap` means that the
question only looks like time and must get no window. Prints `exact` (share of the other cases with the exact interval),
`false_windows` (traps that got a window) and every miss.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from voice.core.nlq.parse import parse_query
from voice.core.nlq.values import NlqSettings
from voice.core.retrieval.values import Window


@dataclass(frozen=True, slots=True)
class Case:
    """A question with the window it asks for."""

    question: str
    now: datetime
    timezone: str
    window: Window
    is_trap: bool


def read_cases(path: Path) -> Iterator[Case]:
    """Yield the cases of a JSON-lines file; empty lines are skipped."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            row = json.loads(line)
            yield Case(
                question=row["question"],
                now=_instant(row["now"]),
                timezone=row["timezone"],
                window=Window(
                    start=_instant(row["from"]) if row.get("from") else None,
                    end=_instant(row["to"]) if row.get("to") else None,
                ),
                is_trap=bool(row.get("trap", False)),
            )


def measure(cases: list[Case], settings: NlqSettings) -> dict[str, object]:
    """Return the figures over `cases`."""
    misses: list[dict[str, object]] = []
    began = time.process_time()
    for case in cases:
        parsed = parse_query(case.question, now=case.now, timezone=case.timezone, settings=settings)
        wanted = None if case.is_trap else case.window
        if parsed.window != wanted:
            misses.append(
                {
                    "question": case.question,
                    "now": case.now.isoformat(),
                    "timezone": case.timezone,
                    "trap": case.is_trap,
                    "expected": _shown(wanted),
                    "got": _shown(parsed.window),
                    "understood": parsed.time.note if parsed.time else None,
                }
            )
    spent = time.process_time() - began
    traps = sum(case.is_trap for case in cases)
    timed = len(cases) - traps
    false_windows = sum(1 for miss in misses if miss["trap"])
    exact = timed - (len(misses) - false_windows)
    return {
        "exact": round(exact / timed, 4) if timed else None,
        "false_windows": false_windows,
        "cases": timed,
        "traps": traps,
        "cpu_ms_per_question": round(1000 * spent / max(len(cases), 1), 3),
        "misses": misses,
    }


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _shown(window: Window | None) -> list[str | None] | None:
    if window is None:
        return None
    return [moment.isoformat() if moment else None for moment in (window.start, window.end)]


def main() -> int:
    """Measure one file and print the figures."""
    parser = argparse.ArgumentParser(prog="python -m bench.nlq", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="JSON lines of cases")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--hemisphere", choices=("north", "south"), default="north")
    parser.add_argument("--week-start", choices=("monday", "sunday", "saturday"), default="monday")
    arguments = parser.parse_args()
    settings = NlqSettings(hemisphere=arguments.hemisphere, week_start=arguments.week_start)
    figures = measure(list(read_cases(arguments.data)), settings)
    if arguments.json:
        print(json.dumps(figures, ensure_ascii=False, indent=2))
        return 0
    for key, value in figures.items():
        print(f"{key}: {json.dumps(value, ensure_ascii=False)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
