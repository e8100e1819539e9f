"""The sources browser: leafing and searching, with and without what is private."""

import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from desk_pages import desk, read
from played_turns import NOW
from voice.core.retrieval.candidates import CatalogueFilter
from voice.entrypoints.web.pages.source_list import PAGE_SIZE
from voice.services.retrieval.catalogue import Catalogue, RowQuery

SHED = "The kiln moved to the shed."
CLAY = "Marta bought forty kilos of clay."


@pytest.mark.requirement("web:sources:leaf", "promise:6")
async def test_what_was_written_last_comes_first_each_kind_alone_and_private_rows_when_asked_for(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path) as page:
        await page.memory.remember(SHED, at=NOW - timedelta(days=3))
        await page.memory.remember(CLAY)
        await page.memory.remember("A secret about the lease.", is_private=True)
        every, thoughts, private = [await page.text(f"/sources{each}") for each in ("", "?kind=thoughts", "?private=1")]
        lost = await page.text("/sources?search=gone")
    assert every.index(CLAY) < every.index(SHED)
    assert thoughts.count(CLAY) == 1
    assert every.count(CLAY) == 2, "the thought and the observation that is distilled from it"
    assert ("secret" in every, "first · private rows not shown" in every) == (False, True)
    assert "A secret about the lease." in private
    assert ("no longer available" in lost, SHED in lost) == (True, True)


@pytest.mark.requirement("web:sources:leaf")
async def test_leafing_shows_every_row_once(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        said = [f"Firing number {number} went well." for number in range(PAGE_SIZE + 3)]
        for text in said:
            await page.memory.remember(text)
        path, shown = "/sources?kind=thoughts", ""
        for _ in range(2):
            html = await page.html(path)
            shown += read(html)
            onward = re.search(r'rel="next" href="([^"]+)"', html)
            path = onward[1].replace("&amp;", "&") if onward else ""
    assert path == ""
    assert [shown.count(text) for text in said] == [1] * len(said)


@pytest.mark.requirement("web:sources:search")
async def test_a_search_leads_to_an_address_that_does_not_say_what_was_looked_for(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await page.memory.remember(SHED)
        await page.memory.remember(CLAY, at=NOW - timedelta(days=40))
        found = await page.send("/sources", words="kiln shed", when="this week", kind="thoughts")
        again = await page.text(str(found.url.raw_path, "ascii"))
        for fields in ({"words": "kiln"}, {}):
            refused = await page.send("/sources", when="the day after never", **fields)
            assert (refused.status_code, "The request is not valid" in read(refused.text)) == (422, True)
            assert 'value="the day after never"' in refused.text
    assert ("kiln" in str(found.url), "week" in str(found.url)) == (False, False)
    assert (SHED in read(found.text), CLAY in read(found.text)) == (True, False)
    assert 'value="kiln shed"' in found.text
    assert SHED in again


@pytest.mark.requirement("web:sources:search")
async def test_without_words_time_and_tags_choose_what_is_listed(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await page.memory.remember(SHED, at=NOW - timedelta(days=40), tags=["kiln"])
        await page.memory.remember(CLAY, tags=["clay"])
        this_week = read((await page.send("/sources", when="this week")).text)
        tagged = read((await page.send("/sources", tags="kiln, glaze")).text)
    assert (CLAY in this_week, SHED in this_week) == (True, False)
    assert (CLAY in tagged, SHED in tagged) == (False, True)


@pytest.mark.requirement("web:sources:search")
async def test_relations_are_found_by_words(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        editor = page.services.graph_editor
        from voice.services.graph.editor import Backing

        for name in ("Marta", "the Kiln"):
            await editor.add_entity(name, entity_type="person", description="", aliases=(), backing=Backing())
        await editor.add_relation("Marta", "fires", "the Kiln", description="", backing=Backing())
        found = read((await page.send("/sources", words="who fires the kiln", kind="relations")).text)
        listed = await page.text("/sources?kind=relations")
    assert "Marta — fires → the Kiln" in found
    assert "Marta — fires → the Kiln" in listed


@pytest.mark.requirement("web:sources:search")
async def test_where_nothing_is_close_that_is_said_and_the_very_words_are_offered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with desk(tmp_path) as page:
        await page.memory.remember(SHED)
        close = await page.send("/sources", words="moved", kind="thoughts")
        catalogue = type(page.services.catalogue)
        sought = catalogue.sought

        async def far(self: Catalogue, words: str, where: CatalogueFilter, *, when: str | None = None) -> RowQuery:
            query = await sought(self, words, where, when=when)
            return replace(query, found=tuple(replace(each, cosine=0.2, lexical=0.0) for each in query.found))

        monkeypatch.setattr(catalogue, "sought", far)
        distant = await page.send("/sources", words="moved", kind="thoughts")
    assert "Nothing close" not in close.text
    assert "No close match; these are the nearest. Search for the exact words" in read(distant.text)


async def test_an_empty_memory_says_what_to_do(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        for kind, words in (("", "Add your first note"), ("?kind=turns", "Type words above")):
            assert words in await page.text(f"/sources{kind}")
        assert "Nothing matches" in read((await page.send("/sources", words="kiln")).text)
