"""`voice hook install`, `uninstall` and `status`.

Law: what changes in a host's settings is shown before it is asked for, and nothing else in them changes; a preview
changes nothing. Status tells counts and places, and no word that anybody said.
"""

import os
import shlex
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from voice.core.capture.hosts import CaptureTotals, Host
from voice.core.errors import ConfigurationError
from voice.core.text.display import counted, printable, printable_block
from voice.entrypoints.cli.terminal.input import confirm
from voice.entrypoints.cli.terminal.printing import note, print_json, wants_json
from voice.entrypoints.cli.terminal.runtime import JsonCommand, flag, home_of, require_home, run
from voice.entrypoints.shared.notes import omitted_in_words

if TYPE_CHECKING:
    from voice.adapters.system.host_settings import SettingsFile
    from voice.bootstrap import Services
    from voice.core.capture.hosts import EndedSession

_NEXT: Final[Mapping[Host, str]] = {
    Host.CLAUDE_CODE: "voice captures the sessions that you start from now on, when they end",
    Host.CODEX: "now open Codex, type /hooks and trust the new entry; Codex versions without SessionEnd ignore it",
    Host.GEMINI_CLI: "voice captures the sessions that you start from now on, when they end",
}
_host_argument = click.argument("host", type=click.Choice([host.value for host in Host]))
_yes_option = flag("--yes", "Do not ask.")
_preview_option = flag("--dry-run", "Show what would change, and change nothing.")


@click.command(cls=JsonCommand)
@_host_argument
@_preview_option
@_yes_option
def install(host: str, dry_run: bool, yes: bool) -> None:
    """Set up a host to pass on each session when it ends.

    It first shows what changes in the host's settings.

    \b
    Examples:
      voice hook install claude-code --dry-run
      voice hook install codex
      voice hook install gemini-cli --yes
    """
    require_home()
    file = _settings(Host(host))
    after = file.with_hook(_command(file.host))
    if _change(file, after, "installs the hook", yes=yes, dry_run=dry_run) and not wants_json():
        click.echo(f"installed: {_NEXT[file.host]}")


@click.command(cls=JsonCommand)
@_host_argument
@_preview_option
@_yes_option
def uninstall(host: str, dry_run: bool, yes: bool) -> None:
    """Remove the hook from a host's settings. What was captured stays.

    \b
    Example: voice hook uninstall claude-code
    """
    file = _settings(Host(host))
    after = file.without_hook()
    if _change(file, after, "removes the hook", yes=yes, dry_run=dry_run) and not wants_json():
        click.echo("uninstalled; what was captured stays")


def _change(file: "SettingsFile", after: str, deed: str, *, yes: bool, dry_run: bool) -> bool:
    """Show a change of a host's settings, ask, and write it; return whether it was written."""
    path, is_new = str(file.path), file.text != after  # the hook may be there already
    diff = list(unified_diff(file.text.splitlines(), after.splitlines(), path, path, lineterm="", n=2))
    if not wants_json():
        click.echo(printable_block("\n".join(diff)) if is_new else f"nothing to change in {printable(path)}")
    is_written = is_new and not dry_run
    if is_written:
        confirm(f"Change {printable(path)}?", yes=yes, what=deed)  # after the diff was shown
        file.write(after)
    if wants_json():
        print_json({"host": file.host.value, "file": path, "changed": is_new, "dry_run": dry_run, "diff": diff})
    return is_written


@click.command(cls=JsonCommand)
def status() -> None:
    """Show what is captured, left out, or waiting for review.

    It also shows for each host whether the hook is installed, and why voice left something out.

    \b
    Example: voice hook status
    """
    hosts, spooled = run(_statuses)
    if wants_json():
        entries = [
            {
                "entry": key,
                "host": ended.host.value,
                "session": ended.session,
                "transcript": ended.transcript,
                "fault": fault,
            }
            for key, (ended, fault) in spooled.items()
        ]
        print_json({"hosts": [each.as_json() for each in hosts], "spooled": entries})
        return
    for each in hosts:
        click.echo("\n".join(each.lines()))
    for key, (ended, fault) in spooled.items():
        what = f"{ended.host.value} {ended.session}" if ended.session else key
        click.echo(f"waits: {printable(what)}" + (f": {printable(fault)}" if fault else ""))
    if not spooled and not any(each.captured.sessions or each.captured.ignored for each in hosts):
        installed = [each.host for each in hosts if each.is_installed]
        then = _NEXT[installed[0]] if installed else "`voice hook install claude-code` starts it"
        note(f"no sessions captured yet; {then}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _HostStatus:
    """How it stands with one host."""

    host: Host
    file: str | None  # None: it cannot be read
    is_installed: bool
    fault: str | None  # why its settings cannot be understood
    captured: CaptureTotals
    waiting: int  # messages that wait for their owner's word

    def as_json(self) -> dict[str, object]:
        """Return it as JSON values (schema: schemas/cli/hook-status.schema.json)."""
        left_out = sorted(self.captured.left_out.items())
        return {
            "host": self.host.value,
            "file": self.file,
            "installed": self.is_installed,
            "fault": self.fault,
            "sessions": len(self.captured.sessions),
            "messages": self.captured.messages,
            "messages_waiting": self.waiting,
            "messages_naming_unfound": self.captured.unfound,
            "left_out": [{"reason": reason, "count": count} for reason, count in left_out],
            "sessions_ignored": self.captured.ignored,
        }

    def lines(self) -> Iterator[str]:
        """Yield it in words."""
        host, captured = self.host.value, self.captured
        yield f"{host}: {'installed' if self.is_installed else printable(self.fault or 'not installed')}"
        if captured.sessions:
            came = f"{counted(len(captured.sessions), 'session')}, {counted(captured.messages, 'message')}"
            yield f"  captured: {came}; {self.waiting:,} wait for `voice review --from {host}`"
        if captured.unfound:
            yield f"  {counted(captured.unfound, 'message')} naming files or commits that were not found"
        for reason, count in sorted(captured.left_out.items()):
            yield f"  left out: {omitted_in_words(reason, count)}"
        if captured.ignored:
            yield f"  left out by your ignore rules: {counted(captured.ignored, 'session')}"


async def _statuses(services: "Services") -> "tuple[list[_HostStatus], Mapping[str, tuple[EndedSession, str | None]]]":
    from voice.core.graph.thoughts.vouching import NotedFilter

    # Counts alone are told, so private notes count, too; a captured one has a source, what a tool noted has none.
    page = await services.review.vouching.listed(NotedFilter(include_private=True))
    names = [each.noted_by for each in page.thoughts if each.source_ref is not None]
    spool = services.capturing.spool
    captured = await spool.captured()
    hosts = [_status_of(host, captured.get(host, CaptureTotals()), names.count(host.value)) for host in Host]
    return hosts, await spool.waiting()


def _status_of(host: Host, captured: CaptureTotals, waiting: int) -> _HostStatus:
    path = fault = None
    is_installed = False
    try:
        file = _settings(host)
        path, is_installed = str(file.path), bool(file.installed())
    except ConfigurationError as error:  # a broken file of one host does not hide the others
        fault = error.message
    return _HostStatus(host=host, file=path, is_installed=is_installed, fault=fault, captured=captured, waiting=waiting)


def _settings(host: Host) -> "SettingsFile":
    from voice.adapters.system.host_settings import settings_of

    return settings_of(host, Path.home(), os.environ)


def _command(host: Host) -> str:
    """Return what the host is to run: this program and this memory, by their full paths."""
    script = Path(sys.executable).with_name("voice")  # beside the interpreter: the one of this environment
    program = [str(script)] if script.exists() else [sys.executable, "-m", "voice"]
    return shlex.join([*program, "--home", str(home_of()), "hook", "run", host.value])
