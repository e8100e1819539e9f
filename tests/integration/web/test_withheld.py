"""Over HTTP and on pages, what was asked with private rows let in shows where that is asked for, used or not."""

from pathlib import Path
from typing import cast

import pytest

from browsed_pages import browsing, text_of
from played_turns import KILN, MOVED, WHERE, grounded, tell
from voice.core.session.lifecycle import PRIVATE_TOPIC
from voice.services.sessions.lookup import all_exchanges
from web_door import Door, door, told
from withheld_turns import KINDS, TOPIC, Kind, confided

pytestmark = pytest.mark.parametrize("kind", KINDS[1:])
api = pytest.mark.requirement("http:withheld", "promise:6")
pages = pytest.mark.requirement("web:withheld", "promise:6")
PRIVATE = {"include_private": "true"}


async def _confided(at: Door, kind: Kind) -> str:
    return (await confided(at.memory.services, kind)).session.id


@api
async def test_lists_and_reports_tell_a_topic_where_it_is_asked_for(tmp_path: Path, kind: Kind) -> None:
    async with door(tmp_path) as at:
        name = await _confided(at, kind)
        await at.memory.ask(WHERE, new_topic="the kiln", include_private=True)
        for path in (
            "/sessions",
            "/report",
            f"/sessions/{name}",
            f"/sessions/{name}/audit",
            f"/sessions/{name}/export",
        ):
            veiled = str(await told(at, "GET", path))
            shown = str(await told(at, "GET", path, params=PRIVATE))
            assert (TOPIC in veiled, TOPIC in shown) == (False, True), path
        first = await told(at, "GET", "/sessions", params={"limit": "1"})
        then = await told(at, "GET", "/sessions", params={"limit": "1", "cursor": str(first["next"])})
        topics = [cast("list[dict[str, object]]", part["items"])[0]["thread_topic"] for part in (first, then)]
    assert topics == [PRIVATE_TOPIC] * 2
    assert then["next"] is None


@api
async def test_forks_changes_deletions_and_errors_do_not_tell_it(tmp_path: Path, kind: Kind) -> None:
    async with door(tmp_path) as at:
        name = await _confided(at, kind)
        await at.memory.ask(WHERE, new_topic=TOPIC, include_private=True)
        forked = await told(at, "POST", f"/sessions/{name}/forks", json={}, status=201)
        closed = await told(at, "PATCH", f"/sessions/{name}", json={"status": "closed"})
        going = await told(at, "DELETE", f"/sessions/{forked['id']}", params={"dry_run": "true"})
        held = await told(at, "DELETE", f"/sessions/{name}", status=422)
        several = await told(at, "GET", f"/sessions/{name[:9]}", status=422)
        renamed = await told(at, "PATCH", f"/sessions/{name}", json={"thread_topic": "the clinic"})
    for answer in (forked, closed, going, held, several):
        assert PRIVATE_TOPIC in str(answer)
        assert TOPIC not in str(answer)
    assert "could mean several sessions" in str(several["detail"])
    assert renamed["thread_topic"] == "the clinic"


@pages
async def test_pages_tell_neither_topic_nor_turn_unasked(tmp_path: Path, kind: Kind) -> None:
    async with browsing(tmp_path, grounded()) as browser:
        turn = await confided(browser.voice.services, kind)
        path, source = f"/sessions/{turn.session.id}", turn.exchange.sources[0].source_id
        chat = f"/chat/{turn.session.id}"
        for where in ("/", "/sessions", path, f"{path}/audit", chat, "/reports?by=session"):
            veiled = await browser.get(where)
            shown = await browser.get(f"{where}{'&' if '?' in where else '?'}private=1")
            assert (TOPIC in veiled, TOPIC in shown) == (False, True), where
            assert PRIVATE_TOPIC in veiled, where
        sentence = f"/turns/{turn.exchange.id}/sentences/0"
        assert MOVED not in await browser.get(sentence, 404)
        assert f'href="{chat.replace(":", "%3A")}?private=1#turn-1"' in await browser.get(f"{sentence}?private=1")
        deleting = await browser.get(f"{path}/delete")
        assert (TOPIC in deleting, PRIVATE_TOPIC in deleting) == (False, True)
        unasked = await browser.get(f"/sources/{source}/answers")
        answers = await browser.get(f"/sources/{source}/answers?private=1")
    assert "1 private answer not shown" in unasked
    assert WHERE not in unasked
    assert WHERE in answers
    assert "· private" in answers
    assert f'href="{path.replace(":", "%3A")}?page=1&amp;private=1#turn-1"' in answers


@pages
async def test_a_search_finds_it_by_the_whole_of_it_and_the_form_to_rename_it_is_empty(
    tmp_path: Path, kind: Kind
) -> None:
    async with browsing(tmp_path, grounded()) as browser:
        turn = await confided(browser.voice.services, kind)
        path = f"/sessions/{turn.session.id}"
        part = await browser.send("/sessions", about="HIV")
        whole = await browser.send("/sessions", about=TOPIC)
        asked = await browser.send("/sessions?private=1", about="HIV")
        veiled, shown = await browser.get(path), await browser.get(f"{path}?private=1")
        again = await browser.send(f"{path}/rename?private=1", topic="the clinic")
        unasked = await browser.send(f"{path}/rename", topic="the clinic")
    assert "No session found" in text_of(part)
    assert f">{TOPIC}</a>" in whole
    assert f">{TOPIC}</a>" in asked
    assert 'name="topic" value=""' in veiled
    assert "This session started with private notes" in veiled
    assert f'name="topic" value="{TOPIC}"' in shown
    assert "the clinic" in again
    assert "the clinic" not in unasked


@pages
async def test_what_was_just_asked_shows_with_a_script_without_and_after_a_reload(tmp_path: Path, kind: Kind) -> None:
    async with browsing(tmp_path, grounded()) as browser:
        await tell(browser.voice.services, *KILN, is_private=kind == "used")
        plain = await browser.send("/ask", question=WHERE, topic=TOPIC, private="1")
        assert "?private=1#turn-1" in browser.address
        assert MOVED in plain
        messages = await browser.stream(question=WHERE, topic=TOPIC, private="1")
        (address,) = [data for event, data in messages if event == "voice:answered"]
        reloaded = await browser.get(address)
        sessions = await browser.voice.sessions.list(include_private=True)
        (first, *_) = await all_exchanges(browser.voice.services.sessions, sessions[0].id)
    for page in (plain, "".join(data for _, data in messages), reloaded):
        assert MOVED in page
        assert TOPIC in page
        assert "<span>private</span>" in page
        assert f"/turns/{first.id.replace(':', '%3A')}/sentences/0?private=1" in page or page is not plain
    assert "not shown" not in plain + reloaded
    assert address.endswith("?private=1")
