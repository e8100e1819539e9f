"""A review at a real terminal: a key decides at once, and what was decided is kept when Ctrl-C ends it."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from keyboard import at_a_terminal, read_until
from played_turns import ON_DISK, given, memory
from staged_memory import ADA, EVERYTHING, PEOPLE
from voice.core.graph.review.candidates import CandidateStatus
from voice.ports.review_stores import CandidateFilter
from voice.ports.stores import WriteBatch


def review_at(home: Path) -> tuple[int, int]:
    """Start a review at a terminal of its own; return its process and the terminal."""
    settings = {"VOICE_HOME": str(home), "SURR_EMBED_PROVIDER": "hash", "SURR_EMBED_DIM": "128"}
    return at_a_terminal(["kg", "review"], settings)


def reviewed(home: Path) -> int:
    """Approve the first candidate, name the second anew, skip it; return the exit code."""
    process, terminal = review_at(home)
    try:
        assert b"q quit] " in read_until(terminal, b"q quit] ")
        os.write(terminal, b"a")
        assert b"q quit] " in read_until(terminal, b"q quit] ")
        os.write(terminal, b"e")
        assert b"]: " in read_until(terminal, b"]: ")
        os.write(terminal, b"Another name\n")
        assert b"type [" in read_until(terminal, b"type [")
        os.write(terminal, b"\n")
        assert b"q quit] " in read_until(terminal, b"q quit] ")
        os.write(terminal, b"s")
        assert b"saved: 1 created, 1 edited" in read_until(terminal, b"edited")
        _, status = os.waitpid(process, 0)
    finally:
        os.close(terminal)
    return os.waitstatus_to_exitcode(status)


def interrupted(home: Path) -> int:
    """Approve the first candidate and press Ctrl-C at the second; return the exit code."""
    process, terminal = review_at(home)
    try:
        read_until(terminal, b"q quit] ")
        os.write(terminal, b"a")
        read_until(terminal, b"q quit] ")
        os.write(terminal, b"\x03")
        assert b"stopped" in read_until(terminal, b"stopped")
        _, status = os.waitpid(process, 0)
    finally:
        os.close(terminal)
    return os.waitstatus_to_exitcode(status)


async def waiting_in(home: Path) -> None:
    async with memory(home, settings=given(store=ON_DISK)) as services:
        await services.store.write(WriteBatch(rows=(ADA,)))
        await services.review.staging.stage(PEOPLE, limits=EVERYTHING)


def undecided(home: Path) -> int:
    """Press arrow and function keys, end the input at each question, and leave; return the exit code."""
    process, terminal = review_at(home)
    try:
        read_until(terminal, b"q quit] ")
        for key in (b"\x1b[A", b"\x1bOR", b"\x1b[3~"):
            os.write(terminal, key)
            assert b"the keys are" in read_until(terminal, b"q quit] ")
        os.write(terminal, b"e")
        read_until(terminal, b"]: ")
        os.write(terminal, b"\x04")
        read_until(terminal, b"type [")
        os.write(terminal, b"\x04")
        assert b"you changed nothing" in read_until(terminal, b"q quit] ")
        os.write(terminal, b"\x04")
        assert b"you decided nothing" in read_until(terminal, b"nothing\r")
        _, status = os.waitpid(process, 0)
    finally:
        os.close(terminal)
    return os.waitstatus_to_exitcode(status)


async def test_neither_an_arrow_key_nor_the_end_of_an_answer_decides_anything(tmp_path: Path) -> None:
    await waiting_in(tmp_path)
    assert undecided(tmp_path / "home") == 0


@pytest.mark.requirement("s1:moderation:promote")
@pytest.mark.parametrize(("played", "code"), [(reviewed, 0), (interrupted, 130)])
async def test_what_is_decided_by_key_is_kept(tmp_path: Path, played: Callable[[Path], int], code: int) -> None:
    await waiting_in(tmp_path)
    assert played(tmp_path / "home") == code
    async with memory(tmp_path, settings=given(store=ON_DISK)) as services:
        waiting = CandidateFilter(status=CandidateStatus.PENDING)
        assert await services.review.moderation.candidates.count(waiting) == 1
        assert len(await services.graph.names()) == 1
