"""Which process holds an embedded store, and how the other processes that need it get on with it.

Law: one process holds the store; the others are its guests and send it their statements. Who gives way is told by two
cards: a newer program asks an older holder to step down, an older guest joins a newer holder only where it can read
what that writes, and other settings are refused. What was lost on the way is done again only where doing it twice is
doing it once: a read, or what is known not to have been carried out. A numbered write leaves a mark in its own
transaction, so that whether it happened can be looked up; what can be told neither way is said to be unknown.
Nothing here knows a socket, a file or a clock.

Source: DESIGN 8 ("One holder, many clients"); ruling H; docs/holder.md.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, Literal

from voice.core.errors import ConfigurationError, SchemaDrift

PROTOCOL: Final = 1
"""Of the frames between guest and holder; cards are read by every version."""
MARKS: Final = 256
"""How many marks of numbered writes are kept: those of the latest numbers."""
_WRITES: Final = re.compile(r"\b(?:CREATE|UPDATE|UPSERT|DELETE|INSERT|DEFINE|REMOVE|RELATE)\b")
_NUMBER: Final = re.compile(r"\d+")
_FIRST_PAUSE_S: Final = 0.01
_LONGEST_PAUSE_S: Final = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessCard:
    """Who a process is, as holder and guest tell one another."""

    protocol: int
    version: str
    """Of the program."""
    format: int
    """Number of the last schema step the program ships."""
    namespace: str
    database: str
    pid: int
    since: datetime
    """When it came to hold the store, or to be a guest."""
    command: str
    """The program and its subcommand; never what a person typed."""

    @property
    def named(self) -> str:
        """The process in a sentence, e.g. `voice serve (process 77)`."""
        return f"{self.command} (process {self.pid})"


class HolderDecision(StrEnum):
    """What a guest does about the holder it found."""

    JOIN = "join"
    ASK_TO_STEP_DOWN = "ask to step down"


class Effect(StrEnum):
    """What a statement does to a store."""

    READS = "reads"
    WRITES = "writes"


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteMark:
    """What a numbered write left behind in its own transaction."""

    base: int
    """The last `seq` it was decided on."""
    token: str
    """Whose write it was."""


WriteOutcome = Literal["happened", "did not happen", "unknown"]


def judge_holder_card(mine: ProcessCard, holder: ProcessCard) -> HolderDecision:
    """Return what to do about a holder.

    Args:
        mine: the card of who needs the store.
        holder: the card of who holds it.

    Raises:
        ConfigurationError: it holds the store under other settings, or speaks a newer protocol.
        SchemaDrift: it is newer, and what it writes cannot be read.
    """
    if (mine.namespace, mine.database) != (holder.namespace, holder.database):
        raise ConfigurationError(
            f"{holder.named} holds the store with SURR_DB_NS={holder.namespace} and SURR_DB_DB={holder.database}, "
            f"and this asks for {mine.namespace} and {mine.database}; use the same settings, or close it"
        )
    if is_newer(mine, holder):
        return HolderDecision.ASK_TO_STEP_DOWN
    if mine.format < holder.format:
        raise SchemaDrift(_too_old(mine, holder, "keeps the store in a newer form"))
    if mine.protocol < holder.protocol:
        raise ConfigurationError(_too_old(mine, holder, "is spoken to in a newer way"))
    return HolderDecision.JOIN


def is_newer(one: ProcessCard, other: ProcessCard) -> bool:
    """Return whether `one` is of a newer program than `other`, and in nothing of an older one."""
    ours = (_parts(one.version), (one.format,), (one.protocol,))
    theirs = (_parts(other.version), (other.format,), (other.protocol,))
    return ours != theirs and all(mine >= its for mine, its in zip(ours, theirs, strict=True))


def effect_of(statement: str) -> Effect:
    """Return whether a statement of ours can change the store; every value in one is bound, so words are telling."""
    return Effect.WRITES if _WRITES.search(statement) else Effect.READS


def may_be_repeated(effect: Effect, *, was_carried_out: bool | None) -> bool:
    """Return whether a statement whose answer never came may be sent again.

    Args:
        effect: what it does.
        was_carried_out: None where nobody knows.
    """
    return effect is Effect.READS or was_carried_out is False


def mark_slot(base: int) -> int:
    """Return where the mark of a write is kept that was decided on `base`."""
    return base % MARKS


def write_outcome(asked: WriteMark, found: WriteMark | None, seq: int) -> WriteOutcome:
    """Return whether a numbered write happened whose answer never came.

    Args:
        asked: the mark it would have left.
        found: the mark that is in its place.
        seq: the store's last `seq`.
    """
    if found == asked:
        return "happened"
    if seq == asked.base or (found is not None and found.base == asked.base):
        return "did not happen"
    return "unknown"


def retry_pause_s(attempt: int, chance: float) -> float:
    """Return how long to wait before trying to hold or to join again; `chance` in [0, 1) keeps guests apart."""
    longest = min(_FIRST_PAUSE_S * 2 ** min(attempt, 10), _LONGEST_PAUSE_S)
    return longest * (0.5 + chance / 2)


def silent_holder_message(holder: ProcessCard | None, directory: str, waited_s: float, *, runs: bool = False) -> str:
    """Return the sentence about a holder that does not answer.

    Args:
        holder: its card, if it could be read.
        directory: of the store.
        waited_s: how long it was silent.
        runs: whether its process is known to be there and not stopped.
    """
    who = "the process that holds it" if holder is None else holder.named
    waited = f"{who} has not answered for {round(waited_s, 1):g} seconds"
    if runs:
        return f"the store {directory} is held, but {waited}, though it runs: it is busy or stuck; try again, or end it"
    awake = "" if holder is None else f"wake it (kill -CONT {holder.pid}), "
    return f"the store {directory} is held, but {waited}: it is stopped, stuck or busy; {awake}end it, or try again"


def missing_store_message(directory: str, holder: ProcessCard) -> str:
    """Return the sentence about a store that is gone from its place while it is used.

    Args:
        directory: of the store.
        holder: who held it when it was used last.
    """
    return (
        f"the store {directory} is not there any more: it was deleted, emptied or moved away while {holder.named} held "
        "it, and nothing more was written; close every program that uses it, then put it back, or restore a backup "
        "with: voice maintain restore-backup FILE, and start them again"
    )


def detached_store_message(directory: str, holder: ProcessCard) -> str:
    """Return the sentence about a process that answers for a store which is not the one in its place."""
    return (
        f"{holder.named} holds a store that is not in {directory} any more: that was deleted, moved away or replaced, "
        "and what is written there now is lost when it ends"
    )


def unfinished_restore_message(users: str = "") -> str:
    """Return the sentence about a store into which a restore did not finish.

    Args:
        users: who is known to use it, in words.
    """
    return f"a restore into this store did not finish; {restore_again_advice(users)}"


def restore_again_advice(users: str = "") -> str:
    """Return what to do about a store into which a restore was broken off; see `unfinished_restore_message`."""
    named = f" ({users})" if users else ""
    return f"close every program that uses it{named}, delete the store and restore the backup again"


def unknown_outcome_message(purpose: str, why: str) -> str:
    """Return the sentence about a write of which nobody knows whether it happened."""
    return (
        f"it is not known whether the store did what it was asked to ({purpose}), because {why}; look whether it is "
        "there before doing it again"
    )


def _too_old(mine: ProcessCard, holder: ProcessCard, what: str) -> str:
    return (
        f"{holder.named} is voice {holder.version} and {what} than this one, voice {mine.version}, knows; "
        "use the same version, or close it"
    )


def _parts(version: str) -> tuple[int, ...]:
    """Return the numbers a version begins with; `0.2.0rc1` counts as 0.2.0."""
    return tuple(int(found[0]) for part in version.split(".")[:3] if (found := _NUMBER.match(part)))


@dataclass(frozen=True, slots=True, kw_only=True)
class HolderState:
    """Who holds a store, as somebody sees it who does not need it yet."""

    state: Literal["elsewhere", "nobody", "answers", "silent", "alone", "astray"]
    """`elsewhere`: on a server or in memory; `alone`: a process that lets nobody else use it; `astray`: a process that
    answers, and whose store is not the one in its place any more."""
    holder: ProcessCard | None = None
    guests: tuple[ProcessCard, ...] = ()
    said: str = ""
    """What else is known of one that does not answer, or is astray."""
    was_left_behind: bool = False
    """Whether a killed process had left its files, which were taken away."""
