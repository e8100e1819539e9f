"""Reading the lines of a conversation: from a terminal or a pipe.

Law: at a terminal a line is edited, recalled and completed; from a pipe or a `dumb` terminal the same lines are read
plainly. Earlier questions come from the stored conversations and are kept nowhere else: what is deleted, forgotten or
redacted there is not recalled (promise 6). No library writes to the terminal on its own account (ruling J4).
"""

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final, Protocol

import click

from voice.entrypoints.cli.chat.commands import CompletionWords, completions
from voice.entrypoints.cli.terminal.input import wait_for_line
from voice.entrypoints.cli.terminal.printing import is_uncoloured

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import CompleteEvent, Completer, Completion
    from prompt_toolkit.document import Document
    from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
    from prompt_toolkit.output import Output

_PROMPT: Final = "> "
_GOES_ON: Final = ". "
"""Before a further line of what is typed."""
_MORE: Final = "\\"
_ROWS: Final = 24
_COLUMNS: Final = 80
"""Of a terminal that does not say."""
_HELPLESS: Final = frozenset({"", "dumb", "unknown"})


class Lines(Protocol):
    """Hands on what a person types, line by line."""

    @property
    def is_terminal(self) -> bool:
        """Whether a person sits there, who can go on after Ctrl-C."""
        ...

    def read(self) -> str | None:
        """Return what is typed next, which may have several lines; None: the input has ended.

        Raises:
            KeyboardInterrupt: Ctrl-C was pressed on an empty line.
        """
        ...

    def recall(self, questions: Sequence[str]) -> None:
        """Let these questions be recalled from now on, the oldest first, in the place of all others."""
        ...


class PlainLines:
    """`Lines` from a pipe, a file or a terminal that can do nothing; a backslash at the end takes the next along."""

    def __init__(self) -> None:
        self.is_terminal = sys.stdin.isatty()

    def read(self) -> str | None:
        """Return the next line; see `Lines`."""
        said: list[str] = []
        while True:
            click.echo(_GOES_ON if said else _PROMPT, nl=False, err=True)
            wait_for_line()
            line = sys.stdin.buffer.readline().decode(errors="replace")
            text = line.rstrip("\r\n")
            if not text.endswith(_MORE):
                break
            said.append(text[: -len(_MORE)])
        if not line:
            click.echo("", err=True)  # the input ended behind the prompt
        return "\n".join([*said, text]) if line or said else None

    def recall(self, questions: Sequence[str]) -> None:
        """Recall nothing; the terminal cannot."""


class EditedLines:
    """`Lines` from a terminal: edited, recalled and completed."""

    def __init__(self, questions: Sequence[str], words: Callable[[], CompletionWords]) -> None:
        """Draw on stderr, so that stdout holds answers alone; `questions` are the oldest first."""
        self.is_terminal = True
        self._words = words
        self._output = _output()
        self._session = self._new_session(questions)

    def read(self) -> str | None:
        """Return what is typed next; see `Lines`."""
        try:
            return self._session.prompt()
        except EOFError:
            return None

    def recall(self, questions: Sequence[str]) -> None:
        """Recall these questions; see `Lines`."""
        self._session = self._new_session(questions)

    def _new_session(self, questions: Sequence[str]) -> "PromptSession[str]":
        from prompt_toolkit import PromptSession
        from prompt_toolkit.history import InMemoryHistory
        from prompt_toolkit.output import ColorDepth

        return PromptSession(
            _PROMPT,
            multiline=True,
            prompt_continuation=_GOES_ON,
            history=InMemoryHistory(list(questions)),
            completer=_completer(self._words),
            complete_while_typing=False,
            reserve_space_for_menu=4,
            key_bindings=_keys(),
            enable_suspend=True,
            color_depth=ColorDepth.DEPTH_1_BIT if is_uncoloured() else ColorDepth.DEPTH_4_BIT,
            output=self._output,
        )


def can_edit_lines() -> bool:
    """Return whether a line can be edited here: a terminal on both sides, and no helpless one."""
    return sys.stdin.isatty() and sys.stderr.isatty() and os.environ.get("TERM", "") not in _HELPLESS


def _output() -> "Output":
    """Return stderr as a terminal that is never asked where its cursor stands: not each answers, and a wait is told."""
    from prompt_toolkit.data_structures import Size
    from prompt_toolkit.output.vt100 import Vt100_Output

    def size() -> Size:
        columns, rows = os.get_terminal_size(sys.stderr.fileno())
        return Size(rows=rows or _ROWS, columns=columns or _COLUMNS)

    return Vt100_Output(sys.stderr, size, term=os.environ.get("TERM"), enable_cpr=False)


def _completer(words: Callable[[], CompletionWords]) -> "Completer":
    from prompt_toolkit.completion import Completer, Completion

    class Known(Completer):
        def get_completions(self, document: "Document", complete_event: "CompleteEvent") -> "Iterable[Completion]":
            """Yield completions of the text before the cursor."""
            for each in completions(document.text_before_cursor, words()):
                yield Completion(each.text, start_position=-each.back, display_meta=each.beside)

    return Known()


def _keys() -> "KeyBindings":
    from prompt_toolkit.key_binding import KeyBindings

    keys = KeyBindings()

    @keys.add("enter")
    def _(event: "KeyPressEvent") -> None:
        """Hand the text on; a backslash at the end becomes a further line."""
        typed = event.current_buffer
        if typed.text.endswith(_MORE) and typed.document.is_cursor_at_the_end:
            typed.delete_before_cursor(len(_MORE))
            typed.insert_text("\n")
        else:
            typed.validate_and_handle()

    @keys.add("escape", "enter")
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
