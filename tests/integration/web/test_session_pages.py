"""Conversations in a browser: found, read, changed, audited, taken along, deleted."""

import json
import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from browsed_pages import Browser, browsing, text_of
from played_turns import FIRED, KILN, MOVED, WHERE, grounded, tell
from voice.core.graph.removal.forget_cascade import ForgetRequest
from voice.entrypoints.web.pages.conversations.sessions import PER_PAGE
from voice.entrypoints.web.pages.turn_view import STATES

pytestmark = pytest.mark.requirement("web:sessions", "web:without-script")


async def _asked(browser: Browser, topic: str = "the kiln", **fields: str) -> str:
    await browser.send("/ask", question=WHERE, topic=topic, **fields)
    return (await browser.voice.sessions.list())[0].id


async def test_conversations_are_listed_and_found_by_their_topic(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        for topic in ("The Kiln", "the ferry"):
            await _asked(browser, topic)
        both = text_of(await browser.get("/sessions"))
        assert "The Kiln" in both
        assert "the ferry" in both
        found = text_of(await browser.send("/sessions", about="KILN"))
        about, _, said = found.partition("Turns that contain it")
        assert ("The Kiln" in about, "the ferry" in about) == (True, False)
        assert "the ferry" in said, "the word stands in its question"
        assert "kiln" not in browser.address.casefold()
        assert text_of(await browser.get(browser.address)) == found
        assert "No session found" in text_of(await browser.send("/sessions", about="boat"))
        assert "the ferry" in text_of(await browser.send("/sessions", about=" "))
        assert browser.address == "/sessions"
        assert "no longer available" in text_of(await browser.get("/sessions?search=gone"))


async def test_sessions_are_chosen_by_how_they_stand_and_told_with_their_totals(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        for topic in ("The Kiln", "the ferry"):
            await _asked(browser, topic)
        ids = {each.thread_topic: each.id for each in await browser.voice.sessions.list()}
        kiln, ferry = ids["The Kiln"], ids["the ferry"]
        await browser.send(f"/sessions/{kiln}/close")
        await browser.send(f"/sessions/{ferry}/topic", status="resolved")
        pages = {state: text_of(await browser.get(f"/sessions?state={state}")) for state in STATES}
        again = text_of(await browser.send("/sessions?state=closed", about="the"))
    held = {state: ("The Kiln" in page, "the ferry" in page) for state, page in pages.items()}
    assert held == {
        "all": (True, True),
        "open": (False, True),
        "expired": (False, False),
        "closed": (True, False),
        "resolved": (False, True),
        "abandoned": (False, False),
    }
    assert all("In total: 2 sessions 2 turns 2 refused" in " ".join(page.split()) for page in pages.values())
    assert "No session has this status" in pages["expired"]
    assert ("closed" in pages["all"], "resolved" in pages["all"]) == (True, True)
    assert "The Kiln" in again.partition("Turns that contain it")[0]


@pytest.mark.requirement("promise:6")
async def test_where_it_was_said_is_shown_and_a_private_turn_is_not(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        await browser.send("/ask", question="Is the boat for sale?", topic="errands")
        await browser.send("/ask", question="Is the lease secret?", topic="errands", private="1")
        await browser.send("/ask", question="Is the gate shut?", topic="the gate")
        listed = [text_of(await browser.get(f"/sessions{private}")) for private in ("", "?private=1")]
        found = await browser.send("/sessions", about="boat")
        hidden = text_of(await browser.send("/sessions", about="lease"))
        shown = await browser.send("/sessions?private=1", about="lease")
        link = re.search(r'href="(/sources[^"]+)">Show all turns that contain it', found)
        assert link is not None
        every = await browser.get(link[1].replace("&amp;", "&"))
    assert ["lease secret?" in each for each in listed] == [False, True]
    assert ["boat" in each and "shut?" not in each for each in listed][1:] == [True], (
        "sessions of one topic are told apart"
    )
    assert "Is the <mark>boat</mark> for sale?" in found
    assert "No session found" in hidden
    assert "Is the <mark>lease</mark> secret?" in shown
    assert "Is the <mark>boat</mark> for sale?" in every


@pytest.mark.requirement("web:errors")
async def test_a_long_list_comes_in_pages(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        assert "No sessions yet" in text_of(await browser.get("/sessions"))
        for number in range(PER_PAGE + 1):
            await _asked(browser, f"topic {number:02}")
        first = await browser.get("/sessions")
        assert first.count('class="listing-item"') == PER_PAGE
        assert 'rel="next" href="/sessions?page=2"' in first
        second = await browser.get("/sessions?page=2")
        assert second.count('class="listing-item"') == 1
        assert 'rel="prev" href="/sessions?page=1"' in second
        assert "This page does not exist" in text_of(await browser.get("/sessions?page=3"))
        for page in ("0", "x", "1001", "²"):
            assert "must be a number from 1 to" in await browser.get(f"/sessions?page={page}", 422)


@pytest.mark.requirement("web:errors")
async def test_a_fork_goes_on_from_the_turn_it_was_made_at(tmp_path: Path) -> None:
    async with browsing(tmp_path, grounded()) as browser:
        await tell(browser.voice.services, *KILN)
        session = await _asked(browser)
        await browser.send("/ask", question=WHERE, session=session)
        page = await browser.send(f"/sessions/{session}/fork", at="1")
        assert browser.address.startswith("/chat/")
        assert ("a fork of" in text_of(page), 'id="turn-1"' in page, 'id="turn-2"' in page) == (True, True, False)
        await browser.send("/ask", question=f"{WHERE} Once more?", session=unquote(browser.address[len("/chat/") :]))
        listed = text_of(await browser.get("/sessions"))
        assert listed.index(f"{WHERE} Once more?") < listed.index("a fork after turn 1"), "what sets it apart is told"
        assert "Not found" in await browser.send("/sessions/s:nobody/fork", 404, at="1")
        await browser.send(f"/sessions/{session}/fork", 422, at="9")
        for path in ("", "/audit", "/delete", "/conversation.md"):
            assert "there is no session" in await browser.get(f"/sessions/s:nobody{path}", 404)
        assert "there is no session" in await browser.get("/chat/s:nobody", 404)


async def test_a_conversation_is_renamed_closed_and_its_topic_resolved(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        session = await _asked(browser)
        assert "glazes</h1>" in await browser.send(f"/sessions/{session}/rename", topic="glazes")
        assert "a topic needs a few words" in await browser.send(f"/sessions/{session}/rename", 422, topic=" ")
        assert "✓ resolved" in text_of(await browser.send(f"/sessions/{session}/topic", status="resolved"))
        await browser.send(f"/sessions/{session}/topic", 422, status="eaten")
        assert "closed" in text_of(await browser.send(f"/sessions/{session}/close"))
        assert "closed" in text_of(await browser.get("/sessions"))


async def test_an_audit_says_what_still_stands_and_what_fell(tmp_path: Path) -> None:
    async with browsing(tmp_path, grounded()) as browser:
        services = browser.voice.services
        thoughts = await tell(services, *KILN)
        session = await _asked(browser)
        assert "still grounded" in text_of(await browser.get(f"/sessions/{session}/audit"))
        await services.forget(ForgetRequest(ids=frozenset({thoughts[0]})), "forget")
        fallen = text_of(await browser.get(f"/sessions/{session}/audit"))
        assert "✗" in fallen
        assert "its source" in fallen
        shown = [text_of(await browser.get(f"/{page}/{session}")) for page in ("sessions", "chat")]
        shown.append((await browser.client.get(f"/sessions/{session}/conversation.md")).text)
        for page in shown:
            assert "Words of this turn were deleted" in page
            assert not any(said in page for said in ("✓", "% proven", "Coverage", "“”"))


@pytest.mark.requirement("web:private")
async def test_a_conversation_is_taken_along_and_private_turns_only_where_that_is_asked_for(tmp_path: Path) -> None:
    async with browsing(tmp_path, grounded()) as browser:
        await tell(browser.voice.services, *KILN, is_private=True)
        session = await _asked(browser, private="1")
        address = f"/sessions/{session}/conversation"
        for form in ("md", "json"):
            assert MOVED not in (await browser.client.get(f"{address}.{form}")).text
            assert MOVED in (await browser.client.get(f"{address}.{form}?private=1")).text
        assert MOVED not in await browser.get(f"/sessions/{session}/audit")
        assert MOVED in await browser.get(f"/sessions/{session}/audit?private=1")
        written = await browser.client.get(f"{address}.md?private=1")
        assert written.headers["content-disposition"].startswith("attachment; filename=")
        assert FIRED in json.dumps(json.loads((await browser.client.get(f"{address}.json?private=1")).text))
        await browser.get(f"{address}.exe", 404)


@pytest.mark.requirement("web:errors")
async def test_a_deletion_is_shown_first_and_takes_what_was_shown(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        session = await _asked(browser)
        page = await browser.get(f"/sessions/{session}/delete")
        assert "Delete 1 turn for good" in text_of(page)
        fields = _shown(page)
        await browser.send("/ask", question=WHERE, session=session)
        assert "Another process changed it first" in await browser.send(f"/sessions/{session}/delete", 409, **fields)
        for wrong in ({}, {"shown:s:1": "x"}, {"shown:s:1": "9" * 40}):
            await browser.send(f"/sessions/{session}/delete", 422, **wrong)
        assert len(await browser.voice.sessions.list()) == 1
        fields = _shown(await browser.get(f"/sessions/{session}/delete"))
        assert "No sessions yet" in await browser.send(f"/sessions/{session}/delete", **fields)
        assert "This session is already deleted" in text_of(await browser.get(f"/sessions/{session}/delete"))


async def test_a_conversation_whose_turns_forks_share_goes_with_them_or_not_at_all(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        session = await _asked(browser)
        await browser.voice.sessions.fork(session, topic="a branch")
        page = await browser.get(f"/sessions/{session}/delete")
        assert "you can only delete them together" in text_of(page)
        assert "shown:" not in page
        page = await browser.get(f"/sessions/{session}/delete?forks=1")
        assert "a branch" in text_of(page)
        await browser.send(f"/sessions/{session}/delete", **_shown(page))
        assert await browser.voice.sessions.list() == []


def _shown(page: str) -> dict[str, str]:
    """Return what the form of a deletion says that was shown."""
    return dict(re.findall(r'name="(shown:[^"]+)" value="([^"]+)"', page))
