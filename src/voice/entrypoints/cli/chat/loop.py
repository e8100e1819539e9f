"""`voice chat`: read lines, from a terminal or a pipe, and do what they say.

Law: a line is a question or a command; an unknown command is named, an empty line does nothing. Ctrl-C cancels what
is running or clears the line, and the conversation goes on. The same lines do the same at a terminal and from a pipe.
At a terminal a line is edited, recalled and completed; from a pipe or a `dumb` terminal it is read plainly. Earlier
questions come from the stored conversations and are kept nowhere else: what is deleted, forgotten or redacted there is
not recalled (promise 6). No library writes to the terminal on its own account (ruling J4).

Source: DESIGN 8; rulings D21, D25; docs/sessions.md, "When things go wrong".
"""

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Final

import click

from voice.core.errors import VoiceError
from voice.entrypoints.cli.ask import TURN, Form, model_flags, model_option, plain_option
from voice.entrypoints.cli.chat import commands
from voice.entrypoints.cli.chat.actions import ACTIONS, CHANGING_HISTORY, ConversationEnded, tell_current_session
from voice.entrypoints.cli.chat.conversation import Conversation
from voice.entrypoints.cli.terminal import forms
from voice.entrypoints.cli.terminal.input import interruptible_prompts, wait_for_line
from voice.entrypoints.cli.terminal.interrupts import HELD_MEMORY, InterruptedTwice, Terminated, hold_open
from voice.entrypoints.cli.terminal.printing import is_uncoloured, note
from voice.entrypoints.cli.terminal.request_options import options_said, request_options
from voice.entrypoints.cli.terminal.runtime import home_of, root_context, run, settings_to_open

if TYPE_CHECKING:
    from collections.abc import Generator
    from contextlib import AbstractAsyncContextManager

    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import CompleteEvent, Completer, Completion
    from prompt_toolkit.document import Document
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
    from prompt_toolkit.output import Output

    from voice.bootstrap import Services
    from voice.services.runtime.turn import AskRequest

_PROMPT: Final = "> "
_GOES_ON: Final = ". "  # before a further line of what is typed
_MORE: Final = "\\"  # at the end of a line
_ROWS: Final = 24  # of a terminal that does not say how large it is
_COLUMNS: Final = 80
_HELPLESS: Final = frozenset({"", "dumb", "unknown"})  # terminals that can move no cursor


class PlainLines:
    """Lines from a pipe, a file or a terminal that can do nothing; a backslash at the end takes the next along."""

    def __init__(self) -> None:
        self.is_terminal = sys.stdin.isatty()  # then a person sits there, who can go on after Ctrl-C

    def read(self) -> str | None:
        """Return what is typed next; None: the input has ended. Raises KeyboardInterrupt: Ctrl-C, on an empty line."""
        said: list[str] = []
        while True:
            click.echo(_GOES_ON if said else _PROMPT, nl=False, err=True)
            wait_for_line()  # so that Ctrl-C is heeded (see `terminal.input`)
            line = sys.stdin.buffer.readline().decode(errors="replace")
            text = line.rstrip("\r\n")
            if not text.endswith(_MORE):
                break
            said.append(text[: -len(_MORE)])
        if not line:
            click.echo("", err=True)  # the input ended behind the prompt
        return "\n".join([*said, text]) if line or said else None  # a backslash at the end of the input still ends it

    def recall(self, questions: Sequence[str]) -> None:
        """Recall nothing; the terminal cannot."""


class EditedLines:
    """Lines from a terminal: edited, recalled and completed."""

    def __init__(self, questions: Sequence[str], words: Callable[[], commands.CompletionWords]) -> None:
        """Draw on stderr, so that stdout holds answers alone; `questions` are the oldest first."""
        self.is_terminal = True
        self._words = words
        self._output = _output()
        self._session = self._new_session(questions)

    def read(self) -> str | None:
        """Return what is typed next; see `PlainLines`."""
        try:
            return self._session.prompt()
        except EOFError:
            return None

    def recall(self, questions: Sequence[str]) -> None:
        """Let these questions be recalled from now on, the oldest first, in the place of all others."""
        self._session = self._new_session(questions)

    def _new_session(self, questions: Sequence[str]) -> "PromptSession[str]":
        from prompt_toolkit import PromptSession
        from prompt_toolkit.history import InMemoryHistory
        from prompt_toolkit.output import ColorDepth

        return PromptSession(
            _PROMPT,
            multiline=True,
            prompt_continuation=_GOES_ON,  # before each further line
            history=InMemoryHistory(list(questions)),
            completer=_completer(self._words),
            complete_while_typing=False,
            reserve_space_for_menu=4,  # rows kept free below the line
            key_bindings=_keys(),
            enable_suspend=True,  # Ctrl-Z works as in a shell
            color_depth=ColorDepth.DEPTH_1_BIT if is_uncoloured() else ColorDepth.DEPTH_4_BIT,
            output=self._output,
        )


Lines = PlainLines | EditedLines


def can_edit_lines() -> bool:
    """Return whether a line can be edited here: a terminal on both sides, and no helpless one."""
    return sys.stdin.isatty() and sys.stderr.isatty() and os.environ.get("TERM", "") not in _HELPLESS


def _output() -> "Output":
    """Return stderr as a terminal that is never asked where its cursor stands: not each answers, and a wait is told."""
    from prompt_toolkit.data_structures import Size
    from prompt_toolkit.output.vt100 import Vt100_Output

    def size() -> Size:
        columns, rows = os.get_terminal_size(sys.stderr.fileno())
        return Size(rows=rows or _ROWS, columns=columns or _COLUMNS)  # 0 is what some terminals answer

    return Vt100_Output(sys.stderr, size, term=os.environ.get("TERM"), enable_cpr=False)


def _completer(words: Callable[[], commands.CompletionWords]) -> "Completer":
    from prompt_toolkit.completion import Completer, Completion

    class Known(Completer):
        def get_completions(self, document: "Document", complete_event: "CompleteEvent") -> "Iterable[Completion]":
            """Yield completions of the text before the cursor."""
            for each in commands.completions(document.text_before_cursor, words()):
                yield Completion(each.text, start_position=-each.back, display_meta=each.beside)

    return Known()


def _keys() -> "KeyBindings":
    from prompt_toolkit.key_binding import KeyBindings

    keys = KeyBindings()

    @keys.add("enter")
    def _(event: "KeyPressEvent") -> None:
        """Hand the text on; a backslash at the end becomes a further line."""
        typed = event.current_buffer
        # In the middle of the text, the backslash is a word of it.
        if typed.text.endswith(_MORE) and typed.document.is_cursor_at_the_end:
            typed.delete_before_cursor(len(_MORE))
            typed.insert_text("\n")
        else:
            typed.validate_and_handle()

    @keys.add("escape", "enter")  # Alt-Enter arrives as ESC, Enter
    def _(event: "KeyPressEvent") -> None:
        """Begin a further line."""
        event.current_buffer.insert_text("\n")

    @keys.add("c-c")
    def _(event: "KeyPressEvent") -> None:
        """Drop what was typed; where nothing was, let the conversation say how to leave it."""
        if event.current_buffer.text:
            event.current_buffer.reset()
        else:
            event.app.exit(exception=KeyboardInterrupt(), style="class:aborting")

    return keys


_WITHDRAWN = "question cancelled; you are still in the conversation"
_STOPPED = "stopped; you are still in the conversation"
_LEAVE = "press Ctrl-D or type /quit to leave"


@click.command()
@request_options(TURN)
@model_option
@plain_option
def chat(*, plain: bool, model: str | None, **options: object) -> None:
    """Ask one question after another in one session.

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
    if options["session"] is not None and options["new_topic"] is not None:
        raise click.UsageError("choose one of -s ID and --new TOPIC")
    request = forms.sessions.question_asked({**options_said(TURN, options), "create": True})
    settings = settings_to_open(flags=model_flags(model), gated=True)
    from voice.bootstrap import open_services

    converse(open_services(settings, home_of()), request, "plain" if plain else None)


def converse(opening: "AbstractAsyncContextManager[Services]", request: "AskRequest", form: Form | None = None) -> None:
    """Read lines from the terminal and do what they say until there are no more."""
    with interruptible_prompts(), hold_open(opening) as memory:
        held = root_context().obj
        held[HELD_MEMORY] = memory  # commands inside the conversation find it there
        try:
            talk = Conversation(request=request, form=form)
            run(talk.check)  # a wrong -s or --when fails before the first line is typed
            known = partial(run, talk.words)
            lines = EditedLines(run(talk.questions), known) if can_edit_lines() else PlainLines()
            click.echo("Ask a question. /help lists the commands; /quit ends the conversation.", err=True)
            if lines.is_terminal:  # a pipe has no person to tell
                tell_current_session(talk)
            while (line := _next_line(lines)) is not None:
                with _reporting_failures(lines):
                    _carry_out(talk, lines, line)
        except ConversationEnded:
            return
        finally:
            del held[HELD_MEMORY]  # a later command opens its own


def _next_line(lines: Lines) -> str | None:
    with _reporting_failures(lines, _LEAVE):
        return lines.read()
    return ""  # after Ctrl-C: nothing was typed


def _carry_out(talk: Conversation, lines: Lines, line: str) -> None:
    match commands.read_line(line):
        case None:
            return
        case commands.InvalidCommand(told=told):
            raise click.UsageError(told)
        case commands.CommandCall(command=command, argument=argument):
            ACTIONS[command.name](talk, argument)
            if command.name in CHANGING_HISTORY and lines.is_terminal:  # words that were asked before may be gone
                lines.recall(run(talk.questions))
        case commands.Question(text=text):
            try:
                talk.ask(text)
            except (Terminated, InterruptedTwice):  # both end the conversation
                raise
            except KeyboardInterrupt:
                _require_terminal(lines)
                talk.go_on_after_withdrawal()  # the turn may have been stored before it was withdrawn
                _tell_stopped(_WITHDRAWN)


@contextmanager
def _reporting_failures(lines: Lines, stopped: str = _STOPPED) -> "Generator[None]":
    """Say what went wrong in the block, or that Ctrl-C `stopped` it, and let the conversation go on."""
    try:
        yield
    except click.exceptions.Exit:
        return  # a command ended with an exit code of its own, and has said why
    except click.ClickException as error:
        note(error.format_message())
    except VoiceError as error:
        advised = forms.advice.message_with_advice(error, forms.advice.IN_A_CONVERSATION)
        note(commands.with_chat_commands(f"{advised} [{error.code}]"))
    except (Terminated, InterruptedTwice):  # they end the conversation
        raise
    except (KeyboardInterrupt, click.Abort):
        _require_terminal(lines)
        _tell_stopped(stopped)


def _require_terminal(lines: Lines) -> None:
    """End everything where nobody sits who could go on: what is piped in has no prompt to go back to."""
    if not lines.is_terminal:
        raise KeyboardInterrupt


def _tell_stopped(what: str) -> None:
    click.echo("", err=True)  # what was typed stands on the terminal's line
    note(what)
