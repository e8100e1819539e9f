"""A note that is added in the page: stored once, and its page says what was distilled of it."""

import re
from pathlib import Path

import pytest

from desk_pages import Desk, desk, read
from voice.core.graph.removal.forget_cascade import ForgetRequest
from voice.core.records import Origin, Thought

_SAID = "Marta Lind works at Clay Co in Lisbon. The kiln stands in the shed."


async def thoughts_of(page: Desk) -> list[Thought]:
    changes = await page.services.store.changes(0, 500)
    return [change.row for change in changes if isinstance(change.row, Thought)]


def key_in(html: str) -> str:
    found = re.search(r'name="key" value="([^"]+)"', html)
    assert found is not None
    return found[1]


@pytest.mark.requirement("web:add")
async def test_a_note_is_added_once_and_its_page_says_what_was_distilled(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        fields = {"key": key_in(await page.html("/add")), "tags": "studio, kiln,studio", "at": "2026-03-05"}
        shown, again = [await page.send("/add", text=_SAID, thread="Workshop", **fields) for _ in range(2)]
        (kept,) = await thoughts_of(page)
        other = await page.send("/add", text="The glaze is blue.", **fields)
        assert len(await thoughts_of(page)) == 2
    assert (kept.origin, kept.content, kept.tags, kept.thread) == (Origin.HUMAN, _SAID, ("kiln", "studio"), "Workshop")
    assert kept.created_at.date().isoformat() == "2026-03-05"
    assert shown.url.path == f"/sources/{kept.id}"
    assert "Stored; answers can cite 2 sentences." in read(shown.text)
    assert re.search(r"\d candidates? from it waits? for review", read(shown.text))
    assert shown.url == again.url != other.url


@pytest.mark.requirement("web:add", "promise:6")
async def test_a_private_note_is_private_and_its_page_is_shown_to_who_wrote_it(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        shown = await page.send("/add", text=_SAID, private="1")
        (kept,) = await thoughts_of(page)
        unasked = await page.browser.get(f"/sources/{kept.id}")
    assert kept.is_private
    assert "answers can cite 2 sentences" in read(shown.text)
    assert (unasked.status_code, "kiln" in unasked.text) == (403, False)


@pytest.mark.requirement("web:add", "web:errors")
async def test_what_cannot_be_kept_is_said_and_what_was_typed_comes_back(tmp_path: Path) -> None:
    export = '{"format": "inner-voice-memory/1"}\n'
    async with desk(tmp_path) as page:
        for fields, words in (
            ({"text": "  "}, "there is nothing to remember: the text is empty"),
            ({"text": _SAID, "at": "whenever"}, "the date is not a date or time"),
            ({"text": _SAID, "tags": "x" * 300}, "a tag has at most"),
            ({"text": export}, "this is an export of a memory or a session"),
        ):
            shown = await page.send("/add", thread="Workshop", **fields)
            told = (shown.status_code, words in read(shown.text), 'value="Workshop"' in shown.text)
            assert told == (422, True, True), words
            assert ('name="as_text"' in shown.text) is (fields["text"] == export)
        assert await thoughts_of(page) == []
        assert (await page.send("/add", text=export, as_text="1")).status_code == 200
        assert len(await thoughts_of(page)) == 1


@pytest.mark.requirement("web:add")
async def test_what_was_forgotten_stays_forgotten_and_that_is_said(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await page.send("/add", text=_SAID)
        (kept,) = await thoughts_of(page)
        await page.services.forget(ForgetRequest(ids=frozenset({kept.id})), "forget")
        shown = await page.send("/add", text=_SAID)
    assert (shown.status_code, "you forgot this before" in read(shown.text)) == (422, True)
