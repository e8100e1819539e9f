"""Is anything lost on the way out or back? `python -m bench.removal_crash [--trials N] [--seed N] [--json]`.

A trial starts a process that marks every thought of a memory, archives them, takes them away and brings them back,
round after round (`bench.removal_crash_worker`), kills it with SIGKILL at a random moment, opens the memory again in a
fresh process and looks: every thought must be in the memory with its words, or have its tombstone and stand with its
words in an archive that verifies; never in neither, and never with a tombstone beside it. What rests on it in the graph
must be there, and the store must verify. The next process goes on from wherever the one before was killed.
"""

import random
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import anyio

from bench.killed import Losses, Moments, homes, in_child, killed_at, told
from bench.removal_crash_worker import content_of, fill, note_ids, parts, remove_for_ever, settings
from voice.bootstrap import Services, open_services
from voice.core.errors import VoiceError
from voice.core.records import Thought
from voice.ports.removal import Archive

TRIALS_PER_STORE: Final = 25
_MOMENTS: Final = Moments(most_lines=9, longest_pause_s=0.4, early_share=0.1)
"""A line is a step, and a pause about as long as the longest step takes."""


@dataclass(slots=True)
class Findings(Losses):
    """What all trials together showed."""

    steps: int = 0
    """Steps that processes said they had finished."""
    all_there: int = 0
    """Trials after which every thought was in the memory."""
    all_away: int = 0
    """Trials after which every thought was in an archive alone."""
    between: int = 0
    """Trials after which some were here and some there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """Where the thoughts of a memory were when it was opened again."""

    there: frozenset[str]
    buried: frozenset[str]
    archived: frozenset[str]
    derived: int
    """Rows that rest on them, in the memory or in an archive."""
    faults: tuple[str, ...]


def trial(home: Path, chance: random.Random, findings: Findings) -> None:
    """Let one process work, kill it, and look at what it left."""
    name = f"trial {findings.trials}"
    findings.trials += 1
    findings.steps += len(killed_at(_MOMENTS, chance, lambda say: anyio.run(remove_for_ever, home, say)))
    looked = in_child(lambda: anyio.run(look, home))
    if looked is None:
        findings.reopen_failed.append(name)
        return
    compare(name, looked, findings)


def compare(name: str, looked: Looked, findings: Findings) -> None:
    """Hold where the thoughts are against where they may be."""
    every = frozenset(note_ids())
    away = every - looked.there
    findings.lost += [f"{name}: {each}" for each in sorted(away - (looked.buried & looked.archived))]
    findings.doubled += [f"{name}: {each}" for each in sorted(looked.there & looked.buried)]
    findings.faults += [f"{name}: {fault}" for fault in looked.faults]
    if looked.derived < len(every):
        findings.lost.append(f"{name}: {len(every) - looked.derived} rows of the graph")
    findings.all_there += not away
    findings.all_away += away == every
    findings.between += bool(away) and away != every


async def look(home: Path) -> Looked:
    """Open a memory and return where its thoughts are."""
    async with open_services(settings(), home, parts()) as services:
        rows = await services.store.fetch(note_ids())
        there = {row.id for row in rows.values() if _is_whole(row)}
        derived = {row.id for row in await services.graph.derived_from(note_ids())}
        archives = await _archives(services)
        derived |= {row.id for archive in archives for row in archive.derived}
        return Looked(
            there=frozenset(there),
            buried=frozenset(await services.archiving.removals.fate(note_ids())),
            archived=frozenset(row.id for archive in archives for row in archive.thoughts if _is_whole(row)),
            derived=len(derived),
            faults=tuple(await services.maintenance.verify()),
        )


async def _archives(services: Services) -> list[Archive]:
    """Return the archives that verify."""
    shelf = services.archiving.removals.shelf
    found: list[Archive] = []
    for path in await shelf.files.listed(shelf.directory):
        with suppress(VoiceError):
            found.append(await shelf.files.read(path))
    return found


def _is_whole(row: object) -> bool:
    return isinstance(row, Thought) and row.content == content_of(row.id)


def run(trials: int, seed: int) -> Findings:
    """Carry out all trials in a directory that is thrown away."""
    findings, chance = Findings(), random.Random(seed)
    for home, is_new in homes(trials, of_a_store=TRIALS_PER_STORE, called="removal crash"):
        if is_new and in_child(lambda home=home: anyio.run(fill, home)) is None:
            findings.reopen_failed.append(f"{home.name} could not be filled")
        trial(home, chance, findings)
    return findings


if __name__ == "__main__":
    raise SystemExit(told(__doc__, run))
