"""A review at a real terminal: a key decides at once, and what was decided is kept when Ctrl-C ends it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from keyboard import CTRL_C, CTRL_D, Typist, at_a_terminal
from played_turns import ON_DISK, given, memory
from staged_memory import ADA, EVERYTHING, PEOPLE
from voice.core.graph.review.candidates import CandidateStatus
from voice.ports.review_stores import CandidateFilter
from voice.ports.stores import WriteBatch

READY = b"q quit] "


def reviewed(typist: Typist) -> None:
    """Approve the first candidate, name the second anew, skip it."""
    typist.types(b"a", sees=[READY])
    typist.types(b"e", sees=[b"]: "])
    typist.types(b"Another name\n", sees=[b"type ["])
    typist.types(b"\n", sees=[READY])
    typist.types(b"s", sees=[b"saved: 1 created, 1 edited"])


def interrupted(typist: Typist) -> None:
    """Approve the first candidate and press Ctrl-C at the second."""
    typist.types(b"a", sees=[READY])
    typist.types(CTRL_C, sees=[b"stopped"])


def undecided(typist: Typist) -> None:
    """Press arrow and function keys, end the input at each question, and leave."""
    for key in (b"\x1b[A", b"\x1bOR", b"\x1b[3~"):
        assert b"the keys are" in typist.types(key, sees=[READY])
    typist.types(b"e", sees=[b"]: "])
    typist.types(CTRL_D, sees=[b"type ["])
    assert b"you changed nothing" in typist.types(CTRL_D, sees=[READY])
    typist.types(CTRL_D, sees=[b"you decided nothing"])


@pytest.mark.requirement("s1:moderation:promote")
@pytest.mark.parametrize(
    ("played", "code", "waiting", "made"), [(reviewed, 0, 1, 1), (interrupted, 130, 1, 1), (undecided, 0, 2, 0)]
)
async def test_what_is_decided_by_key_is_kept_and_no_other_key_decides_anything(
    tmp_path: Path, played: Callable[[Typist], None], code: int, waiting: int, made: int
) -> None:
    async with memory(tmp_path, settings=given(store=ON_DISK)) as services:
        await services.store.write(WriteBatch(rows=(ADA,)))
        await services.review.staging.stage(PEOPLE, limits=EVERYTHING)
    settings = {"VOICE_HOME": str(tmp_path / "home"), "SURR_EMBED_PROVIDER": "hash", "SURR_EMBED_DIM": "128"}
    with at_a_terminal(["kg", "review"], settings, ends=code) as typist:
        typist.sees(READY)
        played(typist)
    async with memory(tmp_path, settings=given(store=ON_DISK)) as services:
        pending = CandidateFilter(status=CandidateStatus.PENDING)
        assert await services.review.moderation.candidates.count(pending) == waiting
        assert len(await services.graph.names()) == made
