"""What one does with a sentence, a source, an answer and a candidate, in a real browser."""

from collections.abc import Generator
from pathlib import Path

import pytest

from chromium import IN_CHROMIUM, PHONE, Site, grave, site
from example_home import copied

pytestmark = IN_CHROMIUM
_QUESTION = "What does the restoration of the Bechstein cost and why did the price change?"
_OTHER = "When was the Bechstein delivered?"


@pytest.fixture(scope="module")
def served(desk_made: Path, tmp_path_factory: pytest.TempPathFactory) -> Generator[Site]:
    with site(copied(desk_made, tmp_path_factory.mktemp("acts"))) as running:
        yield running


@pytest.mark.requirement("web:removal", "web:evidence:passage", "web:accessible")
def test_from_the_proof_of_a_sentence_its_source_is_forgotten_after_it_was_shown_what_goes(served: Site) -> None:
    with served.page(PHONE, scheme="dark") as watched:
        page = watched.open("/")
        watched.ask(_OTHER)
        page.locator(".sentence-text").first.click()
        page.locator(".evidence .ground mark").first.wait_for()
        assert grave(page) == []
        page.locator(".ground").get_by_role("link", name="Correct or forget it").first.click()
        page.get_by_role("button", name="Show what would be deleted").click()
        page.get_by_text("Nothing is deleted yet.").wait_for()
        assert any(_OTHER in each for each in page.locator(".going").all_inner_texts())
        page.get_by_role("link", name="Open the source").click()
        page.locator("#remove summary").click()
        page.get_by_role("button", name="Forget it").click()
        page.get_by_role("heading", name="Forget it for good?").wait_for()
        assert grave(page) == []
        page.get_by_role("button", name="Forget it").click()
        assert page.get_by_role("heading", name="Forget it for good?").is_visible(), "the box is not ticked"
        page.get_by_label("I know that this cannot be undone").check()
        page.get_by_role("button", name="Forget it").click()
        page.get_by_text("voice deleted the entry").wait_for()
        assert watched.is_quiet()


@pytest.mark.requirement("web:copy", "web:questions-once")
def test_an_answer_is_copied_with_its_sources_and_its_session_shows_the_question_once(served: Site) -> None:
    with served.page() as watched:
        page = watched.open("/")
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        watched.ask(_QUESTION)
        page.get_by_role("link", name="Copy with sources").click()
        page.locator("[data-copy-said]", has_text="Copied").wait_for()
        assert page.get_by_role("status").get_by_text("Copied").count() == 1
        said = str(page.evaluate("navigator.clipboard.readText()"))
        assert said.startswith(f"> {_QUESTION}")
        assert "[^1]: “" in said
        page.get_by_role("link", name="Copy with sources").wait_for()
        for address in (page.url, page.get_by_role("link", name="Transcript and more").get_attribute("href") or ""):
            watched.open(address.removeprefix(watched.base))
            shown = [each.bounding_box() for each in page.get_by_text("What does the restoration").all()]
            assert len([box for box in shown if box and box["height"] > 2]) == 1
            assert page.locator("h1").count() == 1
        assert watched.is_quiet()


@pytest.mark.requirement("web:queue:undo")
def test_an_approval_is_undone_until_the_next_verdict_and_carried_out_by_it(served: Site) -> None:
    with served.page() as watched:
        page = watched.open("/review?kind=entity")
        first, second = (page.locator(".candidate").nth(at).get_attribute("id") for at in range(2))
        page.keyboard.press("j")
        page.keyboard.press("a")
        page.locator(f"#{first}.held").wait_for()
        page.wait_for_function("id => document.activeElement.id === id", arg=second)
        page.keyboard.press("u")
        assert page.locator(f"#{first}.held").count() == 0
        page.wait_for_function("id => document.activeElement.id === id", arg=first)
        page.keyboard.press("a")
        page.locator(f"#{first}.held").wait_for()
        page.keyboard.press("r")
        page.locator(f"#{first}.decided").wait_for()
        assert "in the graph" in page.locator(f"#{first}").inner_text()
        page.locator(f"#{second}.decided").wait_for()
        page.keyboard.press("u")
        page.locator(f"#{second}:not(.decided)").wait_for()
        assert watched.is_quiet()


@pytest.mark.requirement("web:queue:undo")
def test_an_approval_that_is_held_is_not_lost_when_the_page_is_left(served: Site) -> None:
    with served.page() as watched:
        page = watched.open("/review?kind=entity")
        name = page.locator(".candidate .said-name").first.inner_text()
        page.keyboard.press("j")
        page.keyboard.press("a")
        page.locator(".candidate.held").wait_for()
        page.get_by_role("link", name="Pins").click()
        page.wait_for_url("**/pins")
        for _ in range(20):
            watched.open("/review?status=approved")
            if name in page.locator("main").inner_text():
                break
            page.wait_for_timeout(100)
        assert name in page.locator("main").inner_text()


@pytest.mark.requirement("web:touch")
def test_on_a_touch_screen_one_can_ask_without_scrolling(served: Site) -> None:
    with served.page(PHONE, touch=True) as watched:
        page = watched.open("/")
        watched.ask(_QUESTION)
        box = page.locator("#question").bounding_box()
        assert box is not None
        assert 0 <= box["y"] <= PHONE[1] - box["height"]
