"""What becomes of notes that left their folder: kept for the memory as of before, or forgotten, as the owner set it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import get_args

import pytest

from played_turns import NOW, ON_DISK, all_rows, ask, given, memory, rows_of, scripted, stored, wire
from synced_folders import bring_in, request, sync
from voice.adapters.llm.scripted import ExtractiveClient
from voice.adapters.system.clock_and_ids import CountingIds, FixedClock
from voice.bootstrap import Services
from voice.core.errors import DataFileError
from voice.core.graph.removal.forget_cascade import ForgetRequest
from voice.core.grounding.values import GroundingPolicy
from voice.core.recall.pins import PinRequest
from voice.core.records import Thought
from voice.core.retrieval.params import RetrieveRequest
from voice.core.settings.values import Gone, SyncSettings
from voice.ports.llm import LlmClient, LlmRequest
from voice.services.imports.report import Counts, NoteState, SyncReport
from voice.services.imports.request import ImportReport

pytestmark = pytest.mark.requirement("ruling:I4:gone")
WEEK = timedelta(days=7)
THEN, LATER, AWAY, AFTER = NOW + WEEK / 2, NOW + WEEK, NOW + 3 * WEEK / 2, NOW + 2 * WEEK
PORTO, BEES, FERRY = "Marta lives in Porto now.", "Jonas keeps the bees.", "The ferry to Faro leaves at nine."
WHERE = "Where does Marta live?"


class Years:
    """Opens one memory on disk at several moments."""

    def __init__(self, home: Path, become: Gone) -> None:
        self.folder = home / "notes"
        self.folder.mkdir()
        self._home, self._ids = home / "home", CountingIds()
        self._settings = given(
            store=ON_DISK, sync=SyncSettings(gone=become), grounding=GroundingPolicy(single_source="green")
        )

    @asynccontextmanager
    async def at(self, moment: datetime, model: LlmClient | None = None) -> AsyncGenerator[Services]:
        clock, llm = FixedClock(moment), model or ExtractiveClient()
        async with memory(self._home, llm, clock=clock, ids=self._ids, settings=self._settings) as services:
            yield services

    async def sync(self, moment: datetime, *, dry_run: bool = False, **notes: str | None) -> SyncReport:
        """Write notes, or delete them where nothing is said of them, and sync."""
        for name, text in notes.items():
            path = self.folder / f"{name}.md"
            path.unlink() if text is None else path.write_text(text, encoding="utf-8")
        async with self.at(moment) as services:
            return await sync(services, self.folder, dry_run=dry_run)

    async def brought_in(self, moment: datetime) -> ImportReport:
        async with self.at(moment) as services:
            return await bring_in(services, self.folder)


@pytest.fixture
def kept(tmp_path: Path) -> Years:
    return Years(tmp_path, "keep")


@pytest.fixture
def forgetting(tmp_path: Path) -> Years:
    return Years(tmp_path, "forget")


async def found(services: Services, as_of: datetime | None = None, query: str = WHERE) -> set[str]:
    outcome = await services.find(RetrieveRequest(query=query, floor=0.0, top_k=20, as_of=as_of))
    return {snippet.text for snippet in outcome.snippets}


async def finds(text: str, services: Services, as_of: datetime | None = None, query: str = WHERE) -> bool:
    return any(text in each for each in await found(services, as_of, query))


async def answer(services: Services, as_of: datetime | None = None) -> str | None:
    return (await ask(services, WHERE, as_of=as_of)).exchange.answer


async def test_a_note_that_is_kept_is_found_and_answers_as_of_before_alone(kept: Years) -> None:
    await kept.sync(NOW, home=PORTO, bees=BEES)
    await kept.sync(LATER, home=None)
    async with kept.at(AFTER) as services:
        assert [await finds(PORTO, services, when) for when in (NOW - WEEK, THEN, AFTER, None)] == [
            False,
            True,
            False,
            False,
        ]
        assert PORTO in (await answer(services, THEN) or "")
        assert PORTO not in (await answer(services) or "")


async def test_a_note_that_is_forgotten_is_nowhere_and_a_dry_run_says_so_first(forgetting: Years) -> None:
    await forgetting.sync(NOW, home=PORTO, bees=BEES)
    async with forgetting.at(NOW) as services:
        (home,) = [row for row in await rows_of(services, Thought) if row.content.endswith(PORTO)]
        await services.pins.pin(PinRequest(target_id=home.id, reason="Marta"))
        assert PORTO in (await answer(services) or "")
    foreseen = await forgetting.sync(LATER, dry_run=True, home=None)
    async with forgetting.at(LATER) as services:
        assert await finds(PORTO, services)
    done = await forgetting.sync(LATER)
    assert (foreseen.counts, foreseen.gone_become) == (done.counts, "forget") == (Counts(gone=1, unchanged=1), "forget")
    async with forgetting.at(AFTER) as services:
        turns = await stored(services)
        assert [row for row in await all_rows(services) if "Porto" in str(row)] == []
        assert await found(services, THEN) == await found(services) == set()
        assert await found(services, query="Who keeps the bees?") == {BEES}
        assert not any("Porto" in (each.answer or "") for each in turns)
        assert await services.pins.held.pins() == []
        assert home.id in await services.stores.ledger.buried([home.id])


@pytest.mark.parametrize("become", get_args(Gone))
async def test_no_prompt_holds_what_a_gone_note_said_though_the_conversation_goes_on(
    tmp_path: Path, become: Gone
) -> None:
    years, seen = Years(tmp_path, become), list[LlmRequest]()

    async def asked(moment: datetime) -> None:
        async with years.at(moment, scripted(wire(PORTO, ("S1", PORTO)), seen=seen)) as services:
            await ask(services, "Where does Marta live, and who keeps the bees?")

    await years.sync(NOW, home=PORTO, bees=BEES)
    await asked(NOW)
    await years.sync(LATER, home=None)
    await asked(AFTER)
    before, after = (request.prompt for request in seen)
    assert ("Porto" in before, "Jonas" in before, "Porto" in after, "Jonas" in after) == (True, True, False, True)


async def test_a_note_that_was_forgotten_as_it_left_comes_in_again_by_an_import_too_and_once(forgetting: Years) -> None:
    await forgetting.sync(NOW, home=PORTO, bees=BEES)
    await forgetting.sync(LATER, home=None)
    (forgetting.folder / "home.md").write_text(PORTO, encoding="utf-8")
    came = [await forgetting.brought_in(AFTER) for _ in range(2)]
    assert [(len(each.ingested.stored), each.ingested.forgotten) for each in came] == [(1, 0), (0, 0)]
    assert (await forgetting.sync(AFTER)).counts == Counts(unchanged=2)
    async with forgetting.at(AFTER) as services:
        assert await finds(PORTO, services)
        (home,) = [row for row in await rows_of(services, Thought) if row.content.endswith(PORTO)]
        await services.forget(ForgetRequest(ids=frozenset({home.id})), "forget")
    assert (await forgetting.brought_in(AFTER)).ingested.forgotten == 1


async def test_an_import_names_the_notes_that_are_back_and_come_in_by_a_sync(kept: Years) -> None:
    await kept.sync(NOW, home=PORTO, bees=BEES)
    await kept.sync(LATER, home=None)
    (kept.folder / "home.md").write_text(PORTO, encoding="utf-8")
    await kept.brought_in(AFTER)
    async with kept.at(AFTER) as services:
        assert await services.following.looked_at(request(kept.folder)) == NoteState(back=("home.md",))
    assert (await kept.sync(AFTER)).counts == Counts(back=1, unchanged=1)


async def test_a_folder_in_which_no_note_is_left_removes_nothing(forgetting: Years) -> None:
    await forgetting.sync(NOW, home=PORTO, bees=BEES)
    with pytest.raises(DataFileError, match="so nothing was removed"):
        await forgetting.sync(LATER, home=None, bees=None)
    async with forgetting.at(AFTER) as services:
        assert await finds(PORTO, services)
    assert (await forgetting.sync(AFTER, home=PORTO, bees=BEES)).counts == Counts(unchanged=2)


async def test_a_sync_that_was_broken_off_before_it_forgot_is_finished_by_the_next(
    forgetting: Years, monkeypatch: pytest.MonkeyPatch
) -> None:
    await forgetting.sync(NOW, home=PORTO, bees=BEES)

    async def broken(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("voice.services.imports.withdrawn_notes.DeletedNotes.end", broken)
        with pytest.raises(KeyboardInterrupt):
            await forgetting.sync(LATER, home=None)
    assert (await forgetting.sync(AFTER)).counts == Counts(gone=1, unchanged=1)
    async with forgetting.at(AFTER) as services:
        assert [row for row in await all_rows(services) if "Porto" in str(row)] == []
