"""The site of docs/ in a real browser, opened from the disk, without any network."""

from collections.abc import Generator
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="playwright is not installed")

from playwright.sync_api import Page, sync_playwright

from chromium import CHROMIUM, PHONE

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("site"),
    pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed"),
    pytest.mark.requirement("docs:offline"),
]
_LOCAL = ("file:", "data:", "blob:", "about:")


@pytest.fixture(scope="module")
def page() -> Generator[Page]:
    """Return a page of a narrow window; whom it asks for what is kept in `asked_elsewhere`."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        context = browser.new_context(viewport={"width": PHONE[0], "height": PHONE[1]}, offline=True)
        context.set_default_timeout(20_000)
        yield context.new_page()
        browser.close()


@pytest.fixture
def asked_elsewhere(page: Page) -> list[str]:
    asked: list[str] = []
    page.on("request", lambda request: None if request.url.startswith(_LOCAL) else asked.append(request.url))
    return asked


@pytest.mark.parametrize("name", ["index", "tutorial", "cli", "retrieval", "architecture", "reference/schemas/cli/ask"])
def test_a_page_fits_a_phone_and_asks_nobody(site: Path, page: Page, asked_elsewhere: list[str], name: str) -> None:
    page.goto((site / f"{name}.html").as_uri())
    page.wait_for_load_state("networkidle")
    assert asked_elsewhere == []
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]


def test_a_search_finds_a_page_without_a_server(site: Path, page: Page, asked_elsewhere: list[str]) -> None:
    page.goto((site / "index.html").as_uri())
    page.locator("label[for=__search]").first.click()
    page.locator("input.md-search__input").press_sequentially("coverage")
    page.locator(".md-search-result__item a").first.wait_for()
    assert asked_elsewhere == []
