"""Pins in a browser."""

from pathlib import Path

import pytest

from browsed_pages import browsing, text_of
from played_turns import KILN, WHERE, grounded, tell
from tables import tables
from voice.core.graph.removal.forget_cascade import ForgetRequest

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("web:pins", "web:without-script")


async def test_something_is_pinned_listed_and_taken_away(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        assert "Nothing is pinned" in text_of(await browser.get("/pins"))
        thought = (await tell(browser.voice.services, *KILN))[0]
        page = await browser.send("/pins", target=thought, reason="where the kiln is", lifetime="7d")
        assert "where the kiln is" in text_of(page)
        assert "until 27 Mar 2026, 18:00" in text_of(page)
        assert f'href="/sources/{thought.replace(":", "%3A")}"' in page
        pin = (await browser.voice.pins())[0].pin.id
        assert "Nothing is pinned" in text_of(await browser.send("/pins/remove", pin=pin))
        assert "Nothing is pinned" in text_of(await browser.send("/pins/remove", pin=pin))


@pytest.mark.requirement("web:errors")
async def test_what_cannot_be_pinned_is_told_with_what_was_typed(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        thought = (await tell(browser.voice.services, *KILN))[0]
        for fields, status, told in TABLES["what_cannot_be_pinned_is_told_with_what_was_typed"]:
            page = await browser.send("/pins", status, **{"target": thought, **fields})
            assert told in text_of(page)
            assert f'value="{fields["reason"]}"' in page


@pytest.mark.requirement("web:private")
async def test_private_pins_are_counted_and_shown_where_that_is_asked_for(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        thought = (await tell(browser.voice.services, "My PIN is in the blue book.", is_private=True))[0]
        await browser.send("/pins", 422, target=thought, reason="the code")
        page = await browser.send("/pins", target=thought, reason="the code", private="1")
        assert "1 private pin not shown" in text_of(page)
        assert not any(said in page for said in ("the code", "blue book"))
        private = await browser.get("/pins?private=1")
        back = '<input type="hidden" name="back" value="/pins?private=1">'
        assert all(said in private for said in ("the code", "My PIN is in the blue book.", f"{back}\n      <button"))


async def test_a_pin_leads_to_its_transcript_and_back_where_it_was_made_and_tells_nothing_of_a_redacted_target(
    tmp_path: Path,
) -> None:
    async with browsing(tmp_path, grounded()) as browser:
        services = browser.voice.services
        thought = (await tell(services, *KILN))[0]
        await browser.send("/ask", question=WHERE)
        session = (await browser.voice.sessions.list())[0].id
        page = await browser.send("/pins", target=f"m:{session}", reason="how it was found")
        assert f'href="/sessions/{session.replace(":", "%3A")}"' in page
        await browser.send("/pins", target=thought, reason="where the kiln went", back="/sessions")
        assert browser.address == "/sessions"
        await browser.send("/pins", target=thought, reason="where the kiln went", back="https://elsewhere.example/")
        assert browser.address == "/pins"
        assert f'value="{thought}"' in await browser.get(f"/pins?target={thought}")
        await services.forget(ForgetRequest(ids=frozenset({thought})), "redact")
        page = text_of(await browser.get("/pins?expired=1"))
        assert ("! target not live" in page, "where the kiln went" in page) == (True, False)
