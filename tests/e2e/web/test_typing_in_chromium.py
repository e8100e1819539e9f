"""What somebody types into the pages, in a real browser: it is sent once, and never lost."""

from collections.abc import Generator, Sequence
from pathlib import Path
from urllib.parse import unquote

import pytest
from playwright.sync_api import Page, Route

from chromium import IN_CHROMIUM, Site, site
from example_home import copied

pytestmark = IN_CHROMIUM
_FIRST = "What does the restoration of the Bechstein cost and why did the price change?"
_NEXT = "Which marathon did I run in Porto?"
_SOURCE = "/sources/t:260109-web-pinblock"


@pytest.fixture(scope="module")
def served(example_made: Path, tmp_path_factory: pytest.TempPathFactory) -> Generator[Site]:
    with site(copied(example_made, tmp_path_factory.mktemp("typing"))) as running:
        yield running


def _call(page: Page, held: Sequence[Route], number: int) -> Route:
    """Return that call as soon as it is held: a page says that it sent one a moment before."""
    for _ in range(600):
        if len(held) > number:
            return held[number]
        page.evaluate("new Promise(requestAnimationFrame)")
    raise AssertionError(f"call {number} was not made")


@pytest.mark.requirement("web:chat", "web:keyboard", "web:stream")
def test_enter_while_an_answer_is_made_sends_nothing_and_what_is_typed_meanwhile_stays(served: Site) -> None:
    with served.page() as watched:
        page, held = watched.page, list[Route]()

        def hold(route: Route) -> None:
            held.append(route)

        page.route("**/ask/stream", hold)
        page.fill("#question", _FIRST)
        with page.expect_request("**/ask/stream"):
            page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        page.evaluate("document.getElementById('composer').requestSubmit()")
        page.fill("#question", _NEXT)
        page.keyboard.press("Enter")
        _call(page, held, 0).continue_()
        page.locator(".turn.is-done").wait_for()
        assert (len(held), page.locator(".turn").count()) == (1, 1)
        assert page.input_value("#question") == _NEXT
        with page.expect_request("**/ask/stream"):
            page.keyboard.press("Enter")
        _call(page, held, 1).continue_()
        page.locator(".turn.is-done").nth(1).wait_for()
        assert (len(held), page.locator(".turn").count()) == (2, 2)
        assert page.input_value("#question") == ""


@pytest.mark.requirement("web:private", "web:chat", "web:stream")
def test_private_rows_and_a_time_are_of_one_question_and_what_is_typed_meanwhile_is_of_the_next(served: Site) -> None:
    with served.page() as watched:
        page, sent, held = watched.page, list[str](), list[Route]()

        def hold(route: Route) -> None:
            sent.append(unquote(route.request.post_data or ""))
            held.append(route)

        page.route("**/ask/stream", hold)
        page.click(".more summary")
        page.check("[name=private]")
        page.fill("#when", "2025")
        for turn, question in enumerate((_FIRST, _NEXT, _FIRST)):
            page.fill("#question", question)
            with page.expect_request("**/ask/stream"):
                page.keyboard.press("Enter")
            if turn == 1:
                page.fill("#when", "2026")
                page.check("[name=private]")
            _call(page, held, turn).continue_()
            page.locator(".turn.is-done").nth(turn).wait_for()
            assert page.is_checked("[name=private]") is (turn == 1)
            assert page.input_value("#when") == ("2026" if turn == 1 else "")
        told = [("private=1" in body, "when=2" in body) for body in sent]
        assert told == [(True, True), (False, False), (True, True)]


@pytest.mark.requirement("web:theme", "web:pins")
def test_other_colours_take_nothing_away_of_what_is_typed_into_any_form(served: Site) -> None:
    with served.page() as watched:
        page = watched.open("/pins")
        page.fill("#reason", "everything rests on it")
        page.check("[name=private]")
        _switch(page)
        assert page.input_value("#reason") == "everything rests on it"
        assert page.is_checked("[name=private]")
        assert page.input_value("#target") == ""
        assert page.evaluate("sessionStorage.length") == 0
        watched.open("/pins")
        assert page.input_value("#reason") == "", "it was laid aside for that moment only"


@pytest.mark.requirement("web:theme", "web:sources:change")
def test_other_colours_take_nothing_away_of_a_correction_nor_of_one_that_was_refused(served: Site) -> None:
    with served.page() as watched:
        page = watched.open(_SOURCE)
        page.select_option("#for", "1w")
        page.click("summary:has-text('Correct it')")
        page.fill("#text", "It is 10,400 €.")
        _switch(page)
        assert unquote(page.url) == f"{watched.base}{_SOURCE}"
        assert (page.input_value("#for"), page.input_value("#text")) == ("1w", "It is 10,400 €.")
        assert page.locator("#text").is_visible()
        page.fill("#since", "the day of never")
        page.click("button:has-text('Preview')")
        assert page.locator("#correct-fault").is_visible()
        _switch(page, "Light")
        assert unquote(page.url) == f"{watched.base}{_SOURCE}"
        assert (page.input_value("#text"), page.input_value("#since")) == ("It is 10,400 €.", "the day of never")
        assert page.locator("#text").is_visible()


def _switch(page: Page, colours: str = "Dark") -> None:
    """Choose other colours, and wait for the page in them."""
    with page.expect_navigation():
        page.get_by_role("button", name=colours).click()
