"""Processes that are killed, and stores that are looked at after: what the benchmarks of that share.

A child is a copy of this process, which has opened no store and started no thread.
"""

import argparse
import json
import os
import pickle
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

from bench.report import machine, progress

T = TypeVar("T")


class Findings(Protocol):
    """What a benchmark found; a dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def sound(self) -> bool:
        """Whether nothing was lost."""
        ...


def forked(unused: int, work: Callable[[], object]) -> int:
    """Run `work` in a child and return its id.

    Args:
        unused: the end of a pipe that the child closes.
        work: what it does; its failure is said on stderr.
    """
    pid = os.fork()
    if pid:
        return pid
    os.close(unused)
    try:
        work()
    except BaseException as error:  # noqa: BLE001 - the child ends here, whatever it was
        print(f"{Path(sys.argv[0]).stem}: {type(error).__name__}: {error}", file=sys.stderr)
        os._exit(1)
    os._exit(0)


def in_child(work: Callable[[], T]) -> T | None:
    """Return what `work` returns in a child; None when it failed, which has been said on stderr."""
    read, write = os.pipe()

    def send() -> None:
        with os.fdopen(write, "wb") as pipe:
            pickle.dump(work(), pipe)

    pid = forked(read, send)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        data = pipe.read()
    return pickle.loads(data) if os.waitpid(pid, 0)[1] == 0 else None


def homes(trials: int, *, of_a_store: int, called: str) -> Iterator[tuple[Path, bool]]:
    """Yield the data directory of each trial, and whether it is a new one; all are thrown away at the end."""
    with tempfile.TemporaryDirectory(prefix=f"voice {called} ") as place:
        for number in progress(range(trials), "trial"):
            yield Path(place, f"home {number // of_a_store}"), number % of_a_store == 0


def told(description: str | None, run: Callable[[int, int], Findings]) -> int:
    """Run what the command line asks for and print what was found; 1 when anything was lost."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trials", type=int, default=10, help="processes to kill")
    parser.add_argument("--seed", type=int, default=1, help="of the moments at which processes are killed")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    started = time.monotonic()
    findings = run(options.trials, options.seed)
    report = {**asdict(findings), "sound": findings.sound, "seconds": round(time.monotonic() - started, 1), **machine()}
    print(json.dumps(report) if options.json else "\n".join(f"{name}: {value}" for name, value in report.items()))
    return 0 if findings.sound else 1
