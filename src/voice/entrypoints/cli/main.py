"""The command `voice`, and what to type instead of a word that is no command.

Law: nothing heavy is imported before a command needs it: this module knows the commands' names and groups, and
loads a command's module when it is called. Every failure is one line that says what to do, with the exit code of
its error; a traceback is shown to nobody who did not ask for it (`VOICE_DEBUG=1`). What a mistyped word may mean is
said, as a command with its options as it can be typed, and nothing is run.

Exit codes: 0 answered, 2 usage, 3 refused or (`check`) not proven, 4 disabled or configuration, 5 provider, 6 budget,
7 an audit or a replay found something, 8 a replay could not tell, 10 an exam came out worse, 130 Ctrl-C, 143 SIGTERM,
1 anything else.

Source: DESIGN 8 CLI; STYLE 9.
"""

import io
import os
import re
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from importlib import import_module
from typing import Final, NoReturn

import click

from voice.core.errors import VoiceError
from voice.entrypoints.cli.terminal import forms
from voice.entrypoints.cli.terminal.interrupts import EXIT_INTERRUPTED, EXIT_TERMINATED, Terminated
from voice.entrypoints.cli.terminal.printing import note, print_json

PROGRAM = "voice"
COMPLETE_VARIABLE = "_VOICE_COMPLETE"  # click's own name, made of the program's
_STOPPED = "stopped"
_SURROGATE = re.compile("[\ud800-\udfff]")  # bytes that are not UTF-8, as Python hands them on in arguments
_EVERY_DAY = {  # shown with a line each
    "init": "Make a memory of your own: data directory, settings, key.",
    "remember": "Store a thought.",
    "import": "Import notes, chats, mail or an export.",
    "ask": "Ask one question; get a proven answer or a refusal.",
    "chat": "Ask one question after another in one session.",
}
_OTHERS = {
    "Set up": ("demo", "doctor", "config", "models", "completion"),
    "Bring in": ("sync", "hook", "review"),
    "Look up": ("retrieve", "recall", "organise", "sessions", "report"),
    "Edit": ("correct", "conflicts", "kg", "pins", "capsules"),
    "Remove": ("forget", "redact", "removals"),
    "Keep safe": ("export", "maintain"),
    "Test": ("check", "eval", "verifier", "prompts"),
    "Connect": ("serve", "mcp"),
}
_ELSEWHERE = {  # "kg": module kg.group, name kg; others are named like their module
    "chat": "chat.loop:chat", "capsules": "pins_and_capsules:capsules", "completion": "setup:completion",
    "eval": "eval:eval_", "export": "memory:export", "import": "import_files:import_", "init": "setup:init",
    "kg": "kg.group:kg", "mcp": "serve:mcp", "models": "setup:models", "pins": "pins_and_capsules:pins",
    "recall": "search:recall", "redact": "forget:redact", "remember": "memory:remember",
    "removals": "forget:removals", "retrieve": "search:retrieve",
    "verifier": "check:verifier",
}  # fmt: skip
COMMANDS = {name: _ELSEWHERE.get(name, f"{name}:{name}") for names in (_EVERY_DAY, *_OTHERS.values()) for name in names}
"""The module and the name in it of each command, in the order in which a newcomer needs them."""
_OPTIONS = (
    "Options: --home DIR names the data directory (also VOICE_HOME; default: your platform's place for application "
    "data), --version, -h, --help."
)


class LazyGroup(click.Group):
    """A group that lists its commands without importing them."""

    places: Mapping[str, str]
    """The module of each command and its name there, in the order in which they are listed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names that are listed."""
        return list(self.places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return one command; one that is not listed is here already."""
        if cmd_name not in self.places:
            return super().get_command(ctx, cmd_name)
        module, _, attribute = self.places[cmd_name].partition(":")
        command: click.Command = getattr(import_module(f"voice.entrypoints.cli.{module}"), attribute)
        return command


class _Program(LazyGroup):
    """The group of all commands, in the order a newcomer needs them."""

    places = COMMANDS

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands of every day, the names of the others by group, and the options: one screen."""
        with formatter.section("Every day"):
            formatter.write_dl(list(_EVERY_DAY.items()))
        with formatter.section(f"Others (`{PROGRAM} COMMAND --help` explains each)"):
            formatter.write_dl([(group, ", ".join(names)) for group, names in _OTHERS.items()])
        formatter.write_paragraph()
        formatter.write_text(_OPTIONS)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or say which one was probably meant."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            raise click.UsageError(with_suggestion(error.message, args[0], COMMANDS), ctx=ctx) from None


@click.group(cls=_Program, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="inner-voice", prog_name="voice")  # the distribution is not called like the program
@click.option("--home", envvar="VOICE_HOME", metavar="DIR")
@click.option("--debug", envvar="VOICE_DEBUG", is_flag=True, hidden=True)
@click.pass_context
def cli(ctx: click.Context, home: str | None, debug: bool) -> None:
    """Ask your own notes. Voice answers with what they prove, or refuses to answer. `voice demo` shows how."""
    ctx.obj = {"home": home, "debug": debug}


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave with its exit code."""
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # libraries' warnings tell a person nothing
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # whoever started the program closed it
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - open until the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a character shows its number; it does not stop the program.
            stream.reconfigure(errors="backslashreplace")
    sys.exit(exit_code(None if arguments is None else list(arguments)))


def exit_code(arguments: list[str] | None) -> int:
    """Run the command line and return its exit code; a failure has been told in one line on stderr.

    With `--json` it has been told on stdout as well (schema: schemas/cli/error.schema.json).
    """
    given = sys.argv[1:] if arguments is None else arguments
    try:
        code = _run(given)
        sys.stdout.flush()
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        return 0
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - an entry point: an error ends as one line
        return _told(error, as_json="--json" in given)
    return code


def _told(error: BaseException, *, as_json: bool) -> int:
    if isinstance(error, BrokenPipeError):  # the reader of our output went away (`voice export - | head`): no failure
        _give_up_output()
        return 0
    message, code, exit_code = _failure_of(error)
    note(message if code == _STOPPED else f"{message} [{code}]")
    with suppress(OSError):  # stdout may be closed or full; the note is out already
        if as_json:
            print_json({"error": {"code": code, "message": message}})
    _give_up_output()
    return exit_code


def _failure_of(error: BaseException) -> tuple[str, str, int]:
    """Return what is told of an error, its code, and the exit code that it ends with."""
    match error.__cause__ if isinstance(error.__cause__, KeyboardInterrupt) else error:
        case click.ClickException() as wrong:
            message = wrong.format_message().rstrip(".")
            stop = "" if message.endswith("?") else ";"
            ctx = wrong.ctx if isinstance(wrong, click.UsageError) else None
            path = ctx.command_path if ctx else PROGRAM
            return f"{message}{stop} `{path} --help` shows how", "usage", wrong.exit_code
        case click.exceptions.Abort() | EOFError() | KeyboardInterrupt() as stopped:
            return "stopped", _STOPPED, EXIT_TERMINATED if isinstance(stopped, Terminated) else EXIT_INTERRUPTED
        case VoiceError() as known:
            advised = forms.advice.message_with_advice(known, forms.advice.AT_THE_COMMAND_LINE)
            return advised, known.code, known.exit_code
        case OSError() as refused:
            where = f" ({refused.filename})" if isinstance(refused.filename, str) else ""
            why = refused.strerror or type(refused).__name__
            return f"the system refused: {why}{where}; fix that and run it again", "system_error", 1
        case _:
            # An entry point: whatever is left becomes one line for a person, and a traceback only for who asked for it.
            if os.environ.get("VOICE_DEBUG"):
                raise error
            what = f"something went wrong inside voice ({type(error).__name__}); VOICE_DEBUG=1 shows where"
            return what, VoiceError.code, VoiceError.exit_code


def _run(given: Sequence[str]) -> int:
    if any(_SURROGATE.search(argument) for argument in given):
        raise click.UsageError("an argument is not UTF-8 text; pipe the text in, or give the file another name")
    if instruction := os.environ.get(COMPLETE_VARIABLE):
        from click.shell_completion import shell_complete

        return shell_complete(cli, {}, PROGRAM, COMPLETE_VARIABLE, instruction)
    try:
        with cli.make_context(PROGRAM, list(given)) as ctx:
            code: object = cli.invoke(ctx)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.NoSuchOption as error:
        raise _placed(error) from None
    return code if isinstance(code, int) else 0


def _placed(error: click.NoSuchOption) -> click.UsageError:
    """Return the error, or where `--home` stands that was said behind a command: each has it, and none by itself."""
    if error.option_name != "--home" or error.ctx is None:
        return error
    command = error.ctx.command_path.removeprefix(f"{PROGRAM} ")
    return click.UsageError(f"--home stands before the command: `{PROGRAM} --home DIR {command}`")


def _give_up_output() -> None:
    try:
        sys.stdout.flush()
    except OSError:
        # What is left in the buffer cannot be written; without this the interpreter would try once more, and say so.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


SUGGESTIONS: Final = {
    "add": ("remember",), "answer": ("ask",), "approve": ("review", "kg approve"), "backup": ("maintain backup",),
    "candidates": ("kg candidates",), "clean": ("maintain compact",), "compact": ("maintain compact",),
    "conversations": ("sessions list",), "cost": ("report",), "create": ("init", "remember"), "delete": ("forget",),
    "edit": ("correct",), "entities": ("kg list",), "find": ("retrieve", "ask"), "fix": ("correct", "doctor"),
    "follow": ("sync --watch",), "graph": ("kg list",), "health": ("doctor",), "history": ("sessions list",),
    "info": ("doctor", "config"), "ingest": ("import",), "install": ("models install", "init"),
    "list": ("kg list", "sessions list"), "load": ("import",), "ls": ("kg list", "sessions list"),
    "new": ("remember",), "note": ("remember",), "notes": ("retrieve", "import"), "open": ("serve",),
    "pin": ("pins add",), "query": ("ask", "retrieve"), "question": ("ask",), "rebuild": ("maintain rebuild",),
    "reindex": ("maintain rebuild",), "reject": ("kg reject",), "remove": ("forget",),
    "restore": ("maintain restore-backup",), "rm": ("forget",), "run": ("serve", "chat"), "save": ("remember",),
    "search": ("retrieve", "ask"), "server": ("serve",), "set": ("config",), "settings": ("config",),
    "setup": ("init",), "show": ("kg show", "sessions show"), "stats": ("report",), "status": ("doctor",),
    "store": ("remember",), "summarize": ("organise",), "talk": ("chat",), "ui": ("serve",), "update": ("sync",),
    "usage": ("report",), "verify": ("maintain verify",), "version": ("--version",), "watch": ("sync --watch",),
    "web": ("serve",), "write": ("remember",),
}  # fmt: skip
"""Commands by what is typed, the likeliest first."""


def with_suggestion(message: str, name: str, commands: Iterable[str]) -> str:
    """Return a message about the unknown command `name`, with what was probably meant."""
    if meant := SUGGESTIONS.get(name.casefold()):
        commands_meant = " or ".join(f"`voice {each}`" for each in meant)
        return f"{message.partition(' Did you mean')[0]} Did you mean {commands_meant}?"
    close = get_close_matches(name, commands, n=1)
    return f"{message} Did you mean {close[0]!r}?" if close and "Did you mean" not in message else message
