"""Processes that are killed, and stores that are looked at after: what the benchmarks of that share.

A child is a copy of this process, which has opened no store and started no thread.
"""

import argparse
import json
import os
import pickle
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Final, TypeVar

from bench.report import machine, progress

T = TypeVar("T")


LONGEST_START_S: Final = 0.6
"""What a process that opens a memory takes before it does anything."""
Say = Callable[[str], None]
"""Takes a line that a process says while it works."""


@dataclass(slots=True)
class Trials:
    """What all trials together showed; every list names what went wrong."""

    trials: int = 0

    @property
    def sound(self) -> bool:
        """True when nothing at all went wrong."""
        return not any(self.faulty())

    def faulty(self) -> Iterator[str]:
        """Yield everything that went wrong."""
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, list):
                yield from value


@dataclass(slots=True)
class Losses(Trials):
    """What of things that are to be there once was not."""

    lost: list[str] = field(default_factory=list[str])
    doubled: list[str] = field(default_factory=list[str])
    faults: list[str] = field(default_factory=list[str])
    reopen_failed: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True, kw_only=True)
class Moments:
    """When processes are killed."""

    most_lines: int
    """A process is killed after it said at most so many."""
    longest_pause_s: float
    """Between the last line that is waited for and the kill."""
    early_share: float = 0.15
    """Of the trials, how many are killed before anything was said."""

    def lines(self, chance: random.Random) -> int:
        """Return how many lines to wait for."""
        return 0 if chance.random() < self.early_share else chance.randint(1, self.most_lines)


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


def nothing() -> None:
    """Do nothing."""


def killed(
    work: Callable[[Say], object],
    lines: int,
    pause_s: float,
    meanwhile: Callable[[], None] = nothing,
    *,
    ending: signal.Signals = signal.SIGKILL,
) -> list[str]:
    """Let a process work, end it a moment after it said so many lines, and return all it said.

    Args:
        work: what it does; it is given what to say lines with.
        lines: how many to wait for; fewer when it ends by itself.
        pause_s: how long to wait after them.
        meanwhile: what is done after them, before that.
        ending: the signal that ends it.
    """
    read, write = os.pipe()

    def say(line: str) -> None:
        os.write(write, f"{line}\n".encode())

    pid = forked(read, lambda: work(say))
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        said = [pipe.readline() for _ in range(lines)]
        meanwhile()
        time.sleep(pause_s)
        os.kill(pid, ending)
        said += pipe.readlines()
        os.waitpid(pid, 0)
    return [line.decode().strip() for line in said if line.endswith(b"\n")]


def killed_at(
    moments: Moments,
    chance: random.Random,
    work: Callable[[Say], object],
    *,
    ending: signal.Signals = signal.SIGKILL,
) -> list[str]:
    """Let a process work, end it at a random moment, and return all it said."""
    lines = moments.lines(chance)
    pause_s = chance.uniform(0.0, moments.longest_pause_s if lines else LONGEST_START_S)
    return killed(work, lines, pause_s, ending=ending)


def homes(trials: int, *, of_a_store: int, called: str) -> Iterator[tuple[Path, bool]]:
    """Yield the data directory of each trial, and whether it is a new one; all are thrown away at the end."""
    with tempfile.TemporaryDirectory(prefix=f"voice {called} ") as place:
        for number in progress(range(trials), "trial"):
            yield Path(place, f"home {number // of_a_store}"), number % of_a_store == 0


def told(description: str | None, run: Callable[[int, int], Trials]) -> int:
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
