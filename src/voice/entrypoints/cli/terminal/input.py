"""Asking a person at the terminal: for a key, a line, a sentence out of several, a confirmation.

Law: at a terminal one key is enough; from a pipe, each line is a key with its answer, and is echoed. Ctrl-C is heeded
at any instant: Python notices a signal between two instructions, so one that comes just before the wait for a line
would be noticed only after it; therefore a line or a signal is waited for, whichever comes first. A sentence is shown
in its note before it is changed; of a private note, nothing but the sentence that was named.

Source: ruling D25; docs/sessions.md, "When things go wrong"; ruling I9; promise 6.
"""

import os
import select
import sys
import threading
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import click

from voice.core.errors import InvalidParams
from voice.core.records import Thought
from voice.core.text.display import context_of, printable, truncate
from voice.entrypoints.cli.terminal.printing import day_of, print_first
from voice.entrypoints.cli.terminal.runtime import run

if TYPE_CHECKING:
    from voice.bootstrap import Services
    from voice.core.graph.thoughts.sentence_edits import SentenceMatch, TextRow

KEYS: Final = "a approve  r reject  e edit  l alias  s skip  u undo  q quit"
_LINE_BYTES: Final = 65_536  # more than a terminal's line holds
_ESCAPE: Final = b"\x1b"  # it begins what an arrow key sends
_ENDS: Final = (b"", b"\x04")  # the end of the input, and Ctrl-D where keys are handed on one by one
_SEQUENCE_S: Final = 0.05  # seconds in which a terminal sends the rest of what an arrow or function key is


class KeyReader:
    """Reads keys from a terminal, or lines from anything else."""

    def __init__(self) -> None:
        self.is_terminal = sys.stdin.isatty()

    async def key(self) -> tuple[str, str]:
        """Return the next key and what was written behind it; `q` at the end of the input."""
        if self.is_terminal:
            with _key_by_key():
                click.echo(f"[{KEYS}] ", err=True)
                pressed = await _typed(1)
                if pressed == _ESCAPE:
                    _pass_over_sequence()
            return ("q" if pressed in _ENDS else pressed.decode(errors="replace").strip().lower() or " "), ""
        click.echo(f"[{KEYS}] ", nl=False, err=True)
        line = await self._line()
        # A terminal shows what is typed; echo what is piped in, so that it is clear which key went to which candidate.
        click.echo(printable(line).strip() if line else "q (the input has ended)", err=True)
        head, _, rest = line.strip().partition(" ")
        # "r not a person": the key, then what belongs to it.
        return ("q", "") if not line else (head.lower() or " ", rest.strip())

    async def answer(self, question: str) -> str:
        """Return a line, without its end; nothing where the input ends, as with Ctrl-D."""
        click.echo(f"{question}: ", nl=False, err=True)
        if self.is_terminal:
            return (await _typed(_LINE_BYTES)).decode(errors="replace").strip()
        line = (await self._line()).strip()
        click.echo(printable(line), err=True)
        return line

    async def _line(self) -> str:
        from anyio import to_thread

        # In a thread: a blocked loop would hear no Ctrl-C.
        return (await to_thread.run_sync(sys.stdin.buffer.readline)).decode(errors="replace")


@contextmanager
def _key_by_key() -> Generator[None]:
    """Let the terminal hand on each key as it is pressed, without showing it; Ctrl-C works as ever."""
    import termios
    import tty

    stdin = sys.stdin.fileno()
    before = termios.tcgetattr(stdin)
    try:
        tty.setcbreak(stdin, termios.TCSADRAIN)  # what was typed ahead is not thrown away
        yield
    finally:
        termios.tcsetattr(stdin, termios.TCSADRAIN, before)


def _pass_over_sequence() -> None:
    """Read the rest of what an arrow or function key sends behind ESC: its last letter is no answer (`ESC [ A`)."""
    stdin = sys.stdin.fileno()
    is_open = True
    while is_open and select.select([stdin], [], [], _SEQUENCE_S)[0]:
        byte = os.read(stdin, 1)
        is_last = byte == b"" or b"\x40" <= byte <= b"\x7e"  # ECMA-48: a sequence ends with a byte from @ to ~
        is_open = byte in (b"[", b"O") or not is_last  # "[" and "O" come second and end nothing


async def _typed(most: int) -> bytes:
    """Return the next bytes that are typed, b"" at the end; read in a daemon thread, so that Ctrl-C ends the wait."""
    import asyncio

    loop = asyncio.get_running_loop()
    typed: asyncio.Future[bytes] = loop.create_future()

    def deliver(found: bytes) -> None:
        if not typed.done():  # cancelled meanwhile: nobody waits for it
            typed.set_result(found)

    def read() -> None:
        try:
            found = os.read(sys.stdin.fileno(), most)
        except OSError:  # the terminal went away
            found = b""
        if not loop.is_closed():  # Ctrl-C came before the line
            loop.call_soon_threadsafe(deliver, found)

    threading.Thread(target=read, daemon=True).start()  # daemon: a read that nobody ends must not hold the exit
    return await typed


def wait_for_line() -> None:
    """Return once standard input can be read; at once where nobody types. Raises KeyboardInterrupt: Ctrl-C."""
    is_typed = sys.stdin.isatty() and os.name == "posix"  # Windows has no `select` for a console
    if is_typed and threading.current_thread() is threading.main_thread():
        _wait_for_line_or_signal()


def _wait_for_line_or_signal() -> None:
    import signal
    import socket

    receiver, sender = socket.socketpair()
    with receiver, sender:
        sender.setblocking(False)  # a signal handler may not block
        # Python writes a byte there when a signal comes.
        before = signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)
        try:
            has_line = False
            while not has_line:
                ready, _, _ = select.select([sys.stdin, receiver], [], [])
                has_line = sys.stdin in ready
                if receiver in ready:
                    receiver.recv(1)  # a signal whose handler raised nothing, such as one of a changed window
        finally:
            signal.set_wakeup_fd(before)  # as it was, also after Ctrl-C


@contextmanager
def interruptible_prompts() -> Generator[None]:
    """Let the prompts of commands wait with an ear for Ctrl-C while the block runs."""
    from click import termui

    reads = termui.visible_prompt_func  # what `click.prompt` and `click.confirm` read with

    def asks(prompt: str) -> str:
        click.echo(prompt, nl=False)  # `click.prompt` has pointed stdout to where it is to be shown
        wait_for_line()
        return reads("")

    termui.visible_prompt_func = asks
    try:
        yield
    finally:
        termui.visible_prompt_func = reads


_SHOWN_CHARS = 300  # characters of a sentence in a list
_AROUND_CHARS = 160  # characters of the note on either side
_WORDS_CHARS = 60  # characters of the searched words in an error
_MOST_SHOWN = 12  # sentences to choose from


def can_ask() -> bool:
    """Return whether somebody is there to answer."""
    return sys.stdin.isatty()


def find_sentence(
    words: str, within: Sequence[str], *, name_it: str, past: bool = False, include_private: bool = False
) -> "SentenceMatch":
    """Return the sentence that contains the words, shown in its note; of several, the one that the person chooses.

    With `past` it may be one of a replaced row; `name_it` is the option that names a row.
    """

    async def look(services: "Services") -> "list[tuple[SentenceMatch, str]]":
        found = await services.sentence_edits.find(words, await services.resolve_ids(within), past=past)
        return [(each, await _label(services, each)) for each in found]

    found = run(look)
    if not found:
        said = truncate(printable(words), _WORDS_CHARS)  # may be a pasted page
        nowhere = f"{', '.join(within)} does not say" if within else "no note says"
        raise InvalidParams(f"{nowhere} {said!r}; search for similar words with `voice retrieve`, which shows ids")
    match, label = found[0] if len(found) == 1 else _chosen(found, name_it, include_private=include_private)
    _show(match, label, include_private=include_private)
    return match


def show_sentence(match: "SentenceMatch", *, include_private: bool) -> None:
    """Show a sentence in its note, with where that is from."""
    _show(match, run(lambda services: _label(services, match)), include_private=include_private)


def _show(match: "SentenceMatch", label: str, *, include_private: bool) -> None:
    click.echo(label, err=True)
    if include_private or not match.row.is_private:
        click.echo(f"    {_in_note(match)}", err=True)


def _chosen(
    found: "Sequence[tuple[SentenceMatch, str]]", name_it: str, *, include_private: bool
) -> "tuple[SentenceMatch, str]":
    shown = (
        f"{label}\n    {truncate(printable(told.sentence), _SHOWN_CHARS)}"
        if include_private or not told.row.is_private
        else label
        for told, label in found
    )
    ids = {told.row.id for told, _ in found}
    by_id = f"add {name_it} {found[0][0].row.id} (or another of these ids), or " if len(ids) > 1 else ""
    return found[choose_one(tuple(shown), f"{len(found):,} sentences match: {by_id}type more words of the sentence")]


def choose_one(shown: "Sequence[str]", nobody: str) -> int:
    """Show a numbered list and return the index of what the person chooses; `nobody` says that nobody can."""
    print_first([f"{number}  {each}" for number, each in enumerate(shown, start=1)], _MOST_SHOWN)
    if not can_ask():
        raise InvalidParams(nobody)
    most = min(len(shown), _MOST_SHOWN)
    said = str(click.prompt(f"Which one (1-{most})", err=True)).strip()
    if not said.isdecimal() or not 0 < int(said) <= most:
        raise InvalidParams(f"{printable(said)!r} is not in the list, so nothing was changed; choose 1 to {most}")
    return int(said) - 1


async def _label(services: "Services", match: "SentenceMatch") -> str:
    row = match.row
    at = await services.source_locations.place(row, match.places[0][0]) if isinstance(row, Thought) else None
    place = f"  {printable(at.label_beside_date)}" if at and not row.is_private else ""
    return f"{row.id}  {day_of(row.created_at)}{place}{'  (private)' if row.is_private else ''}"


def _in_note(match: "SentenceMatch") -> str:
    from voice.core.graph.thoughts.sentence_edits import text_of

    text, (start, end) = text_of(match.row), match.sentences[0]
    sentence = f"«{text[start:end]}»"
    if match.row.is_private:  # of a private note, nothing around it
        return printable(sentence)
    before, behind = context_of(text, start, end, _AROUND_CHARS)
    return " ".join(printable(f"{before}{sentence}{behind}").split())


def choose_sentence(row: "TextRow", said: str | None, *, include_private: bool) -> tuple[int, int] | None:
    """Return the span of the sentence to change, of which `said` is the number or "all"; None: the whole row."""
    from voice.core.graph.thoughts.sentence_edits import sentences_of, text_of

    spans = sentences_of(text_of(row))
    if said == "all" or (said is None and len(spans) < 2):  # a single sentence is the whole row
        return None
    if said is None:
        is_shown = include_private or not row.is_private
        for number, (start, end) in enumerate(spans if is_shown else (), start=1):
            click.echo(f"{number}  {truncate(printable(text_of(row)[start:end]), _SHOWN_CHARS)}", err=True)
        if not can_ask():
            raise InvalidParams(
                f"{row.id} has {len(spans):,} sentences: replace one with --sentence NUMBER, or all with --sentence all"
            )
        said = str(click.prompt(f"Which one (1-{len(spans)}, or all)", err=True)).strip()
        return choose_sentence(row, said, include_private=include_private)
    if not said.isdecimal() or not 0 < int(said) <= len(spans):
        raise InvalidParams(f"{printable(said)!r} is not a sentence of {row.id}; choose 1 to {len(spans):,}, or all")
    return spans[int(said) - 1]


def confirm_by_typing(word: str, lines: Iterable[str]) -> None:
    """Show what would be deleted, and ask for the word that confirms it."""
    if not can_ask():
        raise click.UsageError("this deletes for good; preview it with --dry-run, then confirm with --yes")
    for line in lines:
        click.echo(line, err=True)
    # No default: Enter alone deletes nothing.
    typed = click.prompt(f'Type "{word}" to confirm', default="", show_default=False, err=True)
    if str(typed).strip() != word:
        raise InvalidParams(f'you did not type "{word}", so nothing was deleted')


def confirm(question: str, *, yes: bool, what: str) -> None:
    """Ask whether to continue, unless `yes`; `what` says what this does where nobody can be asked."""
    if yes:
        return
    if not can_ask():
        raise click.UsageError(f"this {what}; preview it with --dry-run, then confirm with --yes")
    if not click.confirm(question, default=False, err=True):
        raise InvalidParams("nothing was changed")
