"""The site of docs/ in a real browser, opened from the disk, without any network."""

from collections.abc import Generator
from pathlib import Path
from typing import Literal, cast

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, ViewportSize, sync_playwright

from chromium import CHROMIUM, PATIENCE_MS, PHONE

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("site"),
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed"),
    pytest.mark.requirement("docs:offline"),
]
AXE = ["index", "tutorial", "settings", "retrieval", "adr/0003-search-index"]
"""Pages with each thing that a page can hold; the reference is made of the same."""
_LOCAL = ("file:", "data:", "blob:", "about:")


@pytest.fixture(scope="module")
def page() -> Generator[Page]:
    """Return a page of a narrow window; whom it asks for what is kept in `asked_elsewhere`."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        context = browser.new_context(viewport={"width": PHONE[0], "height": PHONE[1]}, offline=True)
        context.set_default_timeout(PATIENCE_MS)
        yield context.new_page()
        browser.close()


@pytest.fixture
def asked_elsewhere(page: Page) -> list[str]:
    asked: list[str] = []
    page.on("request", lambda request: None if request.url.startswith(_LOCAL) else asked.append(request.url))
    return asked


def test_a_page_fits_a_phone_and_asks_nobody(site: Path, page: Page, asked_elsewhere: list[str]) -> None:
    for name in ("index", "cli", "retrieval", "architecture", "reference/schemas/cli/ask"):
        page.goto((site / f"{name}.html").as_uri())
        _rest(page)
        assert asked_elsewhere == []
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0], name
    page.goto((site / "index.html").as_uri())
    page.locator("label[for=__search]").first.click()
    page.locator("input.md-search__input").press_sequentially("coverage")
    page.locator(".md-search-result__item a").first.wait_for()
    assert asked_elsewhere == [], "a search finds a page without a server"


def _rest(page: Page) -> None:
    """Wait until what a page does by itself is done; "networkidle" sometimes never comes without a network."""
    page.evaluate("new Promise(done => requestIdleCallback(done, {timeout: 5000}))")


def _serious(page: Page, *, colours_alone: bool) -> list[str]:
    options: dict[str, object] = {"resultTypes": ["violations"]}
    if colours_alone:
        options["runOnly"] = {"type": "rule", "values": ["color-contrast"]}
    found = cast("list[dict[str, object]]", Axe().run(page, options=options).response["violations"])  # pyright: ignore[reportUnknownMemberType]
    return [f"{each['id']}: {each['nodes']}"[:600] for each in found if each["impact"] in ("serious", "critical")]


@pytest.mark.requirement("docs:everybody")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(site: Path, page: Page, scheme: Literal["light", "dark"]) -> None:
    """What a theme changes is colours; all else is looked at in one of them, by touch."""
    browser = page.context.browser
    assert browser is not None
    size: ViewportSize = {"width": PHONE[0], "height": PHONE[1]}
    context = browser.new_context(
        viewport=size, offline=True, color_scheme=scheme, is_mobile=True, has_touch=True, reduced_motion="reduce"
    )
    context.set_default_timeout(PATIENCE_MS)
    phone = context.new_page()
    for name in AXE:
        phone.goto((site / f"{name}.html").as_uri())
        _rest(phone)
        assert (name, _serious(phone, colours_alone=scheme == "light")) == (name, [])
    context.close()


def test_a_table_is_scrolled_by_keyboard_and_shows_no_empty_head(site: Path, page: Page) -> None:
    page.goto((site / "settings.html").as_uri())
    _rest(page)
    wide = page.locator(".scrolls").first
    wide.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.activeElement.scrollLeft > 0")
    page.goto((site / "errors.html").as_uri())
    assert page.locator("thead").count() > 1
    assert all(each.inner_text().strip() for each in page.locator("thead").filter(visible=True).all())
