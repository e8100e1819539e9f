"""The palette and the page of the keys: one table, and no topic that is withheld."""

import re
from pathlib import Path

import pytest

from desk_pages import desk, read
from voice.entrypoints.web.pages.palette import KEYS, acts_of
from voice.entrypoints.web.pages.rendering import SECTIONS

pytestmark = pytest.mark.requirement("web:keys")


async def test_the_page_lists_each_page_and_key_and_the_palette_has_the_same(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        plain, palette = await page.html("/keys"), await page.html("/keys/palette")
        for section in SECTIONS:
            assert f'<li><a href="{section.path}">' in plain
            assert f'data-to="{section.path}"><bdi>' in palette
            assert '<a class="go-to" href="/keys" data-palette>' in await page.html(section.path), "without a script"
    for key in KEYS:
        assert key.does in read(plain)
        assert key.does in read(palette)


def test_an_act_is_offered_where_its_page_is_served() -> None:
    assert [each.name for each in acts_of({"/add", "/keys"})] == ["Add a note", "Show the keys"]
    assert [each.url for each in acts_of({"/sources"})] == ["/sources", "/sources#words", "/sources?kind=turns#words"]
    assert acts_of(set()) == ()


@pytest.mark.requirement("promise:6")
async def test_sessions_are_offered_by_topic_and_private_ones_are_not(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await page.memory.remember("The kiln moved to the shed.")
        await page.send("/ask", question="Where is the kiln?")
        await page.send("/ask", question="What of the secret lease?", private="1")
        palette = await page.html("/keys/palette")
    assert re.search(r'data-to="/chat/[^"?]+"><bdi>Where is the kiln\?</bdi>', palette)
    assert "secret" not in palette
