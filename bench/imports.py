"""What does a large import cost? `python -m bench.imports [--notes N] [--mails N] [--json]`.

A vault of Markdown notes and an mbox of mails are made up, a tenth of each first and then all, and each is brought in
by a process of its own through the program's own `import_memory` into a new memory on disk, with the hashed encoder;
`python -m bench.reembed` prints what the default one adds to a row. Then it is brought in again, which stores nothing.
Memory beside the size shows whether anything is held whole.
"""

import argparse
import json
import resource
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from time import perf_counter, process_time
from typing import Final

import anyio

from bench.killed import in_child
from bench.report import machine, progress
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.bootstrap import Parts, open_services
from voice.core.interchange.arrival import Entrance
from voice.core.settings.values import Settings
from voice.services.importing import ImportRequest

_START: Final = datetime(2020, 1, 1, tzinfo=UTC)
_TOPICS: Final = ("kiln", "garden", "violin", "harbour", "engine", "winter", "ticket", "bridge", "copper", "lantern")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one import took."""

    kind: str
    records: int
    thoughts: int
    rows: int
    """Of the memory afterwards, what was distilled among them."""
    wall_s: float
    cpu_s: float
    records_per_s: float
    cpu_ms_per_record: float
    rss_before_mb: float
    peak_rss_mb: float
    again_cpu_s: float
    again_stored: int
    """By bringing the same in once more; must be 0."""


def make_vault(place: Path, notes: int) -> Path:
    """Write a vault of so many notes in folders of a hundred, and return it."""
    vault = place / f"vault {notes}"
    (vault / ".obsidian").mkdir(parents=True)
    for number in range(notes):
        folder = vault / f"folder {number // 100}"
        folder.mkdir(exist_ok=True)
        text = f"---\ntags: [{_topic(number)}]\n---\n{_paragraph(number)}\n\nSee [[Note {number // 2}]].\n"
        (folder / f"Note {number}.md").write_text(text, "utf-8")
    return vault


def make_mbox(place: Path, mails: int) -> Path:
    """Write a mailbox of so many mails, and return it."""
    path = place / f"mails {mails}.mbox"
    with path.open("w", encoding="utf-8") as box:
        for number in range(mails):
            at = _START + timedelta(hours=number)
            box.write(f"From {number}@xxx {at:%a %b %d %H:%M:%S} +0000 {at:%Y}\n")
            box.write("From: Irma Kowalski <irma@example.org>\nTo: Paul <paul@example.org>\n")
            box.write(f"Subject: The {_topic(number)}, number {number}\nMessage-ID: <{number}@example.org>\n")
            box.write(f"Date: {format_datetime(at)}\n\n{_paragraph(number)}\n-- \nIrma\n\n")
    return path


def _topic(number: int) -> str:
    return _TOPICS[number % len(_TOPICS)]


def _paragraph(number: int) -> str:
    words = " ".join(_TOPICS[(number * step + step * step) % len(_TOPICS)] for step in range(1, 16))
    return f"On day {number} I moved the {_topic(number)} into the shed with Paul. It holds {words}."


async def bring_in(home: Path, path: Path, kind: str, records: int) -> Cost:
    """Import a vault or mailbox twice into a new memory, and return what it took."""
    request = ImportRequest(path=str(path), entrance=Entrance.CLI, zone=UTC)
    async with open_services(Settings(), home, Parts(embedder=HashedEmbedder(384))) as services:
        before = _peak_mb()
        began, began_cpu = perf_counter(), process_time()
        report = await services.transfer.import_memory(request)
        wall, cpu, peak = perf_counter() - began, process_time() - began_cpu, _peak_mb()
        began_cpu = process_time()
        again = await services.transfer.import_memory(request)
        again_cpu = process_time() - began_cpu
        rows = sum((await services.store.status()).rows.values())
    return Cost(
        kind=kind,
        records=records,
        thoughts=len(report.ingested.stored),
        rows=rows,
        wall_s=round(wall, 1),
        cpu_s=round(cpu, 1),
        records_per_s=round(records / wall, 1),
        cpu_ms_per_record=round(1000 * cpu / records, 2),
        rss_before_mb=before,
        peak_rss_mb=peak,
        again_cpu_s=round(again_cpu, 1),
        again_stored=len(again.ingested.stored),
    )


def _peak_mb() -> float:
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)


def run(notes: int, mails: int) -> list[Cost]:
    """Make up and bring in every vault and mailbox, each in a process of its own; those that failed are missing."""
    wanted: list[tuple[str, int, Callable[[Path, int], Path]]] = [
        (kind, size, make)
        for kind, whole, make in (("markdown vault", notes, make_vault), ("mbox", mails, make_mbox))
        for size in (whole // 10, whole)
        if size
    ]
    costs: list[Cost] = []
    with tempfile.TemporaryDirectory(prefix="voice imports ") as place:
        for number, (kind, size, make) in enumerate(progress(wanted, "import")):
            path, home = make(Path(place), size), Path(place, f"home {number}")
            cost = in_child(
                lambda home=home, path=path, kind=kind, size=size: anyio.run(bring_in, home, path, kind, size)
            )
            costs += [] if cost is None else [cost]
    return costs


def main() -> int:
    """Run the benchmark and print what it found; 1 when anything did not come in, or came in twice."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, default=10_000, help="notes of the vault; 0 for none")
    parser.add_argument("--mails", type=int, default=10_000, help="mails of the mailbox; 0 for none")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    costs = run(options.notes, options.mails)
    report = {"imports": [asdict(cost) for cost in costs], **machine()}
    if options.json:
        print(json.dumps(report))
    else:
        print("\n".join(f"{name}: {value}" for cost in costs for name, value in asdict(cost).items()))
        print(machine())
    whole = [cost for cost in costs if cost.thoughts == cost.records and cost.again_stored == 0]
    return 0 if len(whole) == len(costs) == 2 * sum(size >= 10 for size in (options.notes, options.mails)) else 1


if __name__ == "__main__":
    sys.exit(main())
