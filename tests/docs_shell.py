"""Commands as a page prints them, run as a person would who follows it.

Law: what a page shows is compared with what is printed; `…` stands for what differs from run to run (ids, times), a
line of it for any lines. An id that a page abbreviates (`t:01m8…`) is typed as it stands where an id that was shown
begins like it. Else it is the first of its kind in the latest output that holds one which nothing else abbreviates; the
same abbreviation is always the same id. A line that calls `voice` alone runs in this process, any other one in a shell.
"""

import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path

from cli_runner import Ran
from docs_pages import Block
from voice.entrypoints.cli.main import exit_code

_ID = re.compile(r"\b[a-z]:[0-9a-z]{12,}\b")
_ABBREVIATED = re.compile(r"(?<![:\w])([a-z]):([0-9a-z]*)…")
_NEEDS_A_SHELL = re.compile(r"[|<>;&$`*]|^(?!voice )")
_COMMENT = re.compile(r"\s+#\s.*$")


@dataclass(slots=True)
class Shell:
    """A person's shell: a folder to work in, a home, a memory."""

    folder: Path
    shown: list[list[str]] = field(default_factory=list[list[str]])
    """The ids that each output held."""
    meant: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def memory(self) -> Path:
        """The data directory."""
        return self.folder / "memory"

    @property
    def work(self) -> Path:
        """The current directory."""
        return self.folder / "work"

    def run(self, command: str, stdin: str = "") -> Ran:
        """Run one line."""
        line = _ABBREVIATED.sub(self._id, command)
        ran = self._in_a_shell(line, stdin) if _NEEDS_A_SHELL.search(_unquoted(line)) else self._here(line, stdin)
        self.shown.append(list(dict.fromkeys(_ID.findall(ran.out + ran.err))))
        return ran

    def _id(self, found: re.Match[str]) -> str:
        if found[2] and any(one.startswith(found[0][:-1]) for ids in self.shown for one in ids):
            return found[0]
        if found[0] not in self.meant:
            fit = (one for ids in reversed(self.shown) for one in ids if one.startswith(f"{found[1]}:"))
            meant = next((one for one in fit if one not in self.meant.values()), None)
            assert meant, f"no id was shown that {found[0]} could be"
            self.meant[found[0]] = meant
        return self.meant[found[0]]

    def program(self, text: str) -> Ran:
        """Run a program of Python as a process of its own."""
        return self._process([sys.executable, "-c", text], "")

    def _here(self, line: str, stdin: str) -> Ran:
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
        before, typed, environment = Path.cwd(), sys.stdin, dict(os.environ)
        sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
        os.environ.update(self._environment())
        os.chdir(self.work)
        try:
            with redirect_stdout(out), redirect_stderr(err):
                code = exit_code([_at_home(one) for one in shlex.split(line)[1:]])
        finally:
            os.chdir(before)
            sys.stdin = typed
            os.environ.clear()
            os.environ.update(environment)
        return Ran(code=code, out=_said(out), err=_said(err))

    def _in_a_shell(self, line: str, stdin: str) -> Ran:
        tools = self.folder / "bin"
        tools.mkdir(exist_ok=True)
        shim = tools / "voice"
        shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m voice "$@"\n', encoding="utf-8")
        shim.chmod(0o755)
        return self._process(["/bin/bash", "-c", line], stdin)

    def _process(self, command: list[str], stdin: str) -> Ran:
        path = os.pathsep.join([str(self.folder / "bin"), os.environ["PATH"]])
        here = os.pathsep.join([str(self.work), *filter(None, sys.path)])
        done = subprocess.run(
            command,
            cwd=self.work,
            input=stdin,
            env={**os.environ, **self._environment(), "PATH": path, "PYTHONPATH": here},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return Ran(code=done.returncode, out=done.stdout, err=done.stderr)

    def _environment(self) -> dict[str, str]:
        return {"HOME": str(self.folder), "VOICE_HOME": str(self.memory), "BROWSER": "true"}


def _at_home(argument: str) -> str:
    """Return an argument with its `~` as a shell reads it."""
    return os.path.expanduser(argument) if argument.startswith("~/") else argument  # noqa: PTH111 - as a shell does


def _said(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def _unquoted(line: str) -> str:
    return re.sub(r"\"[^\"$`]*\"|'[^']*'", '""', line)


def commands(block: Block) -> Iterator[tuple[str, str | None]]:
    """Yield each command of a block with what it prints; None where the block shows no output."""
    if block.kind == "console":
        for piece in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
            line, _, shown = piece.partition("\n")
            yield line, shown
        return
    for line in block.text.replace("\\\n", " ").splitlines():
        if (command := _COMMENT.sub("", line).strip()) and not command.startswith("#"):
            yield command, None


def is_shown(shown: str, printed: str) -> bool:
    """Return whether what was printed is what a page shows of it."""
    lines = [r"(?:.*\n)*?" if line.strip() == "…" else _line(line) for line in shown.rstrip().splitlines()]
    return (
        re.fullmatch("".join(lines), "".join(f"{one.rstrip()}\n" for one in printed.strip().splitlines())) is not None
    )


def _line(shown: str) -> str:
    return ".*?".join(re.escape(piece) for piece in shown.rstrip().split("…")) + "\n"


def copied(world: Shell, folder: Path) -> Shell:
    """Return a shell of its own that stands where another one does."""
    shutil.copytree(world.folder, folder, symlinks=True)
    return Shell(folder, list(world.shown), dict(world.meant))
