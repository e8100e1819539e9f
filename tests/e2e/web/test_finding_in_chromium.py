"""Finding in a real browser, from end to end: the palette, the keys, the very words in sources and in sessions."""

from collections.abc import Generator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Page

from chromium import DESKTOP, IN_CHROMIUM, PHONE, Site, grave, overhang, site
from example_home import copied

pytestmark = IN_CHROMIUM
_PLACES = ("/keys", "/sessions", "palette", "keys", "words", "turns", "said")
_FINGER = 44
"""Pixels that an option of the palette has at least in its height."""


@pytest.fixture(scope="module")
def served(desk_made: Path, tmp_path_factory: pytest.TempPathFactory) -> Generator[Site]:
    with site(copied(desk_made, tmp_path_factory.mktemp("finding"))) as running:
        yield running


def _focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.id || document.activeElement.localName"))


def _blur(page: Page) -> None:
    page.evaluate("document.activeElement.blur()")


@pytest.mark.requirement("web:palette")
def test_the_palette_leads_to_a_page_an_act_a_session_and_a_search(served: Site) -> None:
    with served.page() as watched:
        page = watched.open("/pins")
        page.locator("#reason").focus()
        page.keyboard.press("Control+k")
        page.locator("dialog[open] #palette-words").wait_for()
        assert _focused(page) == "palette-words"
        assert page.get_by_role("dialog", name="Go to").is_visible()
        page.keyboard.press("Escape")
        page.locator("dialog").wait_for(state="detached")
        assert _focused(page) == "reason", "the focus is back where it was"
        for typed, address in (("doct", "/doctor"), ("new sess", "/"), ("repairs", "/chat/s%3Atalks")):
            _blur(page)
            page.keyboard.press("Meta+k")
            page.locator("#palette-words").fill(typed)
            page.keyboard.press("Enter")
            page.wait_for_url(f"{watched.base}{address}")
        page.locator("[data-palette]").click()
        page.locator("#palette-words").fill("clavichord")
        page.locator("#palette-note-1").click()
        page.wait_for_url("**/sources/t%3A*")
        page.locator("[data-palette]").click()
        page.locator("#palette-words").fill("clavichord bridge")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Enter")
        page.wait_for_url("**/sources?search=*")
        assert "clavichord" not in page.url
        assert page.locator("#words").input_value() == "clavichord bridge"
        assert watched.is_quiet()


@pytest.mark.requirement("web:palette")
def test_no_key_acts_while_somebody_types_and_single_keys_can_be_switched_off(served: Site) -> None:
    with served.page() as watched:
        page = watched.open("/")
        page.locator("#question").focus()
        page.keyboard.type("a/b?")
        page.keyboard.press("Control+k")
        page.wait_for_timeout(300)
        assert page.locator("dialog").count() == 0
        assert page.locator("#question").input_value() == "a/b?"
        _blur(page)
        page.keyboard.press("/")
        page.wait_for_url("**/sources#words")
        page.wait_for_function("document.activeElement.id === 'words'")
        _blur(page)
        page.keyboard.press("?")
        page.get_by_role("dialog", name="Keys").wait_for()
        page.locator("dialog [data-single-keys] input").uncheck()
        page.keyboard.press("Escape")
        page.locator("dialog").wait_for(state="detached")
        page.keyboard.press("?")
        page.keyboard.press("/")
        page.wait_for_timeout(300)
        assert page.locator("dialog").count() == 0
        assert _focused(page) != "words"
        page.reload()
        page.keyboard.press("Control+k")
        page.locator("#palette-words").wait_for()


@pytest.mark.requirement("web:sources:literal", "web:sessions:totals")
def test_the_very_words_lead_to_a_source_and_to_the_turn_where_they_were_said(served: Site) -> None:
    with served.page() as watched:
        watched.open("/")
        watched.ask("When was the bridge of the clavichord glued?")
        page = watched.open("/sources")
        page.fill("#words", "clavichord")
        page.get_by_label("Exact words").check()
        page.keyboard.press("Enter")
        page.wait_for_url("**search=*")
        assert "clavichord" in page.locator(".entry mark").first.inner_text().casefold()
        page.get_by_role("link", name="Said in sessions").click()
        page.locator(".found-turns a").first.click()
        page.wait_for_url("**/sessions/**#turn-*")
        page = watched.open("/sessions?state=open")
        page.fill("#about", "clavichord glued")
        page.keyboard.press("Enter")
        page.locator(".said-in mark").first.wait_for()
        assert watched.said == []


@pytest.mark.requirement("web:everybody")
@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "dark"), (PHONE, "light")])
def test_axe_finds_nothing_and_each_place_fits_its_window(
    served: Site, size: tuple[int, int], scheme: Literal["light", "dark"]
) -> None:
    with served.page(size, scheme=scheme) as watched:
        for place in _PLACES:
            page = watched.open(place if place.startswith("/") else "/sessions" if place == "said" else "/sources")
            _unfold(page, place)
            assert (place, grave(page), overhang(page)) == (place, [], 0)
        assert watched.said == []


def _unfold(page: Page, place: str) -> None:
    if place == "palette":
        page.keyboard.press("Control+k")
        option = page.locator("dialog [role=option]").first
        option.wait_for()
        box = option.bounding_box()
        assert box is not None
        assert box["height"] >= _FINGER
    elif place == "keys":
        page.keyboard.press("?")
        page.get_by_role("dialog", name="Keys").wait_for()
    elif place in ("words", "turns"):
        page.fill("#words", "clavichord")
        page.get_by_label("Exact words").check()
        page.keyboard.press("Enter")
        page.wait_for_url("**search=*")
        if place == "turns":
            page.get_by_role("link", name="Said in sessions").click()
    elif place == "said":
        page.fill("#about", "clavichord")
        page.keyboard.press("Enter")
        page.wait_for_url("**search=*")
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")
