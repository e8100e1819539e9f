"""An import takes transactions of a bounded size, says what of it is stored, and holds its times against the clock."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import cast

import pytest

from played_turns import NOW, memory
from travelling_conversations import begun, content, exported, full, kept, save, talk
from voice.adapters.system.clock_and_ids import FixedClock
from voice.core.errors import DataFileError, StoreUnavailable
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.ports.stores import SessionStore
from voice.services.sessions import transcripts

pytestmark = pytest.mark.requirement("sessions:portable")


@pytest.mark.parametrize(("turns", "chars", "batches"), [(7, 10**6, 3), (4, 10, 4)])
async def test_a_transaction_takes_so_many_turns_and_so_many_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, turns: int, chars: int, batches: int
) -> None:
    """Of turns of some four thousand characters each; one alone goes in whatever it says."""
    monkeypatch.setattr(transcripts, "_BATCH", 3)
    monkeypatch.setattr(transcripts, "_BATCH_CHARS", chars)
    async with memory(tmp_path / "one") as here, memory(tmp_path / "two") as there:
        session_id = await save(here, *(full(index, is_private=False) for index in range(turns)))
        await there.transcripts.bring_in(str(await exported(here, session_id, tmp_path / "a.json")))
        held, arrived = await kept(there, session_id)
        assert (held.revision, held.total_exchanges) == (batches, turns)
        assert [content(each).my_query for each in arrived] == [full(0).my_query] * turns
        assert await there.transcripts.faults() == []


class FailingSessions:
    """A store of sessions that refuses from the `fails_at`-th save on."""

    def __init__(self, sessions: SessionStore, fails_at: int) -> None:
        self._sessions = sessions
        self._left = fails_at

    def __getattr__(self, name: str) -> object:
        return getattr(self._sessions, name)

    async def save(
        self, session: InnerVoiceSession, exchanges: Sequence[DialogueExchange], *, expected: int
    ) -> InnerVoiceSession:
        self._left -= 1
        if self._left <= 0:
            raise StoreUnavailable("the disk is full")
        return await self._sessions.save(session, exchanges, expected=expected)


@pytest.mark.parametrize(
    ("fails_at", "told"),
    [
        (1, "the disk is full"),
        (2, "the disk is full; 1 turn before that is stored: run the import again to finish it"),
    ],
)
async def test_an_import_that_is_stored_in_part_says_so_and_is_finished_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails_at: int, told: str
) -> None:
    monkeypatch.setattr(transcripts, "_BATCH", 1)
    async with memory(tmp_path / "one") as here, memory(tmp_path / "two") as there:
        session_id = await talk(here)
        path = str(await exported(here, session_id, tmp_path / "a.json"))
        sessions = cast("SessionStore", FailingSessions(there.sessions, fails_at))
        with pytest.raises(StoreUnavailable) as caught:
            await replace(there.transcripts, sessions=sessions).bring_in(path)
        assert caught.value.message == told
        again = await there.transcripts.bring_in(path)
        assert (again.known, again.added) == (fails_at - 1, 4 - fails_at)
        assert await there.transcripts.faults() == []


async def test_the_future_cannot_be_imported(tmp_path: Path) -> None:
    async with memory(tmp_path / "one", clock=FixedClock(NOW + timedelta(days=400))) as here:
        path = str(await exported(here, await talk(here), tmp_path / "a.json"))
    async with memory(tmp_path / "two") as there:
        with pytest.raises(DataFileError, match=r"session\.last_interaction: it is in the future"):
            await there.transcripts.bring_in(path)


async def test_a_conversation_that_began_in_days_to_come_is_not_imported(tmp_path: Path) -> None:
    async with memory(tmp_path / "one") as here, memory(tmp_path / "two") as there:
        begins = replace(begun(), revision=1, created_at=NOW + timedelta(days=2))
        await here.sessions.save(begins, [], expected=0)
        path = str(await exported(here, "s:1", tmp_path / "a.json"))
        with pytest.raises(DataFileError, match=r"session\.created_at: it is in the future"):
            await there.transcripts.bring_in(path)
