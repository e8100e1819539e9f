"""The desk in a real browser, from end to end: review by keyboard, sources, reports, the picture; for everybody."""

from collections.abc import Generator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Page

from chromium import DESKTOP, IN_CHROMIUM, PHONE, Site, Watched, grave, overhang, site
from example_home import copied

pytestmark = IN_CHROMIUM
_SEARCH = "a search"
_PAGES = (
    "/sources",
    _SEARCH,
    "/sources/t%3A260109-web-pinblock",
    "/review",
    "/reports",
    "/graph",
    "/graph/e%3Aclavichord?depth=2",
    "/settings",
    "/doctor",
)


_FINGER = 44
"""Pixels that what stands alone and is touched has at least each way."""
_SMALL = """(least) => {
  const inLine = (each) => {
    if (getComputedStyle(each).display !== "inline") return false;
    let block = each.parentElement;
    while (getComputedStyle(block).display === "inline") block = block.parentElement;
    const rest = block.cloneNode(true);
    rest.querySelectorAll("a:not(.sentence-text), button, .unseen").forEach((link) => link.remove());
    return /[\\p{L}\\p{N}]/u.test(rest.textContent);
  };
  const small = ({ width, height }) => Math.min(width, height) < least - 0.5;
  return [...document.querySelectorAll("a, button, summary, select, textarea, input:not([type]), .check, .stance")]
    .filter((each) => each.checkVisibility() && !each.closest(".unseen, .skip, svg") && !inLine(each))
    .map((each) => [each, each.getBoundingClientRect()])
    .filter(([, box]) => box.width && small(box))
    .map(([each, box]) => `${each.innerText} (${Math.round(box.width)} × ${Math.round(box.height)})`);
}"""
"""What is touched, does not stand within a sentence of running text, and is smaller than a finger."""
_OTHERS = [
    "/",
    "/add",
    "/import",
    "/export",
    "/keys",
    "/pins",
    "/review/notes",
    "/review/conflicts",
    "/sessions",
    "/sources?kind=turns",
    "/nothing",
    "/sources/t%3A260109-web-pinblock/answers",
    "/sources/t%3A260109-web-pinblock/sentence?from=0&to=9",
]
_NOTES_WHAT_IS_WRITTEN = """
  window.written = [];
  const write = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
    written.push(text);
    return write.call(this, text, ...place);
  };
"""
_COSTS = """(dearest) => {
  const figure = document.querySelector("figure[data-chart]");
  const chart = JSON.parse(figure.dataset.chart);
  chart.lines[0].points = chart.days.map((_, at) => (at % 2 ? dearest : dearest / 3));
  figure.dataset.chart = JSON.stringify(chart);
  written.length = 0;
}"""
"""Replaces the figures of the first chart; it is drawn anew once the window has another width."""


@pytest.fixture(scope="module")
def served(desk_made: Path, tmp_path_factory: pytest.TempPathFactory) -> Generator[Site]:
    with site(copied(desk_made, tmp_path_factory.mktemp("served"))) as running:
        yield running


def _focused(watched: Watched) -> str:
    return str(watched.page.evaluate("document.activeElement.id"))


def _visit(watched: Watched, path: str) -> Page:
    """Open a page of the desk, with everything unfolded that can be."""
    page = watched.open("/sources" if path == _SEARCH else path)
    if path == _SEARCH:
        page.fill("#words", "Bechstein")
        page.keyboard.press("Enter")
        page.wait_for_url("**search=*")
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true })")
    return page


def _waiting(page: Page) -> int:
    return int(page.locator("#queue-count").inner_text().removesuffix(" waiting"))


@pytest.mark.requirement("web:queue:count")
def test_how_many_wait_is_true_after_each_verdict_without_a_reload(served: Site) -> None:
    with served.page() as watched:
        page = watched.open("/review?kind=entity")
        place, before = page.locator("#queue-count").element_handle(), _waiting(page)
        for key, change in (("r", -1), ("u", 0)):
            page.locator(".candidate:not(.decided)").first.focus()
            page.keyboard.press(key)
            page.wait_for_function(
                "([id, text]) => document.getElementById(id).textContent === text",
                arg=["queue-count", f"{before + change} waiting"],
            )
        assert place is not None
        assert place.evaluate("each => each.isConnected && each.role === 'status'"), "what is spoken stays in its place"
        page.reload()
        assert _waiting(page) == before
        assert watched.is_quiet()


@pytest.mark.requirement("web:queue:keys", "web:queue:decide")
def test_the_queue_is_worked_by_keyboard_and_each_verdict_moves_on(served: Site) -> None:
    with served.page() as watched:
        page = watched.open("/review")
        first, second, third = (page.locator(".candidate").nth(at).get_attribute("id") for at in range(3))
        page.locator(".candidate").first.focus()
        page.keyboard.press("j")
        assert _focused(watched) == second
        page.keyboard.press("k")
        page.keyboard.press("a")
        page.locator(f"#{first}.held").wait_for()
        page.wait_for_function("id => document.activeElement.id === id", arg=second)
        page.keyboard.press("r")
        page.locator(f"#{first}.decided").wait_for()
        assert "in the graph" in page.locator(f"#{first}").inner_text()
        page.locator(f"#{second}.decided").wait_for()
        page.wait_for_function("id => document.activeElement.id === id", arg=third)
        page.keyboard.press("u")
        page.locator(f"#{second}:not(.decided)").wait_for()
        page.wait_for_function("id => document.activeElement.id === id", arg=second)
        page.keyboard.press("e")
        assert page.evaluate("document.activeElement.matches('input, textarea')")
        page.keyboard.type("ajr")
        assert page.locator(f"#{second}.decided").count() == 0, "what is typed is no command"
        page.keyboard.press("Escape")
        assert _focused(watched) == second
        assert watched.is_quiet()


@pytest.mark.requirement("web:queue:keys")
def test_j_leads_into_the_list_keys_do_nothing_elsewhere_and_can_be_switched_off_for_good(served: Site) -> None:
    with served.page() as watched:
        page = watched.open("/review")
        first = page.locator(".candidate").first.get_attribute("id")
        assert page.locator(".candidate .hint").first.is_visible()
        page.keyboard.press("j")
        assert _focused(watched) == first
        watched.open("/review")
        skip = page.get_by_role("link", name="Skip to the candidates")
        skip.focus()
        assert skip.is_visible()
        page.keyboard.press("Enter")
        page.wait_for_function("id => document.activeElement.id === id", arg=first)
        page.locator("h1").click()
        page.keyboard.press("a")
        page.keyboard.press("r")
        assert page.locator(".candidate.decided").count() == 0
        page.locator(".candidate").first.focus()
        page.keyboard.press("?")
        page.locator("[data-keys-on]").uncheck()
        page.reload()
        page.locator(".candidate").first.focus()
        page.keyboard.press("j")
        page.keyboard.press("a")
        assert page.locator(".candidate").first.evaluate("each => each === document.activeElement")
        assert page.locator(".candidate.decided").count() == 0
        assert watched.is_quiet()


@pytest.mark.requirement("web:hostile")
def test_a_hostile_memory_does_nothing_but_stand_there(served: Site) -> None:
    with served.page() as watched:
        page = watched.open("/sources?kind=thoughts")
        page.get_by_text("taken over").first.click()
        page.locator(".marked").wait_for()
        assert page.title().startswith("Thought")
        assert page.locator(".marked script, .marked img").count() == 0
        assert page.locator(".steers").first.inner_text() == "U+202E"
        page.get_by_text("show all").click()
        assert page.locator(".marked").inner_text().rstrip().endswith("more")
        assert watched.is_quiet()


@pytest.mark.requirement("web:reports")
def test_a_report_draws_charts_from_the_figures_in_the_page_and_writes_their_axes_as_money_is(served: Site) -> None:
    with served.page() as watched:
        page = watched.page
        page.add_init_script(_NOTES_WHAT_IS_WRITTEN)
        watched.open("/reports")
        assert page.locator("figure canvas").count() == 4
        assert page.locator("figure details[open]").count() == 0
        page.locator("figure summary").first.click()
        assert "unknown" in page.locator("figure .chart-table table").first.inner_text()
        for dearest, most, width in (("0.02", "$0.02", 1100), ("140", "$150", 1200)):
            page.evaluate(_COSTS, float(dearest))
            page.set_viewport_size({"width": width, "height": 860})
            page.wait_for_function("() => written.length > 0")
            written = [str(each) for each in page.evaluate("written") if str(each).startswith("$")]
            assert {"$0", most} <= set(written)
            values = [float(each.removeprefix("$")) for each in written]
            assert values == sorted(values), "the axis climbs"
            assert len(set(written)) == len(written), "no two marks read alike"
        assert watched.is_quiet()


@pytest.mark.requirement("web:reports:tables")
@pytest.mark.parametrize(
    ("size", "script", "fitting"),
    [((1200, 800), "on", 5), (PHONE, "off", 3)],
)
def test_tables_of_a_report_stand_whole_or_show_that_they_go_on_and_are_scrolled_by_keyboard(
    served: Site, size: tuple[int, int], script: Literal["on", "off"], fitting: int
) -> None:
    with served.page(size, script=script == "on") as watched:
        tables = _visit(watched, "/reports").locator(".table-wrap").all()
        wide = [each for each in tables if each.evaluate("it => it.scrollWidth > it.clientWidth")]
        assert len(tables) - len(wide) == fitting
        for each in wide:
            assert each.get_attribute("role") == "region"
            assert each.get_attribute("aria-label")
            shadow = "it => getComputedStyle(it).backgroundAttachment"
            assert each.evaluate(shadow).startswith("local, scroll")
            assert each.get_attribute("tabindex") == "0"
            assert each.evaluate("it => { it.scrollLeft = 8; return it.scrollLeft }") == 8


@pytest.mark.requirement("web:reports", "web:queue:decide", "web:sources:page")
def test_without_a_script_figures_are_tables_and_a_candidate_is_decided(served: Site) -> None:
    with served.page(script=False) as watched:
        page = watched.open("/reports")
        assert page.locator("figure .chart-table table").first.is_visible()
        page = watched.open("/review?kind=entity")
        assert not page.locator("[data-keys]").is_visible()
        page.get_by_role("button", name="Reject", exact=True).first.click()
        assert "is rejected" in page.locator(".notice.good").inner_text()
        page.get_by_role("button", name="Undo").click()
        assert "waits" in page.locator(".notice.good").inner_text()


@pytest.mark.requirement("web:picture")
def test_the_picture_is_walked_from_card_to_card_and_on_a_phone_its_middle_is_in_sight_first(served: Site) -> None:
    with served.page(PHONE) as watched:
        page = watched.open("/graph/e%3Aclavichord?depth=2")
        card, stage = page.locator(".net .focus").bounding_box(), page.locator(".picture-stage").bounding_box()
        assert card is not None
        assert stage is not None
        assert stage["x"] <= card["x"]
        assert card["x"] + card["width"] <= stage["x"] + stage["width"]
        page.get_by_role("link", name="Museu do Teclado, organisation").focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**/graph/e%3A*")
        page.locator("h1", has_text="Museu do Teclado").wait_for()
        assert watched.is_quiet()


@pytest.mark.requirement("web:everybody")
@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "dark"), (PHONE, "light")])
def test_axe_finds_nothing_and_each_page_fits_its_window(
    served: Site, size: tuple[int, int], scheme: Literal["light", "dark"]
) -> None:
    with served.page(size, scheme=scheme) as watched:
        for path in _PAGES:
            page = _visit(watched, path)
            assert (path, grave(page), overhang(page)) == (path, [], 0)
            assert page.locator("main").count() == 1
        assert watched.is_quiet()
    with served.page(size, script=False) as watched:
        assert [path for path in _PAGES if overhang(_visit(watched, path)) != 0] == []


@pytest.mark.requirement("web:navigation")
def test_on_a_phone_every_section_is_in_sight_and_large_enough_for_a_finger(served: Site) -> None:
    with served.page(PHONE) as watched:
        page = watched.open("/doctor")
        boxes = [each.bounding_box() for each in page.locator(".nav a").all()]
        assert [box for box in boxes if box and (box["x"] < 0 or box["x"] + box["width"] > PHONE[0])] == []
        assert [box for box in boxes if box and min(box["height"], box["width"]) < _FINGER] == []
        assert len({box["y"] for box in boxes if box}) == 2, "rows"
        assert page.locator(".nav [aria-current]").inner_text() == "Doctor"


@pytest.mark.requirement("web:everybody", "web:touch")
@pytest.mark.parametrize(("size", "touch"), [((390, 844), False), ((1024, 768), True)], ids=["phone", "tablet"])
def test_what_stands_alone_has_room_for_a_finger_on_every_page(
    served: Site, size: tuple[int, int], *, touch: bool
) -> None:
    with served.page(size, touch=touch) as watched:
        small: dict[str, list[str]] = {}

        def measure(path: str) -> None:
            if found := watched.page.evaluate(_SMALL, _FINGER):
                small[path] = found

        for path in (*_PAGES, *_OTHERS):
            _visit(watched, path)
            measure(path)
        watched.open("/")
        watched.ask("What does the restoration of the Bechstein cost and why did the price change?")
        watched.ask("Which marathon did I run in Porto?")
        session = watched.page.url.removeprefix(f"{watched.base}/chat/")
        sentence = str(watched.page.locator(".sentence-text").first.get_attribute("href"))
        measure("/chat")
        for path in (f"/sessions/{session}", f"/sessions/{session}/audit", f"/sessions/{session}/delete", sentence):
            _visit(watched, path)
            measure(path)
        _visit(watched, "/sources/t%3A260109-web-pinblock").get_by_role("button", name="Forget it").click()
        measure("remove")
        assert small == {}
