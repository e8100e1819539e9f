"""Judgements of whether a memory is in order, as findings a person can act on.

Law: facts come in, findings go out; nothing here looks at a disk or a clock. A fault is something that loses, blocks or
endangers memories; a remark is something worth knowing; what could not be looked at is said, never passed over. A
finding that is not in order says what to do.

Source: DESIGN 8 `doctor`; rulings A8, C17, H.
"""

import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from voice.core.context.prompt_templates import WHAT_TO_DO, TemplateCheck, TemplateFault
from voice.core.model_endpoints import LearnedEndpoint, describe_endpoint
from voice.core.store_holder import HolderState, ProcessCard
from voice.core.text.display import counted

KeyState = Literal["missing", "private", "shared", "odd"]
State = Literal["ok", "remark", "fault", "unchecked"]
PRIVATE_MODE = 0o700
LITTLE_BYTES = 1_000_000_000
TOO_LITTLE_BYTES = 100_000_000
BEFORE_THIS_PROGRAM = datetime(2025, 1, 1, tzinfo=UTC)
CLOCK_TOLERANCE = timedelta(minutes=5)
_UNRELEASED: frozenset[TemplateFault] = frozenset({"not_pinned", "undeclared", "no_snapshot"})
"""What is amiss with a prompt that somebody is working on: no turn was asked with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that was looked at."""

    name: str
    state: State
    detail: str
    advice: str = ""
    """What to do; empty when there is nothing to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """A file or directory of ours that others have rights to."""

    path: str
    mode: int
    is_directory: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeFacts:
    """A data directory as it was found."""

    path: str
    kind: Literal["missing", "directory", "other"]
    mode: int = 0
    is_writable: bool = False
    is_read_only: bool = False
    """Whether its disk takes no writes at all."""
    free_bytes: int | None = None
    """Room on its disk, None when that cannot be known."""
    data_bytes: int = 0
    """What it holds."""
    has_store: bool = False
    has_index: bool = False
    key: KeyState = "missing"
    shared: tuple[Shared, ...] = ()
    """What of our own below it others have rights to."""


def is_healthy(findings: Iterable[Finding]) -> bool:
    """Return whether nothing is at fault; what could not be looked at is no fault."""
    return all(finding.state != "fault" for finding in findings)


def judge_home(facts: HomeFacts, *, program: str = "voice") -> Finding:
    """Judge the data directory: there, ours alone, writable (ruling H).

    Args:
        facts: as it was found.
        program: how a command begins that means it.
    """
    if facts.kind == "missing":
        return _fault("home", f"{facts.path} is not there", f"run: {program} init")
    if facts.kind == "other":
        return _fault("home", f"{facts.path} is not a directory", "choose another place with --home or VOICE_HOME")
    if facts.is_read_only:
        advice = "mount its disk for writing, or choose another place with VOICE_HOME"
        return _fault("home", f"{facts.path} is on a disk that is read-only", advice)
    if not facts.is_writable:
        return _fault(
            "home", f"{facts.path} cannot be written", "fix its permissions, or choose another with VOICE_HOME"
        )
    if facts.mode != PRIVATE_MODE:
        seen = f"{facts.path} has mode {facts.mode:04o}; others may look into it"
        return _fault("home", seen, f"run: chmod 700 {shlex.quote(facts.path)}")
    return Finding(name="home", state="ok", detail=f"{facts.path}, readable by its owner alone")


def judge_home_taken(facts: HomeFacts) -> Finding:
    """Judge the data directory of a memory that is open, where it is missing: it was there when it was opened."""
    seen = f"{facts.path} is not there any more; it was deleted or moved away while this program had it open"
    advice = (
        "close every program that uses it, then put it back if it was moved away, or restore a backup: "
        "voice maintain restore-backup FILE"
    )
    return _fault("home", seen, advice)


def judge_key(facts: HomeFacts) -> Finding:
    """Judge the key that hashes were made with, without reading it (rulings D20, H)."""
    path = f"{facts.path}/key"
    if facts.key == "missing" and facts.has_store:
        return _fault("key", f"{path} is missing; the store's hashes were made with it", "put it back from your copy")
    if facts.key == "missing":
        return Finding(name="key", state="unchecked", detail="there is none yet; it is made with the store")
    if facts.key == "odd":
        return _fault("key", f"{path} is not a key", "put it back from your copy")
    if facts.key == "shared":
        return _fault("key", f"{path} can be read by others", f"run: chmod 600 {shlex.quote(path)}")
    return Finding(name="key", state="ok", detail="there, readable by its owner alone; keep a copy beside your backups")


def judge_no_store(facts: HomeFacts, *, program: str = "voice", is_set_up: bool = True) -> Finding:
    """Judge a data directory without a store: nothing was stored yet, or what was stored is gone (ruling H).

    Only a store on this disk has an index; the key is made for one on a server, or in memory, too.

    Args:
        facts: the data directory as it was found.
        program: how a command begins that means it.
        is_set_up: whether somebody made it a memory: chose who answers, and switched the inner voice on.
    """
    if facts.has_index:
        advice = f"restore a backup, or accept the loss and remove {shlex.quote(facts.path + '/index')}"
        return _fault("store", f"{facts.path}/memory is gone; the search index has seen that it was there", advice)
    if facts.key != "missing":
        seen = (
            f"no store is in {facts.path}/memory, though the key is there: nothing was stored on this disk yet, or it "
            "was emptied, deleted or moved away"
        )
        advice = f"if it was there, put it back, or restore a backup: {program} maintain restore-backup FILE"
        return Finding(name="store", state="remark", detail=seen, advice=advice)
    is_ready = is_set_up and facts.kind == "directory"
    advice = f'run: {program} remember "…"' if is_ready else f"run: {program} init"
    return Finding(name="store", state="unchecked", detail="nothing has been stored yet", advice=advice)


def judge_holder(holding: HolderState) -> Finding:
    """Judge who holds the store: nobody, or a process that answers the others (DESIGN 8)."""
    if holding.state == "elsewhere":
        return Finding(name="holder", state="ok", detail="the store is not on this disk, so no process holds it")
    if holding.state == "silent":
        return _fault("holder", holding.said, "end that process, or wake it")
    if holding.state == "astray":
        return _fault("holder", holding.said, "close every program that uses the memory; then see: voice doctor")
    if holding.state == "alone":
        advice = "close that process before another one needs the memory"
        return Finding(name="holder", state="remark", detail=holding.said, advice=advice)
    if holding.holder is None:
        left = "; what a killed one left behind was taken away" if holding.was_left_behind else ""
        return Finding(name="holder", state="ok", detail=f"no process holds the store{left}")
    return Finding(name="holder", state="ok", detail=_held(holding.holder, holding.guests))


def _held(holder: ProcessCard, guests: Sequence[ProcessCard]) -> str:
    who = f"{holder.named}, voice {holder.version}, holds the store since {holder.since:%Y-%m-%d %H:%M:%S} UTC"
    if not guests:
        return f"{who}; nobody else uses it"
    return f"{who}; it is used by {', '.join(guest.named for guest in guests)}, too"


def judge_rights(facts: HomeFacts) -> Finding:
    """Judge who may read what is below the data directory; each opening of the store mends its own (ruling H)."""
    if not facts.shared:
        return Finding(name="rights", state="ok", detail="the store and the index are their owner's alone")
    first = facts.shared[0]
    more = f", and {len(facts.shared) - 1} more" if len(facts.shared) > 1 else ""
    mend = f"chmod {'700' if first.is_directory else '600'} {shlex.quote(first.path)}"
    if more:
        mend = f"chmod -R go-rwx {shlex.quote(facts.path)}"
    seen = f"others have rights to {first.path} (mode {first.mode:04o}){more}"
    return Finding(name="rights", state="remark", detail=seen, advice=f"run: {mend}")


def judge_disk(free_bytes: int | None, data_bytes: int = 0) -> Finding:
    """Judge the room that is left: for what is to come, and for a backup, which takes as much as the data.

    Args:
        free_bytes: what is left; None when that cannot be known.
        data_bytes: what the data directory holds.
    """
    if free_bytes is None:
        return Finding(name="disk", state="unchecked", detail="the room on the disk cannot be found out")
    room = f"{free_bytes / 1e9:.1f} GB free"
    if free_bytes < TOO_LITTLE_BYTES:
        return _fault("disk", room, "make room before you store anything")
    if free_bytes < LITTLE_BYTES:
        return Finding(name="disk", state="remark", detail=room, advice="make room soon")
    if free_bytes < data_bytes:
        seen = f"{room}, less than the {data_bytes / 1e9:.1f} GB of data"
        return Finding(name="disk", state="remark", detail=seen, advice="put backups on another disk, or make room")
    return Finding(name="disk", state="ok", detail=room)


def judge_settings(warnings: Sequence[str], *, enabled: bool, init: str | None = None) -> list[Finding]:
    """Judge what was read of the settings, and whether the inner voice is on (ruling A8).

    Args:
        warnings: what had to be put right.
        enabled: whether the inner voice is on.
        init: the command that makes a memory, where none was made yet: it switches the inner voice on.
    """
    findings = [
        Finding(name="settings", state="remark", detail=warning, advice="see: voice config") for warning in warnings
    ] or [Finding(name="settings", state="ok", detail="read without a remark")]
    if enabled:
        return [*findings, Finding(name="gate", state="ok", detail="the inner voice is switched on")]
    off = "the inner voice is switched off; asking is refused"
    by_hand = "write enabled = true at the top of voice.toml, or set SURR_ENABLE_INNER_VOICE=1"
    advice = f"run: {init}" if init else by_hand
    return [*findings, Finding(name="gate", state="remark", detail=off, advice=advice)]


def judge_timezone(name: str, *, is_known: bool) -> Finding:
    """Judge whether the rules of the person's time zone are there (ruling E)."""
    if is_known:
        return Finding(name="timezone", state="ok", detail=name)
    advice = "install the package tzdata, or set SURR_TIMEZONE to a zone that is there"
    return _fault("timezone", f"the rules of {name} are not there; days and hours would be wrong", advice)


def judge_schema(newest: str) -> Finding:
    """Judge the schema of a store that was opened: opening takes what steps are left, or refuses (ruling B7).

    Args:
        newest: the last step that the store has taken.
    """
    return Finding(name="schema", state="ok", detail=f"up to date; its newest step is {newest}")


def judge_prompts(checked: Sequence[TemplateCheck]) -> Finding:
    """Judge whether every released prompt says what it said when it was released (ruling D20)."""
    faults: list[tuple[str, TemplateFault]] = [(each.label, each.fault) for each in checked if each.fault is not None]
    if not faults:
        return Finding(name="prompts", state="ok", detail=f"{len(checked)} versions, each as it was released")
    seen = "; ".join(f"{label}: {fault}" for label, fault in faults)
    released: list[TemplateFault] = [fault for _, fault in faults if fault not in _UNRELEASED]
    if not released:
        return Finding(name="prompts", state="remark", detail=seen, advice=WHAT_TO_DO[faults[0][1]])
    return _fault("prompts", seen, f"install voice again; in a checkout, {WHAT_TO_DO[released[0]]}")


def judge_clock(
    now: datetime, newest: datetime | None, *, newest_row: datetime | None = None, is_steady: bool = True
) -> Finding:
    """Judge the machine's clock against this program's age and the newest things it kept.

    Args:
        now: what it shows.
        newest: when the newest turn was kept, by this program's own clock.
        newest_row: when the newest row says it was recorded; one that was imported has that from elsewhere.
        is_steady: whether the stopwatch went forward between two looks.
    """
    if not is_steady:
        return _fault("clock", "its stopwatch goes backwards; durations would be wrong", "restart the machine")
    if now < BEFORE_THIS_PROGRAM:
        return _fault("clock", f"it is set to {now:%Y-%m-%d}, before this program was written", "set the clock")
    if newest is not None and newest > now + CLOCK_TOLERANCE:
        return _fault(
            "clock",
            f"it shows {now:%Y-%m-%d %H:%M} UTC, but something was kept at {newest:%Y-%m-%d %H:%M} UTC",
            "set the clock; times of what is kept now would be wrong",
        )
    if newest_row is not None and newest_row > now + CLOCK_TOLERANCE:
        seen = f"it shows {now:%Y-%m-%d %H:%M} UTC, but the newest row was recorded at {newest_row:%Y-%m-%d %H:%M} UTC"
        advice = "set the clock, unless that row was imported with a time of its own"
        return Finding(name="clock", state="remark", detail=seen, advice=advice)
    return Finding(name="clock", state="ok", detail=f"{now:%Y-%m-%d %H:%M} UTC")


def judge_endpoint(learned: LearnedEndpoint, *, program: str = "voice") -> Finding:
    """Tell what a model's endpoint does not take; it is asked without, so nothing is amiss (ruling J3).

    Args:
        learned: what it was seen to reject.
        program: how a command begins that means the memory.
    """
    advice = f"if that has changed, run: {program} doctor --reach"
    return Finding(name="endpoint", state="ok", detail=describe_endpoint(learned), advice=advice)


def judge_vectors(*, pending: int, comparable: int, foreign: int) -> Finding:
    """Judge whether every row has its vector, made by the present encoder (ruling C17).

    Args:
        pending: rows that have none.
        comparable: rows that have one of the present encoder.
        foreign: rows that have one of another encoder, which no question is compared with.
    """
    if not pending and not foreign:
        return Finding(name="vectors", state="ok", detail=f"all {comparable} are there")
    seen: list[str] = []
    if foreign:
        seen.append(f"{foreign} rows have a vector of another encoder than the present one")
    if pending:
        seen.append(f"{pending} rows have no vector")
    detail = f"{' and '.join(seen)}; they are found by their words only"
    blind = foreign > 0 and comparable == 0
    advice = "run: voice maintain rebuild vectors"
    return Finding(name="vectors", state="fault" if blind else "remark", detail=detail, advice=advice)


def judge_torn(rows: int) -> Finding:
    """Judge whether every row of the graph rests on a thought that is, or was, there (ruling I8).

    Args:
        rows: how many rest on none.
    """
    if not rows:
        return Finding(name="notes", state="ok", detail="each is stored whole")
    seen = f"{counted(rows, 'row')} of notes that a killed command stored in part"
    advice = "see what is left of them: voice maintain verify; put it right: voice maintain verify --mend"
    return _fault("notes", seen, advice)


def judge_pins(pins: int, astray: int) -> Finding:
    """Judge whether every pin has its target; one that was forgotten takes nothing with it (ruling G)."""
    if astray:
        seen = f"{astray} of {pins} point at something that is gone"
        advice = "see: voice pins list --all; remove one with: voice pins remove"
        return Finding(name="pins", state="remark", detail=seen, advice=advice)
    return Finding(name="pins", state="ok", detail=f"{pins}, each with its target" if pins else "none")


def judge_index(
    faults: Sequence[str], rows: int, *, asked: int = 0, asked_by_vector: int = 0, behind: int = 0
) -> Finding:
    """Judge whether the search index says what the store says (DESIGN 4).

    Args:
        faults: a sentence per difference.
        rows: how many rows were counted in both.
        asked: how many of them were asked for by what they hold.
        asked_by_vector: how many of these by their own vector too, and not by their words alone.
        behind: how many changes of the store it had not folded before it was looked at.
    """
    if faults:
        return _fault("index", "; ".join(faults), "run: voice maintain rebuild")
    by = "words and vector" if asked_by_vector == asked else f"words, {asked_by_vector} also by their vector"
    found = f"; {asked} of them asked for by their own {by}, and found" if asked else ""
    caught_up = f"; it was {behind} changes behind and has caught up" if behind else ""
    return Finding(name="index", state="ok", detail=f"in step with the store, {rows} rows counted{found}{caught_up}")


def judge_unread_index(behind: int | None) -> Finding:
    """Tell why a check-up that only looks cannot judge the search index.

    Args:
        behind: how many changes it has not folded; None where it was not opened yet.
    """
    seen = "it was not opened yet" if behind is None else f"it is {behind} changes behind"
    detail = f"{seen}; the next search brings it up to date"
    return Finding(name="index", state="unchecked", detail=detail, advice="search for something, then look again")


def _fault(name: str, detail: str, advice: str) -> Finding:
    return Finding(name=name, state="fault", detail=detail, advice=advice)
