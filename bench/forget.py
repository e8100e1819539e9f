"""Is what was forgotten gone? `python -m bench.forget [--trials N] [--seed N] [--json]`.

A trial tells a memory on disk canary strings: in notes, questions, pins, capsules, a conversation's topic, candidates,
an export and an archive, beside notes that are to stay. Then a process forgets and compacts (`voice forget --files
--compact`) and is killed with SIGKILL at a random moment of the time that such a process takes; in one trial of five,
the first among them, it is left alone, which tells that time. Whatever it left is opened and verified: what stays must
be there. Then it is run again to its end, and every byte of the data directory is searched for every canary, packed
records unpacked. The same search before forgetting must find each canary, or it would prove nothing.
"""

import os
import random
import signal
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import anyio

from bench.killed import Trials, forked, homes, in_child, told
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.llm.scripted import ExtractiveClient
from voice.adapters.surreal.stores.session_codec import PRIMER
from voice.bootstrap import Parts, Services, open_services
from voice.core.graph.removal.forget_cascade import ForgetRequest
from voice.core.graph.review.extraction_results import ExtractedEntity
from voice.core.graph.review.staging import StageLimits
from voice.core.recall.capsules import NewSummary
from voice.core.recall.pins import PinRequest
from voice.core.records import Origin, Provenance
from voice.core.settings.values import Settings
from voice.services.memory.ingest_values import NewThought
from voice.services.turn.ask import AskRequest
from voice.wiring.data_directory import compact

CANARIES: Final = 3
KEPT: Final = 70
"""So many that the index, which keeps the newest rows in memory, has files of its own."""
_LEFT_ALONE: Final = 0.2
_CANARY_TAG: Final = "canary"


@dataclass(slots=True)
class Findings(Trials):
    """What all trials together showed."""

    killed: int = 0
    """Stopped by the signal; one that was done before it came is not counted."""
    killed_with_canaries_left: int = 0
    """Killed while a canary was still on the disk."""
    killed_in_a_compaction: int = 0
    """Left something of a copy beside the store."""
    killed_after_forgetting: int = 0
    """No row was left that was to go, though its words may still have been on the disk."""
    life_s: float = 0.0
    """What the last process took that was left alone."""
    bytes_searched: int = 0
    canaries_searched: int = 0
    not_found_before: list[str] = field(default_factory=list[str])
    found_after: list[str] = field(default_factory=list[str])
    lost: list[str] = field(default_factory=list[str])
    faults: list[str] = field(default_factory=list[str])
    failed: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What a store held that was looked at after a kill, or after all was done."""

    kept: int
    archived: int
    """Of the notes that were archived and are to stay, how many an archive holds."""
    left: int
    """Rows that are still to be forgotten."""
    faults: tuple[str, ...]


def trial(home: Path, chance: random.Random, findings: Findings) -> None:
    """Tell, forget with a kill in between, look, forget to the end, and search the disk."""
    findings.trials += 1
    name = f"trial {findings.trials}"
    canaries = [f"canary{chance.randrange(10**12):012}{letter}" for letter in "xyz"[:CANARIES]]
    if in_child(lambda: anyio.run(_tell, home, canaries)) is None:
        findings.failed.append(f"{name}: it could not be told")
        return
    found, _ = search(home, canaries)
    findings.not_found_before += [f"{name}: {each}" for each in sorted(set(canaries) - found)]
    is_alone = findings.trials == 1 or chance.random() < _LEFT_ALONE
    if not is_alone:
        is_killed = _killed(home, chance.uniform(0.0, findings.life_s))
        findings.killed += is_killed
        findings.killed_in_a_compaction += is_killed and any(each.match("memory.*") for each in home.iterdir())
        findings.killed_with_canaries_left += is_killed and bool(search(home, canaries)[0])
        findings.killed_after_forgetting += is_killed and _look(home, name, findings) == 0
    started = time.monotonic()
    if in_child(lambda: anyio.run(_forget, home)) is None:
        findings.failed.append(f"{name}: it could not be forgotten")
        return
    if is_alone:
        findings.life_s = round(time.monotonic() - started, 2)
    if _look(home, name, findings):
        findings.failed.append(f"{name}: there was something left to forget")
    found, size = search(home, canaries)
    findings.found_after += [f"{name}: {each}" for each in sorted(found)]
    findings.bytes_searched += size
    findings.canaries_searched += len(canaries)


def search(home: Path, canaries: Sequence[str]) -> tuple[set[str], int]:
    """Return which canaries stand anywhere in a directory, file names included, and how many bytes were searched."""
    found: set[str] = set()
    size = 0
    for path in sorted(home.rglob("*")):
        data = path.read_bytes() if path.is_file() else b""
        size += len(data)
        forms = (str(path.name).encode(), data, *_unpacked(data))
        for canary in canaries:
            needles = (canary.encode(), canary.encode("utf-16-le"))
            if any(needle in form.lower() for form in forms for needle in needles):
                found.add(canary)
    return found, size


def _unpacked(data: bytes) -> Iterator[bytes]:
    """Yield every packed body that begins anywhere in `data`, as far as it can be unpacked."""
    packer = zlib.compressobj(6, zdict=PRIMER)
    head = (packer.compress(b"{") + packer.flush())[:6]
    at = data.find(head)
    while at >= 0:
        opener = zlib.decompressobj(zdict=PRIMER)
        try:
            yield opener.decompress(data[at:])
        except zlib.error:
            yield from _as_far_as_it_goes(data[at:])
        at = data.find(head, at + 1)


def _as_far_as_it_goes(data: bytes) -> Iterator[bytes]:
    opener = zlib.decompressobj(zdict=PRIMER)
    made = bytearray()
    try:
        for byte in data:
            made += opener.decompress(bytes([byte]))
    except zlib.error:
        pass
    yield bytes(made)


def _killed(home: Path, after_s: float) -> bool:
    """Let a process forget and compact, kill it that long after it began, and return whether it was still at it."""
    read, write = os.pipe()

    def work() -> None:
        os.write(write, b".")
        anyio.run(_forget, home)

    pid = forked(read, work)
    os.close(write)
    os.read(read, 1)
    time.sleep(after_s)
    os.kill(pid, signal.SIGKILL)
    _, ended = os.waitpid(pid, 0)
    os.close(read)
    return os.WIFSIGNALED(ended)


def _look(home: Path, name: str, findings: Findings) -> int | None:
    """Verify a store and return how many rows are still to be forgotten in it; None when it does not open."""
    looked = in_child(lambda: anyio.run(_verify, home))
    if looked is None:
        findings.failed.append(f"{name}: it could not be opened")
        return None
    if looked.kept != KEPT or looked.archived != 1:
        told = f"{looked.kept} of {KEPT} notes are there, and {looked.archived} of 1 in an archive"
        findings.lost.append(f"{name}: {told}")
    findings.faults += [f"{name}: {fault}" for fault in looked.faults]
    return looked.left


def _given() -> tuple[Settings, Parts]:
    made = Settings()
    archive = replace(made.archive, format="jsonl", retention_days=0)
    settings = replace(made, gate=replace(made.gate, enabled=True), archive=archive)
    return settings, Parts(embedder=HashedEmbedder(64), llm=ExtractiveClient())


async def _tell(home: Path, canaries: Sequence[str]) -> bool:
    settings, parts = _given()
    async with open_services(settings, home, parts) as services:
        notes = [f"Note {number}: the glaze number {number} needs cobalt and firings." for number in range(KEPT)]
        await services.ingest.remember([NewThought(content=text, origin=Origin.HUMAN) for text in notes])
        for canary in canaries:
            thought = await _remember(services, f"The door of the shed opens with {canary}, said Anna.", _CANARY_TAG)
            question = f"What opens with {canary}?"
            await services.ask(AskRequest(question=question, new_topic=question, create=True))
            await services.ask(AskRequest(question="What does glaze number 3 need?", create=True))
            await services.pins.pin(PinRequest(target_id=thought, reason=f"because of {canary}"))
            capsule = await services.capsules.open("the shed")
            said = NewSummary(content=f"It opens with {canary}.", evidence_refs=(thought,))
            await services.capsules.summarise(capsule.id, said)
            span = Provenance(thought_id=thought, start=0, end=8)
            named = ExtractedEntity(name=f"The shed of {canary}", entity_type="place", confidence=0.9, mentions=(span,))
            await services.review.staging.stage(
                [named], limits=StageLimits(entities=0.0, relations=0.0, max_nodes=None, max_edges=None)
            )
        await services.transfer.export_memory(str(home / "export.jsonl"))
        await _archive(services, canaries)
        await services.index.rebuild()
    return True


async def _archive(services: Services, canaries: Sequence[str]) -> None:
    """Take notes away into an archive: some with canaries, and one that is to stay in it."""
    away = [await _remember(services, f"The lock was {canary} before.", _CANARY_TAG) for canary in canaries]
    away.append(await _remember(services, "The lock was oiled in May."))
    await services.archiving.removals.mark(away)
    await services.archiving.export()
    await services.archiving.removals.finalise(apply=True)


async def _remember(services: Services, text: str, *tags: str) -> str:
    report = await services.ingest.remember([NewThought(content=text, origin=Origin.HUMAN, tags=tags)])
    return report.stored[0]


async def _forget(home: Path) -> bool:
    """Do what `voice forget --tag canary --files --compact --yes` does."""
    settings, parts = _given()
    async with open_services(settings, home, parts) as services:
        await services.forget(ForgetRequest(tags=frozenset({_CANARY_TAG})), "forget", with_files=True)
    await compact(settings, home, _silently)
    async with open_services(settings, home, parts) as services:
        await services.index.rebuild()
    return True


def _silently(what: str, done: int, total: int) -> None:
    del what, done, total


async def _verify(home: Path) -> Looked:
    settings, parts = _given()
    async with open_services(settings, home, parts) as services:
        await services.index.refresh()
        found = (*await services.maintenance.verify(), *await services.transcripts.faults())
        found += tuple(await services.index.faults())
        found += tuple(await services.maintenance.recount())
        seen = await services.forget.preview(ForgetRequest(matching="glaze number"), "forget")
        left = await services.forget.preview(ForgetRequest(tags=frozenset({_CANARY_TAG})), "forget")
        kept = sum(row.id.startswith("t:") for row in seen.rows.meant)
        lock = await services.forget.preview(ForgetRequest(matching="oiled in May"), "forget")
        archived = sum(row_id.startswith("t:") for row_id in lock.away)
        return Looked(kept=kept, archived=archived, left=len(left.rows.going), faults=found)


def run(trials: int, seed: int) -> Findings:
    """Carry out all trials in directories that are thrown away."""
    findings, chance = Findings(), random.Random(seed)
    for home, _ in homes(trials, of_a_store=1, called="forget"):
        trial(home, chance, findings)
    return findings


def main() -> int:
    """Run what the command line asks for; 1 when anything was lost, or found again."""
    return told(__doc__, run)


if __name__ == "__main__":
    raise SystemExit(main())
