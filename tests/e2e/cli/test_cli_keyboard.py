"""A conversation at a terminal that can do nothing but show lines."""

import os
from pathlib import Path

import pytest
from anyio import to_thread

from fakes.fake_provider import FakeProvider
from keyboard import PATIENCE_S, at_a_terminal, read_until
from played_turns import KILN, ON_DISK, given, memory, tell
from voice.core.grounding.values import RefusalReason

HANGING = {
    "SURR_ENABLE_INNER_VOICE": "1",
    "SURR_INNER_VOICE_PROVIDER": "ollama_chat",
    "SURR_INNER_VOICE_MODEL": "fake-hang",
    "SURR_EMBED_PROVIDER": "hash",
    "SURR_EMBED_DIM": "128",
    "TERM": "dumb",
}


def leave(process: int, terminal: int) -> None:
    """Press Ctrl-C at the prompt, which says how to leave, and leave."""
    os.write(terminal, b"\x03")
    told = b"press Ctrl-D or type /quit to leave\r\n> "
    assert told in read_until(terminal, told)
    os.write(terminal, b"\x04")
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 0


@pytest.mark.requirement("ruling:D25")
def test_ctrl_c_at_the_prompt_says_how_to_leave_and_typed_lines_are_asked(tmp_path: Path) -> None:
    (tmp_path / "voice.toml").write_text("enabled = true\n")  # in an empty directory nothing is asked
    settings = {"SURR_ENABLE_INNER_VOICE": "1", "SURR_INNER_VOICE_PROVIDER": "extractive", "TERM": "dumb"}
    process, terminal = at_a_terminal(["chat"], {**settings, "VOICE_HOME": str(tmp_path)})
    try:
        assert b"> " in read_until(terminal, b"> ")
        os.write(terminal, b"Where is the kiln?\n")
        assert b"no_sources" in read_until(terminal, b"\n> ")
        leave(process, terminal)
    finally:
        os.close(terminal)


def withdrawn_twice(fake: FakeProvider, settings: dict[str, str]) -> None:
    """Ask two questions, withdraw each, then leave."""
    process, terminal = at_a_terminal(["chat", "--new", "the kiln"], settings)
    try:
        read_until(terminal, b"> ")
        for question in (b"Where is the kiln?\n", b"Where did the kiln go?\n"):
            fake.asked.clear()
            os.write(terminal, question)
            assert fake.asked.wait(PATIENCE_S)
            os.write(terminal, b"\x03")
            told = b"question cancelled; you are still in the conversation\r\n> "
            assert told in read_until(terminal, told)
        leave(process, terminal)
    finally:
        os.close(terminal)


@pytest.mark.requirement("ruling:D25", "sessions:interrupted")
async def test_ctrl_c_during_an_answer_withdraws_that_question_and_the_conversation_goes_on(tmp_path: Path) -> None:
    async with memory(tmp_path, settings=given(store=ON_DISK)) as services:
        await tell(services, *KILN)
    with FakeProvider() as fake:
        settings = {**HANGING, "VOICE_HOME": str(tmp_path / "home"), "SURR_INNER_VOICE_API_BASE": fake.url}
        await to_thread.run_sync(withdrawn_twice, fake, settings)
    async with memory(tmp_path, settings=given(store=ON_DISK)) as services:
        (session,) = await services.sessions.sessions(limit=5)
        turns = await services.sessions.exchanges(session_id=session.id)
        assert await services.transcripts.faults() == []
    assert session.thread_topic == "the kiln"
    assert [turn.reason for turn in turns] == [RefusalReason.CANCELLED] * 2
