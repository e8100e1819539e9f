"""Who holds an embedded store.

Law: the engine's lock file is asked before the engine is, because a second engine empties that file before it finds
the lock taken. The holder is named by its process id and its command, never by its arguments: those may be a question.
"""

import fcntl
import os
from collections.abc import Sequence
from pathlib import Path

from voice.adapters.surreal.directory import engine_lock
from voice.core.errors import StoreHeld

COMMANDS = frozenset(
    {
        "ask", "capsules", "chat", "check", "completion", "config", "conflicts", "correct", "demo", "doctor", "eval",
        "export", "forget", "hook", "import", "init", "kg", "maintain", "mcp", "models", "organise", "pins", "prompts",
        "recall", "redact", "remember", "report", "retrieve", "review", "serve", "sessions", "sync", "verifier",
    }
)  # fmt: skip
"""The program's own subcommands: no other word of a command line is told."""
_PROC = Path("/proc")


def refuse_if_held(directory: Path) -> None:
    """Check that nobody has the store in `directory` open.

    Raises:
        StoreHeld: somebody has; the message names the process.
    """
    lock = engine_lock(directory)
    try:
        handle = os.open(lock, os.O_RDONLY)
    except FileNotFoundError:
        return
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise StoreHeld(held_message(directory)) from None
    finally:
        os.close(handle)


def refuse_if_another_holds(directory: Path) -> None:
    """Check that no other process has the store in `directory` open; an opening of ours that failed may keep its lock.

    Raises:
        StoreHeld: one has; the message names it.
    """
    try:
        refuse_if_held(directory)
    except StoreHeld:
        if _holder_pid(engine_lock(directory)) != os.getpid():
            raise


def held_message(directory: Path) -> str:
    """Return the sentence that names who holds the store in `directory`."""
    pid = _holder_pid(engine_lock(directory))
    if pid == os.getpid():
        return (
            f"this process has the store {directory} open already; if it was moved meanwhile, start this program again"
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
    """Return who locks `inode`, from the kernel's table, for a lock file that was emptied."""
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
    """Return the program and its subcommand, e.g. `voice chat`; nothing that a person may have typed as text."""
    names = [Path(argument).name for argument in arguments if argument]
    if names and names[0].startswith("python"):
        names = names[2:] if names[1:2] == ["-m"] else names[1:]
    if not names or names[0].startswith("-"):
        return "a Python program" if arguments[0] else None
    told = next((name for name in names[1:] if name in COMMANDS), None)
    return names[0] if told is None else " ".join((names[0], told))
