"""Notes that a killed command stored in part are found, told, and put right; no word is lost or doubled by it."""

from dataclasses import replace

import pytest

from played_turns import NOW, ask, rows_of
from voice.bootstrap import Services
from voice.core.errors import StoreError
from voice.core.graph.thoughts.distillation import distil
from voice.core.records import Observation, Origin, Thought

pytestmark = pytest.mark.requirement("ruling:I8")
BOWLS = tuple(f"On day number {n} I fired bowl {n} in the kiln." for n in range(40))
NOTE = Thought(
    id="t:cut", content=" ".join(BOWLS), created_at=NOW, recorded_at=NOW, origin=Origin.HUMAN, tags=("kiln",)
)


async def cut_off(services: Services, note: Thought = NOTE, rows: int = 30) -> None:
    """Leave what an earlier version left where it was killed: observations, and no thought."""
    await services.ingest.save(distil(note)[:rows], names=await services.ingest.names.known())


async def said(services: Services) -> list[str]:
    return sorted(row.text for row in await rows_of(services, Observation))


async def findings(services: Services) -> dict[str, str]:
    return {each.name: each.state for each in await services.checkup()}


async def test_what_was_cut_off_becomes_a_note_of_its_own_and_is_found_by_it(services: Services) -> None:
    await cut_off(services)
    assert (await findings(services))["notes"] == "fault"
    (preview,) = await services.torn.found()
    assert (preview.thought_id, len(preview.going), len(preview.unsaid)) == ("t:cut", 30, 30)
    assert await said(services) == sorted(BOWLS[:30])
    await services.torn.mend()
    assert (await said(services), await services.torn.found()) == (sorted(BOWLS[:30]), [])
    (note,) = await rows_of(services, Thought)
    assert (note.content, note.tags) == ("\n".join(BOWLS[:30]), ("kiln",))
    assert await services.maintenance.verify() == []
    assert {"notes": "ok", "index": "ok"}.items() <= (await findings(services)).items()
    turn = await ask(services, "What did I fire on day number 7?")
    assert turn.plan is not None
    assert BOWLS[7] in {each.text for each in turn.plan.evidence}


async def test_mending_that_is_cut_off_loses_nothing_and_goes_on(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    await cut_off(services)

    async def fail(revisions: object) -> None:
        raise StoreError("the power went out")

    class Failing:
        torn, take_back = services.torn.rows.torn, staticmethod(fail)

    with pytest.raises(StoreError, match="power"):
        await replace(services.torn, rows=Failing()).mend()
    assert len(await said(services)) == 60
    await services.torn.mend()
    assert await said(services) == sorted(BOWLS[:30])
