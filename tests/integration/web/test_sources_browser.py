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


@pytest.mark.requirement("web:sources:leaf")
async def test_what_was_written_last_comes_first_and_each_kind_can_be_seen_alone(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await page.memory.remember(SHED, at=NOW - timedelta(days=3))
        await page.memory.remember(CLAY)
        every, thoughts = await page.text("/sources"), await page.text("/sources?kind=thoughts")
    assert every.index(CLAY) < every.index(SHED)
    assert thoughts.count(CLAY) == 1
    assert every.count(CLAY) == 2, "the thought and the observation that is distilled from it"


@pytest.mark.requirement("web:sources:leaf", "promise:6")
async def test_private_rows_show_only_when_they_are_asked_for(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await page.memory.remember(SHED)
        await page.memory.remember("A secret about the lease.", is_private=True)
        without, with_them = await page.text("/sources"), await page.text("/sources?private=1")
    assert "secret" not in without
    assert "first · private rows not shown" in without
    assert "A secret about the lease." in with_them


@pytest.mark.requirement("web:sources:leaf")
async def test_leafing_shows_every_row_once(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        said = [f"Firing number {number} went well." for number in range(PAGE_SIZE * 2 + 3)]
        for text in said:
            await page.memory.remember(text)
        path, shown = "/sources?kind=thoughts", ""
        for _ in range(3):
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
    assert "kiln" not in str(found.url)
    assert "week" not in str(found.url)
    assert SHED in read(found.text)
    assert CLAY not in read(found.text)
    assert 'value="kiln shed"' in found.text
    assert SHED in again


@pytest.mark.requirement("web:sources:search")
async def test_what_says_every_word_comes_before_what_is_closer_and_says_less(tmp_path: Path) -> None:
    whole = "The piano from the hall of the old house by the river was sold by Hedwig in May to a man from Lisbon."
    async with desk(tmp_path) as page:
        for text in ("Hedwig.", whole, "A piano."):
            await page.memory.remember(text)
        found = read((await page.send("/sources", words="Hedwig piano")).text)
    assert found.index(whole) < found.index("Hedwig. ")


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


async def test_many_results_come_page_by_page(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        for number in range(PAGE_SIZE + 5):
            await page.memory.remember(f"Firing {number} of the kiln.")
        first = await page.send("/sources", words="firing of the kiln", kind="thoughts")
        onward = re.search(r'rel="next" href="([^"]+)"', first.text)
        assert onward is not None
        second = await page.text(onward[1].replace("&amp;", "&"))
    assert f"1 to {PAGE_SIZE} of {PAGE_SIZE + 5} sources" in read(first.text)
    assert f"{PAGE_SIZE + 1} to {PAGE_SIZE + 5} of" in second


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"words": "kiln", "when": "the day after never"}, "The request is not valid"),
        ({"when": "the day after never"}, "The request is not valid"),
    ],
)
async def test_a_time_that_is_not_understood_stands_beside_what_was_typed(
    tmp_path: Path, fields: dict[str, str], words: str
) -> None:
    async with desk(tmp_path) as page:
        refused = await page.send("/sources", **fields)
    assert refused.status_code == 422
    assert words in read(refused.text)
    assert 'value="the day after never"' in refused.text


async def test_a_search_that_is_not_kept_any_more_says_so_and_shows_everything(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await page.memory.remember(SHED)
        lost = await page.text("/sources?search=gone")
    assert "no longer available" in lost
    assert SHED in lost


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/sources", "Add your first note"),
        ("/sources?kind=relations", "Add your first note"),
        ("/sources?kind=turns", "Type words above"),
    ],
)
async def test_an_empty_memory_says_what_to_do(tmp_path: Path, path: str, words: str) -> None:
    async with desk(tmp_path) as page:
        assert words in await page.text(path)
        nothing = await page.send("/sources", words="kiln")
    assert "Nothing matches" in read(nothing.text)
