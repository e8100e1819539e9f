"""A conversation at a real terminal: typed lines are edited, completed and recalled, and Ctrl-C stops one answer."""

import os
import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import pytest
from anyio import to_thread

from cli_runner import SETTINGS, run_command
from fakes.fake_provider import FakeProvider
from keyboard import PATIENCE_S, at_a_terminal, read_until
from played_turns import KILN, ON_DISK, given, memory, tell
from voice.core.grounding.values import RefusalReason

pytestmark = pytest.mark.requirement("cli:chat:terminal")
READY = b"\x1b[?2004h"
"""The terminal is asked to tell what is pasted: a line is waited for."""
ALT_ENTER, UP, CTRL_C, CTRL_D, TAB = b"\x1b\r", b"\x1b[A", b"\x03", b"\x04", b"\t"
_STEERING = re.compile(rb"\x1b\[[0-9;?]*[a-zA-Z]")
HANGING = {
    "SURR_ENABLE_INNER_VOICE": "1",
    "SURR_INNER_VOICE_PROVIDER": "ollama_chat",
    "SURR_INNER_VOICE_MODEL": "fake-hang",
    "SURR_EMBED_PROVIDER": "hash",
    "SURR_EMBED_DIM": "128",
    "TERM": "xterm",
}


class Typist:
    """Types at a terminal and reads what it shows."""

    def __init__(self, terminal: int) -> None:
        self.terminal = terminal
        self._unread = b""

    def sees(self, words: bytes) -> bytes:
        """Return what is shown up to these words, which must come, without what steers the terminal."""
        shown, found, self._unread = read_until(self.terminal, words, self._unread).partition(words)
        assert found, shown
        return _STEERING.sub(b"", shown + found)

    def types(self, *keys: bytes) -> None:
        for each in keys:
            os.write(self.terminal, each)


@contextmanager
def conversation(settings: dict[str, str], arguments: Sequence[str] = (), *, ends: int = 0) -> Generator[Typist]:
    """Begin a conversation; behind the block it must have ended with that exit code."""
    process, terminal = at_a_terminal(["chat", *arguments], settings)
    try:
        typist = Typist(terminal)
        typist.sees(READY)
        yield typist
        _, status = os.waitpid(process, 0)
    finally:
        os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == ends


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, str]:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "voice.toml").write_text(SETTINGS, encoding="utf-8")
    run_command("remember", "Moved the kiln to the shed.", home=home)
    run_command("kg", "add", "entity", "Anna Lund", "--type", "person", home=home)
    return {"VOICE_HOME": str(home), "TERM": "xterm"}


def test_what_was_asked_is_recalled_in_another_run_and_is_written_nowhere_else(settings: dict[str, str]) -> None:
    with conversation(settings) as first:
        first.types(b"Where is the kiln?\r")
        first.sees(b"Moved the kiln to the shed.")
        first.sees(READY)
        first.types(b"/stance question\r")
        first.sees(b"the stance is question from now on")
        first.sees(READY)
        first.types(UP)
        first.sees(b"/stance question")
        first.types(UP)
        first.sees(b"Where is the kiln?")
        first.types(CTRL_C, CTRL_D)
    before = {path.name for path in Path(settings["VOICE_HOME"]).iterdir()}
    with conversation(settings) as second:
        second.types(UP)
        assert b"stance" not in second.sees(b"Where is the kiln?")
        second.types(b"\r")
        second.sees(b"Moved the kiln to the shed.")
        second.sees(READY)
        second.types(UP, CTRL_C, b"/quit\r")
    assert {path.name for path in Path(settings["VOICE_HOME"]).iterdir()} == before


def test_commands_conversations_and_names_are_completed(settings: dict[str, str]) -> None:
    with conversation(settings, ["--new", "the kiln"]) as typist:
        typist.types(b"/sw", TAB)
        typist.sees(b"itch")
        typist.types(CTRL_C, b"Where is the kiln?\r")
        typist.sees(READY)
        typist.types(b"/switch the", TAB)
        typist.sees(b"kiln")
        typist.types(b"\r")
        typist.sees("you are in “the kiln” (s:".encode())
        typist.sees(READY)
        typist.types(b"Who is Anna", TAB)
        typist.sees(b"Lund")
        typist.types(CTRL_C, CTRL_D)


def test_a_question_may_have_several_lines(settings: dict[str, str]) -> None:
    with conversation(settings) as typist:
        typist.types(b"Where\\\ris", ALT_ENTER, b"the kiln?\r")
        typist.sees(b"Moved the kiln to the shed.")
        typist.sees(READY)
        typist.types(CTRL_D)
    shown = run_command("sessions", "list", "--json", home=Path(settings["VOICE_HOME"]))
    (session,) = cast("list[dict[str, str]]", shown.json)
    told = run_command("sessions", "export", session["id"], home=Path(settings["VOICE_HOME"])).out
    assert r"Where\nis\nthe kiln?" in told


def test_a_sentence_is_forgotten_only_once_the_word_is_typed_and_is_then_not_recalled(settings: dict[str, str]) -> None:
    with conversation(settings) as typist:
        typist.types(b"Where is the kiln?\r")
        typist.sees(READY)
        typist.types(b"/forget 1\r")
        typist.sees(b'Type "forget" to confirm: ')
        typist.types(CTRL_C)
        typist.sees(b"stopped; you are still in the conversation")
        typist.sees(READY)
        typist.types(b"/forget 1\r")
        typist.sees(b'Type "forget" to confirm: ')
        typist.types(b"forget\r")
        typist.sees(b"forgot this sentence")
        typist.sees(READY)
        typist.types(UP, b"/stance\r")
        assert b"kiln" not in typist.sees(b"the stance is synthesize")
        typist.sees(READY)
        typist.types(b"Where is the kiln?\r")
        typist.sees(b"no_sources")
        typist.sees(READY)
        typist.types(CTRL_D)


def withdrawn(fake: FakeProvider, settings: dict[str, str]) -> None:
    """Ask two questions, withdraw each, clear a line and an empty one, then leave."""
    with conversation(settings, ["--new", "the kiln"]) as typist:
        for question in (b"Where is the kiln?\r", b"Where did the kiln go?\r"):
            fake.asked.clear()
            typist.types(question)
            assert fake.asked.wait(PATIENCE_S)
            typist.types(CTRL_C)
            typist.sees(b"question cancelled; you are still in the conversation")
            typist.sees(READY)
        typist.types(b"never asked", CTRL_C)
        typist.types(b"/stance\r")
        typist.sees(b"the stance is synthesize")
        typist.sees(READY)
        typist.types(CTRL_C)
        typist.sees(b"press Ctrl-D or type /quit to leave")
        typist.sees(READY)
        typist.types(CTRL_D)


@pytest.mark.requirement("ruling:D25", "sessions:interrupted")
async def test_ctrl_c_stops_an_answer_or_clears_a_line_and_leaves_no_conversation(tmp_path: Path) -> None:
    async with memory(tmp_path, settings=given(store=ON_DISK)) as services:
        await tell(services, *KILN)
    with FakeProvider() as fake:
        settings = {**HANGING, "VOICE_HOME": str(tmp_path / "home"), "SURR_INNER_VOICE_API_BASE": fake.url}
        await to_thread.run_sync(withdrawn, fake, settings)
    async with memory(tmp_path, settings=given(store=ON_DISK)) as services:
        (session,) = await services.sessions.sessions(limit=5)
        turns = await services.sessions.exchanges(session_id=session.id)
    assert session.thread_topic == "the kiln"
    assert [turn.reason for turn in turns] == [RefusalReason.CANCELLED] * 2
