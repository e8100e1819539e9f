"""What every command needs: settings, services, text from a pipe, a place to print.

Law: settings are read once per command (STYLE 12); the store is opened late and closed always; the answer goes to
stdout and everything else to stderr; with `--json` stdout holds one JSON document and nothing else.

A mistyped data directory is not made, and never called empty: only what stores something makes one, and says so where
the directory was named. A directory of other files is none, whatever is asked of it: nothing is written into it, and
its rights stay.

The gate (ruling A8) stands before what asks the memory: `ask`, `chat`, `retrieve` and `recall` pass `gated=True`.
Storing, looking at one's own rows and records, and maintenance are never locked: they are the person's own data.
"""

import os
import sys
import time
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from copy import copy
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from voice.core.errors import ConfigurationError, InvalidParams, VoiceError
from voice.core.settings.parse import SettingsResult, parse_settings
from voice.core.text.display import counted
from voice.entrypoints.cli.terminal.held_memory import HELD_MEMORY, HeldMemory
from voice.entrypoints.cli.terminal.interrupts import cancelled_by_sigterm
from voice.entrypoints.cli.terminal.printing import is_uncoloured, note
from voice.entrypoints.cli.terminal.progress_lines import ProgressLines, reported_in_lines

if TYPE_CHECKING:
    from datetime import datetime

    from rich.console import Console
    from rich.progress import Progress, TaskID

    from voice.bootstrap import Services
    from voice.core.records import Origin
    from voice.core.settings.values import Settings

_T = TypeVar("_T")
_LONG_WORK_S = 0.5
_NAMED = (click.core.ParameterSource.COMMANDLINE, click.core.ParameterSource.ENVIRONMENT)
_NARROW = 60
"""Columns under which each line of a table becomes several."""
_UNCUT = 2_000
"""Columns of an output that is no terminal: nothing is folded or cut there."""
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")


def former(
    command: click.Command,
    name: str,
    now: str,
    *,
    keeps: str = "",
    adds: Sequence[click.Parameter] = (),
    **said: object,
) -> click.Command:
    """Return a command under a name of an earlier release: hidden, and naming the new form on stderr when it is called.

    Args:
        command: what does the work now.
        name: the name of before.
        now: the form of today, without the program's name.
        keeps: those of its parameters that the old name takes, by their names; empty: all of them.
        adds: parameters that only the old name has.
        said: what the old name means by itself; parameters that it neither takes nor says are None.
    """
    old, work = copy(command), command.callback
    silent = {str(each.name): None for each in command.params} if keeps else {}

    def told(*args: object, **given: object) -> object:
        note(f"this command is now `voice {now}`; the next release drops the old name")
        return work(*args, **{**silent, **said, **given}) if work else None

    old.name, old.hidden, old.callback = name, True, told
    old.params = [*adds, *(each for each in command.params if not keeps or each.name in keeps.split())]
    return old


def cli_origin() -> "Origin":
    """Return the origin of what is entered at the command line."""
    from voice.core.interchange.origin import Entrance, ceiling_of

    return ceiling_of(Entrance.CLI)


def home_of(ctx: click.Context) -> Path:
    """Return the data directory: `--home`, VOICE_HOME, or the platform's place for application data."""
    from voice.adapters.system.data_directory import home_at

    return home_at(ctx.find_root().obj["home"])


def config_path(home: Path) -> Path:
    """Return where the settings of a data directory stand."""
    from voice.adapters.system.config_file import CONFIG_NAME

    return home / CONFIG_NAME


def load_settings(ctx: click.Context, flags: Mapping[str, object] | None = None) -> SettingsResult:
    """Return the settings in force: flags over environment over voice.toml over defaults.

    Raises:
        ConfigurationError: voice.toml cannot be read, or a value is not valid.
    """
    from voice.adapters.system.config_file import read_config

    home = home_of(ctx)
    is_said = ctx.find_root().get_parameter_source("home") is click.core.ParameterSource.COMMANDLINE
    said = {"store.home": str(home) if is_said else None, **(flags or {})}
    return parse_settings(said, dict(os.environ), read_config(config_path(home)))


def read_settings(ctx: click.Context, flags: Mapping[str, object] | None = None) -> SettingsResult:
    """Return the settings in force; what had to be put right is said on stderr.

    Raises:
        ConfigurationError: voice.toml cannot be read, or a value is not valid.
    """
    result = load_settings(ctx, flags)
    for warning in result.warnings:
        note(warning)
    return result


def run(
    ctx: click.Context,
    work: Callable[["Services"], Awaitable[_T]],
    *,
    flags: Mapping[str, object] | None = None,
    gated: bool = False,
    makes: bool = False,
) -> _T:
    """Open the memory, do `work` with its services, close it, and return what `work` returned.

    Inside a conversation the memory is open already (`voice.entrypoints.cli.terminal.held_memory`), and stays so.

    Args:
        ctx: the command's context.
        work: what to do.
        flags: settings said on the command line, by setting name.
        gated: whether the command is refused while the inner voice is switched off (ruling A8).
        makes: whether the command stores something, so that a data directory that is not there is made.

    Raises:
        FeatureDisabled: the inner voice is off.
        ConfigurationError: there is no data directory or an empty one, and the command makes none; or it is one of
            other files.
        VoiceError: whatever opening or the work raises.
    """
    held: HeldMemory | None = ctx.find_root().obj.get(HELD_MEMORY)
    if held is not None:
        return held.run(work, ctx)
    settings = settings_to_open(ctx, flags=flags, gated=gated, makes=makes)
    is_new = is_home_missing(ctx)

    import anyio

    from voice.bootstrap import open_services

    async def whole() -> _T:
        with cancelled_by_sigterm():
            async with open_services(settings, home_of(ctx)) as services:
                await capture_ended_sessions(services)
                return await work(services)

    done = anyio.run(whole)
    if is_new and ctx.find_root().get_parameter_source("home") in _NAMED:
        note(f"there was no memory in {home_of(ctx)}, so a new one was made")
    return done


def settings_to_open(
    ctx: click.Context, *, flags: Mapping[str, object] | None = None, gated: bool = False, makes: bool = False
) -> "Settings":
    """Return the settings that the memory is opened with, if it may be; the arguments and errors are those of `run`."""
    settings = read_settings(ctx, flags).settings
    ctx.find_root().obj["timezone"] = settings.time.timezone
    require_home(ctx, makes=makes)
    if gated:
        settings.gate.require(init=init_command(ctx))
    return settings


async def capture_ended_sessions(services: "Services") -> None:
    """Take in the sessions of agents that ended, where any wait; a failure is said, and stops no command."""
    from voice.adapters.system.spool_writer import has_entries

    if not has_entries(services.home):
        return
    try:
        taken = await services.capturing.take_in()
    except VoiceError as fault:
        note(f"sessions of agents could not be taken in and wait on: {fault.message}")
        return
    if taken.sessions:
        told = f"{counted(taken.sessions, 'session')} of agents ({counted(taken.messages, 'new message')})"
        note(f"took in {told}; `voice review` decides what of it counts")


def require_home(ctx: click.Context, *, makes: bool = False) -> None:
    """Refuse a place that is not there or is empty, unless the command makes a memory there, and one of other files.

    Args:
        ctx: the command's context.
        makes: whether the command makes a memory where there is none.

    Raises:
        ConfigurationError: it is no data directory.
    """
    from voice.adapters.system.machine import holds_something_else, is_empty

    home = home_of(ctx)
    wrong = None
    if not makes and is_home_missing(ctx):
        wrong = "is not there"
    elif holds_something_else(home):
        wrong = "holds other files and no memory"
    elif not makes and is_empty(home):
        wrong = "is empty"
    if wrong:
        how = f"choose another place with --home, or make a memory there: {init_command(ctx)}"
        raise ConfigurationError(f"{home} {wrong}; {how}")


def init_command(ctx: click.Context) -> str:
    """Return what makes a memory where this command looked for one."""
    return f"{program_here(ctx)} init"


def program_here(ctx: click.Context) -> str:
    """Return how a command begins that means the data directory of this one."""
    import shlex

    is_said = ctx.find_root().get_parameter_source("home") is click.core.ParameterSource.COMMANDLINE
    return f"voice --home {shlex.quote(str(home_of(ctx)))}" if is_said else "voice"


def is_home_missing(ctx: click.Context) -> bool:
    """Return whether there is no data directory, as `voice doctor` judges it."""
    from voice.adapters.system.machine import look_at_home

    return look_at_home(home_of(ctx)).kind == "missing"


def moment(ctx: click.Context, text: str | None, option: str) -> "datetime | None":
    """Return the instant that `text` names: an ISO date or time, or the beginning of a time phrase.

    A time without an offset is the person's own. The memory need not be open.

    Raises:
        click.UsageError: it names no instant.
    """
    if text is None:
        return None
    from voice.adapters.system.clock_and_ids import SystemClock
    from voice.entrypoints.shared.moments import parse_moment

    try:
        return parse_moment(text, option, load_settings(ctx).settings, SystemClock().now())
    except InvalidParams as error:
        raise click.UsageError(error.message) from None


def is_narrow(out: "Console") -> bool:
    """Return whether an output is a terminal in which a table's line would be broken anywhere."""
    return out.is_terminal and out.width < _NARROW


def console(*, stderr: bool = False) -> "Console":
    """Return a rich console; plain when the output is no terminal or NO_COLOR is set: bold and dim are gone, too."""
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            """Tell the entry point that the reader went away; the vendor's own way is a failure without a word."""
            self.quiet = True
            raise BrokenPipeError

    if (sys.stderr if stderr else sys.stdout).isatty():
        return Output(stderr=stderr, highlight=False, color_system=None if is_uncoloured() else "auto")
    return Output(stderr=stderr, highlight=False, soft_wrap=True, width=_UNCUT)


def stdin_text(argument: str | None, *, what: str) -> str:
    """Return the argument, or standard input where it is `-` or missing and something is piped in.

    Raises:
        click.UsageError: there is neither, or the input is not UTF-8.
    """
    if argument is not None and argument != "-":
        return argument
    if argument is None and sys.stdin.isatty():
        raise click.UsageError(f"say {what}, or pipe it in")
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise click.UsageError(f"standard input is not UTF-8 text (byte {error.start}); convert it first") from None


Advance = Callable[[str, int, int | None], None]
"""Called with a title, how far the work is and how far it goes (None: unknown)."""


@contextmanager
def progress(at_once: str | None = None, *, in_lines: bool = False, then: str | None = None) -> Generator[Advance]:
    """Show bars on stderr while the block runs, one per title; nothing without a terminal, nor for short work.

    Args:
        at_once: the title of a bar that is there from the beginning, for work that is known to be long.
        in_lines: without a terminal, tell a line every ten seconds.
        then: in lines, the title of the part that comes last.
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
        if self._bars is not None or time.monotonic() - self._started >= _LONG_WORK_S:
            self.show(title, done, total)

    def show(self, title: str, done: int, total: int | None) -> None:
        if self._bars is None:
            self._bars = _new_bars()
            self._bars.start()
        if title not in self._tasks:
            self._tasks[title] = self._bars.add_task(title, total=total)
        self._bars.update(self._tasks[title], completed=done, total=total)

    def stop(self) -> None:
        if self._bars is not None:
            self._bars.stop()


def _new_bars() -> "Progress":
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console(stderr=True), transient=True)
