"""Ids in the addresses of pages that nothing bears, or nothing can bear."""

from pathlib import Path

import pytest

from desk_pages import desk, read
from tables import tables
from voice.core.graph.removal.forget_cascade import ForgetRequest

TABLES = tables(__file__)


@pytest.mark.requirement("web:errors")
async def test_an_id_that_is_none_is_said_to_be_none_in_words_that_can_be_read(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        for path, words, back in TABLES["an_id_that_is_none"]:
            html = await page.html(path, 404)
            assert words in read(html)
            assert "\\x00" not in html
            assert f'<a href="{back}">' in html.partition('role="alert"')[2]


@pytest.mark.requirement("web:sources:page")
async def test_answers_that_cite_what_is_not_there_any_more_are_still_listed(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await page.memory.remember("Ada moved the kiln to the shed.")
        turn = await page.memory.ask("Where is the kiln?", new_topic="the kiln")
        cited = turn.exchange.sources[0].source_id
        await page.services.forget(ForgetRequest(ids=frozenset([cited])), "forget")
        shown = await page.text(f"/sources/{cited}/answers")
    assert "Answers that cite it A turn whose question was deleted 20 Mar 2026" in shown
