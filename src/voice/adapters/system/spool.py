"""Ended sessions of agents, as files of the data directory, and the directories they worked in.

Law: each session is a file `spool/*.json`, mode 0600, written as a whole; `spool/captured.record` counts what was
captured so far, and `spool/lock` is held by the process that captures. A file that is not an entry is reported and
kept.

Git is run in working directories without a shell, without the programs that a repository may name (file-system
monitors, helpers), without a network, and with a time limit; without git no commit is known. Names are sent to it as
input, never as arguments.

Source: docs/capture.md; ruling H.
"""

import json
import os
import shutil
import subprocess
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, cast

from anyio import to_thread

from voice.adapters.disk.private_files import replacing, try_lock
from voice.adapters.system.spool_writer import SPOOL_FOLDER
from voice.core.capture.hosts import CaptureOutcome, CaptureTotals, EndedSession, Host

_RECORD: Final = "captured.record"  # not .json, so no entry
_LOCK: Final = "lock"
_AT_ONCE: Final = 50  # most sessions that are captured at a time
_MOST_BYTES: Final = 64 * 1024  # longer is none of ours
_UNREADABLE: Final = "is not an entry of the spool; delete the file"


class FileSpool:
    """Implements `voice.ports.files.Spool` in one data directory."""

    def __init__(self, home: Path, transcripts: Path) -> None:
        """Remember the folders; nothing is read or written yet. `transcripts` holds Codex's rollouts."""
        self._folder = home / SPOOL_FOLDER
        self._rollouts = transcripts

    @asynccontextmanager
    async def taking(self) -> AsyncGenerator[tuple[EndedSession, ...]]:
        """See the port."""
        handle = await to_thread.run_sync(self._lock)
        if handle is None:
            yield ()  # another process captures already
            return
        try:
            waiting = await self.waiting()
            yield tuple(ended for ended, _ in list(waiting.values())[:_AT_ONCE] if ended.session)
        finally:
            os.close(handle)

    async def done(self, ended: EndedSession, came: CaptureOutcome | None) -> None:
        """See the port."""
        await to_thread.run_sync(self._note, ended, came)

    async def waiting(self) -> Mapping[str, tuple[EndedSession, str | None]]:
        """See the port."""
        return await to_thread.run_sync(self._waiting)

    async def captured(self) -> Mapping[Host, CaptureTotals]:
        """See the port."""
        return await to_thread.run_sync(self._captured)

    def _lock(self) -> int | None:
        """Return the lock's handle; None if another process has it, or there is no spool."""
        if not self._folder.is_dir():
            return None
        handle = os.open(self._folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        with suppress(OSError):  # a file system without locks
            if try_lock(handle):
                return handle
        os.close(handle)
        return None

    def _waiting(self) -> dict[str, tuple[EndedSession, str | None]]:
        found = (self._read(path) for path in sorted(self._folder.glob("*.json")))
        # So that bad entries do not fill the places of good ones.
        sound_first = sorted((each for each in found if each), key=lambda each: each[1] is not None)
        return {ended.key: (ended, fault) for ended, fault in sound_first}

    def _read(self, path: Path) -> tuple[EndedSession, str | None] | None:
        try:
            with path.open("rb") as file:
                entry = cast("dict[str, object]", json.loads(file.read(_MOST_BYTES)))
            host, session = Host(str(entry["host"])), str(entry["session"])
            transcript, fault = entry.get("transcript"), entry.get("fault")
            ended_at = datetime.fromisoformat(str(entry["ended_at"])).astimezone(UTC)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            # A host must be named; an empty session is never taken.
            return EndedSession(key=path.name, host=Host.CLAUDE_CODE, session="", transcript=None, cwd=""), _UNREADABLE
        ended = EndedSession(
            key=path.name,
            host=host,
            session=session,
            transcript=str(transcript) if transcript else self._find_rollout(host, session),
            cwd=str(entry.get("cwd") or ""),
            ended_at=ended_at,
        )
        return ended, None if fault is None else str(fault)

    def _find_rollout(self, host: Host, session: str) -> str | None:
        """Return the transcript of a Codex session that came without one; its file has the session's name."""
        if host is not Host.CODEX or not session.replace("-", "").isalnum():  # it becomes part of a pattern
            return None
        found = self._rollouts.glob(f"*/*/*/rollout-*{session}.jsonl")
        return next((str(path) for path in found), None)

    def _note(self, ended: EndedSession, came: CaptureOutcome | None) -> None:
        if came is not None and came.fault is not None:
            self._keep_fault(ended, came.fault)
            return
        totals = self._captured()
        before = totals.get(ended.host, CaptureTotals())
        after = before.with_session(ended.session, came) if came else before.with_ignored()
        members = {host.value: _totals_json(each) for host, each in {**totals, ended.host: after}.items()}
        with replacing(self._folder / _RECORD) as file:
            file.write(json.dumps(members).encode())
        (self._folder / ended.key).unlink(missing_ok=True)  # last: after a kill the session is counted again, not lost

    def _keep_fault(self, ended: EndedSession, fault: str) -> None:
        path = self._folder / ended.key
        with suppress(OSError, ValueError):
            entry = cast("dict[str, object]", json.loads(path.read_bytes()))
            if entry.get("fault") != fault:
                with replacing(path) as file:
                    file.write(json.dumps({**entry, "fault": fault}).encode())

    def _captured(self) -> dict[Host, CaptureTotals]:
        try:
            members = cast("dict[str, dict[str, object]]", json.loads((self._folder / _RECORD).read_bytes()))
            return {Host(host): _totals(each) for host, each in members.items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            # The counts are only shown to a person: without them capturing goes on.
            return {}


def _totals_json(captured: CaptureTotals) -> dict[str, object]:
    sessions = {
        session: {"messages": came.messages, "left_out": dict(came.left_out), "unfound": came.unfound}
        for session, came in captured.sessions.items()
    }
    return {"sessions": sessions, "ignored": captured.ignored}


def _totals(members: Mapping[str, object]) -> CaptureTotals:
    sessions = cast("dict[str, dict[str, object]]", members["sessions"])
    return CaptureTotals(
        sessions={
            session: CaptureOutcome(
                messages=int(str(each["messages"])),
                left_out=cast("dict[str, int]", each["left_out"]),
                unfound=int(str(each["unfound"])),
            )
            for session, each in sessions.items()
        },
        ignored=int(str(members["ignored"])),
    )


IGNORE_NAME: Final = ".voiceignore"
_LIMIT_S: Final = 10.0
_MOST_READ: Final = 64 * 1024
# Each could run a program that the repository names, or reach a network.
_SAFE_CONFIG: Final = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "protocol.allow=never")
# Writes nothing, fetches nothing, asks nothing.
_SETTINGS: Final = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0"}


class LocalWorkingTree:
    """Implements `voice.ports.files.WorkingTree` on this machine."""

    async def ignore_file(self, directory: str) -> str | None:
        """See the port."""
        return await to_thread.run_sync(_ignore_file, directory)

    async def found(self, directory: str, names: Sequence[str]) -> frozenset[str]:
        """See the port."""
        return await to_thread.run_sync(_found, directory, names) if names else frozenset()


def _ignore_file(directory: str) -> str | None:
    if not directory:
        return None
    for place in _up_to_root(Path(directory)):
        try:
            with (place / IGNORE_NAME).open("rb") as file:
                return file.read(_MOST_READ).decode("utf-8", "replace")
        except FileNotFoundError:
            continue
        except OSError:
            return ""  # it exists and cannot be read: since what it excludes is unknown, nothing is captured
    return None


def _up_to_root(directory: Path) -> Iterator[Path]:
    """Yield a directory and its parents up to the root of its repository; outside of any, only itself."""
    above = (directory, *directory.parents)
    root = next((place for place in above if (place / ".git").exists()), directory)
    yield from (place for place in above if place.is_relative_to(root))


def _found(directory: str, names: Sequence[str]) -> frozenset[str]:
    place = Path(directory)
    if not directory or not place.is_dir():
        return frozenset()
    roots = [*_up_to_root(place)]
    found = {name for name in names if _exists(name, roots)}
    left = [name for name in names if name not in found]
    if left and (roots[-1] / ".git").exists():
        found |= _known_to_git(roots[-1], left)
        found |= _ending_a_path(left, _git(roots[-1], "ls-files", "-z").split("\0"))
    return frozenset(found)


def _exists(name: str, roots: Sequence[Path]) -> bool:
    try:
        path = Path(name).expanduser()
        return path.exists() if path.is_absolute() else any((root / path).exists() for root in roots)
    except (OSError, RuntimeError, ValueError):
        return False


def _known_to_git(root: Path, names: Sequence[str]) -> set[str]:
    # A line for each name, in order.
    lines = _git(root, "cat-file", "--batch-check=%(objectname)", stdin="\n".join(names)).splitlines()
    pairs = zip(names, lines, strict=False) if len(lines) == len(names) else ()
    return {name for name, line in pairs if line.isalnum()}  # "… missing" is no object


def _ending_a_path(names: Sequence[str], files: Iterable[str]) -> set[str]:
    """Return the names that are the last parts of some file's path."""
    wanted = {name.removeprefix("./").rstrip("/"): name for name in names}  # as git writes paths
    found: set[str] = set()
    for file in files:
        parts = file.split("/")
        tails = ("/".join(parts[start:]) for start in range(len(parts)))
        found |= {wanted[tail] for tail in tails if tail in wanted}
    return found


def _git(root: Path, *arguments: str, stdin: str = "") -> str:
    """Return git's output for a repository; empty if it fails."""
    program = shutil.which("git")
    if program is None:
        return ""
    # They could point git at another repository.
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(  # noqa: S603 - no shell, and no text among the arguments
            [program, *_SAFE_CONFIG, "-C", str(root), *arguments],
            input=stdin.encode(),
            capture_output=True,
            env={**inherited, **_SETTINGS},
            timeout=_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""
