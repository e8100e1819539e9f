"""What the memory knew at an earlier moment is asked for by that moment."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from played_turns import NOW, ON_DISK, ask, given, know, memory, tell
from voice.adapters.system.clock_and_ids import CountingIds, FixedClock
from voice.bootstrap import Services
from voice.core.errors import InvalidParams, UnknownId
from voice.core.grounding.values import GroundingPolicy
from voice.core.recall.pins import PinRequest
from voice.core.records import Origin
from voice.core.retrieval.params import RetrieveRequest
from voice.services.graph.correct import CorrectRequest
from voice.services.graph.editor import Backing
from voice.services.turn.ask import AskRequest, Turn

pytestmark = pytest.mark.requirement("ruling:F.6")
WEEK = timedelta(days=7)
BEFORE, FIRST, SECOND, AFTER = NOW - WEEK, NOW + WEEK / 2, NOW + WEEK * 3 / 2, NOW + 4 * WEEK


class Years:
    """Opens one memory on disk at several moments."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.ids = CountingIds()

    @asynccontextmanager
    async def at(self, moment: datetime) -> AsyncGenerator[Services]:
        settings = given(store=ON_DISK, grounding=GroundingPolicy(single_source="green"))
        async with memory(self.home, clock=FixedClock(moment), ids=self.ids, settings=settings) as services:
            yield services


@pytest.fixture
def years(tmp_path: Path) -> Years:
    return Years(tmp_path)


async def texts(services: Services, as_of: datetime | None, query: str = "Where does Marta live now?") -> set[str]:
    request = RetrieveRequest(query=query, floor=0.0, top_k=20, as_of=as_of, lexical_only=True)
    return {snippet.text for snippet in (await services.find(request)).snippets}


async def test_a_node_is_shown_with_the_description_and_edges_of_then_and_its_history(years: Years) -> None:
    async with years.at(NOW) as services:
        editor = services.graph_editor
        anna = await know(services, "Anna", "thing", "A potter.")
        kiln, clay = [await know(services, name, "thing", "") for name in ("Kiln Co", "Clay Co")]
        hidden = Backing(is_private=True)
        works = (await editor.add_relation(anna, "works at", kiln, description="", backing=hidden)).row
        told = (await editor.add_observation("Anna fires at cone 6.", about=["Anna"], backing=Backing())).row
    async with years.at(NOW + WEEK) as services:
        await services.correcting(CorrectRequest(row_id=anna, text="A baker.", reason="new trade"))
        await services.correcting(CorrectRequest(row_id=works.id, target=clay))
        await services.correcting(CorrectRequest(row_id=told.id, text="Anna fires at cone 10."))
    async with years.at(AFTER) as services:
        then = await services.browse.around("Anna", include_private=True, as_of=FIRST)
        now = await services.browse.around("Anna", include_private=True)
        public = await services.browse.around("Anna")
        with pytest.raises(UnknownId, match="did not exist then"):
            await services.browse.around("Anna", as_of=BEFORE)
        found = await texts(services, FIRST, "Who is Anna the potter?")
        today = await texts(services, None, "Who is Anna the baker?")
    assert (then.entity.id, then.entity.description) == (anna, "A potter.")
    assert [(row.id, row.target_id) for row in then.relations] == [(works.id, kiln)]
    assert [row.text for row in then.observations] == ["Anna fires at cone 6."]
    assert then.history == ()
    assert now.entity.description == "A baker."
    assert [row.target_id for row in now.relations] == [clay]
    assert {row.id for row in now.history} >= {works.id, told.id}
    assert [row.superseded_reason for row in now.history if row.id.startswith("e:")] == ["new trade"]
    assert {kiln, clay} <= dict(now.names).keys()
    assert works.id not in {row.id for row in public.history}
    assert "Anna (thing): A potter." in found  # the edge is private
    assert "Anna (thing): A baker." in today


async def answered(services: Services, **more: object) -> Turn:
    return await ask(services, "Where does Marta live now?", **more)


async def test_a_question_is_answered_from_what_was_known_then_in_a_session_of_its_own(years: Years) -> None:
    async with years.at(NOW) as services:
        (first,) = await tell(services, "Marta lives in Porto now.")
        await services.pins.pin(PinRequest(target_id=first, reason="home"))
    async with years.at(NOW + WEEK) as services:
        moved = await services.correcting(CorrectRequest(row_id=first, text="Marta lives in Lisbon now."))
    async with years.at(AFTER) as services:
        today = await answered(services)
        then = await answered(services, as_of=FIRST)
        foreseen = await services.dry_run(AskRequest(question="Where does Marta live now?", create=True, as_of=FIRST))
        later = await answered(services, session_id=today.session.id)
        with pytest.raises(InvalidParams, match="leave out the session"):
            await answered(services, as_of=FIRST, session_id=today.session.id)
        nothing = await answered(services, as_of=BEFORE)
        now = await answered(services)
    assert moved.pins == 1
    assert ("Lisbon" in today.exchange.answer, "Porto" in today.exchange.answer) == (True, False)
    assert ("Lisbon" in then.exchange.answer, "Porto" in then.exchange.answer) == (False, True)
    assert foreseen.refused is None
    assert then.session.id != today.session.id
    assert then.session.thread_topic == f"as of {FIRST.date()}: Where does Marta live now?"
    assert "Lisbon" in later.exchange.answer
    assert (now.session.id, now.exchange.refused) == (today.session.id, False)
    assert nothing.exchange.refused


async def seen(services: Services, name: str, as_of: datetime) -> tuple[str, list[str], list[str]]:
    shown = await services.browse.around(name, as_of=as_of)
    return shown.entity.description, [edge.rel_type for edge in shown.relations], [o.text for o in shown.observations]


async def test_two_that_were_made_one_and_two_again_are_what_they_were_at_each_moment(years: Years) -> None:
    async with years.at(NOW) as services:
        editor, mine = services.graph_editor, Backing(origin=Origin.HUMAN)
        for name, said in (("Anna Lund", "Runs the pottery."), ("Annie", "Lives in Porto."), ("Kiln Co", "")):
            await editor.add_entity(name, entity_type="person", description=said, aliases=(), backing=mine)
        await editor.add_relation("Annie", "works at", "Kiln Co", description="", backing=mine)
        await editor.add_relation("Annie", "knows", "Anna Lund", description="", backing=mine)
        await editor.add_observation("She fires at cone 6.", about=("Annie",), backing=mine)
    async with years.at(NOW + WEEK) as services:
        # the one that goes was there first: nothing may depend on the order of ids
        merge = (await services.merging.merge("Annie", "Anna Lund")).merge
    annie = ("Lives in Porto.", ["works_at", "knows"], ["She fires at cone 6."])
    async with years.at(NOW + 2 * WEEK) as services:
        assert await seen(services, "Annie", FIRST) == annie
        assert await seen(services, "Anna Lund", FIRST) == ("Runs the pottery.", ["knows"], [])
        found = await texts(services, FIRST, "Runs the pottery or lives in Porto?")
        assert {each.split(";")[0] for each in found} >= {
            "Annie (person): Lives in Porto.",
            "Anna Lund (person): Runs the pottery.",
        }
        await services.merging.unmerge(merge.id)
        again = (await services.merging.merge("Anna Lund", "Annie")).merge
        assert await seen(services, "Annie", FIRST) == annie
        assert await seen(services, "Anna Lund", FIRST) == ("Runs the pottery.", ["knows"], [])
    async with years.at(NOW + 3 * WEEK) as services:
        await services.merging.unmerge(again.id)
        one = ("Lives in Porto.; Runs the pottery.", ["works_at"], ["She fires at cone 6."])
        assert await seen(services, "Annie", SECOND) == one
        assert await seen(services, "Annie", AFTER) == await seen(services, "Annie", FIRST) == annie
        with pytest.raises(UnknownId, match="did not exist then"):
            await services.browse.around("Anna Lund", as_of=SECOND)
