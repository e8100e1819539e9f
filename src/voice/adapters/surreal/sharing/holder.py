"""The holder of an embedded store, seen from outside, and the card of this process.

Law: the engine's lock file is checked before an engine is opened, because a second engine empties that file before it
finds the lock taken. The holder is named by its process id and its command, never by its arguments, which may be a
question. Checking opens no store, makes no file, and waits only for an answer; what a killed holder left behind is
removed by a process that could hold the store now. A holder that answers has its engine's lock in the store's
directory; if no process has that lock, the holder's store is not the one in its place.

Source: DESIGN 8 (`doctor`); docs/holder.md.
"""

import asyncio
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import import_module
from importlib.resources import files
from pathlib import Path

from voice.adapters.disk.private_files import try_lock
from voice.adapters.surreal.embedded_engine import RequestNotBegun
from voice.adapters.surreal.location import engine_lock
from voice.adapters.surreal.sharing.client import HolderConnection, HolderLost, NoHolder, is_running
from voice.adapters.surreal.sharing.lock_file import HoldingPlace, Lock, read_holder_card, take_lock
from voice.core.errors import ConfigurationError, StoreHeld, StoreUnavailable
from voice.core.messages import memory as messages
from voice.core.store_holder import PROTOCOL, HolderState, ProcessCard, silent_holder_message

COMMANDS = frozenset(
    {
        "ask", "capsules", "chat", "check", "completion", "config", "conflicts", "correct", "demo", "doctor", "eval",
        "export", "forget", "hook", "import", "init", "kg", "maintain", "mcp", "models", "organise", "pins", "prompts",
        "recall", "redact", "remember", "removals", "report", "retrieve", "review", "serve", "sessions", "sync",
        "verifier",
    }
)  # fmt: skip
"""The program's own subcommands: no other word of a command line is ever shown."""
_PROC = Path("/proc")


def refuse_if_held(directory: Path) -> None:
    """Check that no process has the store in `directory` open. Raises StoreHeld: one has; the message names it."""
    lock = engine_lock(directory)
    try:
        handle = os.open(lock, os.O_RDONLY)
    except FileNotFoundError:
        return
    try:
        if not try_lock(handle):
            raise StoreHeld(held_message(directory))
    finally:
        os.close(handle)


def refuse_if_another_holds(directory: Path) -> None:
    """Check that no other process has the store in `directory` open; this one may keep the lock of a failed opening.
    Raises StoreHeld: one has; the message names it."""
    try:
        refuse_if_held(directory)
    except StoreHeld:
        if _holder_pid(engine_lock(directory)) != os.getpid():
            raise


def held_message(directory: Path) -> str:
    """Return the sentence that names the holder of the store in `directory`."""
    pid = _holder_pid(engine_lock(directory))
    if pid == os.getpid():
        return (
            f"this process already has the store {directory} open; if it was moved meanwhile, start this program again"
        )
    if pid is None:
        return f"another process holds the store {directory}; close it and try again"
    command = _command(pid)
    named = f"{command} (process {pid})" if command else f"process {pid}"
    return f"{named} holds the store {directory}; close it, or talk to it instead, and try again"


def _holder_pid(lock: Path) -> int | None:
    try:
        text = lock.read_text(encoding="ascii", errors="replace").strip()
        return int(text) if text.isdecimal() else _pid_of_inode(lock.stat().st_ino)
    except OSError:
        return None


def _pid_of_inode(inode: int) -> int | None:
    """Return the process that locks `inode` from the kernel's table, for a lock file that was emptied."""
    # "1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF": 1234 is the process, 5678 the inode
    for line in (_PROC / "locks").read_text(encoding="ascii").splitlines():
        fields = line.split()
        if "FLOCK" in fields and any(field.endswith(f":{inode}") for field in fields):
            return int(fields[fields.index("WRITE") + 1]) if "WRITE" in fields else None
    return None


def _command(pid: int) -> str | None:
    try:
        arguments = (_PROC / str(pid) / "cmdline").read_bytes().decode("utf-8", "replace").split("\x00")
    except OSError:
        return None
    return named_command(arguments)


def named_command(arguments: Sequence[str]) -> str | None:
    """Return the program and its subcommand (`voice chat`), without anything that a person may have typed as text."""
    names = [Path(argument).name for argument in arguments if argument]  # "/usr/bin/voice" is "voice"
    if names and names[0].startswith("python"):  # "python3 -m voice chat", "python3 bin/voice chat"
        names = names[2:] if names[1:2] == ["-m"] else names[1:]
    if not names or names[0].startswith("-"):  # "python3 -c …"
        return "a Python program" if arguments[0] else None
    subcommand = next((name for name in names[1:] if name in COMMANDS), None)
    return names[0] if subcommand is None else " ".join((names[0], subcommand))


async def find_holder(directory: Path, mine: ProcessCard, *, wait_s: float) -> HolderState:
    """Return who holds the store in `directory`, which need not exist; a holder may be silent for `wait_s`."""
    place = HoldingPlace(directory)
    try:
        link = await HolderConnection.to(place, mine, wait_s=wait_s)
    except NoHolder:
        return await asyncio.to_thread(_without_answer, place, wait_s)
    except HolderLost as lost:
        return await asyncio.to_thread(_silent, place, lost.silent_s)
    except StoreUnavailable as full:
        return HolderState(state="alone", said=full.message)
    try:
        guests = await link.guests()
        if await asyncio.to_thread(_is_locked, directory):
            return HolderState(state="answers", holder=link.holder, guests=guests)
        guests = await link.guests()  # it still answers, so it has not begun to close its engine
        said = messages.store_detached(link.holder.named, str(directory))
        return HolderState(state="astray", holder=link.holder, guests=guests, said=said)
    except (RequestNotBegun, HolderLost):
        return _silent(place, wait_s)
    finally:
        await link.aclose()


def _is_locked(directory: Path) -> bool:
    """Return whether an engine has the store in `directory` open, or whether that cannot be read."""
    try:
        refuse_if_held(directory)
    except (StoreHeld, OSError):
        return True
    return False


def _without_answer(place: HoldingPlace, wait_s: float) -> HolderState:
    """Return the state of a store on whose socket no process answers."""
    was_left = any(os.path.lexists(each) for each in (place.lock, place.socket))  # a dangling link counts
    if was_left:
        try:
            lock = take_lock(place)
        except OSError as error:
            return HolderState(
                state="alone",
                said=f"{place.lock} cannot be written ({error.strerror}), so other processes cannot share the store",
            )
        except ConfigurationError as error:
            return HolderState(state="alone", said=error.message)
        if lock is None:
            return _silent(place, wait_s)
        try:
            return _unless_held(place, lock)
        finally:
            lock.give_back()
    return _unless_held(place, None)


def _unless_held(place: HoldingPlace, lock: Lock | None) -> HolderState:
    """Return the state of a store that no process shares; what a killed holder left behind is removed."""
    try:
        refuse_if_held(place.directory)
    except StoreHeld as held:
        return HolderState(state="alone", said=held.message)
    if lock is not None:
        lock.clear()
    return HolderState(state="nobody", was_left_behind=lock is not None)


def _silent(place: HoldingPlace, silent_s: float) -> HolderState:
    holder = read_holder_card(place)
    return HolderState(state="silent", holder=holder, said=silence_message(place, holder, silent_s))


def silence_message(place: HoldingPlace, holder: ProcessCard | None, silent_s: float) -> str:
    """Return the sentence about a holder that does not answer."""
    runs = holder is not None and is_running(holder.pid)
    return silent_holder_message(holder, str(place.directory), silent_s, runs=runs)


def own_card(namespace: str, database: str) -> ProcessCard:
    """Return the card of this process, for a store used under these names."""
    # Imported at run time, because an import at the top would load the whole program here.
    return ProcessCard(
        protocol=PROTOCOL,
        version=str(import_module("voice").__version__),
        format=_store_format(),
        namespace=namespace,
        database=database,
        pid=os.getpid(),
        since=datetime.now(UTC),
        command=named_command([sys.executable, *sys.orig_argv[1:]]) or "a Python program",
    )


def _store_format() -> int:
    steps = (Path(each.name).name for each in (files("voice.adapters.surreal") / "migrations").iterdir())
    return max(int(name[:3]) for name in steps if name.endswith(".surql"))
