"""How many rows a turn considers, in which order its short form shows them, and which times it looks at."""

from pathlib import Path
from typing import Any, cast

import pytest

from played_turns import FIRED, KILN, MOVED, ask, grounded, later, memory, stored, tell
from present import present
from voice.core.errors import InvalidParams
from voice.core.render.turn_json import nlq_json
from voice.core.render.understanding import render_reading


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
