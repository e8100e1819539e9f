"""How many rows a turn considers, in which order its short form shows them, and which times it looks at."""

from pathlib import Path
from typing import Any, cast

import pytest

from played_turns import FIRED, KILN, MOVED, ask, given, grounded, later, memory, stored, tell
from present import present
from voice.core.errors import InvalidParams
from voice.core.render.turn_json import nlq_json
from voice.core.render.understanding import render_reading
from voice.core.retrieval.params import RetrieveRequest
from voice.core.settings.values import NlqLimits
from voice.core.text.instants import UNDATED


@pytest.mark.requirement("s3:sql:limit", "s3:api:limit", "ruling:A24", "s3:performance:candidates")
async def test_a_limit_bounds_the_rows_that_are_considered(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded()) as services:
        await tell(services, *KILN, *(f"The kiln stood in shed number {number}." for number in range(30)))
        asked = {
            said: await ask(services, "Where is the kiln?", limit=said, shape=shape)
            for said, shape in ((3, "full"), (500, "full"), (None, "nlq"))
        }
        everything = await ask(services, "Where is the kiln?")
    limits = {said: turn.selection.diagnostics.k_req for said, turn in asked.items() if turn.selection}
    assert limits == {3: 3, 500: 100, None: 25}
    assert "limit 500" in present(asked[500].selection).diagnostics.warnings[0]
    assert present(everything.selection).diagnostics.k_req == 25


@pytest.mark.requirement("s3:sql:limit", "s3:config:default_limit")
async def test_the_default_limit_bounds_what_any_question_is_answered_from(tmp_path: Path) -> None:
    settings = given(nlq=NlqLimits(default_limit=1))
    async with memory(tmp_path, settings=settings, told=KILN) as services:
        turns = [await ask(services, "Where is the kiln?", shape=shape) for shape in ("full", "nlq")]
        more = await ask(services, "Where is the kiln?", limit=2)
    shown = [len(turn.plan.evidence) for turn in (*turns, more) if turn.plan]
    assert shown == [1, 1, 2]


@pytest.mark.requirement("s3:sql:order", "s3:api:order", "s3:api:response", "ruling:A22")
async def test_the_short_form_shows_its_sources_by_date(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded()) as services:
        await tell(services, FIRED, created_at=later(days=-3))
        await tell(services, MOVED, created_at=later(days=-1))
        newest = await ask(services, "Where is the kiln?")
        oldest = await ask(services, "Where is the kiln?", order="created_at_asc")
        implied = await ask(services, "Where is the kiln in the earliest note?")
        with pytest.raises(InvalidParams, match="order"):
            await ask(services, "Where is the kiln?", order="by mood")
        assert len(await stored(services)) == 3
    forms = [nlq_json(turn.exchange, turn.order) for turn in (newest, oldest)]
    assert all(form.keys() == {"answer", "sources"} for form in forms)
    dates = [[source["created_at"] for source in cast("list[dict[str, str]]", form["sources"])] for form in forms]
    assert dates[0] == sorted(dates[0], reverse=True)
    assert dates[1] == sorted(dates[0])
    assert len(dates[0]) == 2
    assert implied.order == "created_at_asc"


@pytest.mark.requirement("s3:api:response", "s2:citation:relevance", "ruling:A16")
async def test_the_score_of_a_source_is_that_of_its_row(tmp_path: Path) -> None:
    question = "Where is the kiln?"
    async with memory(tmp_path, grounded(), told=KILN) as services:
        turn = await ask(services, question)
        found = await services.find(RetrieveRequest(query=question, mix=1.0, floor=0.0))
    scores = {snippet.id: round(snippet.score, 4) for snippet in found.snippets}
    told = cast("list[dict[str, object]]", nlq_json(turn.exchange, turn.order)["sources"])
    assert len(told) == 2
    assert {str(source["id"]): source["score"] for source in told}.items() <= scores.items()
    assert len({*scores.values()}) > 1


@pytest.mark.requirement("ruling:E.5")
async def test_what_names_its_time_may_have_been_said_nobody_knows_when(tmp_path: Path) -> None:
    january = ("In January the kiln stood in the cellar.", "The kiln was in the damp cellar all January.")
    async with memory(tmp_path) as services:
        await tell(services, *january, created_at=UNDATED)
        named = await ask(services, "Where did the kiln stand in January?")
        explicit = await ask(services, "Where did the kiln stand?", when="in January")
        relative = await ask(services, "Where did the kiln stand last month?")
    assert named.exchange.status == "answered"
    assert any("notes that name it" in warning for warning in present(named.selection).diagnostics.warnings)
    assert (explicit.exchange.status, relative.exchange.status) == ("refused", "refused")


@pytest.mark.requirement("ruling:I3")
async def test_what_speaks_of_a_time_is_in_it_whenever_it_was_told(tmp_path: Path) -> None:
    january = ("In January the kiln stood in the cellar.", "The kiln was in the damp cellar all January.")
    async with memory(tmp_path) as services:
        await tell(services, *january, created_at=later(days=-3))
        named = await ask(services, "Where did the kiln stand in January?")
        explicit = await ask(services, "Where did the kiln stand?", when="in January")
        relative = await ask(services, "Where did the kiln stand last month?")
    statuses = [turn.exchange.status for turn in (named, explicit, relative)]
    assert statuses == ["answered", "answered", "refused"]


@pytest.mark.requirement("ruling:E.5")
async def test_what_was_said_then_is_not_mixed_with_what_names_it_later(tmp_path: Path) -> None:
    async with memory(tmp_path) as services:
        await tell(services, "In March 2025 the kiln stood in the barn of a friend.", created_at=later(days=-60))
        await tell(services, MOVED, FIRED, created_at=later(days=-3))
        turn = await ask(services, "Where did the kiln stand in March?")
    assert {row.created_at for row in present(turn.plan).evidence} == {later(days=-3)}


@pytest.mark.requirement("s3:api:query", "ruling:A16", "ruling:E.5")
async def test_a_turn_says_how_it_was_read_and_what_was_searched(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded()) as services:
        await tell(services, MOVED, created_at=later(days=-15))
        await tell(services, FIRED, created_at=later(days=-13))
        turn = await ask(services, "Where was the kiln two weeks ago?")
        vague = await ask(services, "Where was the kiln a while ago?")
    reading: dict[str, Any] = render_reading(present(turn.parsed), turn.selection, turn.searched, turn.plan)
    understood, search = reading["understood"], reading["search"]
    assert (understood["phrase"], understood["widened"]) == ("two weeks ago", True)
    assert understood["note"] == "two weeks ago: 2026-03-06 (UTC)"
    assert (understood["window_from"], understood["window_to"]) == ("2026-03-05T00:00:00Z", "2026-03-08T00:00:00Z")
    assert understood["keywords"] == ["kiln"]
    assert search is not None
    assert (search["returned"], search["keywords_count"], search["partial"]) == (2, 1, False)
    assert search["candidates_scanned"] >= search["sim_evaluated"] >= 2
    assert len(search["warnings"]) == 1
    told: dict[str, Any] = render_reading(present(vague.parsed), None, vague.searched, None)
    assert (told["search"], told["shown"], told["understood"]["phrase"], told["understood"]["widened"]) == (
        None,
        None,
        None,
        False,
    )
    assert told["understood"]["when_unparsed"] == "not understood as a time: ago"
