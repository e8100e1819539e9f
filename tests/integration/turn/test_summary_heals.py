"""A session's summary heals when a source behind it falls, and never becomes a source itself."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from changed_rows import corrected, redacted, removed, superseded
from played_turns import BOTH, FIRED, GLAZE, KILN, MOVED, WHERE, Speak, ask, given, memory, quoting, scripted, wire
from present import present
from voice.adapters.llm.scripted import Line
from voice.bootstrap import Services
from voice.core.errors import SessionConflict, StoreError
from voice.core.grounding.values import RefusalReason
from voice.core.session.values import RollingSummary
from voice.core.settings.values import SessionSettings
from voice.services.turn.ask import Turn

pytestmark = pytest.mark.requirement("ruling:D16", "ruling:D17")
SMALL = given(session=SessionSettings(window_limit=2, window_keep=1))
Change = Callable[[Services], Awaitable[None]]
CHANGES = [redacted, corrected]


@asynccontextmanager
async def folded(home: Path, *more: Line | Speak) -> AsyncGenerator[tuple[Services, Turn]]:
    """Open a memory with a session that folded an answer about glaze and kiln, and one about the kiln and its firing.

    The model plays `more` once it has answered four questions.
    """
    model = scripted(quoting(GLAZE, MOVED), *[quoting(MOVED, FIRED)] * (3 if more else 1), *more)
    async with memory(home, model, settings=SMALL, told=KILN) as services:
        turns = [await ask(services, question) for question in (BOTH, WHERE, WHERE, WHERE)]
        assert FIRED in summary_of(turns[-1]).text
        yield services, turns[-1]


def summary_of(turn: Turn) -> RollingSummary:
    return present(turn.session.rolling_summary)


async def kept_summary(services: Services, session_id: str) -> RollingSummary:
    session = present(await services.sessions.load(session_id, window=0))
    return present(session.rolling_summary)


@pytest.mark.parametrize("change", CHANGES)
async def test_the_turn_that_finds_a_fallen_line_makes_the_stored_summary_again(tmp_path: Path, change: Change) -> None:
    async with folded(tmp_path) as (services, _):
        await change(services)
        turn = await ask(services, BOTH)
        kept = await kept_summary(services, turn.session.id)
        later = await ask(services, BOTH)
        replays = await services.replays(turn.session.id)
    assert FIRED not in kept.text
    assert GLAZE in kept.text
    assert kept == summary_of(turn)
    assert kept.exchanges_summarized == 4
    assert all(each.part != "summary" for each in present(later.plan).skipped)
    shown = [each.summary_revision for each in replays]
    assert shown[0] is None
    assert shown[-1] == kept.revision
    assert replays[-1].proof == "proven"


async def test_a_prompt_made_with_a_rebuilt_summary_is_proven_after_the_summary_moved_on(tmp_path: Path) -> None:
    async with folded(tmp_path) as (services, _):
        await superseded(services)
        await ask(services, BOTH)
        turn = await ask(services, BOTH)
        record = present(turn.exchange.prompt)
        for _ in range(3):
            await ask(services, BOTH)
        (replay,) = await services.replays(turn.exchange.id)
    assert (replay.proof, replay.summary_revision) == ("proven", record.summary_revision)
    assert dict(record.rendering)["summary_fallen"]


@pytest.mark.parametrize("error", [StoreError("the disk is full"), SessionConflict("somebody else was faster")])
async def test_a_turn_is_kept_though_its_summary_cannot_be_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    async with folded(tmp_path) as (services, _):
        await removed(services)
        save = type(services.sessions).save

        async def fails(self: object, session: object, exchanges: object, **more: object) -> object:
            if not exchanges:
                raise error
            return await save(self, session, exchanges, **more)  # pyright: ignore[reportArgumentType]

        monkeypatch.setattr(type(services.sessions), "save", fails)
        turn = await ask(services, BOTH)
        monkeypatch.undo()
        kept = await kept_summary(services, turn.session.id)
        assert (await services.sessions.exchanges())[-1].id == turn.exchange.id
        assert FIRED in kept.text
        again = await ask(services, BOTH)
    assert FIRED not in summary_of(again).text


@pytest.mark.requirement("ruling:D11", "ruling:D16", "promise:9")
@pytest.mark.parametrize("named", ["summary", "{exchange}", "{row}"])
async def test_a_citation_of_the_stored_summary_or_of_what_it_holds_is_no_source(tmp_path: Path, named: str) -> None:
    """The line is word for word what a row says; cited from the summary it proves nothing."""
    async with folded(tmp_path, lambda _: cited) as (services, last):
        line = summary_of(last).lines[0]
        name = named.format(session=last.session.id, exchange=last.exchange.id, row=line.grounds[0][0])
        cited = wire(GLAZE, (name, GLAZE))
        turn = await ask(services, BOTH)
    assert GLAZE in present(turn.plan).prompt.partition("## Knowledge")[0]
    assert turn.exchange.refused
    assert turn.exchange.reason is RefusalReason.INVALID_CITATION
    assert turn.exchange.sources == ()
