"""A conversation at a real terminal: typed lines are edited, completed and recalled, and Ctrl-C stops one answer."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from anyio import to_thread

from cli_runner import data_directory, run_command
from fakes.fake_provider import HANGING, FakeProvider
from keyboard import CTRL_C, CTRL_D, PATIENCE_S, Typist, at_a_terminal
from played_turns import KILN, ON_DISK, given, memory, tell
from voice.core.grounding.values import RefusalReason

pytestmark = pytest.mark.requirement("cli:chat:terminal")
READY = b"\x1b[?2004h"
"""The terminal is asked to tell what is pasted: a line is waited for."""
ALT_ENTER, UP, TAB = b"\x1b\r", b"\x1b[A", b"\t"


@contextmanager
def conversation(settings: dict[str, str], arguments: Sequence[str] = ()) -> Generator[Typist]:
    """Begin a conversation; behind the block it must have ended well."""
    with at_a_terminal(["chat", *arguments], settings) as typist:
        typist.sees(READY)
        yield typist


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, str]:
    home = data_directory(tmp_path / "home")
    run_command("remember", "Moved the kiln to the shed.", home=home)
    run_command("kg", "add", "entity", "Anna Lund", "--type", "person", home=home)
    return {"VOICE_HOME": str(home), "TERM": "xterm"}


def test_what_was_asked_is_recalled_in_another_run_and_is_written_nowhere_else(settings: dict[str, str]) -> None:
    with conversation(settings) as first:
        first.types(b"Where is the kiln?\r", sees=[b"Moved the kiln to the shed.", READY])
        first.types(b"/stance question\r", sees=[b"the stance is question from now on", READY])
        first.types(UP, sees=[b"/stance question"])
        first.types(UP, sees=[b"Where is the kiln?"])
        first.types(CTRL_C, CTRL_D)
    before = {path.name for path in Path(settings["VOICE_HOME"]).iterdir()}
    with conversation(settings) as second:
        assert b"stance" not in second.types(UP, sees=[b"Where is the kiln?"])
        second.types(b"\r", sees=[b"Moved the kiln to the shed.", READY])
        second.types(UP, CTRL_C, b"/quit\r")
    assert {path.name for path in Path(settings["VOICE_HOME"]).iterdir()} == before


def test_commands_conversations_and_names_are_completed(settings: dict[str, str]) -> None:
    with conversation(settings, ["--new", "the kiln"]) as typist:
        typist.types(b"/sw", TAB, sees=[b"itch"])
        typist.types(CTRL_C, b"Where is the kiln?\r", sees=[READY])
        typist.types(b"/switch the", TAB, sees=[b"kiln"])
        typist.types(b"\r", sees=["you are in “the kiln” (s:".encode(), READY])
        typist.types(b"Who is Anna", TAB, sees=[b"Lund"])
        typist.types(CTRL_C, CTRL_D)


def test_a_question_may_have_several_lines(settings: dict[str, str]) -> None:
    with conversation(settings) as typist:
        typist.types(b"Where\\\ris", ALT_ENTER, b"the kiln?\r", sees=[b"Moved the kiln to the shed.", READY])
        typist.types(CTRL_D)
    (session,) = run_command("sessions", "list", "--json", home=Path(settings["VOICE_HOME"])).json
    told = run_command("sessions", "export", session["id"], home=Path(settings["VOICE_HOME"])).out
    assert r"Where\nis\nthe kiln?" in told


def test_a_sentence_is_forgotten_only_once_the_word_is_typed_and_is_then_not_recalled(settings: dict[str, str]) -> None:
    with conversation(settings) as typist:
        typist.types(b"Where is the kiln?\r", sees=[READY])
        typist.types(b"/forget 1\r", sees=[b'Type "forget" to confirm: '])
        typist.types(CTRL_C, sees=[b"stopped; you are still in the conversation", READY])
        typist.types(b"/forget 1\r", sees=[b'Type "forget" to confirm: '])
        typist.types(b"forget\r", sees=[b"forgot this sentence", READY])
        assert b"kiln" not in typist.types(UP, b"/stance\r", sees=[b"the stance is synthesize"])
        typist.sees(READY)
        typist.types(b"Where is the kiln?\r", sees=[b"no_sources", READY])
        typist.types(CTRL_D)


def withdrawn(fake: FakeProvider, settings: dict[str, str]) -> None:
    """Ask two questions, withdraw each, clear a line and an empty one, then leave."""
    with conversation(settings, ["--new", "the kiln"]) as typist:
        for question in (b"Where is the kiln?\r", b"Where did the kiln go?\r"):
            fake.asked.clear()
            typist.types(question)
            assert fake.asked.wait(PATIENCE_S)
            typist.types(CTRL_C, sees=[b"question cancelled; you are still in the conversation", READY])
        typist.types(b"never asked", CTRL_C)
        typist.types(b"/stance\r", sees=[b"the stance is synthesize", READY])
        typist.types(CTRL_C, sees=[b"press Ctrl-D or type /quit to leave", READY])
        typist.types(CTRL_D)


@pytest.mark.requirement("ruling:D25", "sessions:interrupted")
async def test_ctrl_c_stops_an_answer_or_clears_a_line_and_leaves_no_conversation(tmp_path: Path) -> None:
    async with memory(tmp_path, settings=given(store=ON_DISK)) as services:
        await tell(services, *KILN)
    with FakeProvider() as fake:
        place = {"VOICE_HOME": str(tmp_path / "home"), "SURR_INNER_VOICE_API_BASE": fake.url, "TERM": "xterm"}
        await to_thread.run_sync(withdrawn, fake, {**HANGING, **place})
    async with memory(tmp_path, settings=given(store=ON_DISK)) as services:
        (session,) = await services.sessions.sessions(limit=5)
        turns = await services.sessions.exchanges(session_id=session.id)
    assert session.thread_topic == "the kiln"
    assert [turn.reason for turn in turns] == [RefusalReason.CANCELLED] * 2
