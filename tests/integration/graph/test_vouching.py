"""The owner says what counts of what programs noted, and what was approved can be asked for."""

from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import pytest

from played_turns import ask, given, memory, tell
from removed_thoughts import found, thought
from voice.bootstrap import Services
from voice.core.errors import InvalidParams, UnknownId
from voice.core.graph.thoughts.vouching import NotedFilter
from voice.core.grounding.values import GroundingPolicy
from voice.core.records import Observation, Origin, RowStatus, TrustTier
from voice.core.vouch import Vouch
from voice.services.graph.vouching import Vouching

pytestmark = pytest.mark.requirement("ruling:J2")
ZITHER = "The zither is mended by Ines Prates in Faro. Her workshop opens at nine. The bill was 80 euros."
WHO = "Who mends the zither?"


@pytest.fixture
async def services(tmp_path: Path) -> AsyncGenerator[Services]:
    async with memory(tmp_path, settings=given(grounding=GroundingPolicy(single_source="green"))) as opened:
        yield opened


async def note(services: Services, *texts: str, by: str | None = "codex", **fields: object) -> tuple[str, ...]:
    return await tell(services, *texts, origin=Origin.TOOL, noted_by=by, **fields)


async def statements(services: Services, thought_id: str) -> list[str]:
    rows = await services.graph.derived_from([thought_id])
    held = [row for row in rows if isinstance(row, Observation) and row.status is RowStatus.ACTIVE]
    assert {row.trust for row in held} <= {TrustTier.GREEN}
    return [row.text for row in sorted(held, key=lambda row: row.provenance[0].start)]


def vouching(services: Services) -> Vouching:
    return services.review.vouching


async def listed(services: Services, **where: object) -> Sequence[str]:
    page = await vouching(services).listed(NotedFilter(**where))  # pyright: ignore[reportArgumentType]
    return [each.id for each in page.thoughts]


async def test_until_it_is_approved_a_question_about_it_says_so_and_then_it_is_answered(services: Services) -> None:
    (held,) = await note(services, ZITHER)
    before = (await ask(services, WHO)).exchange
    done = await vouching(services).approve([held])
    after = (await ask(services, WHO)).exchange
    assert before.refused
    assert before.notes == f"an agent noted this (codex: {held}); approve it to let it count"
    assert (done.thoughts[0].vouched, done.dry_run) == (Vouch.APPROVED, False)
    assert "Ines Prates" in after.answer
    assert [each.trust_tier for each in after.sources] == [TrustTier.GREEN] * len(after.sources)
    assert " ".join(await statements(services, held)) == ZITHER


async def test_what_is_declined_is_found_no_more_and_no_refusal_speaks_of_it(services: Services) -> None:
    (held,) = await note(services, ZITHER)
    assert await found(services, "zither") == {held}
    await services.archiving.removals.mark([held])
    assert (await listed(services), await listed(services, vouched=None)) == ([], [held])
    await vouching(services).decline([held])
    await services.archiving.removals.unmark([held])
    assert await found(services, "zither") == set()
    assert "noted" not in str((await ask(services, WHO)).exchange.notes)
    assert await listed(services, vouched=Vouch.DECLINED) == [held]
    await vouching(services).approve([held])
    assert await found(services, "zither") == {held}
    assert "Ines Prates" in (await ask(services, WHO)).exchange.answer


async def test_a_dry_run_decides_and_writes_nothing(services: Services) -> None:
    (held,) = await note(services, ZITHER)
    tried = await vouching(services).approve([held], dry_run=True)
    away = await vouching(services).decline([held], dry_run=True)
    assert (tried.thoughts[0].vouched, tried.observations, tried.dry_run) == (Vouch.APPROVED, 2, True)
    assert (away.thoughts[0].vouched, away.dry_run) == (Vouch.DECLINED, True)
    assert (await thought(services, held)).vouched is Vouch.WAITING
    assert await statements(services, held) == []
    assert (await vouching(services).approve([held])).observations == tried.observations


async def test_all_that_are_named_are_decided_or_none(services: Services) -> None:
    first, second = await note(services, "The zither is old.", "The quern is new.")
    (own,) = await tell(services, "The kiln is hot.")
    for wrong, error in ((own, InvalidParams), ("t:nothing", UnknownId), ("o:nothing", UnknownId)):
        with pytest.raises(error):
            await vouching(services).approve([first, wrong])
        with pytest.raises(error):
            await vouching(services).decline([first, wrong])
    with pytest.raises(InvalidParams, match="one note at a time"):
        await vouching(services).approve([first, second], sentences=[1])
    with pytest.raises(InvalidParams, match="name at least one note"):
        await vouching(services).approve([])
    assert await listed(services) == [second, first] or await listed(services) == [first, second]
    assert len((await vouching(services).approve([first, first, second])).thoughts) == 2


async def test_they_are_listed_by_program_time_words_and_state_and_private_ones_where_asked_for(
    services: Services,
) -> None:
    (zither,) = await note(services, "The zither is old.")
    (quern,) = await note(services, "The quern is new.", by="gemini-cli")
    (secret,) = await note(services, "The safe is open.", is_private=True)
    await tell(services, "The kiln is hot.")
    assert set(await listed(services)) == {zither, quern}
    assert await listed(services, noted_by="Codex") == [zither]
    assert await listed(services, text="quern IS") == [quern]
    assert set(await listed(services, include_private=True)) == {zither, quern, secret}
    page = await vouching(services).listed(NotedFilter(), limit=1)
    assert (len(page.thoughts), page.total) == (1, 2)
    with pytest.raises(InvalidParams, match="1 or more"):
        await vouching(services).listed(NotedFilter(), limit=0)


@pytest.mark.requirement("promise:6")
async def test_no_refusal_tells_of_a_private_note_unless_private_rows_are_let_in(services: Services) -> None:
    (held,) = await note(services, ZITHER, is_private=True)
    assert held not in str((await ask(services, WHO)).exchange.notes)
    let_in = await ask(services, WHO, include_private=True, new_topic="t")
    assert held in str(let_in.exchange.notes)
