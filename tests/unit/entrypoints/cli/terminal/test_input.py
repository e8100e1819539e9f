"""A line that is waited for at a terminal, and a signal that comes while it is."""

import io
import os
import pty
import select
import signal
import sys
import threading
from collections.abc import Generator
from typing import TYPE_CHECKING

import click
import pytest

from voice.entrypoints.cli.terminal.input import interruptible_prompts, wait_for_line

if TYPE_CHECKING:
    from _typeshed import FileDescriptorLike

pytestmark = pytest.mark.requirement("ruling:D25")
RAISES, PASSES = signal.SIGUSR1, signal.SIGUSR2


@pytest.fixture
def keyboard(monkeypatch: pytest.MonkeyPatch) -> Generator[int]:
    """Return where keys are typed of the terminal that is standard input."""
    keys, line = pty.openpty()
    with os.fdopen(line, encoding="utf-8") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        yield keys
    os.close(keys)


@pytest.fixture
def handled() -> Generator[list[int]]:
    """Handle two signals: one raises, as Ctrl-C does, the other does nothing; return those that came."""
    came: list[int] = []

    def handle(number: int, _frame: object) -> None:
        came.append(number)
        if number == RAISES:
            raise KeyboardInterrupt

    before = {number: signal.signal(number, handle) for number in (RAISES, PASSES)}
    yield came
    for number, handler in before.items():
        signal.signal(number, handler)


def once_it_waits(monkeypatch: pytest.MonkeyPatch, *numbers: signal.Signals, then: tuple[int, bytes]) -> None:
    """Send a signal to another thread at each wait; a wait behind the last of them is met by what is typed.

    What another thread receives interrupts no call of this one, as what came just before the call does not.
    """
    real, left = select.select, list(numbers)

    def waits(
        reads: "list[FileDescriptorLike]", writes: "list[FileDescriptorLike]", fails: "list[FileDescriptorLike]"
    ) -> object:
        act = threading.Thread(target=receive, args=(left.pop(0),)) if left else threading.Thread(target=types)
        act.start()
        return real(reads, writes, fails)

    def receive(number: signal.Signals) -> None:
        signal.pthread_kill(threading.get_ident(), number)

    def types() -> None:
        os.write(*then)

    monkeypatch.setattr(select, "select", waits)


def test_a_signal_that_interrupts_no_call_ends_the_wait(
    monkeypatch: pytest.MonkeyPatch, keyboard: int, handled: list[int]
) -> None:
    once_it_waits(monkeypatch, RAISES, then=(keyboard, b"never typed\n"))
    with pytest.raises(KeyboardInterrupt):
        wait_for_line()
    assert handled == [RAISES]
    assert signal.set_wakeup_fd(-1) == -1


def test_a_signal_that_ends_nothing_is_waited_past(
    monkeypatch: pytest.MonkeyPatch, keyboard: int, handled: list[int]
) -> None:
    once_it_waits(monkeypatch, PASSES, PASSES, then=(keyboard, b"forget\n"))
    wait_for_line()
    assert (handled, sys.stdin.readline()) == ([PASSES, PASSES], "forget\n")


def test_a_prompt_shows_its_question_and_hands_on_what_is_typed(
    monkeypatch: pytest.MonkeyPatch, keyboard: int, capsys: pytest.CaptureFixture[str]
) -> None:
    once_it_waits(monkeypatch, then=(keyboard, b"2\n"))
    with interruptible_prompts():
        assert click.prompt("Which one", type=int, err=True) == 2
    assert click.termui.visible_prompt_func is input
    assert capsys.readouterr() == ("", "Which one: ")


def test_where_nobody_types_nothing_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("piped\n"))
    monkeypatch.setattr(select, "select", None)
    wait_for_line()
    assert sys.stdin.readline() == "piped\n"
