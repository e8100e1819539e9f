"""Waiting for what a person types, with an ear for Ctrl-C.

Law: Ctrl-C is heeded at whatever instant it is pressed. Python notices a signal between two instructions, and one that
comes behind the last of them and before the wait for a line is noticed once a line is there; so what is waited for is a
line or a signal, whichever comes first.

Source: ruling D25; docs/sessions.md, "When things go wrong".
"""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager

import click


def wait_for_line() -> None:
    """Return once standard input has something to read; at once where nobody types there.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    import threading

    is_typed = sys.stdin.isatty() and os.name == "posix"
    if is_typed and threading.current_thread() is threading.main_thread():
        _wait_for_line_or_signal()


def _wait_for_line_or_signal() -> None:
    import select
    import signal
    import socket

    hears, tells = socket.socketpair()
    with hears, tells:
        tells.setblocking(False)
        before = signal.set_wakeup_fd(tells.fileno(), warn_on_full_buffer=False)
        try:
            is_there = False
            while not is_there:
                ready, _, _ = select.select([sys.stdin, hears], [], [])
                is_there = sys.stdin in ready
                if hears in ready:
                    hears.recv(1)  # a signal whose handler raised nothing, such as one of a changed window
        finally:
            signal.set_wakeup_fd(before)


@contextmanager
def prompts_heed_ctrl_c() -> Generator[None]:
    """Let the prompts of commands wait with an ear for Ctrl-C while the block runs."""
    from click import termui

    reads = termui.visible_prompt_func

    def asks(prompt: str) -> str:
        click.echo(prompt, nl=False)  # `click.prompt` has pointed stdout to where it is to be shown
        wait_for_line()
        return reads("")

    termui.visible_prompt_func = asks
    try:
        yield
    finally:
        termui.visible_prompt_func = reads
