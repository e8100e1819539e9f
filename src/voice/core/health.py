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
from voice.core.messages import memory as messages
from voice.core.model_endpoints import LearnedEndpoint, describe_endpoint
from voice.core.store_holder import HolderState
from voice.core.text.display import counted

KeyState = Literal["missing", "private", "shared", "odd"]
State = Literal["ok", "remark", "fault", "unchecked"]
PRIVATE_MODE = 0o700  # of the data directory: its owner's alone
LITTLE_BYTES = 1_000_000_000  # a remark below it
TOO_LITTLE_BYTES = 100_000_000  # a fault below it: any write can fail
BEFORE_THIS_PROGRAM = datetime(2025, 1, 1, tzinfo=UTC)  # a clock that shows less is wrong
CLOCK_TOLERANCE = timedelta(minutes=5)  # a clock that was put right may step back so far
# What is amiss with a prompt that somebody is working on: no turn was asked with it.
_UNRELEASED: frozenset[TemplateFault] = frozenset({"not_pinned", "undeclared", "no_snapshot"})


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
    has_store: bool = False
    has_index: bool = False
    key: KeyState = "missing"
    shared: tuple[Shared, ...] = ()
    """What of our own below it others have rights to."""


def is_healthy(findings: Iterable[Finding]) -> bool:
    """Return whether nothing is at fault; what could not be looked at is no fault."""
    return all(finding.state != "fault" for finding in findings)


def judge_home(facts: HomeFacts, *, program: str = "voice") -> Finding:
    """Judge the data directory: there, ours alone, writable (ruling H); `program`: how a command for it begins."""
    if facts.kind == "missing":
        return _fault("home", messages.path_missing(facts.path), messages.run(f"{program} init"))
    if facts.kind == "other":
        return _fault("home", messages.not_a_directory(facts.path), messages.OTHER_HOME)
    if facts.is_read_only:
        return _fault("home", messages.disk_read_only(facts.path), messages.REMOUNT)
    if not facts.is_writable:
        return _fault("home", messages.not_writable(facts.path), messages.FIX_PERMISSIONS)
    if facts.mode != PRIVATE_MODE:  # also a mode that is too narrow
        mend = messages.run(f"chmod 700 {shlex.quote(facts.path)}")
        return _fault("home", messages.home_open(facts.path, facts.mode), mend)
    return _ok("home", messages.home_private(facts.path))


def judge_home_taken(facts: HomeFacts) -> Finding:
    """Judge the data directory of a memory that is open, where it is missing: it was there when it was opened."""
    return _fault("home", messages.home_taken(facts.path), messages.RESTORE_HOME)


def judge_key(facts: HomeFacts) -> Finding:
    """Judge the key that hashes were made with, without reading it (rulings D20, H)."""
    path = f"{facts.path}/key"
    if facts.key == "missing" and facts.has_store:
        return _fault("key", messages.key_missing(path), messages.RESTORE_KEY)
    if facts.key == "missing":
        return _unchecked("key", messages.KEY_NOT_MADE)
    if facts.key == "odd":
        return _fault("key", messages.not_a_key(path), messages.RESTORE_KEY)
    if facts.key == "shared":
        return _fault("key", messages.key_shared(path), messages.run(f"chmod 600 {shlex.quote(path)}"))
    return _ok("key", messages.KEY_PRIVATE)


def judge_no_store(facts: HomeFacts, *, program: str = "voice", is_set_up: bool = True) -> Finding:
    """Judge a data directory without a store: nothing was stored yet, or what was stored is gone (ruling H).

    Only a store on this disk has an index; the key is made for one on a server, or in memory, too.

    Args:
        facts: the data directory as it was found.
        program: how a command begins that means it.
        is_set_up: whether somebody made it a memory: chose who answers, and switched the inner voice on.
    """
    if facts.has_index:  # only a store on this disk has an index: there was one
        advice = messages.restore_or_remove(shlex.quote(f"{facts.path}/index"))
        return _fault("store", messages.store_vanished(facts.path), advice)
    if facts.key != "missing":
        return _remark("store", messages.store_absent(facts.path), messages.put_store_back(program))
    is_ready = is_set_up and facts.kind == "directory"
    command = f'{program} remember "…"' if is_ready else f"{program} init"
    return _unchecked("store", messages.NOTHING_STORED, messages.run(command))


def judge_holder(holding: HolderState) -> Finding:
    """Judge who holds the store: nobody, or a process that answers the others (DESIGN 8)."""
    if holding.state == "elsewhere":
        return _ok("holder", messages.HELD_ELSEWHERE)
    if holding.state == "silent":
        return _fault("holder", holding.said, messages.END_OR_WAKE)
    if holding.state == "astray":
        return _fault("holder", holding.said, messages.CLOSE_ALL)
    if holding.state == "alone":
        return _remark("holder", holding.said, messages.CLOSE_HOLDER)
    if holding.holder is None:
        return _ok("holder", messages.CLEANED_UP if holding.was_left_behind else messages.NOT_HELD)
    guests = ", ".join(guest.named for guest in holding.guests)
    return _ok("holder", messages.held_by(holding.holder.named, holding.holder.version, holding.holder.since, guests))


def judge_rights(facts: HomeFacts) -> Finding:
    """Judge who may read what is below the data directory; each opening of the store mends its own (ruling H)."""
    if not facts.shared:
        return _ok("rights", messages.RIGHTS_PRIVATE)
    first, more = facts.shared[0], len(facts.shared) - 1
    mend = f"chmod {'700' if first.is_directory else '600'} {shlex.quote(first.path)}"
    if more:  # one command for all of them
        mend = f"chmod -R go-rwx {shlex.quote(facts.path)}"
    return _remark("rights", messages.shared_with_others(first.path, first.mode, more), messages.run(mend))


def judge_disk(free_bytes: int | None, data_bytes: int = 0) -> Finding:
    """Judge the room that is left (None: unknown), also for a backup, which takes as much as the data."""
    if free_bytes is None:
        return _unchecked("disk", messages.DISK_UNKNOWN)
    room = messages.disk_free(free_bytes / 1e9)
    if free_bytes < TOO_LITTLE_BYTES:
        return _fault("disk", room, messages.FREE_SPACE_FIRST)
    if free_bytes < LITTLE_BYTES:
        return _remark("disk", room, messages.FREE_SPACE_SOON)
    if free_bytes < data_bytes:
        return _remark("disk", messages.less_than_data(room, data_bytes / 1e9), messages.BACK_UP_ELSEWHERE)
    return _ok("disk", room)


def judge_settings(warnings: Sequence[str], *, enabled: bool, init: str | None = None) -> list[Finding]:
    """Judge the warnings, and whether the inner voice is on (ruling A8); `init`: what makes a memory, if none is."""
    findings = [_remark("settings", warning, messages.SEE_CONFIG) for warning in warnings]
    findings = findings or [_ok("settings", messages.SETTINGS_VALID)]
    if enabled:
        return [*findings, _ok("gate", messages.SWITCHED_ON)]
    return [*findings, _remark("gate", messages.QUESTIONS_REFUSED, messages.run(init) if init else messages.SWITCH_ON)]


def judge_timezone(name: str, *, is_known: bool) -> Finding:
    """Judge whether the rules of the person's time zone are there (ruling E)."""
    if is_known:
        return _ok("timezone", name)
    return _fault("timezone", messages.zone_missing(name), messages.INSTALL_ZONES)


def judge_schema(newest: str) -> Finding:
    """Judge the schema by its newest step: opening takes what steps are left, or refuses (ruling B7)."""
    return _ok("schema", messages.schema_current(newest))


def judge_prompts(checked: Sequence[TemplateCheck]) -> Finding:
    """Judge whether every released prompt says what it said when it was released (ruling D20)."""
    faults: list[tuple[str, TemplateFault]] = [(each.label, each.fault) for each in checked if each.fault is not None]
    if not faults:
        return _ok("prompts", messages.prompts_unchanged(len(checked)))
    seen = "; ".join(f"{label}: {fault}" for label, fault in faults)
    # One released prompt that changed makes it a fault, whatever else is unfinished.
    released: list[TemplateFault] = [fault for _, fault in faults if fault not in _UNRELEASED]
    if not released:
        return _remark("prompts", seen, WHAT_TO_DO[faults[0][1]])
    return _fault("prompts", seen, messages.reinstall(WHAT_TO_DO[released[0]]))


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
        return _fault("clock", messages.CLOCK_UNSTEADY, messages.RESTART)
    if now < BEFORE_THIS_PROGRAM:
        return _fault("clock", messages.clock_too_early(now), messages.SET_CLOCK)
    if newest is not None and newest > now + CLOCK_TOLERANCE:
        return _fault("clock", messages.clock_behind_turn(now, newest), messages.SET_CLOCK_FIRST)
    if newest_row is not None and newest_row > now + CLOCK_TOLERANCE:  # an imported row brings its time along
        return _remark("clock", messages.clock_behind_row(now, newest_row), messages.SET_CLOCK_UNLESS)
    return _ok("clock", messages.clock_shows(now))


def judge_endpoint(learned: LearnedEndpoint, *, program: str = "voice") -> Finding:
    """Tell what a model's endpoint does not take; it is asked without, so nothing is amiss (ruling J3)."""
    return _ok("endpoint", describe_endpoint(learned), messages.reach_again(program))


def judge_vectors(*, pending: int, comparable: int, foreign: int) -> Finding:
    """Judge whether every row has its vector, made by the present encoder (ruling C17).

    Args:
        pending: rows that have none.
        comparable: rows that have one of the present encoder.
        foreign: rows that have one of another encoder, which no question is compared with.
    """
    if not pending and not foreign:
        return _ok("vectors", messages.all_have_vectors(comparable))
    seen = " and ".join(
        [messages.foreign_vectors(foreign)] * bool(foreign) + [messages.vectors_missing(pending)] * bool(pending)
    )
    advice = messages.run("voice maintain rebuild vectors")  # embeds both kinds
    blind = foreign > 0 and comparable == 0  # no row can be found by its meaning
    return (_fault if blind else _remark)("vectors", messages.found_by_words(seen), advice)


def judge_torn(rows: int) -> Finding:
    """Judge whether every row of the graph rests on a thought that is, or was, there; `rows` do not (ruling I8)."""
    if not rows:
        return _ok("notes", messages.NOTES_COMPLETE)
    return _fault("notes", messages.notes_in_part(counted(rows, "row")), messages.REPAIR_NOTES)


def judge_pins(pins: int, astray: int) -> Finding:
    """Judge whether every pin has its target; one that was forgotten takes nothing with it (ruling G)."""
    if astray:
        return _remark("pins", messages.targets_gone(astray, pins), messages.SEE_PINS)
    return _ok("pins", messages.pins_whole(pins) if pins else messages.NO_PINS)


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
        return _fault("index", "; ".join(faults), messages.REINDEX)
    found = messages.index_proven(asked, asked_by_vector) if asked else ""
    return _ok("index", messages.index_matches(rows) + found + (messages.index_caught_up(behind) if behind else ""))


def judge_unread_index(behind: int | None) -> Finding:
    """Tell why a check-up that only looks cannot judge the index; `behind`: None where it was not opened yet."""
    seen = messages.INDEX_UNOPENED if behind is None else messages.index_behind(behind)
    return _unchecked("index", messages.index_updates_itself(seen), messages.SEARCH_FIRST)


def _ok(name: str, detail: str, advice: str = "") -> Finding:
    return Finding(name=name, state="ok", detail=detail, advice=advice)


def _remark(name: str, detail: str, advice: str) -> Finding:
    return Finding(name=name, state="remark", detail=detail, advice=advice)


def _unchecked(name: str, detail: str, advice: str = "") -> Finding:
    return Finding(name=name, state="unchecked", detail=detail, advice=advice)


def _fault(name: str, detail: str, advice: str) -> Finding:
    return Finding(name=name, state="fault", detail=detail, advice=advice)
