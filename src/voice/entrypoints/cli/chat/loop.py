"""`voice chat`: read lines and do what they say.

Law: a line is a question or a command; an unknown command is named, an empty line does nothing. Ctrl-C cancels what
is running or clears the line, and the conversation goes on. The same lines do the same at a terminal and from a pipe.

Source: DESIGN 8; rulings D21, D25; docs/sessions.md, "When things go wrong".
"""

from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from voice.entrypoints.cli.ask import TURN, Form, model_flags, model_option, plain_option
from voice.entrypoints.cli.terminal.held_memory import HELD_MEMORY, hold_open
from voice.entrypoints.cli.terminal.input import interruptible_prompts
from voice.entrypoints.cli.terminal.interrupts import InterruptedTwice, Terminated
from voice.entrypoints.cli.terminal.printing import note
from voice.entrypoints.cli.terminal.request_options import options_said, request_options
from voice.entrypoints.cli.terminal.runtime import home_of, settings_to_open

if TYPE_CHECKING:
    from collections.abc import Generator
    from contextlib import AbstractAsyncContextManager

    from voice.bootstrap import Services
    from voice.entrypoints.cli.chat.conversation import Conversation
    from voice.entrypoints.cli.chat.line_input import Lines
    from voice.services.runtime.turn import AskRequest

_WITHDRAWN = "question cancelled; you are still in the conversation"
_STOPPED = "stopped; you are still in the conversation"
_LEAVE = "press Ctrl-D or type /quit to leave"


@click.command()
@request_options(TURN)
@model_option
@plain_option
@click.pass_context
def chat(ctx: click.Context, *, plain: bool, model: str | None, **options: object) -> None:
    """Ask one question after another, and look after your memory while you do.

    A line that begins with / is a command: /help lists them. At a terminal the arrow keys bring back what you asked
    before, Tab completes commands, conversations and names, and a backslash at the end of a line, or Alt-Enter, starts
    another line.

    Ctrl-C stops the answer that voice is working on, or clears what you typed; Ctrl-D and /quit end the conversation.
    The stance you choose also applies after /new.

    \b
    Examples:
      voice chat --new "the kiln"
      printf '%s\\n' "Where is the kiln?" "/why" | voice chat
    """
    from voice.entrypoints.shared.turns import question_asked

    if options["session"] is not None and options["new_topic"] is not None:
        raise click.UsageError("choose one of -s ID and --new TOPIC")
    request = question_asked({**options_said(ctx, TURN, options), "create": True})
    settings = settings_to_open(ctx, flags=model_flags(model), gated=True)
    from voice.bootstrap import open_services

    converse(ctx.find_root(), open_services(settings, home_of(ctx)), request, "plain" if plain else None)


def converse(
    root: click.Context,
    opening: "AbstractAsyncContextManager[Services]",
    request: "AskRequest",
    form: Form | None = None,
) -> None:
    """Read lines from the terminal and do what they say until there are no more."""
    from voice.entrypoints.cli.chat.actions import ConversationEnded, tell_current_session
    from voice.entrypoints.cli.chat.conversation import Conversation
    from voice.entrypoints.cli.chat.line_input import EditedLines, PlainLines, can_edit_lines

    with interruptible_prompts(), hold_open(opening) as memory:
        root.obj[HELD_MEMORY] = memory
        try:
            talk = Conversation(memory=memory, ctx=root, request=request, form=form)
            talk.check()
            lines = EditedLines(talk.questions(), talk.words) if can_edit_lines() else PlainLines()
            click.echo("Ask a question. /help lists the commands; /quit ends the conversation.", err=True)
            if lines.is_terminal:
                tell_current_session(talk)
            while (line := _next_line(lines)) is not None:
                with _reporting_failures(lines):
                    _carry_out(talk, lines, line)
        except ConversationEnded:
            return
        finally:
            del root.obj[HELD_MEMORY]


def _next_line(lines: "Lines") -> str | None:
    with _reporting_failures(lines, _LEAVE):
        return lines.read()
    return ""


def _carry_out(talk: "Conversation", lines: "Lines", line: str) -> None:
    """Do what a line says."""
    from voice.entrypoints.cli.chat.actions import ACTIONS, CHANGING_HISTORY
    from voice.entrypoints.cli.chat.commands import CommandCall, InvalidCommand, Question, read_line

    match read_line(line):
        case None:
            return
        case InvalidCommand(told=told):
            raise click.UsageError(told)
        case CommandCall(command=command, argument=argument):
            ACTIONS[command.name](talk, argument)
            if command.name in CHANGING_HISTORY and lines.is_terminal:
                lines.recall(talk.questions())
        case Question(text=text):
            try:
                talk.ask(text)
            except (Terminated, InterruptedTwice):
                raise
            except KeyboardInterrupt:
                _require_terminal(lines)
                talk.go_on_after_withdrawal()
                _tell_stopped(_WITHDRAWN)


@contextmanager
def _reporting_failures(lines: "Lines", stopped: str = _STOPPED) -> "Generator[None]":
    """Say what went wrong in the block, or that Ctrl-C `stopped` it, and let the conversation go on."""
    from voice.core.errors import VoiceError
    from voice.entrypoints.cli.chat.commands import with_chat_commands
    from voice.entrypoints.shared.advice import IN_A_CONVERSATION, message_with_advice

    try:
        yield
    except click.exceptions.Exit:
        return  # a command ended with an exit code of its own, and has said why
    except click.ClickException as error:
        note(error.format_message())
    except VoiceError as error:
        note(with_chat_commands(f"{message_with_advice(error, IN_A_CONVERSATION)} [{error.code}]"))
    except (Terminated, InterruptedTwice):
        raise
    except (KeyboardInterrupt, click.Abort):
        _require_terminal(lines)
        _tell_stopped(stopped)


def _require_terminal(lines: "Lines") -> None:
    """End everything where nobody sits who could go on: what is piped in has no prompt to go back to."""
    if not lines.is_terminal:
        raise KeyboardInterrupt


def _tell_stopped(what: str) -> None:
    click.echo("", err=True)  # what was typed stands on the terminal's line
    note(what)
