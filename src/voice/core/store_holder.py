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
from voice.core.messages import memory as messages

PROTOCOL: Final = 1
"""Of the frames between guest and holder; cards are read by every version."""
MARKS: Final = 256  # a mark is kept at `base % MARKS`, so later ones overwrite it
"""How many marks of numbered writes are kept: those of the latest numbers."""
# In capitals, as our statements write them: a field such as `updated` is none of these words.
_WRITES: Final = re.compile(r"\b(?:CREATE|UPDATE|UPSERT|DELETE|INSERT|DEFINE|REMOVE|RELATE)\b")
_NUMBER: Final = re.compile(r"\d+")
_FIRST_PAUSE_S: Final = 0.01  # doubles with each attempt, up to the longest
_LONGEST_PAUSE_S: Final = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessCard:
    """Who a process is, as holder and guest tell one another."""

    protocol: int
    version: str
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
    ASK_TO_STEP_DOWN = "ask_to_step_down"


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
    """Return what to do about a holder, by the cards of who needs the store and of who holds it.

    Raises:
        ConfigurationError: it holds the store under other settings, or speaks a newer protocol.
        SchemaDrift: it is newer, and what it writes cannot be read.
    """
    if (mine.namespace, mine.database) != (holder.namespace, holder.database):  # the holder opened that one database
        theirs = f"SURR_DB_NS={holder.namespace} and SURR_DB_DB={holder.database}"
        ours = f"{mine.namespace} and {mine.database}"
        raise ConfigurationError(messages.held_with_other_settings(holder.named, theirs, ours))
    if is_newer(mine, holder):
        return HolderDecision.ASK_TO_STEP_DOWN
    if mine.format < holder.format:
        raise SchemaDrift(_too_old(mine, holder, messages.KEEPS_NEWER_STORE))
    if mine.protocol < holder.protocol:
        raise ConfigurationError(_too_old(mine, holder, messages.SPEAKS_NEWER_PROTOCOL))
    return HolderDecision.JOIN


def is_newer(one: ProcessCard, other: ProcessCard) -> bool:
    """Return whether `one` is of a newer program than `other`, and in nothing of an older one."""
    # Version, schema step and protocol count alike: a build newer in one and older in another is not newer.
    ours = (_version_numbers(one.version), (one.format,), (one.protocol,))
    theirs = (_version_numbers(other.version), (other.format,), (other.protocol,))
    return ours != theirs and all(mine >= its for mine, its in zip(ours, theirs, strict=True))


def effect_of(statement: str) -> Effect:
    """Return whether a statement of ours can change the store; every value in one is bound, so words are telling."""
    return Effect.WRITES if _WRITES.search(statement) else Effect.READS


def write_outcome(asked: WriteMark, found: WriteMark | None, seq: int) -> WriteOutcome:
    """Return whether a numbered write happened, by the mark `found` in its place and the store's last `seq`."""
    if found == asked:  # same base, same token: it is this write's own mark
        return "happened"
    # Nobody has written since it was decided, or another writer's token stands on the same base.
    if seq == asked.base or (found is not None and found.base == asked.base):
        return "did not happen"
    return "unknown"  # a later write's mark has taken the place


def retry_pause_s(attempt: int, chance: float) -> float:
    """Return how long to wait before trying to hold or to join again; `chance` in [0, 1) keeps guests apart."""
    longest = min(_FIRST_PAUSE_S * 2 ** min(attempt, 10), _LONGEST_PAUSE_S)  # `min`: 2 ** 1100 is too large for a float
    return longest * (0.5 + chance / 2)  # between half of the longest and all of it


def silent_holder_message(holder: ProcessCard | None, directory: str, waited_s: float, *, runs: bool = False) -> str:
    """Return the sentence about a holder that was silent; `runs`: its process is known to be there, not stopped."""
    who = messages.THE_HOLDER if holder is None else holder.named
    waited = messages.not_answered(who, round(waited_s, 1))
    if runs:
        return messages.holder_busy(directory, waited)
    awake = "" if holder is None else messages.wake(holder.pid)
    return messages.holder_stopped(directory, waited, awake)


def _too_old(mine: ProcessCard, holder: ProcessCard, what: str) -> str:
    return messages.too_old(holder.named, holder.version, what, mine.version)


def _version_numbers(version: str) -> tuple[int, ...]:
    """Return the numbers a version begins with; `0.2.0rc1` counts as 0.2.0."""
    return tuple(int(found[0]) for part in version.split(".")[:3] if (found := _NUMBER.match(part)))  # no "rc1"


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
