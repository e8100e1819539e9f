"""`voice hook`: sessions of agents come in when they end.

Law: a host waits while `voice hook run` runs, so it imports only what writes one small file, and always ends with 0 and
an empty stdout. The next command that opens the memory, or the process that keeps it open, takes the session in.

Source: docs/capture.md.
"""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, cast

import click

from voice.core.errors import VoiceError
from voice.entrypoints.cli.main import LazyGroup
from voice.entrypoints.cli.terminal.printing import note

_COMMANDS: Final = {
    "install": "Set up a host to pass on each session when it ends.",
    "uninstall": "Remove the hook from a host's settings.",
    "status": "Show what is captured, left out, or waiting for review.",
}
_PLACES: Final = {name: f"hook_setup:{name}" for name in _COMMANDS}
_MOST_BYTES: Final = 1024 * 1024  # a host sends a few paths


class _Hooks(LazyGroup):
    """The commands for a person; the one for hosts is known, and not listed."""

    places = _PLACES

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands from the table above."""
        with formatter.section("Commands"):
            formatter.write_dl(list(_COMMANDS.items()))


@click.group(cls=_Hooks)
def hook() -> None:
    """Capture the sessions of Claude Code, Codex and Gemini CLI.

    When a session ends, voice stores what was said, word for word, without a model. Answers cite it only after you
    approve it with `voice review`.

    \b
    Example: voice hook install claude-code
    """


@hook.command("run", hidden=True)
@click.argument("host")
def run_hook(host: str) -> int:
    """Hand over the session that a host says has ended, on standard input. The host runs this."""
    try:
        _hand_over(host)
    except VoiceError as error:
        note(f"this session was not captured: {error.message} [{error.code}]")
    except (OSError, ValueError, TypeError, RecursionError) as error:
        note(f"this session was not captured: the input from {host} is not valid ({type(error).__name__})")
    return 0


def _hand_over(host: str) -> None:
    from voice.adapters.system.spool_writer import HOSTS, write_entry

    said: object = json.loads(sys.stdin.buffer.read(_MOST_BYTES))  # more than the limit is cut, and then is not JSON
    if not isinstance(said, dict):
        raise TypeError
    told = cast("dict[str, object]", said)
    if host not in HOSTS:  # HOSTS, not `Host`: importing that enum costs the host time
        raise ValueError
    session, transcript, cwd = (told.get(name) for name in ("session_id", "transcript_path", "cwd"))
    if not isinstance(session, str) or not session:
        raise ValueError
    home = _home()
    if not home.is_dir():  # makes nothing: a hook may outlive its memory
        note(f"this session was not captured: there is no memory in {home}; `voice init` makes one")
        return
    entry = {
        "host": host,
        "session": session,
        "transcript": transcript if isinstance(transcript, str) and transcript else None,
        "cwd": cwd if isinstance(cwd, str) else "",
        "ended_at": datetime.now(UTC).isoformat(timespec="microseconds"),
    }
    write_entry(home, entry)


def _home() -> Path:
    named: str | None = click.get_current_context().find_root().obj["home"]
    if named is not None:
        return Path(named).expanduser()  # no settings are read: only the place is needed
    from voice.adapters.system.data_directory import data_directory

    return data_directory()
