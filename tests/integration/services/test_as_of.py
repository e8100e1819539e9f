"""What the memory knew at an earlier moment is asked for by that moment."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from played_turns import NOW, ON_DISK, given, grounded, memory
from voice.adapters.system.clock import FixedClock
from voice.adapters.system.ids import CountingIds
from voice.bootstrap import Services
from voice.core.errors import UnknownId
from voice.core.records import Origin
from voice.core.retrieval.params import RetrieveRequest
from voice.services.correcting import CorrectRequest
from voice.services.graph import Backing
from voice.services.ingest import NewThought

pytestmark = [pytest.mark.anyio, pytest.mark.requirement("ruling:F.6")]
WEEK = timedelta(days=7)
BEFORE, FIRST, SECOND, AFTER = NOW - WEEK, NOW + WEEK / 2, NOW + WEEK * 3 / 2, NOW + 4 * WEEK


class Years:
    """Opens one memory on disk at several moments."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.ids = CountingIds()

    @asynccontextmanager
    async def at(self, moment: datetime) -> AsyncGenerator[Services]:
        settings = given(store=ON_DISK)
        async with memory(self.home, grounded(), clock=FixedClock(moment), ids=self.ids, settings=settings) as services:
            yield services


@pytest.fixture
def years(tmp_path: Path) -> Years:
    return Years(tmp_path)


async def texts(services: Services, as_of: datetime | None, query: str = "Where does Marta live now?") -> set[str]:
    request = RetrieveRequest(query=query, floor=0.0, top_k=20, as_of=as_of, lexical_only=True)
    return {snippet.text for snippet in (await services.find(request)).snippets}


async def test_a_thought_is_found_in_the_words_of_then(years: Years) -> None:
    async with years.at(NOW) as services:
        said = [NewThought(content=f"Marta lives in {town} now.", origin=Origin.HUMAN) for town in ("Porto",)]
        (row_id,) = (await services.ingest.remember(said)).stored
    for weeks, town in ((1, "Lisbon"), (2, "Faro")):
        async with years.at(NOW + weeks * WEEK) as services:
            done = await services.correcting(CorrectRequest(row_id=row_id, text=f"Marta lives in {town} now."))
            row_id = done.row_id
    async with years.at(AFTER) as services:
        assert await texts(services, BEFORE) == set()
        assert await texts(services, FIRST) == {"Marta lives in Porto now."}
        assert await texts(services, SECOND) == {"Marta lives in Lisbon now."}
        assert await texts(services, AFTER) == await texts(services, None) == {"Marta lives in Faro now."}


async def test_a_node_is_shown_with_the_description_and_edges_of_then_and_its_history(years: Years) -> None:
    async with years.at(NOW) as services:
        editor = services.graph_editor
        anna, kiln, clay = [
            (await editor.add_entity(name, entity_type="thing", description=said, aliases=(), backing=Backing())).row
            for name, said in (("Anna", "A potter."), ("Kiln Co", ""), ("Clay Co", ""))
        ]
        works = (
            await editor.add_relation(anna.id, "works at", kiln.id, description="", backing=Backing(is_private=True))
        ).row
        told = (await editor.add_observation("Anna fires at cone 6.", about=["Anna"], backing=Backing())).row
    async with years.at(NOW + WEEK) as services:
        await services.correcting(CorrectRequest(row_id=anna.id, text="A baker.", reason="new trade"))
        await services.correcting(CorrectRequest(row_id=works.id, target=clay.id))
        await services.correcting(CorrectRequest(row_id=told.id, text="Anna fires at cone 10."))
    async with years.at(AFTER) as services:
        then = await services.browse.around("Anna", include_private=True, as_of=FIRST)
        now = await services.browse.around("Anna", include_private=True)
        public = await services.browse.around("Anna")
        with pytest.raises(UnknownId, match="not there yet"):
            await services.browse.around("Anna", as_of=BEFORE)
        found = await texts(services, FIRST, "Who is Anna the potter?")
        today = await texts(services, None, "Who is Anna the baker?")
    assert (then.entity.id, then.entity.description) == (anna.id, "A potter.")
    assert [(row.id, row.target_id) for row in then.relations] == [(works.id, kiln.id)]
    assert [row.text for row in then.observations] == ["Anna fires at cone 6."]
    assert then.history == ()
    assert now.entity.description == "A baker."
    assert [row.target_id for row in now.relations] == [clay.id]
    assert {row.id for row in now.history} >= {works.id, told.id}
    assert [row.superseded_reason for row in now.history if row.id.startswith("e:")] == ["new trade"]
    assert {kiln.id, clay.id} <= dict(now.names).keys()
    assert works.id not in {row.id for row in public.history}
    assert "Anna (thing): A potter." in found  # the edge is private
    assert "Anna (thing): A baker." in today
