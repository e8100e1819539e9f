"""The command line, run inside the test's own process or as the real command."""

import asyncio
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Coroutine, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NoReturn, Protocol, TypeVar

from rich.console import Console

from voice.adapters.llm.scripted import ScriptedClient
from voice.bootstrap import Services, open_services
from voice.core.records import Tombstone
from voice.core.settings.providers import EmbedSettings
from voice.core.settings.values import Settings
from voice.ports.stores import WriteBatch

_T = TypeVar("_T")

SCHEMAS = Path(__file__).resolve().parents[1] / "src" / "voice" / "schemas"
SETTINGS = """\
enabled = true
[embed]
provider = "hash"
[llm]
provider = "extractive"
[grounding]
single_source = "green"
[nlq]
timeout_ms = 600000
[time]
timezone = "Europe/Lisbon"
"""
"""No answer depends on how fast the machine is: a search has ten minutes."""
SOUND = "Voice read every record; every text, count and chain is right.\n"
"""What `maintain verify` says of a memory without a fault."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What a command said and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:  # noqa: ANN401 - of any shape; `Documented` holds it against its schema
        """The one document on stdout."""
        return json.loads(self.out)

    @property
    def only_line(self) -> str:
        """The one line on stderr."""
        lines = self.err.splitlines()
        assert len(lines) == 1, lines
        return lines[0]


Documented = Callable[[str, Ran], None]
"""Checks that what was printed is what a schema (`cli/ask`) says."""
Playing = Callable[..., ScriptedClient]
"""Puts a model that plays a script in the place of the one that is set."""


class Run(Protocol):
    """Runs a command with an input, which a person types at a terminal or a pipe brings."""

    def __call__(self, arguments: list[str], stdin: bytes = b"", *, at_terminal: bool = False) -> Ran: ...


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


class Voice:
    """Runs commands on one data directory."""

    def __init__(self, home: Path, run: Run) -> None:
        self.home = home
        self.run = run

    def __call__(self, *arguments: str, stdin: bytes = b"") -> Ran:
        return self.run(["--home", str(self.home), *arguments], stdin)

    def ok(self, *arguments: str, stdin: bytes = b"") -> Ran:
        """Run a command that must succeed."""
        ran = self(*arguments, stdin=stdin)
        assert ran.code == 0, ran
        return ran

    def refused(self, *arguments: str, stdin: bytes = b"", code: int = 2) -> str:
        """Run a command that must end with this code, and return the one line that says why."""
        ran = self(*arguments, stdin=stdin)
        assert (ran.code, ran.out, ran.only_line[:7]) == (code, "", "voice: "), ran
        assert ran.only_line.isprintable()
        return ran.only_line

    def typed(self, answers: str, *arguments: str) -> Ran:
        """Run a command at a terminal, where a person types the answers."""
        return self.run(["--home", str(self.home), *arguments], answers.encode(), at_terminal=True)

    @contextmanager
    def process(self, *arguments: str) -> Generator[subprocess.Popen[str]]:
        """Run the real command as a process of its own, which ends with the block."""
        command = [sys.executable, "-m", "voice", "--home", str(self.home), *arguments]
        pipe = subprocess.PIPE
        with subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, env=clean_environment(), text=True
        ) as process:
            try:
                yield process
            finally:
                process.kill()

    def remember(self, text: str, *options: str) -> str:
        """Remember a text and return the id of its note."""
        return self.ok("remember", text, *options).out.split()[0]

    def settings(self, text: str) -> None:
        """Put these settings in the place of those that the data directory has."""
        (self.home / "voice.toml").write_text(text, encoding="utf-8")

    def verify(self) -> None:
        """Hold everything that is stored against its hashes, counts and chains."""
        assert self.ok("maintain", "verify").out == SOUND

    def within(self, act: Callable[[Services], Coroutine[Any, Any, _T]]) -> _T:
        """Do to the memory what no command does, with its services."""

        async def opened() -> _T:
            settings = replace(Settings(), embed=EmbedSettings(provider="hash"))
            async with open_services(settings, self.home) as services:
                return await act(services)

        return asyncio.run(opened())


def bury(voice: Voice, words: str = "", reason: Literal["forgotten", "redacted"] = "forgotten") -> None:
    """Take the statements that say these words out of the memory, as forgetting or redacting does, and nothing else."""

    async def buried(services: Services) -> None:
        changed = await services.store.changes(0, 100)
        rows = [each.row for each in changed if each.row and each.row_id.startswith("o:") and words in str(each.row)]
        at = services.clock.now()
        stones = [Tombstone(row_id=row.id, keyed_hash=f"k{row.id}", reason=reason, at=at) for row in rows]
        await services.store.write(WriteBatch(tombstones=tuple(stones)))

    voice.within(buried)


def data_directory(home: Path) -> Path:
    """Make a data directory that holds nothing but settings."""
    home.mkdir(mode=0o700)
    (home / "voice.toml").write_text(SETTINGS, encoding="utf-8")
    return home


def run_command(*arguments: str, home: Path, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> Ran:
    """Run the real command as a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "voice", *arguments],
        input=stdin,
        capture_output=True,
        env={**clean_environment(), "VOICE_HOME": str(home), "PYTHONUTF8": "1", **(env or {})},
        timeout=120,
        check=False,
    )
    return Ran(code=done.returncode, out=done.stdout.decode(errors="replace"), err=done.stderr.decode())


def clean_environment() -> dict[str, str]:
    """Return the environment without settings and keys of whoever runs the tests."""
    ours = ("SURR_", "VOICE_", "MCP_", "LITELLM_")
    return {
        name: value for name, value in os.environ.items() if not name.startswith(ours) and not name.endswith("_API_KEY")
    }


def on_paper(show: Callable[[Console], object], *, width: int, is_terminal: bool = False) -> str:
    """Return what is shown on a console of this width, without colours."""
    out = io.StringIO()
    show(Console(file=out, width=width, force_terminal=is_terminal, color_system=None, highlight=False))
    return out.getvalue()


def findings(ran: Ran) -> dict[str, dict[str, str]]:
    """Return what a check-up found, by name."""
    return {each["name"]: each for each in ran.json["findings"]}


def failing(error: BaseException) -> Callable[..., NoReturn]:
    """Return a function of any arguments that raises this."""

    def fail(*_args: object, **_named: object) -> NoReturn:
        raise error

    return fail


def always(make: Callable[[], _T]) -> Callable[..., _T]:
    """Return a function of any arguments that returns what `make` makes."""

    def call(*_args: object, **_named: object) -> _T:
        return make()

    return call
