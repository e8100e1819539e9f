"""What a model reported in one session is known in the next one."""

from dataclasses import replace
from pathlib import Path

import pytest

from played_turns import KILN, PAID, ask, grounded, memory
from present import present
from voice.adapters.llm.scripted import ScriptedClient
from voice.core.session.budgets import CalibrationKey
from voice.core.token_estimates import ESTIMATE
from voice.core.usage import Usage
from voice.services.turn import preview
from voice.services.turn.ask import AskRequest
from voice.services.turn.preview import ForeseenTurn, TokenCalibrations

pytestmark = pytest.mark.requirement("tokens:trued-up", "ruling:D15")
NEW = AskRequest(question="Where is the kiln?", new_topic="another thread")
PAID_1 = CalibrationKey(provider=PAID.provider, model=PAID.model, counter=ESTIMATE)


def reporting(tokens: int) -> ScriptedClient:
    return grounded(profile=PAID, usage=Usage(input_tokens=tokens, output_tokens=10))


async def foreseen_after(path: Path, turns: int, *, reported: int) -> ForeseenTurn:
    """Return the dry run of a new thread after so many turns of another one."""
    async with memory(path, reporting(reported), told=KILN) as services:
        for _ in range(turns):
            await ask(services)
        return await services.dry_run(NEW)


async def test_a_new_thread_starts_from_what_the_model_reported_in_another_one(tmp_path: Path) -> None:
    bare = await foreseen_after(tmp_path / "a", 0, reported=3000)
    known = await foreseen_after(tmp_path / "b", 2, reported=3000)
    assert (bare.token_calibration.turns, bare.token_calibration.factor) == (0, 1.0)
    assert known.session_id is None
    assert known.token_calibration.turns == 2
    assert known.token_calibration.factor > 2
    assert present(known.plan).budget < present(bare.plan).budget / 2


async def test_no_more_turns_are_read_than_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preview, "MOST_TURNS", 2)
    async with memory(tmp_path, reporting(3000), told=KILN) as services:
        for place in range(3):
            await ask(services, new_topic=f"thread {place}")
        known = TokenCalibrations()
        await known.read(services.sessions, PAID_1)
        session = (await ask(services, new_topic="the last")).session
        assert known.of(replace(session, context_window=()), PAID_1).turns == 2
