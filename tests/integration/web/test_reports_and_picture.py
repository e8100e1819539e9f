"""Reports and the picture of the graph in a browser without scripts."""

import json
import re
from dataclasses import replace
from datetime import timedelta
from html import unescape
from pathlib import Path

import pytest

from desk_pages import Desk, desk, read
from graph_rows import entity, relation, said, studio
from played_turns import NOW
from report_turns import REFUSED, exchange
from voice.core.records import GraphRow
from voice.core.session.lifecycle import append, new_session
from voice.entrypoints.web.pages.charts import day_in_words
from voice.ports.stores import WriteBatch


async def talked(page: Desk) -> None:
    """Let there have been turns on three days, one of them of unknown cost and one refused."""
    turns = [
        exchange(0, timestamp=NOW - timedelta(days=60)),
        exchange(1, timestamp=NOW - timedelta(days=1), cost_estimate=None, prompt_tokens=None),
        exchange(2, timestamp=NOW, **REFUSED),
    ]
    session = new_session(session_id="s:1", topic="<b>kiln</b>", provider="p", model="m", max_prompt_tokens=9, now=NOW)
    for each in turns:
        session = append(session, each)
    await page.services.sessions.save(replace(session, revision=1, context_window=()), turns, expected=0)


@pytest.mark.requirement("web:reports")
async def test_a_report_tells_a_time_in_words_and_draws_from_what_it_tells(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await talked(page)
        every = await page.html("/reports")
        late = await page.text("/reports?since=this+week&by=session")
    shown = read(every)
    assert "Turns 3" in shown
    assert "Cost $0.0100 plus 2 turns of unknown cost" in shown
    drawn = [json.loads(unescape(each)) for each in re.findall(r"data-chart='([^']+)'", every)]
    assert [each["unit"] for each in drawn] == ["usd", "count", "count", "percent"]
    assert len(drawn[0]["days"]) == 61
    assert drawn[0]["lines"][0]["points"][0] == 0.01
    assert "Turns 2" in late
    assert "<b>kiln</b>" in late
    assert "Cost unknown" in late


@pytest.mark.requirement("web:reports")
async def test_turns_are_grouped_as_the_command_groups_them_and_a_time_that_is_not_understood_stays_typed(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path) as page:
        await talked(page)
        for by in ("day", "month", "session", "model", "prompt", "stance"):
            shown = await page.text(f"/reports?by={by}")
            report = await page.memory.report(by=by)  # pyright: ignore[reportArgumentType] - one of the names above
            names = [row.topic or day_in_words(row.key, report.by) for row in report.rows]
            assert [name for name in names if name not in shown] == []
            assert names
        html = await page.html("/reports?since=the+day+after+never", 422)
        nothing = await page.text("/reports?until=1999")
    assert 'value="the day after never"' in html
    assert "No turns in this time" in nothing


async def drawn(page: Desk, *rows: GraphRow) -> None:
    await page.services.store.write(WriteBatch(rows=rows or tuple(studio())))


@pytest.mark.requirement("web:picture")
async def test_the_picture_leads_on_and_the_list_says_the_same(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await drawn(page)
        html = await page.html("/graph/e:anna")
        far = await page.text("/graph/e:anna?depth=2")
    assert 'role="group" aria-label="Graph around Anna Lund' in html
    assert "<desc>" in html
    assert set(re.findall(r'<a class="card[^"]*" href="([^"]+)"', html)) == {
        f"/graph/e%3A{each}" for each in ("anna", "kiln", "bea", "coop")
    }
    words = read(html)
    assert "Anna Lund → leads → Kiln rebuild" in words
    assert "Anna Lund → member of → Barro Cooperative (ended)" in words
    assert "The kiln needs forty new bricks." in words
    assert "Mochi" in far
    assert " style=" not in html


@pytest.mark.requirement("web:picture", "web:hostile")
async def test_a_relation_that_was_stated_twice_stands_once_and_a_hostile_name_is_text(tmp_path: Path) -> None:
    twice = [relation("anna", "works_for", "coop"), replace(relation("anna", "works_for", "coop"), id="r:again")]
    bad = entity("coop", '<script>x</script>" onload="y')
    async with desk(tmp_path) as page:
        await drawn(page, entity("anna"), bad, said("1", "<i>told</i>", "anna"), *twice)
        html = await page.html("/graph/e:anna")
    assert read(html.partition('id="words"')[2]).count("Anna → works for → ") == 2, "once at either end"
    assert [each for each in ("<script>x", ' onload="', "<i>") if each in html] == []
    assert "&lt;script&gt;x" in html


@pytest.mark.requirement("web:picture", "promise:6")
async def test_what_is_private_is_drawn_only_when_it_is_asked_for(tmp_path: Path) -> None:
    secret = entity("zelda", is_private=True)
    async with desk(tmp_path) as page:
        await drawn(page, entity("anna"), secret, relation("anna", "meets", "zelda"))
        without, with_them = await page.text("/graph/e:anna"), await page.text("/graph/e:anna?private=1")
        hidden = await page.text("/graph/e:zelda", 404)
        listed = await page.text("/graph")
    assert ("Zelda" in without, "Zelda" in with_them) == (False, True)
    assert "private row" in without
    assert "Zelda" not in hidden + listed


@pytest.mark.requirement("web:picture")
async def test_an_entity_is_chosen_by_any_of_its_names_and_no_address_says_it(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        empty = await page.text("/graph")
        await drawn(page)
        listed = await page.text("/graph")
        chosen = await page.send("/graph", name="a. lund")
        refused = await page.send("/graph", name="nobody at all")
    assert "The graph is empty" in empty
    assert "Anna Lund person" in listed
    assert (chosen.status_code, chosen.url.path) == (200, "/graph/e:anna")
    assert refused.status_code == 404
    assert 'value="nobody at all"' in refused.text
