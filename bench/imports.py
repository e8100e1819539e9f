"""What does a large import cost? `python -m bench.imports [--notes N] [--mails N] [--folder DIR] [--json]`.

A vault of Markdown notes and an mbox of mails are made up, a tenth of each first and then all, and each is brought in
by a process of its own through the program's own `import_memory` into a new memory on disk; then what it names is read
for review, and the index brought up to date, as `voice import` and the first question do. `--folder` brings in a copy
of a folder of real notes besides. The shares are those of its parts in the processor time. Brought in again, it stores
nothing; with three notes changed, it corrects three. Memory beside the size shows whether anything is held whole.
"""

import argparse
import json
import resource
import shutil
import sys
import tempfile
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from time import process_time
from typing import Final

import anyio

from bench.killed import in_child
from bench.report import machine, progress
from bench.stages import Watch
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.embedding.minilm import MiniLmEmbedder
from voice.bootstrap import Parts, Services, open_services
from voice.core.interchange.origin import Entrance
from voice.core.settings.values import Settings
from voice.ports.search_index import Embedder
from voice.services.imports.request import ImportReport, ImportRequest
from voice.services.memory import ingest

_START: Final = datetime(2020, 1, 1, tzinfo=UTC)
_CHANGED: Final = 3
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
    cpu_ms_per_row: float
    shares: Mapping[str, float]
    """Of the processor time, by part."""
    rss_before_mb: float
    peak_rss_mb: float
    again_cpu_s: float
    again_stored: int
    """By bringing the same in once more; must be 0."""
    changed_cpu_s: float | None
    """Of bringing it in with three notes changed; None: it is no folder of notes."""
    corrected: int


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


async def bring_in(home: Path, path: Path, kind: str, embedder: Embedder) -> Cost:
    """Import a vault or mailbox into a new memory, again, and again with some notes changed; return what it took."""
    request, watch = ImportRequest(path=str(path), entrance=Entrance.CLI, zone=UTC), Watch()
    async with open_services(Settings(), home, Parts(embedder=embedder)) as services:
        before = _peak_mb()
        with watch.whole(counts=True):
            report = await _first(services, request, watch)
        peak = _peak_mb()
        rows = sum((await services.store.status()).rows.values())
    cpu_s, wall_s = (times.ms[0] / 1000 for times in (watch.total_cpu, watch.total_wall))
    again_cpu, again = await _once_more(home, request, embedder)
    changed_cpu, changed = await _once_more(home, request, embedder) if _change(path) else (None, ImportReport())
    thoughts = len(report.ingested.stored)
    return Cost(
        kind=kind,
        records=thoughts + report.ingested.already_known,
        thoughts=thoughts,
        rows=rows,
        wall_s=round(wall_s, 1),
        cpu_s=round(cpu_s, 1),
        records_per_s=round(thoughts / wall_s, 1),
        cpu_ms_per_record=round(1000 * cpu_s / thoughts, 2),
        cpu_ms_per_row=round(1000 * cpu_s / rows, 2),
        shares={part: round(cpu / 1000 / cpu_s, 3) for part, (cpu, _) in watch.turn.items()},
        rss_before_mb=before,
        peak_rss_mb=peak,
        again_cpu_s=again_cpu or 0.0,
        again_stored=len(again.ingested.stored),
        changed_cpu_s=changed_cpu,
        corrected=changed.corrected,
    )


async def _first(services: Services, request: ImportRequest, watch: Watch) -> ImportReport:
    """Bring a memory's first rows in, read what they name and index them."""
    with _watched(services, watch):
        report = await services.transfer.import_memory(request)
        with _besides(watch, "names"):
            await services.extracting.arrived(report.ingested.stored, report.offers)
    with watch.stage("index"):
        await services.index.refresh()
    return report


@contextmanager
def _besides(watch: Watch, name: str) -> Generator[None]:
    """Add to a part what happens inside besides the other parts."""
    before = dict(watch.turn)
    with watch.stage(name):
        yield
    within = [(spent, before.get(each, (0.0, 0.0))) for each, spent in watch.turn.items() if each != name]
    cpu, wall = watch.turn[name]
    cpu -= sum(now[0] - then[0] for now, then in within)
    wall -= sum(now[1] - then[1] for now, then in within)
    watch.turn[name] = (cpu, wall)


async def _once_more(home: Path, request: ImportRequest, embedder: Embedder) -> tuple[float | None, ImportReport]:
    """Bring the same in once more, into the memory as a command finds it; return the processor time and the report."""
    async with open_services(Settings(), home, Parts(embedder=embedder)) as services:
        began = process_time()
        report = await services.transfer.import_memory(request)
        await services.extracting.arrived(report.ingested.stored, report.offers)
        return round(process_time() - began, 2), report


def _change(path: Path) -> int:
    """Add a sentence to some notes of a folder, and return how many."""
    notes = sorted(path.rglob("*.md"), key=lambda note: -note.stat().st_size)
    notes = [note for note in notes if note.stat().st_size][len(notes) // 3 :][:_CHANGED] if path.is_dir() else []
    for note in notes:
        note.write_text(f"{note.read_text('utf-8')}\nThe lantern went out at noon.\n", "utf-8")
    return len(notes)


@contextmanager
def _watched(services: Services, watch: Watch) -> Generator[None]:
    """Watch the parts of an import, and put them back."""
    parts: list[tuple[object, str, str]] = [
        (services.embedder, "embed", "encoder"),
        (services.store, "write", "store"),
        (services.store, "fetch", "store"),
        (ingest, "distil", "distilling"),
    ]
    calls = [getattr(part, name) for part, name, _ in parts]
    for (part, name, stage), call in zip(parts, calls, strict=True):
        setattr(part, name, watch.timed(stage, call))
    try:
        yield
    finally:
        for (part, name, _), call in zip(parts, calls, strict=True):
            setattr(part, name, call)


def _peak_mb() -> float:
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)


def run(notes: int, mails: int, folder: Path | None, make_embedder: Callable[[], Embedder]) -> list[Cost]:
    """Make up and bring in every vault and mailbox, each in a process of its own; those that failed are missing."""
    wanted: list[tuple[str, int, Callable[[Path, int], Path]]] = [
        (kind, size, make)
        for kind, whole, make in (("markdown vault", notes, make_vault), ("mbox", mails, make_mbox))
        for size in (whole // 10, whole)
        if size
    ]
    if folder is not None:
        wanted.append((folder.name, 0, lambda place, _: Path(shutil.copytree(folder, place / "folder"))))
    costs: list[Cost] = []
    with tempfile.TemporaryDirectory(prefix="voice imports ") as place:
        for number, (kind, size, make) in enumerate(progress(wanted, "import")):
            path, home = make(Path(place), size), Path(place, f"home {number}")
            cost = in_child(
                lambda home=home, path=path, kind=kind: anyio.run(bring_in, home, path, kind, make_embedder())
            )
            costs += [] if cost is None else [cost]
    return costs


def main() -> int:
    """Run the benchmark and print what it found; 1 when anything did not come in, or came in twice."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--notes", type=int, default=10_000, help="notes of the vault; 0 for none")
    parser.add_argument("--mails", type=int, default=10_000, help="mails of the mailbox; 0 for none")
    parser.add_argument("--folder", type=Path, help="a folder of real notes, of which a copy is brought in")
    parser.add_argument(
        "--encoder", choices=("local", "hash"), default="local", help="the default one, or hashed words"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    options = parser.parse_args()
    embedder = MiniLmEmbedder if options.encoder == "local" else lambda: HashedEmbedder(384)
    costs = run(options.notes, options.mails, options.folder, embedder)
    report = {"encoder": options.encoder, "imports": [asdict(cost) for cost in costs], **machine()}
    if options.json:
        print(json.dumps(report))
    else:
        print("\n".join(f"{name}: {value}" for cost in costs for name, value in asdict(cost).items()))
        print(machine())
    sizes = [size for whole in (options.notes, options.mails) for size in (whole // 10, whole) if size]
    made = [(cost.thoughts, cost.again_stored) for cost in costs]
    sound = made[: len(sizes)] == [(size, 0) for size in sizes] and not any(stored for _, stored in made)
    return 0 if sound and len(costs) == len(sizes) + (options.folder is not None) else 1


if __name__ == "__main__":
    sys.exit(main())
