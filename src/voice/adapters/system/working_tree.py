"""Working directories on this machine, and git's knowledge of them.

Law: git is run without a shell, without the programs that a repository may name (file-system monitors, helpers),
without a network, and with a time limit; where there is no git, no commit is known. Names go to it as input, never as
arguments.

Source: docs/capture.md.
"""

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from anyio import to_thread

IGNORE_NAME: Final = ".voiceignore"
_LIMIT_S: Final = 10.0
_MOST_BYTES: Final = 64 * 1024
_TAME: Final = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "protocol.allow=never")
_SETTINGS: Final = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0"}


class LocalWorkingTree:
    """Implements `voice.ports.capture.WorkingTree` on this machine."""

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
                return file.read(_MOST_BYTES).decode("utf-8", "replace")
        except FileNotFoundError:
            continue
        except OSError:
            return ""  # it is there and cannot be read: what it keeps out is not known, so nothing is captured
    return None


def _up_to_root(directory: Path) -> Iterator[Path]:
    """Yield a directory and those above it, up to the root of its repository; outside of any, it alone."""
    above = (directory, *directory.parents)
    root = next((place for place in above if (place / ".git").exists()), directory)
    yield from (place for place in above if place.is_relative_to(root))


def _found(directory: str, names: Sequence[str]) -> frozenset[str]:
    place = Path(directory)
    if not directory or not place.is_dir():
        return frozenset()
    roots = [*_up_to_root(place)]
    there = {name for name in names if _is_there(name, roots)}
    left = [name for name in names if name not in there]
    if left and (roots[-1] / ".git").exists():
        there |= _known_to_git(roots[-1], left)
        there |= _tails_among(left, _git(roots[-1], "ls-files", "-z").split("\0"))
    return frozenset(there)


def _is_there(name: str, roots: Sequence[Path]) -> bool:
    try:
        path = Path(name).expanduser()
        return path.exists() if path.is_absolute() else any((root / path).exists() for root in roots)
    except (OSError, RuntimeError, ValueError):
        return False


def _known_to_git(root: Path, names: Sequence[str]) -> set[str]:
    said = _git(root, "cat-file", "--batch-check=%(objectname)", told="\n".join(names)).splitlines()
    pairs = zip(names, said, strict=False) if len(said) == len(names) else ()
    return {name for name, line in pairs if line.isalnum()}


def _tails_among(names: Sequence[str], files: Iterable[str]) -> set[str]:
    """Return the names with which the path of a file ends, at a directory's border, and those of directories in it."""
    wanted = {name.removeprefix("./").rstrip("/"): name for name in names}
    held: set[str] = set()
    for file in files:
        parts = file.split("/")
        tails = ("/".join(parts[start:]) for start in range(len(parts)))
        held |= {wanted[tail] for tail in tails if tail in wanted}
    return held


def _git(root: Path, *arguments: str, told: str = "") -> str:
    """Return what git says of a repository; nothing where it cannot say."""
    program = shutil.which("git")
    if program is None:
        return ""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(  # noqa: S603 - no shell, and nothing of a text among the arguments
            [program, *_TAME, "-C", str(root), *arguments],
            input=told.encode(),
            capture_output=True,
            env={**kept, **_SETTINGS},
            timeout=_LIMIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""
