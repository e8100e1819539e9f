"""Does a turn survive? `python -m bench.turn_crash [--trials N] [--seed N] [--json]`.

A trial starts a process that opens a memory on disk and asks one question after the other, each under an idempotency
key of its own (`bench.turn_crash_worker`), kills it with SIGKILL at a random moment (while it opens, too), opens the
memory again in a fresh process and looks: every turn that was returned must be there with its link, in its place; no
question may be there twice; the chain and the store must verify. A question that was kept but not returned must be
answered by that turn when it is asked again. A call that was begun and whose turn is not there must be on record as
one whose end is unknown, and no other. The memory grows from trial to trial and is replaced every twenty-five.
"""

import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import anyio

from bench.killed import Losses, Moments, homes, in_child, killed_at, told
from bench.turn_crash_worker import ask_for_ever, line_of, parts, question, settings
from voice.bootstrap import open_services
from voice.services.sessions.lookup import all_exchanges

TRIALS_PER_STORE: Final = 25
_MOMENTS: Final = Moments(most_lines=6, longest_pause_s=0.06)
"""A line is a turn, and a pause about as long as a turn takes."""


@dataclass(slots=True)
class Findings(Losses):
    """What all trials together showed."""

    killed_before_a_turn: int = 0
    turns_returned: int = 0
    turns_kept: int = 0
    kept_but_not_returned: int = 0
    """Killed between keeping a turn and returning it; asked again, it must be the answer."""
    killed_while_asking: int = 0
    """Killed between beginning a call and keeping its turn: what it can have cost must be on record, and once."""
    answered_again: int = 0
    """Of those, how many were seen to be, in the next trial."""


@dataclass(slots=True)
class Known:
    """What is known of one memory: its turns as they were last seen, by id."""

    turns: list[str] = field(default_factory=list[str])
    unreturned: str | None = None
    open_calls: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What a memory held when it was opened again."""

    turns: list[str]
    """Of each its id and link, by their places."""
    questions: list[str]
    faults: list[str]
    open_calls: list[str] = field(default_factory=list[str])
    """The turns whose calls were begun and whose end is not on record, by id."""


def trial(home: Path, known: Known, chance: random.Random, findings: Findings) -> None:
    """Let one process ask, kill it, and look at what it left."""
    said = killed_at(_MOMENTS, chance, lambda say: anyio.run(ask_for_ever, home, say))
    name = f"trial {findings.trials}"
    findings.trials += 1
    findings.killed_before_a_turn += not said
    findings.turns_returned += len(said)
    findings.answered_again += known.unreturned is not None and known.unreturned in said
    looked = in_child(lambda: anyio.run(look, home))
    if looked is None:
        findings.reopen_failed.append(name)
        return
    compare(name, known, said, looked, findings)


def compare(name: str, known: Known, said: list[str], looked: Looked, findings: Findings) -> None:
    """Hold what is there against what was there before and what was returned since."""
    new = looked.turns[len(known.turns) :]
    if looked.turns[: len(known.turns)] != known.turns:
        findings.lost.append(f"{name}: a turn that was there before is gone, or another")
    findings.lost += [f"{name}: {each} was returned and is not there" for each in said if each not in looked.turns]
    expected = [question(number) for number in range(len(looked.questions))]
    if looked.questions != expected:
        findings.doubled.append(f"{name}: {len(looked.questions)} turns answer {len(set(looked.questions))} questions")
    findings.faults += [f"{name}: {fault}" for fault in looked.faults]
    unreturned = [each for each in new if each not in said]
    if len(unreturned) > 1:
        findings.doubled.append(f"{name}: {len(unreturned)} turns were kept and not returned")
    findings.turns_kept += len(new)
    findings.kept_but_not_returned += len(unreturned)
    known.turns, known.unreturned = looked.turns, unreturned[-1] if unreturned else None
    _compare_open(name, known, looked, findings)


def _compare_open(name: str, known: Known, looked: Looked, findings: Findings) -> None:
    """Hold what is on record as begun against what was there before, and against the turns that were kept."""
    kept = {each.split()[0] for each in looked.turns}
    findings.faults += [f"{name}: {each} is kept and not settled" for each in looked.open_calls if each in kept]
    findings.lost += [
        f"{name}: that {each} was begun is gone" for each in known.open_calls if each not in looked.open_calls
    ]
    begun = len(set(looked.open_calls) - set(known.open_calls))
    if begun > 1:
        findings.doubled.append(f"{name}: {begun} turns were begun and not kept")
    findings.killed_while_asking += begun
    known.open_calls = looked.open_calls


async def look(home: Path) -> Looked:
    """Open a memory and return what it holds."""
    async with open_services(settings(), home, parts()) as services:
        faults = [*await services.maintenance.verify(), *await services.transcripts.faults()]
        sessions = await services.sessions.sessions(limit=2)
        turns = [turn for each in sessions for turn in await all_exchanges(services.sessions, each.id)]
        faults += [f"{turn.id} is {turn.status}" for turn in turns if turn.status != "answered"]
        if len(sessions) > 1:
            faults.append("there are several sessions")
        left = [call.id for call in await services.report.unended()]
    questions = [turn.my_query for turn in turns]
    return Looked(turns=[line_of(turn) for turn in turns], questions=questions, faults=faults, open_calls=left)


def run(trials: int, seed: int) -> Findings:
    """Carry out all trials in a directory that is thrown away."""
    findings, chance, known = Findings(), random.Random(seed), Known()
    for home, is_new in homes(trials, of_a_store=TRIALS_PER_STORE, called="turn crash"):
        known = Known() if is_new else known
        trial(home, known, chance, findings)
    return findings


if __name__ == "__main__":
    raise SystemExit(told(__doc__, run))
