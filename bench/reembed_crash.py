"""Does a change of encoder survive? `python -m bench.reembed_crash [--trials N] [--seed N] [--json]`.

A trial tells a memory on disk notes that wait for their vector, changes the encoder for one of another dimension, and
starts a process that embeds anew, embeds what waits, or makes the index anew (`bench.reembed_crash_worker`), and that
searches all the while. In between, another process asks the memory, too. Then it is killed with SIGKILL at a random
moment, and a fresh process looks: nothing is lost, every vector is the old or the new encoder's of that very row, what
is found is found by words or by the new encoder's vectors alone, and `doctor` tells how many rows are left. Running all
of it again must encode those rows and no other, and end with one vector of the new encoder for each row.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import anyio

from bench.killed import LONGEST_START_S, Losses, Say, homes, in_child, killed, told
from bench.reembed_crash_worker import (
    COMMANDS,
    NOTES,
    WAITING,
    Command,
    Encoder,
    asked_beside,
    finish,
    open_with,
    tell,
    told_of,
    work_and_answer,
    wrong_hits,
)
from voice.bootstrap import Services
from voice.core.health import judge_vectors
from voice.core.records import Thought
from voice.core.retrieval.searchable_text import indexed_text
from voice.ports.stores import Change

TRIALS_PER_STORE: Final = 10
_EARLY_SHARE: Final = 0.1
_FIRST_LIFE_S: Final = 1.0
_SHORTER: Final = 0.85
_LONGER: Final = 1.1
"""The time in which a process is killed follows how long it takes: shorter after it was done before, else longer."""
_PAGE: Final = 500


@dataclass(slots=True)
class Findings(Losses):
    """What all trials together showed."""

    killed_while_opening: int = 0
    killed_in_the_middle: int = 0
    """Some rows had been encoded anew and some had not, or the index was being made."""
    done_before_the_kill: int = 0
    rows: int = 0
    """Of all stores, at the last look."""
    rows_done_before: int = 0
    """Rows that had the new encoder's vector when a process was killed."""
    rows_left: int = 0
    rows_encoded_by_running_again: int = 0
    """Must be the rows left: none that was done is done again."""
    searches_beside: int = 0
    asked_by_another_process: int = 0
    turned_away: int = 0
    """Of these, told that the store is held."""
    wrong: list[str] = field(default_factory=list[str])
    mixed: list[str] = field(default_factory=list[str])
    """Vectors that are neither the old nor the new encoder's of their row."""
    encoded_again: list[str] = field(default_factory=list[str])
    incomplete: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class Memory:
    """One memory, and what is known of it."""

    home: Path
    generation: int = 0
    notes: int = 0
    rows: int = 0
    life_s: dict[Command, float] = field(default_factory=lambda: dict.fromkeys(COMMANDS, _FIRST_LIFE_S))


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What a memory held when it was opened again."""

    notes: int
    rows: int
    vectors: int
    """As the store counts them."""
    new: int
    """Rows with the vector that the new encoder makes of them."""
    old: int
    pending: int
    mixed: tuple[str, ...]
    wrong: tuple[str, ...]
    faults: tuple[str, ...]


def trial(memory: Memory, chance: random.Random, findings: Findings) -> None:
    """Let one process change a memory's vectors, kill it, look, and let another finish."""
    name = f"trial {findings.trials}"
    findings.trials += 1
    if not _tell(memory):
        findings.reopen_failed.append(f"{name}: it could not be told")
        return
    memory.generation += 1
    command = chance.choice(COMMANDS)
    said = _killed(memory, command, chance, findings)
    findings.wrong += [f"{name}: {line}" for line in said if line.startswith("wrong")]
    findings.searches_beside += said.count("searched")
    findings.killed_while_opening += "open" not in said
    findings.done_before_the_kill += "done" in said
    memory.life_s[command] *= _SHORTER if "done" in said else _LONGER
    left = in_child(lambda: anyio.run(look, memory.home, memory.generation))
    if left is None:
        findings.reopen_failed.append(name)
        return
    findings.killed_in_the_middle += "open" in said and "done" not in said and (bool(left.new) or command == "reindex")
    compare(name, memory, left, findings)
    given = in_child(lambda: anyio.run(finish, memory.home, memory.generation))
    after = in_child(lambda: anyio.run(look, memory.home, memory.generation))
    if given is None or after is None:
        findings.reopen_failed.append(f"{name}, run again")
        return
    compare(name, memory, after, findings)
    resumed(name, left, given, after, findings)


def _tell(memory: Memory) -> bool:
    """Tell a memory what is new before a trial, the last of it while the encoder fails."""
    first, ready = memory.notes, 0 if memory.notes else NOTES
    rows = in_child(lambda: anyio.run(tell, memory.home, memory.generation, first, ready, WAITING))
    memory.notes, memory.rows = first + ready + WAITING, rows or 0
    return rows is not None


def _killed(memory: Memory, command: Command, chance: random.Random, findings: Findings) -> list[str]:
    """Let a process work, ask from another one beside it, kill it, and return all it said."""

    def ask() -> None:
        wrong = in_child(lambda: anyio.run(asked_beside, memory.home, memory.generation))
        findings.asked_by_another_process += 1
        findings.turned_away += wrong == ["refused"]
        if wrong is None:
            findings.faults.append(f"trial {findings.trials - 1}: asking from another process failed")
        elif wrong != ["refused"]:
            findings.wrong += wrong

    is_early = chance.random() < _EARLY_SHARE
    pause = chance.uniform(0.0, LONGEST_START_S if is_early else memory.life_s[command])
    home, generation = memory.home, memory.generation

    def work(say: Say) -> None:
        anyio.run(work_and_answer, home, generation, command, say)

    return killed(work, 0, pause) if is_early else killed(work, 1, pause, ask)


def compare(name: str, memory: Memory, looked: Looked, findings: Findings) -> None:
    """Hold what is there against what was told."""
    if looked.notes < memory.notes:
        findings.lost.append(f"{name}: {memory.notes - looked.notes} of {memory.notes} notes")
    if looked.rows < memory.rows:
        findings.lost.append(f"{name}: {memory.rows - looked.rows} of {memory.rows} rows")
    if looked.vectors > looked.new + looked.old + len(looked.mixed):
        findings.doubled.append(f"{name}: {looked.vectors} vectors of {looked.new + looked.old} rows")
    if looked.new + looked.old + looked.pending + len(looked.mixed) != looked.rows:
        findings.lost.append(f"{name}: some rows neither have a vector nor wait for one")
    findings.mixed += [f"{name}: {each}" for each in looked.mixed]
    findings.wrong += [f"{name}: {each}" for each in looked.wrong]
    findings.faults += [f"{name}: {each}" for each in looked.faults]


def resumed(name: str, left: Looked, given: Mapping[Command, int], after: Looked, findings: Findings) -> None:
    """Hold what was encoded by running again against what was left to encode, and look whether all is done."""
    wanted: dict[Command, int] = {"reembed": left.old, "embed-pending": left.pending, "reindex": 0}
    findings.rows_done_before += left.new
    findings.rows_left += left.old + left.pending
    findings.rows_encoded_by_running_again += sum(given.values())
    findings.rows = max(findings.rows, after.rows)
    findings.encoded_again += [
        f"{name}: {command} encoded {given[command]} rows where {wanted[command]} were left"
        for command in COMMANDS
        if given[command] != wanted[command]
    ]
    if after.new != after.rows:
        findings.incomplete.append(f"{name}: {after.new} of {after.rows} rows have the new encoder's vector")


async def look(home: Path, generation: int) -> Looked:
    """Open a memory with its new encoder and return what it holds, and how it tells of itself."""
    encoder, before = Encoder(generation), Encoder(generation - 1)
    async with open_with(home, encoder) as services:
        changes = [change for change in await _changes(services) if change.row is not None]
        kinds = [_kind(change, encoder, before) for change in changes]
        count = kinds.count
        status = await services.store.status()
        must_be = judge_vectors(pending=count("pending"), comparable=count("new"), foreign=count("old"))
        findings = {each.name: each for each in await services.checkup()}
        faults = [*await services.maintenance.verify(), *await services.index.faults()]
        faults += [f"doctor says {findings['vectors'].detail!r}"] if findings["vectors"] != must_be else []
        faults += [findings["index"].detail] if findings["index"].state != "ok" else []
        notes = [change.row for change in changes if isinstance(change.row, Thought)]
        return Looked(
            notes=len({row.id for row in notes if row.content == told_of(row.id)}),
            rows=len(changes),
            vectors=status.vectors,
            new=count("new"),
            old=count("old"),
            pending=count("pending"),
            mixed=tuple(change.row_id for change, kind in zip(changes, kinds, strict=True) if kind == "mixed"),
            wrong=tuple(await wrong_hits(services, encoder)),
            faults=tuple(faults),
        )


def _kind(change: Change, encoder: Encoder, before: Encoder) -> str:
    """Return whose vector a row has; `mixed` is nobody's."""
    assert change.row is not None
    if change.vector is None:
        return "pending"
    text = indexed_text(change.row, {})
    for kind, each in (("new", encoder), ("old", before)):
        if (change.vector.model, change.vector.dim, change.vector.data) == (each.model, each.dim, each.encoded(text)):
            return kind
    return "mixed"


async def _changes(services: Services) -> list[Change]:
    found: list[Change] = []
    while page := await services.store.changes(found[-1].seq if found else 0, _PAGE):
        found += page
    return found


def run(trials: int, seed: int) -> Findings:
    """Carry out all trials in a directory that is thrown away."""
    findings, chance = Findings(), random.Random(seed)
    memory: Memory | None = None
    for home, is_new in homes(trials, of_a_store=TRIALS_PER_STORE, called="reembed crash"):
        memory = Memory(home) if is_new or memory is None else memory
        trial(memory, chance, findings)
    return findings


if __name__ == "__main__":
    raise SystemExit(told(__doc__, run))
