"""What `voice sync --watch` costs: `python -m bench.watching [--notes 1300] [--idle 60] [--saves 5] [--json]`.

A folder of notes is made and watched by the real command, as a process of its own. Measured are its CPU over some idle
seconds, as a share of one core, and for each of some saves the time until the command says that it is in the memory.
The first sync, a sync with nothing to do and the watcher's peak memory are told besides.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_SETTINGS = 'enabled = true\n[llm]\nprovider = "extractive"\n'
_SENTENCES = (
    "The kiln number {0} stands in the shed behind the house.",
    "Marta fired {0} bowls on Sunday and two of them broke.",
    "The ferry of line {0} leaves at nine and is late in winter.",
    "Jonas paid {0} for the blue glaze, which needs cobalt and two firings.",
)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=1300)
    parser.add_argument("--idle", type=float, default=60)
    parser.add_argument("--saves", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        told = measured(Path(place), notes=options.notes, idle=options.idle, saves=options.saves)
    print(json.dumps(told, indent=2) if options.json else "\n".join(f"{name}  {value}" for name, value in told.items()))


def measured(place: Path, *, notes: int, idle: float, saves: int) -> dict[str, float]:
    """Return the figures of one run."""
    folder, home = place / "notes", place / "home"
    folder.mkdir()
    home.mkdir(mode=0o700)
    (home / "voice.toml").write_text(_SETTINGS, encoding="utf-8")
    for number in range(notes):
        text = " ".join(each.format(number * 7 + at) for at, each in enumerate(_SENTENCES))
        (folder / f"{number:05}.md").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "voice", "--home", str(home), "sync", str(folder), "--json"]
    first = _cpu_of(command)
    nothing = _cpu_of(command)
    with subprocess.Popen([*command, "--watch"], stdout=subprocess.PIPE, text=True) as watching:
        stdout = watching.stdout
        if stdout is None:
            raise RuntimeError(command)
        json.loads(stdout.readline())
        time.sleep(10)  # what is looked for once is over
        before = _cpu(watching.pid)
        time.sleep(idle)
        share = (_cpu(watching.pid) - before) / idle
        waits: list[float] = []
        for number in range(saves):
            started = time.monotonic()
            (folder / f"{number:05}.md").write_text(
                f"The kiln is now number {number * 3} of the yard.", encoding="utf-8"
            )
            json.loads(stdout.readline())
            waits.append(time.monotonic() - started)
        watching.terminate()
    return {
        "notes": notes,
        "first_sync_cpu_s": round(first, 2),
        "nothing_to_do_cpu_s": round(nothing, 2),
        "idle_cpu_percent": round(100 * share, 3),
        "save_s_median": round(sorted(waits)[len(waits) // 2], 2),
        "save_s_most": round(max(waits), 2),
        "load": round(os.getloadavg()[0], 1),
    }


def _cpu_of(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _cpu(pid: int) -> float:
    """Return the CPU seconds of a running process (Linux)."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
