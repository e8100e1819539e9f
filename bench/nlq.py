"""How exactly questions about time are understood.

    python -m bench.nlq --data bench/data/nlq-own.jsonl --json

Reads JSON lines `{"question","now","timezone","from","to","trap"}`: UTC; `null`, or nothing, is an open end; `trap`
means that the question only looks like time and must get no window. Without a `timezone` days are UTC days. A case may
say `"hemisphere": "south"`; otherwise `--hemisphere` decides (north by default: a setting, not read off the zone).
Prints `exact` (share of the other cases with the exact interval), `false_windows` (traps that got a window) and every
miss with what was expected. A line that cannot be read is named on stderr, with exit code 2.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TypedDict, cast, get_args

from voice.core.errors import VoiceError
from voice.core.nlq.calendar import zone
from voice.core.nlq.parse import parse_query
from voice.core.nlq.parsed_query import Hemisphere, NlqSettings
from voice.core.retrieval.values import Window


@dataclass(frozen=True, slots=True)
class Case:
    """A question with the window it asks for."""

    question: str
    now: datetime
    timezone: str
    window: Window
    is_trap: bool
    hemisphere: Hemisphere | None = None


class Miss(TypedDict):
    """A case that was not understood as it is meant."""

    question: str
    now: str
    timezone: str
    trap: bool
    expected: list[str | None] | None
    got: list[str | None] | None
    understood: str | None


class Figures(TypedDict):
    """What is printed."""

    exact: float | None
    false_windows: int
    cases: int
    traps: int
    exact_cases: int
    cpu_ms_per_question: float
    misses: list[Miss]


class CaseError(ValueError):
    """A line is no case; says which line and why."""


def read_cases(path: Path) -> Iterator[Case]:
    """Yield the cases of a JSON-lines file; empty lines are skipped.

    Raises:
        CaseError: a line is no case.
    """
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), start=1):
        if line.strip():
            try:
                yield _case(json.loads(line))
            except (ValueError, TypeError, VoiceError) as error:
                raise CaseError(f"{path.name}, line {number}: {error}") from error


def _case(read: object) -> Case:
    if not isinstance(read, dict):
        raise TypeError("not an object")
    row = cast("dict[str, object]", read)
    timezone = row.get("timezone") or "UTC"
    hemisphere = row.get("hemisphere")
    if not isinstance(row.get("question"), str):
        raise TypeError("question must be a text")
    if not isinstance(timezone, str):
        raise TypeError("timezone must be the name of a zone")
    if hemisphere not in (None, *get_args(Hemisphere)):
        raise ValueError("hemisphere must be north or south")
    try:
        zone(timezone)
    except VoiceError as error:
        raise ValueError(f"timezone: {error.message}") from error
    now = _instant(row, "now")
    if now is None:
        raise ValueError("now is missing")
    return Case(
        question=str(row["question"]),
        now=now,
        timezone=timezone,
        window=Window(start=_instant(row, "from"), end=_instant(row, "to")),
        is_trap=bool(row.get("trap", False)),
        hemisphere=cast("Hemisphere | None", hemisphere),
    )


def _instant(row: Mapping[str, object], name: str) -> datetime | None:
    said = row.get(name)
    if not said:
        return None
    if not isinstance(said, str):
        raise TypeError(f"{name} must be an instant like 2025-03-12T20:30:00Z, or null")
    try:
        moment = datetime.fromisoformat(said)
    except ValueError as error:
        raise ValueError(f"{name} must be an instant like 2025-03-12T20:30:00Z") from error
    if moment.tzinfo is None:
        raise ValueError(f"{name} needs its offset, e.g. Z")
    return moment


def measure(cases: list[Case], settings: NlqSettings) -> Figures:
    """Return the figures over `cases`."""
    misses: list[Miss] = []
    began = time.process_time()
    for case in cases:
        read_as = replace(settings, hemisphere=case.hemisphere or settings.hemisphere)
        parsed = parse_query(case.question, now=case.now, timezone=case.timezone, settings=read_as)
        wanted = None if case.is_trap else case.window
        if parsed.window != wanted:
            misses.append(_miss(case, wanted, parsed.window, parsed.time.note if parsed.time else None))
    spent = time.process_time() - began
    traps = sum(case.is_trap for case in cases)
    timed = len(cases) - traps
    false_windows = sum(1 for miss in misses if miss["trap"])
    exact = timed - (len(misses) - false_windows)
    return Figures(
        exact=round(exact / timed, 4) if timed else None,
        false_windows=false_windows,
        cases=timed,
        traps=traps,
        exact_cases=exact,
        cpu_ms_per_question=round(1000 * spent / max(len(cases), 1), 3),
        misses=misses,
    )


def _miss(case: Case, expected: Window | None, got: Window | None, understood: str | None) -> Miss:
    return Miss(
        question=case.question,
        now=case.now.isoformat(),
        timezone=case.timezone,
        trap=case.is_trap,
        expected=_shown(expected),
        got=_shown(got),
        understood=understood,
    )


def _shown(window: Window | None) -> list[str | None] | None:
    if window is None:
        return None
    return [moment.isoformat() if moment else None for moment in (window.start, window.end)]


def main(arguments: list[str] | None = None) -> int:
    """Measure one file and print the figures."""
    parser = argparse.ArgumentParser(prog="python -m bench.nlq", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="JSON lines of cases")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--hemisphere", choices=("north", "south"), default="north")
    parser.add_argument("--week-start", choices=("monday", "sunday", "saturday"), default="monday")
    options = parser.parse_args(arguments)
    settings = NlqSettings(hemisphere=options.hemisphere, week_start=options.week_start)
    try:
        figures = measure(list(read_cases(options.data)), settings)
    except (CaseError, OSError) as error:
        print(f"bench.nlq: {error}", file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps(figures, ensure_ascii=False, indent=2))
        return 0
    for key, value in figures.items():
        print(f"{key}: {json.dumps(value, ensure_ascii=False)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
