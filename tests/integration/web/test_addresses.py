"""What stands behind the question mark of a page's address: what a page sends is read, and nothing is passed over."""

import re
from collections import deque
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlencode, urljoin

import pytest

from candidate_values import edge, person
from desk_pages import Desk, desk, read
from graph_rows import entity
from store_values import thought
from tables import tables
from voice.ports.stores import WriteBatch

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("web:addresses")

_PAGES = TABLES["pages"]
"""Each page, and the parameters that it tells of."""


async def _refused(page: Desk, path: str) -> tuple[str, str]:
    """Return the words and the markup of the page that an address is refused with."""
    html = await page.html(path, 422)
    return read(html), html


async def test_a_parameter_that_a_page_does_not_read_is_named_with_those_it_does_and_the_way_back(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path) as page:
        for path, takes in _PAGES.items():
            shown, html = await _refused(page, f"{path}?depht=2")
            assert "depht: unknown parameter" in shown
            assert takes.replace("`", "") in shown
            assert f'<a href="{path}">Open the page without it</a>' in html
        for odd in ("utm_source=mail", "x="):
            assert f"{odd.partition('=')[0]}: unknown parameter" in (await _refused(page, f"/sources?{odd}"))[0]


async def test_a_value_that_a_page_does_not_offer_is_refused_with_those_it_does_and_none_is_as_good_as_no_parameter(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path) as page:
        await page.services.store.write(WriteBatch(rows=(thought("1"),)))
        for path, words in TABLES["a_value_that_a_page_does_not_offer_is_refused"]:
            shown, html = await _refused(page, path)
            assert words in shown
            assert f'<a href="{path.partition("?")[0]}">Open the page without it</a>' in html
        for path, takes in _PAGES.items():
            empty = urlencode(dict.fromkeys(re.findall("`(.+?)`", takes), ""))
            answers = [await page.browser.get(each) for each in (path, f"{path}?{empty}")]
            assert len({each.status_code for each in answers}) == 1, path


async def test_the_way_back_leads_to_the_page_whatever_stands_in_its_path_but_not_to_a_fault_of_the_path(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path) as page:
        for path in ("/graph/Beth%20%231", "/sources/t:a%3Fb", "/sources/t:a%5Cb", "/graph/100%25"):
            assert f'<a href="{path}">Open the page without it</a>' in (await _refused(page, f"{path}?x=1"))[1]
        rows = (entity("1", "Jonas"), entity("2", "Jonas", "place"))
        await page.services.store.write(WriteBatch(rows=rows))
        shown, html = await _refused(page, "/graph/Jonas?depth=2")
        assert "Jonas" in shown
        assert "Open the page without it" not in html
        _, html = await _refused(page, "/graph/Jonas?depth=9")
        assert '<a href="/graph/Jonas">Open the page without it</a>' in html


async def test_a_name_that_is_long_or_cannot_be_read_is_told_so_that_it_can(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        shown, _ = await _refused(page, f"/doctor?{'x' * 3_000}=1")
        assert f"{'x' * 40}…: unknown parameter" in shown
        shown, html = await _refused(page, "/doctor?%E2%80%AE%3Cscript%3E=1")
        nameless, _ = await _refused(page, "/doctor?%00=1")
    assert "an unreadable name: unknown parameter" in shown
    assert "an unreadable name: unknown parameter" in nameless
    assert "\u202e" not in html
    assert "<script>" not in html


class _Leads(HTMLParser):
    """Collects where links of a page lead, and what its forms for looking send as they stand."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._form: tuple[str, dict[str, str]] | None = None
        self._select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {name: value or "" for name, value in attrs}
        self.found += [said[name] for name in ("href", "hx-get") if name in said and "static" not in said[name]]
        if tag == "form" and said.get("method", "get") == "get":
            self._form = (said["action"], {})
        if self._form is None:
            return
        if tag == "select":
            self._select = said["name"]
        if tag == "option" and ("selected" in said or self._select not in self._form[1]):
            self._form[1][self._select] = said.get("value", "")
        if tag == "input" and (said.get("type") != "checkbox" or "checked" in said):
            self._form[1][said["name"]] = said.get("value", "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "form" and self._form is not None:
            action, fields = self._form
            self.found.append(f"{action}?{urlencode(fields)}")
            self._form = None


def _leads(html: str, at: str) -> list[str]:
    reader = _Leads()
    reader.feed(html)
    return [urljoin(at, each.partition("#")[0]) for each in reader.found]


async def test_whatever_pages_lead_to_and_send_is_read(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await page.memory.remember("Ada moved the kiln to the shed.", tags=["kiln"])
        await page.services.store.write(WriteBatch(rows=(thought("1"),)))
        await page.services.review.moderation.candidates.save([person(f"Person {at}") for at in range(22)])
        await page.services.review.moderation.candidates.save([edge("Person 1", "works_at", "Person 2")])
        await page.send("/ask", question="Where is the kiln?", private="1")
        approved = await page.send(f"/review/{person('Person 3').id}", deed="approve")
        ways = deque(["/", str(approved.url.raw_path, "ascii"), "/sources?private=1", "/sessions?private=1"])
        seen, refused = set(ways), list[tuple[str, str]]()
        while ways and len(seen) < 400:
            at = ways.popleft()
            answer = await page.browser.get(at)
            if answer.status_code == 422:
                refused.append((at, read(answer.text)[-200:]))
            fresh = [
                each for each in dict.fromkeys(_leads(answer.text, at)) if each.startswith("/") and each not in seen
            ]
            seen.update(fresh)
            ways.extend(fresh)
    assert refused == []
    assert {each.partition("?")[0] for each in seen} >= {
        "/sessions",
        "/sources",
        "/review",
        "/graph",
        "/pins",
        "/reports",
    }
    assert len([each for each in seen if "?" in each]) > 30
