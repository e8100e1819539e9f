"""The pages in a real browser, from end to end, over the example memory and the offline provider."""

from collections.abc import Generator
from pathlib import Path

import pytest

from chromium import DESKTOP, IN_CHROMIUM, PHONE, Site, Watched, grave, overhang, site
from example_home import copied
from voice.adapters.system.access_token import OpeningPage

pytestmark = IN_CHROMIUM
_ANSWERED = "What does the restoration of the Bechstein cost and why did the price change?"
_REFUSED = "Which marathon did I run in Porto?"
_SENTENCE = "Since 26 June 2025 the price for restoring the Bechstein is 9,400 €, because the pinblock was cracked."


@pytest.fixture(scope="module")
def served(example_made: Path, tmp_path_factory: pytest.TempPathFactory) -> Generator[Site]:
    with site(copied(example_made, tmp_path_factory.mktemp("pages"))) as running:
        yield running


@pytest.mark.requirement("web:stream", "web:quiet")
def test_a_question_is_answered_sentence_by_sentence_with_verdicts_and_the_address_becomes_the_conversations(
    served: Site,
) -> None:
    with served.page() as watched:
        watched.ask(_ANSWERED)
        page = watched.page
        assert page.locator(".sentence-text").first.inner_text() == _SENTENCE
        assert page.locator(".sentence .sentence-sign").first.inner_text() == "quoted"
        assert "/chat/s%3A" in page.url
        assert page.input_value("#question") == ""
        address = page.url
        page.reload()
        assert page.url == address
        assert page.locator(".sentence-text").first.inner_text() == _SENTENCE
        assert watched.is_quiet()


@pytest.mark.requirement("web:evidence", "web:quiet")
def test_pointing_at_a_sentence_shows_the_words_it_rests_on_and_escape_puts_them_away(served: Site) -> None:
    with served.page((1400, 860)) as watched:
        watched.ask(_ANSWERED)
        page = watched.page
        page.locator(".sentence-text").first.hover()
        page.locator("#evidence mark").first.wait_for()
        assert "9,400 €" in page.locator("#evidence mark").first.inner_text()
        page.keyboard.press("Escape")
        assert page.locator("#evidence mark").count() == 0
        assert watched.is_quiet()


@pytest.mark.requirement("web:keyboard", "web:evidence")
def test_everything_is_reached_with_the_keyboard_alone(served: Site) -> None:
    with served.page() as watched:
        page = watched.page
        assert page.evaluate("document.activeElement.id") == "question"
        page.keyboard.type(_ANSWERED)
        page.keyboard.press("Enter")
        page.locator(".turn.is-done").wait_for()
        assert page.evaluate("document.activeElement.id") == "question"
        for _ in range(40):
            page.keyboard.press("Shift+Tab")
            if page.evaluate("document.activeElement.matches('.sentence-text')"):
                break
        page.locator("#evidence mark").first.wait_for()
        page.keyboard.press("Escape")
        assert page.locator("#evidence mark").count() == 0
        page.locator("body").press("Home")
        page.evaluate("document.activeElement.blur()")
        watched.open("/sessions")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "main"


@pytest.mark.requirement("web:keyboard", "web:evidence")
def test_enter_leads_into_what_a_sentence_rests_on_and_one_key_back_without_asking_again(served: Site) -> None:
    with served.page() as watched:
        watched.ask(_ANSWERED)
        page, asked = watched.page, list[str]()
        page.on("request", lambda request: asked.append(request.url))
        sentence = page.locator(".sentence-text").first
        sentence.focus()
        page.locator("#evidence mark").first.wait_for()
        for away in ("Escape", "Enter"):
            page.keyboard.press("Enter")
            page.locator("#evidence mark").first.wait_for()
            page.wait_for_function("() => document.activeElement.id === 'evidence'")
            page.keyboard.press("Tab")
            assert page.evaluate("document.activeElement.matches('#evidence [data-close]')")
            page.keyboard.press(away)
            assert page.locator("#evidence mark").count() == 0
            assert sentence.evaluate("each => each === document.activeElement")
            page.wait_for_timeout(300)
            fetched = [address for address in asked if "/static/" not in address]
            assert len(fetched) == (1 if away == "Escape" else 2), "what it rests on was fetched once each time"
        assert watched.is_quiet()


@pytest.mark.requirement("web:evidence", "web:phone")
def test_on_a_phone_what_a_sentence_rests_on_gives_way_to_the_conversation(served: Site) -> None:
    with served.page((390, 844), touch=True) as watched:
        watched.ask(_ANSWERED)
        page = watched.page
        page.fill("#question", _REFUSED)
        for does in ("types", "taps beside it", "asks"):
            page.locator(".sentence-text").first.tap()
            page.locator("#evidence mark").first.wait_for()
            page.locator("#evidence mark").first.tap()
            assert page.locator("#evidence mark").count() > 0, "a tap in it leaves it there"
            match does:
                case "types":
                    page.focus("#question")
                case "taps beside it":
                    page.locator(".question").first.tap()
                case _:
                    page.evaluate("document.getElementById('composer').requestSubmit()")
            page.locator("#evidence mark").first.wait_for(state="detached")
            assert not page.locator(".evidence").is_visible()
        page.locator(".turn").nth(1).and_(page.locator(".is-done")).wait_for()


@pytest.mark.requirement("web:sessions", "web:refusal", "web:quiet")
def test_a_refusal_is_help_and_a_conversation_is_forked_from_a_turn_and_goes_on_there(served: Site) -> None:
    with served.page() as watched:
        watched.ask(_ANSWERED)
        watched.ask(_REFUSED)
        page, before = watched.page, watched.page.url
        assert "No note I searched mentions “Porto”" in page.locator(".refusal").inner_text()
        page.get_by_role("button", name="Rephrase").click()
        assert page.input_value("#question") == _REFUSED
        page.get_by_role("button", name="Fork from turn 1").click()
        page.wait_for_url(lambda url: "/chat/" in url and url != before)
        assert page.locator(".turn").count() == 1
        watched.ask("When was the Bechstein delivered to Dona Amélia?")
        assert page.locator(".turn").count() == 2
        assert watched.is_quiet()


@pytest.mark.requirement("web:without-script", "web:copy", "web:quiet")
def test_without_a_script_one_asks_reads_saves_the_answer_and_looks_up_what_a_sentence_rests_on(served: Site) -> None:
    with served.page(script=False) as watched:
        page = watched.page
        page.fill("#question", _ANSWERED)
        page.click("#ask-button")
        assert page.locator(".sentence-text").first.inner_text() == _SENTENCE
        assert not page.get_by_text("Point at a sentence").is_visible(), "no hint at what needs a script"
        with page.expect_download() as kept:
            page.get_by_role("link", name="Save as Markdown").click()
        assert kept.value.suggested_filename == "answer.md"
        assert Path(kept.value.path()).read_text(encoding="utf-8").startswith(f"> {_ANSWERED}")
        page.locator(".sentence-text").first.click()
        assert "9,400 €" in page.locator("mark").first.inner_text()
        assert page.locator(".ground a").first.get_attribute("href") is not None
        assert watched.is_quiet()


@pytest.mark.requirement("web:errors")
def test_a_question_that_is_not_answered_is_kept_whether_it_was_lost_stopped_or_rejected(served: Site) -> None:
    with served.page() as watched:
        page = watched.page
        problem = page.locator("#composer-problem")
        page.route("**/ask/stream", lambda route: route.abort())
        page.fill("#question", _ANSWERED)
        page.click("#ask-button")
        problem.locator(".problem").wait_for()
        assert "does not answer" in problem.inner_text()
        assert page.input_value("#question") == _ANSWERED
        page.unroute("**/ask/stream")
        page.route("**/ask/stream", lambda _: None)
        page.click("#ask-button")
        page.get_by_role("button", name="Stop").click()
        assert "You cancelled the question" in problem.inner_text()
        assert (page.input_value("#question"), page.locator(".turn").count()) == (_ANSWERED, 0)
        assert page.locator("#ask-button").is_enabled()
        page.unroute("**/ask/stream")
        kept = page.context.cookies()
        page.context.clear_cookies()
        page.click("#ask-button")
        page.get_by_text("rejected the question (401)").wait_for()
        assert (page.input_value("#question"), page.locator(".turn").count()) == (_ANSWERED, 0)
        page.context.add_cookies([{**each, "url": watched.base, "domain": "", "path": ""} for each in kept])
        page.click("#ask-button")
        page.locator(".turn.is-done .sentence").first.wait_for()
        assert problem.inner_text() == ""


@pytest.mark.requirement("web:stream")
def test_what_arrives_is_in_sight_above_the_composer_and_so_is_what_went_wrong(served: Site) -> None:
    with served.page((1280, 900)) as watched:
        page = watched.page
        for question in (_ANSWERED, _REFUSED, _ANSWERED):
            watched.ask(question)
            page.wait_for_timeout(100)
            turn, composer = (page.locator(each).last.bounding_box() for each in (".turn", "#composer"))
            assert turn is not None
            assert composer is not None
            is_whole = turn["y"] >= 0 and turn["y"] + turn["height"] <= composer["y"]
            is_long = turn["height"] > composer["y"] - 32
            assert is_whole or (is_long and 0 <= turn["y"] < composer["y"])
        page.evaluate("scrollTo(0, 0)")
        page.route("**/ask/stream", lambda route: route.abort())
        page.fill("#question", _ANSWERED)
        page.click("#ask-button")
        problem, composer = (page.locator(each).bounding_box() for each in ("#composer-problem .problem", "#composer"))
        assert problem is not None
        assert composer is not None
        assert 0 <= problem["y"] <= composer["y"] - problem["height"]


def _visited(watched: Watched) -> Generator[str]:
    """Yield the name of each kind of page once it is shown, with something on it."""
    page = watched.page
    yield "new"
    watched.ask(_ANSWERED)
    watched.ask(_REFUSED)
    yield "answered and refused"
    page.locator(".sentence-text").first.hover()
    page.locator("#evidence mark").first.wait_for()
    yield "what a sentence rests on"
    sentence = page.locator(".sentence-text").first.get_attribute("href")
    session = page.url.removeprefix(f"{watched.base}/chat/")
    page.keyboard.press("Escape")
    for path in (sentence, "/sessions", f"/sessions/{session}", f"/sessions/{session}/audit", "/pins"):
        watched.open(str(path))
        page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")
        yield str(path)
    watched.open(f"/sessions/{session}/delete")
    yield "delete"
    watched.open("/sessions/s:nobody")
    yield "problem"


@pytest.mark.requirement("web:accessible", "web:phone", "web:quiet")
@pytest.mark.parametrize(
    ("size", "scheme"), [pytest.param(DESKTOP, "light", id="desktop"), pytest.param(PHONE, "dark", id="phone")]
)
def test_axe_finds_nothing_serious_on_any_page_and_none_is_wider_than_its_window(
    served: Site, size: tuple[int, int], scheme: str
) -> None:
    with served.page(size, scheme="dark" if scheme == "dark" else "light") as watched:
        found = {name: (grave(watched.page), overhang(watched.page)) for name in _visited(watched)}
        assert {"delete", "problem"} <= found.keys()
        assert {name: faults for name, faults in found.items() if faults != ([], 0)} == {}
        assert watched.asked_elsewhere == []


@pytest.mark.requirement("web:theme")
def test_a_chosen_theme_holds_against_the_systems(served: Site) -> None:
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    with served.page(scheme="light") as watched:
        page = watched.page
        light = page.evaluate(ground)
        with page.expect_navigation():
            page.get_by_role("button", name="Dark").click()
        dark = page.evaluate(ground)
        assert dark != light
        watched.open("/sessions")
        assert page.evaluate(ground) == dark
        with page.expect_navigation():
            page.get_by_role("button", name="System").click()
        assert page.evaluate(ground) == light


@pytest.mark.requirement("http:opening", "http:link", "http:site")
def test_a_page_on_the_disk_that_leads_to_the_link_opens_the_memory(served: Site, tmp_path: Path) -> None:
    leading = OpeningPage(tmp_path / "open.html")
    leading.write(served.link)
    with served.page(script=False) as watched:
        page = watched.page
        page.context.clear_cookies()
        page.goto(leading.path.as_uri())
        page.wait_for_url(f"{watched.base}/")
        assert page.locator("#question").count() == 1


@pytest.mark.requirement("web:doorstep")
def test_a_browser_that_is_not_let_in_is_told_what_to_do_in_the_pages_colours(served: Site) -> None:
    with served.page(PHONE, scheme="dark") as watched:
        page = watched.page
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        paper = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        page.context.clear_cookies()
        watched.open("/sessions")
        assert page.locator("h1").inner_text() == "Open the link that voice serve printed"
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == paper != ground
        assert watched.asked_elsewhere == []
