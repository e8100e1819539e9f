"""What every command needs: settings, services, text from a pipe, a place to print.

Law: settings are read once per command (STYLE 12); the store is opened late and closed always; the answer goes to
stdout and everything else to stderr; with `--json`, stdout holds one JSON document and nothing else. Only commands that
store something make a data directory, and nothing is written into a directory of other files. The gate (ruling A8)
locks what asks the memory (`gated=True`), never storing, looking at one's own rows, or maintenance. Which command runs,
and what was said before its name, click knows (`root_context`); no function hands it on.
"""

import os
import shlex
import sys
import time
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from copy import copy
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from voice.core.errors import ConfigurationError, InvalidParams, VoiceError
from voice.core.settings.parse import SettingsResult, parse_settings
from voice.core.text.display import counted
from voice.entrypoints.cli.terminal.interrupts import HELD_MEMORY, HeldMemory, cancelled_by_sigterm
from voice.entrypoints.cli.terminal.printing import JSON, ProgressLines, is_uncoloured, note, reported_in_lines

if TYPE_CHECKING:
    from datetime import datetime

    from rich.console import Console
    from rich.progress import Progress, TaskID

    from voice.bootstrap import Services
    from voice.core.records import Origin
    from voice.core.settings.values import Settings

_T = TypeVar("_T")
Decorator = Callable[[Callable[..., object]], Callable[..., object]]
_LONG_WORK_S = 0.5  # before a bar shows: short work needs none
_NAMED = (click.core.ParameterSource.COMMANDLINE, click.core.ParameterSource.ENVIRONMENT)  # not the default place
_UNCUT = 2_000  # columns of an output that is no terminal: nothing is folded or cut there


def option(names: str, text: str, metavar: str | None = None, **more: object) -> Decorator:
    """Return an option of a command, by its names with blanks between them; its default shows unless that is empty."""
    said: dict[str, Any] = {"show_default": more.get("default") not in (None, ""), **more}
    return click.option(*names.split(), help=text, metavar=metavar, **said)


def flag(names: str, text: str, **more: object) -> Decorator:
    """Return an option that is said or left out."""
    return option(names, text, None, is_flag=True, **more)


def _keep_json(ctx: click.Context, _option: click.Parameter, value: bool) -> None:
    ctx.meta[JSON] = value  # where `wants_json` finds it


_JSON: dict[str, Any] = {"help": "Print one JSON document on stdout.", "expose_value": False, "callback": _keep_json}
json_option = click.option("--json", "as_json", is_flag=True, **_JSON)


class JsonCommand(click.Command):
    """A command with `--json` behind its other options (`printing.wants_json`)."""

    def __init__(self, *args: Any, **more: Any) -> None:  # noqa: ANN401 - click's own
        """Make it as click makes any command."""
        super().__init__(*args, **more)
        self.params.append(click.Option(["--json", "as_json"], is_flag=True, **_JSON))


class JsonGroup(click.Group):
    """A group whose own commands have `--json`."""

    command_class = JsonCommand


def former(
    command: click.Command,
    name: str,
    now: str,
    *,
    keeps: str = "",
    adds: Sequence[click.Parameter] = (),
    **fixed: object,
) -> click.Command:
    """Return a command under its name of an earlier release: hidden, and naming the form of `now` when called.

    It takes the parameters that it `keeps` (named none: all) and those that it `adds`; it implies those in `fixed`.
    """
    old, callback = copy(command), command.callback  # shallow: the parameters are shared, the list of them is replaced
    absent = (
        {str(each.name): None for each in command.params if each.expose_value} if keeps else {}
    )  # the callback wants each by name

    def call(*args: object, **options: object) -> object:
        note(f"this command is now `voice {now}`; the next release drops the old name")
        return callback(*args, **{**absent, **fixed, **options}) if callback else None

    old.name, old.hidden, old.callback = name, True, call
    old.params = [*adds, *(each for each in command.params if not keeps or each.name in keeps.split())]
    return old


def cli_origin() -> "Origin":
    """Return the origin of what is entered at the command line."""
    from voice.core.interchange.origin import Entrance, ceiling_of

    return ceiling_of(Entrance.CLI)


def root_context() -> click.Context:
    """Return the context of the program, which holds what its options say and what is read once a command."""
    return click.get_current_context().find_root()


def home_of() -> Path:
    """Return the data directory: `--home`, VOICE_HOME, or the platform's place for application data."""
    from voice.adapters.system.data_directory import home_at

    return home_at(root_context().obj["home"])


def config_path(home: Path) -> Path:
    """Return where the settings of a data directory stand."""
    from voice.adapters.system.config_file import CONFIG_NAME

    return home / CONFIG_NAME


def load_settings(flags: Mapping[str, object] | None = None) -> SettingsResult:
    """Return the settings in force, read once a command: flags over environment over voice.toml over defaults.

    Raises:
        ConfigurationError: voice.toml cannot be read, or a value is not valid.
    """
    from voice.adapters.system.config_file import read_config

    home = home_of()
    given = {"store.home": str(home) if _names_home() else None, **(flags or {})}
    read: dict[str, SettingsResult] = root_context().obj.setdefault("settings", {})
    if (key := repr((home, given))) not in read:
        read[key] = parse_settings(given, dict(os.environ), read_config(config_path(home)))
    return read[key]


def read_settings(flags: Mapping[str, object] | None = None) -> SettingsResult:
    """Return the settings in force, as `load_settings` does, with their warnings on stderr, each once a command."""
    result = load_settings(flags)
    said: set[str] = root_context().obj.setdefault("warned", set())
    for warning in result.warnings:
        if warning not in said:
            note(warning)
    said.update(result.warnings)
    return result


def run(
    work: Callable[["Services"], Awaitable[_T]],
    *,
    flags: Mapping[str, object] | None = None,
    gated: bool = False,
    makes: bool = False,
) -> _T:
    """Open the memory, return what `work` returns, and close it; inside a conversation it stays open.

    A `gated` command is refused while the inner voice is off (ruling A8); one that `makes` makes a data directory that
    is missing. `flags` are settings by their names. Raises VoiceError: whatever opening or `work` raises.
    """
    held: HeldMemory | None = root_context().obj.get(HELD_MEMORY)
    if held is not None:  # inside a conversation: opening twice would find the store held
        return held.run(work, click.get_current_context())
    settings = settings_to_open(flags=flags, gated=gated, makes=makes)
    is_new = is_home_missing()  # asked before opening makes it

    import anyio

    from voice.bootstrap import open_services

    async def open_and_work() -> _T:
        with cancelled_by_sigterm():
            async with open_services(settings, home_of()) as services:
                await capture_ended_sessions(services)  # before the work, so that it sees what an agent just said
                return await work(services)

    result = anyio.run(open_and_work)
    if is_new and root_context().get_parameter_source("home") in _NAMED:  # a mistyped place is noticed
        note(f"{home_of()} held no memory, so voice made a new one")
    return result


def settings_to_open(
    *, flags: Mapping[str, object] | None = None, gated: bool = False, makes: bool = False
) -> "Settings":
    """Return the settings that the memory is opened with, if it may be; the arguments and errors are those of `run`.

    Nothing is logged unless a level was chosen: a command says itself what failed.
    """
    result = read_settings(flags)
    settings = result.settings
    if result.origins["privacy.log_level"] == "default":  # logs are for those who asked for them
        settings = replace(settings, privacy=replace(settings.privacy, log_level="none"))
    root_context().obj["timezone"] = settings.time.timezone  # days are shown in it
    require_home(makes=makes)
    if gated:
        settings.gate.require(init=init_command())
    return settings


async def capture_ended_sessions(services: "Services") -> None:
    """Take in waiting sessions of agents; a failure is said, and stops no command."""
    from voice.adapters.system.spool_writer import has_entries

    if not has_entries(services.home):  # a look at file names, before anything is imported
        return
    try:
        captured = await services.capturing.take_in()
    except VoiceError as fault:  # what waits stays; no command fails for it
        note(f"voice could not capture agent sessions; the next command tries again: {fault.message}")
        return
    if captured.sessions:
        counts = f"{counted(captured.sessions, 'agent session')} ({counted(captured.messages, 'new message')})"
        note(f"captured {counts}; approve what should count with `voice review`")


def require_home(*, makes: bool = False) -> None:
    """Raise ConfigurationError for a place that holds other files, and unless `makes`, one that is missing or empty."""
    from voice.adapters.system.machine import holds_something_else, is_empty

    home = home_of()
    wrong = None
    if not makes and is_home_missing():  # `doctor` tells the same
        wrong = "does not exist"
    elif holds_something_else(home):
        wrong = "holds other files, but no memory"
    elif not makes and is_empty(home):
        wrong = "is empty"
    if wrong:
        how = f"choose another place with --home, or make a memory there: {init_command()}"
        raise ConfigurationError(f"{home} {wrong}; {how}")


def init_command() -> str:
    """Return what makes a memory where this command looked for one."""
    return f"{program_here()} init"


def program_here() -> str:
    """Return how a command begins that means the data directory of this one."""
    return f"voice --home {shlex.quote(str(home_of()))}" if _names_home() else "voice"


def _names_home() -> bool:
    return root_context().get_parameter_source("home") is click.core.ParameterSource.COMMANDLINE


def is_home_missing() -> bool:
    """Return whether there is no data directory, as `voice doctor` judges it."""
    from voice.adapters.system.machine import look_at_home

    return look_at_home(home_of()).kind == "missing"


def moment(text: str | None, option: str) -> "datetime | None":
    """Return the instant that an option names, as `parse_moment` reads it. Raises click.UsageError: it names none."""
    if text is None:
        return None
    from voice.adapters.system.clock_and_ids import SystemClock
    from voice.entrypoints.shared.moments import parse_moment

    try:
        return parse_moment(text, option, load_settings().settings, SystemClock().now())
    except InvalidParams as error:
        raise click.UsageError(error.message) from None  # from None: the cause is the same sentence


def console(*, stderr: bool = False) -> "Console":
    """Return a rich console; without any style when the output is no terminal or NO_COLOR is set."""
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            """Tell the entry point that the reader went away; the vendor's own way is a failure without a word."""
            self.quiet = True
            raise BrokenPipeError

    if (sys.stderr if stderr else sys.stdout).isatty():
        return Output(stderr=stderr, highlight=False, color_system=None if is_uncoloured() else "auto")
    # soft_wrap: lines of any length go into a pipe whole.
    return Output(stderr=stderr, highlight=False, soft_wrap=True, width=_UNCUT)


def stdin_text(argument: str | None, *, what: str) -> str:
    """Return the argument, or standard input where it is `-` or missing and something is piped in."""
    if argument is not None and argument != "-":
        return argument
    if argument is None and sys.stdin.isatty():  # "-" reads a terminal, too, up to Ctrl-D
        raise click.UsageError(f"type {what}, or pipe it in")
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise click.UsageError(f"standard input is not UTF-8 text (byte {error.start}); convert it first") from None


Advance = Callable[[str, int, int | None], None]
"""Called with a title, how far the work is and how far it goes (None: unknown)."""


@contextmanager
def progress(at_once: str | None = None, *, in_lines: bool = False, then: str | None = None) -> Generator[Advance]:
    """Show bars on stderr while the block runs, one per title; nothing without a terminal, nor for short work.

    The bar `at_once` shows from the start. Without a terminal, `in_lines` prints a line every ten seconds, which says
    what comes last (`then`).
    """
    if not sys.stderr.isatty():
        lines = ProgressLines(clock=time.monotonic, then=then)
        with reported_in_lines(lines, note) if in_lines else nullcontext():
            yield lines.advance
        return
    bars = _Bars()
    try:
        if at_once is not None:
            bars.show(at_once, 0, None)
        yield bars.advance
    finally:
        bars.stop()


@contextmanager
def progress_of(title: str) -> Generator[Callable[[int, int | None], None]]:
    """Show one bar while the block runs (`progress`); yield what is called with how far the work is."""
    with progress() as advance:
        yield partial(advance, title)


class _Bars:
    """Bars that appear once the work has turned out to be long."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._bars: Progress | None = None
        self._tasks: dict[str, TaskID] = {}

    def advance(self, title: str, done: int, total: int | None) -> None:
        if self._bars is not None or time.monotonic() - self._started >= _LONG_WORK_S:  # shown once, bars stay
            self.show(title, done, total)

    def show(self, title: str, done: int, total: int | None) -> None:
        if self._bars is None:  # rich is imported for long work alone
            from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

            columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
            self._bars = Progress(*columns, console=console(stderr=True), transient=True)
            self._bars.start()
        if title not in self._tasks:  # one per title, in the order they begin
            self._tasks[title] = self._bars.add_task(title, total=total)
        self._bars.update(self._tasks[title], completed=done, total=total)

    def stop(self) -> None:
        if self._bars is not None:
            self._bars.stop()
