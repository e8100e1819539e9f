"""Keys that a person presses in a review, or lines where the input is no terminal.

Law: at a terminal a key is enough, and Ctrl-C works as ever; of what is piped in each line is a key with what belongs
to it, and is told, so that nobody wonders which key was taken for which candidate.
"""

import os
import select
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

import click

from voice.entrypoints.cli.printing import printable

KEYS: Final = "a approve  r reject  e edit  l alias  s skip  u undo  q quit"
_LINE_BYTES: Final = 65_536
_ESCAPE: Final = b"\x1b"
_ENDS: Final = (b"", b"\x04")
"""The end of the input, and Ctrl-D where keys are handed on one by one."""
_SEQUENCE_S: Final = 0.05
"""Within this, a terminal sends the rest of what one arrow or function key is."""


class Keys:
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
        # A terminal shows what is typed; of what is piped in nobody would know which key was taken for which candidate.
        click.echo(printable(line).strip() if line else "q (the input has ended)", err=True)
        head, _, rest = line.strip().partition(" ")
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

        return (await to_thread.run_sync(sys.stdin.buffer.readline)).decode(errors="replace")


@contextmanager
def _key_by_key() -> Generator[None]:
    """Let the terminal hand on each key as it is pressed, without showing it; Ctrl-C works as ever."""
    import termios
    import tty

    place = sys.stdin.fileno()
    before = termios.tcgetattr(place)
    try:
        tty.setcbreak(place, termios.TCSADRAIN)  # what was typed ahead is not thrown away
        yield
    finally:
        termios.tcsetattr(place, termios.TCSADRAIN, before)


def _pass_over_sequence() -> None:
    """Read the rest of what an arrow or function key sends behind ESC: its last letter is no answer (`ESC [ A`)."""
    place = sys.stdin.fileno()
    is_open = True
    while is_open and select.select([place], [], [], _SEQUENCE_S)[0]:
        byte = os.read(place, 1)
        is_last = byte == b"" or b"\x40" <= byte <= b"\x7e"
        is_open = byte in (b"[", b"O") or not is_last


async def _typed(most: int) -> bytes:
    """Return what is typed next, at most so many bytes, nothing at the end of the input.

    A thread that nobody waits for reads it, so Ctrl-C ends it.
    """
    import asyncio

    loop = asyncio.get_running_loop()
    typed: asyncio.Future[bytes] = loop.create_future()

    def deliver(found: bytes) -> None:
        if not typed.done():
            typed.set_result(found)

    def read() -> None:
        try:
            found = os.read(sys.stdin.fileno(), most)
        except OSError:  # the terminal went away
            found = b""
        if not loop.is_closed():
            loop.call_soon_threadsafe(deliver, found)

    threading.Thread(target=read, daemon=True).start()
    return await typed
