"""Is a thought ever stored in part? `python -m bench.torn [--trials N] [--seed N] [--json]`.

A trial copies a memory, starts a process that remembers a note of 3,000 sentences, imports a folder or a file of our
own format, corrects a note of 1,101 sentences or forgets one of 1,100 (`bench.torn_worker`), and ends it with SIGKILL
or SIGTERM at a random moment. A fresh process opens what it left: no row may rest on a thought that is not there,
every thought must have all that is distilled from it or nothing, what waits for review must rest on notes that stand,
and store and index must be sound. Then the same thing is done again, to its end: everything must be there, and
nothing twice.
"""

import random
import shutil
import signal
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import anyio

from bench.killed import LONGEST_START_S, Losses, Moments, in_child, killed_at, told
from bench.report import progress
from bench.torn_worker import (
    ACTS,
    again,
    correctable,
    corrected,
    fill,
    imported,
    long_note,
    own_notes,
    parts,
    run_act,
    settings,
    write_sources,
)
from voice.bootstrap import Services, open_services
from voice.core.graph.thoughts.distillation import distil
from voice.core.records import Entity, Observation, Row, RowStatus, Thought
from voice.core.text.normalise import content_hash

_ENDINGS = (signal.SIGKILL, signal.SIGTERM)


@dataclass(slots=True)
class Findings(Losses):
    """What all trials together showed; `lost` and `doubled` are told of the second run, too."""

    orphans: list[str] = field(default_factory=list[str])
    """Rows that rest on a thought that is not there."""
    torn: list[str] = field(default_factory=list[str])
    """Thoughts of which a part is there, and candidates that rest on what is gone."""
    acts: dict[str, int] = field(default_factory=dict[str, int])
    sigterms: int = 0
    acknowledged: int = 0
    """Trials whose process said that it was done before it ended."""
    nothing_yet: int = 0
    """Trials after which nothing of it was there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What a memory held when it was opened again."""

    live: Counter[str]
    """The hashes of what its active thoughts say."""
    orphans: tuple[str, ...] = ()
    torn: tuple[str, ...] = ()
    doubled: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


def wanted(act: str, *, done: bool) -> frozenset[str]:
    """Return the hashes of what must be said by active thoughts before an act, or after it."""
    says = {long_note("kept"), correctable(), long_note("forget")}
    if done:
        match act:
            case "remember":
                says.add(long_note("remember"))
            case "import":
                says.update(imported().values())
            case "import own":
                says.update(own_notes())
            case "correct":
                says = says - {correctable()} | {corrected()}
            case _:
                says.remove(long_note("forget"))
    return frozenset(map(content_hash, says))


def compare(name: str, act: str, looked: Looked, findings: Findings, *, done: bool) -> None:
    """Hold what is there against what may be, after an act that was acknowledged (`done`) or may be at any point."""
    before, after, live = wanted(act, done=False), wanted(act, done=True), looked.live.keys()
    missing = (after if done else before & after) - live
    strange = live - (after if done else before | after)
    findings.lost += [f"{name}: {len(missing)} thoughts are not there"] if missing else []
    findings.faults += [f"{name}: {len(strange)} thoughts should not be there"] if strange else []
    findings.lost += (
        [f"{name}: neither the old nor the new note"] if act == "correct" and len(live & (before ^ after)) != 1 else []
    )
    findings.doubled += [f"{name}: a thought is there {count} times" for count in looked.live.values() if count > 1]
    findings.doubled += [f"{name}: {each}" for each in looked.doubled]
    findings.orphans += [f"{name}: {each}" for each in looked.orphans]
    findings.torn += [f"{name}: {each}" for each in looked.torn]
    findings.faults += [f"{name}: {each}" for each in looked.faults]
    findings.nothing_yet += not done and live == before


async def look(home: Path) -> Looked:
    """Open a memory and return what is there."""
    async with open_services(settings(), home, parts()) as services:
        await services.index.refresh()
        changes = await services.store.changes(0, 10**9)
        rows = {each.row_id: each.row for each in changes if each.row is not None}
        thoughts = [row for row in rows.values() if isinstance(row, Thought)]
        waiting = (await services.store.status()).pending_embeddings
        return Looked(
            live=Counter(content_hash(row.content) for row in thoughts if row.status is RowStatus.ACTIVE),
            orphans=tuple(await services.torn.rows.torn()),
            torn=(*_parts_of(rows, thoughts), *await _stale(services, rows)),
            doubled=_twice(rows),
            faults=(
                *await services.maintenance.verify(),
                *await services.index.faults(),
                *([f"{waiting} rows have no vector"] if waiting else []),
            ),
        )


def _parts_of(rows: dict[str, Row], thoughts: list[Thought]) -> list[str]:
    """Return a sentence per thought of which a part is there, and per row that rests on what was forgotten."""
    live: dict[str, set[str]] = {}
    for row in rows.values():
        if isinstance(row, Observation) and row.status is RowStatus.ACTIVE:
            live.setdefault(row.provenance[0].thought_id, set()).add(row.id)
    said: list[str] = []
    for thought in thoughts:
        there = live.pop(thought.id, set())
        due = {row.id for row in distil(thought)}
        if there != due:
            said.append(f"{thought.id} ({thought.status}) has {len(there)} of {len(due)} observations")
        if thought.id.startswith("t:own"):
            said += [f"{thought.id} lacks {row_id}" for row_id in _brought(thought.id) if row_id not in rows]
    return said + [f"{len(left)} observations of {thought_id}, which is gone" for thought_id, left in live.items()]


def _brought(thought_id: str) -> tuple[str, str]:
    key = thought_id.partition(":")[2]
    return f"e:{key}", f"r:{key}"


async def _stale(services: Services, rows: dict[str, Row]) -> list[str]:
    """Return a sentence per candidate that rests on a note which is gone or was corrected."""
    staged = await services.review.staging.candidates.candidates(limit=1000)
    named = {(each.id, span.thought_id) for each in staged for span in each.provenance}
    stands = {row.id for row in rows.values() if row.status is RowStatus.ACTIVE}
    return [f"{each} rests on {thought_id}" for each, thought_id in sorted(named) if thought_id not in stands]


def _twice(rows: dict[str, Row]) -> tuple[str, ...]:
    """Return a sentence per sentence, or name, that two live rows say."""
    live = [row for row in rows.values() if row.status is RowStatus.ACTIVE]
    said = Counter(row.text for row in live if isinstance(row, Observation))
    said.update(row.name for row in live if isinstance(row, Entity))
    return tuple(f"{count} times {text!r}" for text, count in said.items() if count > 1)


def trial(place: Path, act: str, seconds: float, chance: random.Random, findings: Findings) -> None:
    """Let one process act on a copy of the memory, end it, look at what it left, do it again, and look again."""
    name, ending = f"trial {findings.trials} ({act})", chance.choice(_ENDINGS)
    home, sources = place / "trial", place / "sources"
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(place / "home", home)
    findings.trials += 1
    findings.acts[act] = findings.acts.get(act, 0) + 1
    findings.sigterms += ending is signal.SIGTERM
    moments = Moments(most_lines=1, longest_pause_s=1.1 * seconds, early_share=0.05)
    said = killed_at(moments, chance, partial(run_act, act, home, sources), ending=ending)
    findings.acknowledged += "done" in said
    for is_second in (False, True):
        if is_second and in_child(lambda: anyio.run(again, act, home, sources)) is None:
            findings.faults.append(f"{name}: it cannot be done again")
        looked = in_child(lambda: anyio.run(look, home))
        if looked is None:
            findings.reopen_failed.append(name)
            return
        told_of = f"{name}, done again" if is_second else name
        compare(told_of, act, looked, findings, done=is_second or "done" in said)


def run(trials: int, seed: int) -> Findings:
    """Carry out all trials in a directory that is thrown away; each act is timed once before."""
    findings, chance = Findings(), random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="voice torn ") as made:
        place = Path(made)
        (place / "sources").mkdir()
        write_sources(place / "sources")
        if in_child(lambda: anyio.run(fill, place / "home")) is None:
            findings.reopen_failed.append("the memory could not be filled")
            return findings
        seconds = {act: _timed(place, act) for act in ACTS[:trials]}
        for number in progress(range(trials), "trial"):
            act = ACTS[number % len(ACTS)]
            trial(place, act, seconds[act], chance, findings)
    return findings


def _timed(place: Path, act: str) -> float:
    """Return how long an act takes that nobody stops."""
    home = place / "timed"
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(place / "home", home)
    return in_child(lambda: anyio.run(again, act, home, place / "sources")) or LONGEST_START_S


if __name__ == "__main__":
    raise SystemExit(told(__doc__, run))
