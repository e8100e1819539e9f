"""A sentence of an answer, corrected and forgotten from the answer itself, in a real browser, with a script or not."""

from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from chromium import IN_CHROMIUM, Site, Watched, site
from example_home import copied

pytestmark = [*IN_CHROMIUM, pytest.mark.requirement("web:evidence", "web:without-script", "ruling:I9:sentence")]
_QUESTION = "What does the restoration of the Bechstein cost and why did the price change?"
_SAYS = "the price for restoring the Bechstein is"
_OLD = "9,400 €"
_NEW = "9,650 €"


@pytest.fixture
def served(example_made: Path, tmp_path_factory: pytest.TempPathFactory) -> Generator[Site]:
    with site(copied(example_made, tmp_path_factory.mktemp("rewording"))) as running:
        yield running


def _ask(watched: Watched) -> Page:
    page = watched.open("/")
    page.fill("#question", _QUESTION)
    page.click("#ask-button")
    page.locator(".turn .sentence-text").first.wait_for()
    return page


def _open_the_sentence(page: Page, words: str, figure: str) -> None:
    """Go from the sentence of the answer that says `words` to the page where it is corrected or forgotten."""
    page.locator(".sentence-text", has_text=words).first.click()
    page.locator("mark", has_text=figure).first.wait_for()
    page.locator(".ground", has_text=figure).get_by_role("link", name="Correct or forget it").first.click()
    page.get_by_role("heading", name="Correct or forget a sentence").wait_for()


def test_a_sentence_is_corrected_with_a_script_and_then_forgotten_without_one_from_the_answer_that_says_it(
    served: Site,
) -> None:
    with served.page() as watched:
        page = watched.open("/")
        watched.ask(_QUESTION)
        _open_the_sentence(page, _SAYS, _OLD)
        said = page.get_by_label("New words").input_value()
        page.get_by_label("New words").fill(said.replace(_OLD, _NEW))
        page.get_by_label("Reason").fill("the strings were dearer")
        page.get_by_role("button", name="Preview").click()
        page.get_by_text("Nothing has changed yet.").wait_for()
        assert _NEW in page.locator("form mark").inner_text()
        page.get_by_role("button", name="Correct the note").click()
        page.get_by_text("Corrected. The old words are below.").wait_for()
        assert "the strings were dearer" in page.locator(".past").inner_text()
        assert watched.is_quiet()
    with served.page(script=False) as watched:
        page = _ask(watched)
        corrected = page.locator(".sentence", has_text=_SAYS)
        assert _NEW in corrected.inner_text()
        assert corrected.locator(".sentence-sign").inner_text() == "quoted"
        assert f"{_SAYS} {_OLD}" not in page.locator(".turn").last.inner_text()
        _open_the_sentence(page, _SAYS, _NEW)
        page.get_by_role("button", name="Forget the sentence").click()
        assert page.get_by_role("heading", name="Correct or forget a sentence").is_visible(), "the box is not ticked"
        page.get_by_label("I know that this cannot be undone").check()
        page.get_by_role("button", name="Forget the sentence").click()
        page.locator(".notice.good", has_text="forgotten").or_(
            page.get_by_text("voice deleted the sentence and its note")
        ).wait_for()
        page = _ask(watched)
        assert page.locator(".sentence").count() > 0
        assert _SAYS not in page.locator(".turn").last.inner_text()
        assert watched.is_quiet()
