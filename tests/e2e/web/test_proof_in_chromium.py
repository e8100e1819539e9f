"""Where what a sentence rests on stands, in windows of every size, in a real browser."""

import itertools
from collections.abc import Generator
from pathlib import Path

import pytest

from chromium import IN_CHROMIUM, Site, site
from example_home import copied

pytestmark = IN_CHROMIUM
_ANSWERED = "What does the restoration of the Bechstein cost and why did the price change?"
_LIES_CLEAR = """(sentence) => {
  const said = sentence.getBoundingClientRect();
  const proof = document.querySelector(".evidence").getBoundingClientRect();
  const isApart = proof.left >= said.right || proof.top >= said.bottom || proof.bottom <= said.top;
  return isApart && proof.height > 0 && said.top >= 0 && said.bottom <= innerHeight;
}"""
"""Whether a sentence is in the window, and what it rests on beside, above or below it."""


@pytest.fixture(scope="module")
def served(example_made: Path, tmp_path_factory: pytest.TempPathFactory) -> Generator[Site]:
    with site(copied(example_made, tmp_path_factory.mktemp("proof"))) as running:
        yield running


@pytest.mark.requirement("web:evidence:beside", "web:quiet")
@pytest.mark.parametrize(
    ("size", "does"), [((390, 844), "taps"), ((844, 390), "taps"), ((700, 600), "moves"), ((1024, 768), "points")]
)
def test_what_a_sentence_rests_on_never_covers_it_wherever_in_the_window_it_stands(
    served: Site, size: tuple[int, int], does: str
) -> None:
    with served.page(size, touch=does == "taps") as watched:
        page, covered = watched.page, list[tuple[int, str]]()
        for _ in range(2):
            watched.ask(_ANSWERED)
        many = page.locator(".sentence-text").count()
        for at, block in itertools.product(sorted({0, many // 2, many - 1}), ("start", "center", "end")):
            page.evaluate("document.activeElement.blur()")
            page.mouse.move(1, 1)
            sentence = page.locator(".sentence-text").nth(at)
            sentence.evaluate("(each, block) => each.scrollIntoView({ block })", block)
            {"points": sentence.hover, "moves": sentence.focus, "taps": sentence.tap}[does]()
            page.locator("#evidence mark").first.wait_for()
            assert page.locator(".evidence-said").inner_text() == sentence.inner_text()
            if not sentence.evaluate(_LIES_CLEAR):
                covered.append((at, block))
            page.keyboard.press("Escape")
        assert covered == []
        assert watched.is_quiet()


@pytest.mark.requirement("web:evidence:beside")
def test_what_a_sentence_rests_on_makes_way_when_the_window_is_scrolled_or_turns(served: Site) -> None:
    with served.page((390, 844), touch=True, motion=True) as watched:
        watched.ask(_ANSWERED)
        page = watched.page
        sentence = page.locator(".sentence-text").last
        sentence.evaluate("each => each.scrollIntoView({ block: 'start' })")
        sentence.tap()
        page.locator("#evidence mark").first.wait_for()
        sentence.evaluate("each => each.scrollIntoView({ block: 'end' })")
        page.wait_for_function(_LIES_CLEAR, arg=sentence.element_handle())
        page.set_viewport_size({"width": 700, "height": 390})
        sentence.evaluate("each => each.scrollIntoView({ block: 'end' })")
        page.wait_for_function(_LIES_CLEAR, arg=sentence.element_handle())


@pytest.mark.requirement("web:evidence:beside")
def test_on_paper_a_conversation_stands_alone_and_keeps_no_room_for_what_is_not_printed(served: Site) -> None:
    with served.page((1200, 900)) as watched:
        watched.ask(_ANSWERED)
        page = watched.page
        page.locator(".sentence-text").first.hover()
        page.locator("#evidence mark").first.wait_for()
        page.emulate_media(media="print")
        turn = page.locator(".turn").first.bounding_box()
        assert not page.locator(".evidence, .side, .composer").filter(visible=True).count()
    assert turn is not None
    assert (turn["x"] < 80, turn["width"]) == (True, 46 * 16), "46rem is the longest line"
