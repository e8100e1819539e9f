"""What every command needs: settings, services, a place to print.

Law: settings are read once per command (STYLE 12); the store is opened late and closed always; the answer goes to
stdout and everything else to stderr; with `--json` stdout holds one JSON document and nothing else.
"""

import json
import os
import sys
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from voice.core.settings.parse import SettingsResult, parse_settings

if TYPE_CHECKING:
    from rich.console import Console

    from voice.bootstrap import Services

_T = TypeVar("_T")
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document on stdout.")


def home_of(ctx: click.Context) -> Path:
    """Return the data directory: `--home`, VOICE_HOME, or the platform's place for application data."""
    from voice.adapters.system.home import data_directory

    given = ctx.find_root().obj["home"]
    return Path(given).expanduser().absolute() if given else data_directory()


def read_settings(ctx: click.Context, flags: Mapping[str, object] | None = None) -> SettingsResult:
    """Return the settings in force: flags over environment over voice.toml over defaults; warnings go to stderr."""
    from voice.adapters.system.config_file import CONFIG_NAME, read_config

    home = home_of(ctx)
    said = {"store.home": str(home), **(flags or {})}
    result = parse_settings(said, dict(os.environ), read_config(home / CONFIG_NAME))
    for warning in result.warnings:
        click.echo(f"voice: {warning}", err=True)
    return result


def run(
    ctx: click.Context,
    work: Callable[["Services"], Awaitable[_T]],
    *,
    flags: Mapping[str, object] | None = None,
    gated: bool = True,
) -> _T:
    """Open the memory, do `work` with its services, close it, and return what `work` returned.

    Args:
        flags: settings said on the command line, by setting name.
        gated: whether the command is refused while the inner voice is switched off (ruling A8).

    Raises:
        FeatureDisabled: the inner voice is off.
        VoiceError: whatever opening or the work raises.
    """
    import anyio

    from voice.bootstrap import open_services

    settings = read_settings(ctx, flags).settings
    if gated:
        settings.gate.require()

    async def whole() -> _T:
        async with open_services(settings, home_of(ctx)) as services:
            return await work(services)

    return anyio.run(whole)


def print_json(document: Mapping[str, object] | list[object]) -> None:
    """Print one JSON document, UTF-8, keys in the order given."""
    sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2) + "\n")


def console(*, stderr: bool = False) -> "Console":
    """Return a rich console; plain when the output is no terminal or NO_COLOR is set."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, soft_wrap=not (sys.stderr if stderr else sys.stdout).isatty())


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


@contextmanager
def progress(title: str, total: int | None) -> Generator[Callable[[int], None]]:
    """Show a progress bar on stderr while the block runs; yields `advance(steps)`. Silent without a terminal."""
    if not sys.stderr.isatty():
        yield lambda _steps: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total)
        yield lambda steps: bar.advance(task, steps)
