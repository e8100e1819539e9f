"""What a fork takes on the disk, however long the conversation is that it leaves."""

from dataclasses import replace
from pathlib import Path

import pytest

from store_values import NOON, exchange, session
from voice.adapters.surreal.opening import open_store
from voice.core.session.lifecycle import append, fork_of

_BYTES = 1500


@pytest.mark.requirement("sessions:fork")
async def test_a_fork_takes_a_kilobyte_at_any_turn_of_any_conversation(tmp_path: Path) -> None:
    def size() -> int:
        return sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file())

    async with await open_store(tmp_path / "store", home=tmp_path) as stores:
        now, turns = session(), [exchange(index=index) for index in range(300)]
        for turn in turns:
            now = append(now, turn)
        now = await stores.sessions.save(replace(now, context_window=(), revision=1), turns, expected=0)
        for index in (0, 150, 299):
            before = size()
            made = fork_of(now, turns[index], session_id=f"s:fork-{index}", topic=None, now=NOON)
            await stores.sessions.save(replace(made, revision=1), [], expected=0)
            assert 0 < size() - before < _BYTES
