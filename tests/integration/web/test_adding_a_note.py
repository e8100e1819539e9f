"""A note that is added in the page: stored once, and its page says what was distilled of it."""

import re
from pathlib import Path

import pytest

from desk_pages import Desk, desk, read
from voice.core.graph.removal.forget_cascade import ForgetRequest
from voice.core.records import Origin, Thought
from web_door import door

_SAID = "Marta Lind works at Clay Co in Lisbon. The kiln stands in the shed."


async def thoughts_of(page: Desk) -> list[Thought]:
    changes = await page.services.store.changes(0, 500)
    return [change.row for change in changes if isinstance(change.row, Thought)]


def key_in(html: str) -> str:
    found = re.search(r'name="key" value="([^"]+)"', html)
    assert found is not None
    return found[1]


@pytest.mark.requirement("web:add")
async def test_a_note_is_added_and_its_page_says_what_was_distilled(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        key = key_in(await page.html("/add"))
        shown = await page.send(
            "/add", key=key, text=_SAID, tags="studio, kiln,studio", at="2026-03-05", thread="Workshop"
        )
        (kept,) = await thoughts_of(page)
    assert (kept.origin, kept.content, kept.tags, kept.thread) == (Origin.HUMAN, _SAID, ("kiln", "studio"), "Workshop")
    assert kept.created_at.date().isoformat() == "2026-03-05"
    assert shown.url.path == f"/sources/{kept.id}"
    assert "Stored; answers can cite 2 sentences." in read(shown.text)
    assert re.search(r"\d candidates? from it waits? for review", read(shown.text))


@pytest.mark.requirement("web:add")
async def test_sentences_that_were_put_together_are_counted_each(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        note = "My kiln is blue. It weighs 80 kilos. I bought it in May."
        shown = await page.send("/add", key=key_in(await page.html("/add")), text=note)
    assert "Stored; answers can cite 3 sentences." in read(shown.text)


@pytest.mark.requirement("web:add")
async def test_what_is_sent_again_is_one_note_and_another_text_in_the_same_form_is_another(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        key = key_in(await page.html("/add"))
        first, again = [await page.send("/add", key=key, text=_SAID) for _ in range(2)]
        assert len(await thoughts_of(page)) == 1
        other = await page.send("/add", key=key, text="The glaze is blue.")
        assert len(await thoughts_of(page)) == 2
    assert first.url == again.url != other.url


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
@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"text": "  "}, "there is nothing to remember: the text is empty"),
        ({"text": _SAID, "at": "whenever"}, "the date is not a date or time"),
        ({"text": _SAID, "tags": "x" * 300}, "a tag has at most"),
        ({"text": '{"format": "inner-voice-memory/1"}\n'}, "this is an export of a memory or a session"),
    ],
)
async def test_what_cannot_be_kept_is_said_and_what_was_typed_comes_back(
    tmp_path: Path, fields: dict[str, str], words: str
) -> None:
    async with desk(tmp_path) as page:
        shown = await page.send("/add", thread="Workshop", **fields)
        assert await thoughts_of(page) == []
        assert (await page.send("/add", text=_SAID)).status_code == 200
        assert len(await thoughts_of(page)) == 1
    assert (shown.status_code, words in read(shown.text), 'value="Workshop"' in shown.text) == (422, True, True)


@pytest.mark.requirement("web:add")
async def test_an_export_can_be_kept_as_a_text_once_that_is_said(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        said = '{"format": "inner-voice-memory/1"}'
        assert 'name="as_text"' in (await page.send("/add", text=said)).text
        await page.send("/add", text=said, as_text="1")
        assert [each.content for each in await thoughts_of(page)] == [said]


@pytest.mark.requirement("web:add")
async def test_what_was_forgotten_stays_forgotten_and_that_is_said(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await page.send("/add", text=_SAID)
        (kept,) = await thoughts_of(page)
        await page.services.forget(ForgetRequest(ids=frozenset({kept.id})), "forget")
        shown = await page.send("/add", text=_SAID)
    assert (shown.status_code, "you forgot this before" in read(shown.text)) == (422, True)


@pytest.mark.requirement("web:owner")
async def test_a_program_with_the_token_adds_nothing_as_the_persons_own_word(tmp_path: Path) -> None:
    async with door(tmp_path, pages=True) as at:
        refused = await at.client.post("/add", data={"text": _SAID})
        assert refused.status_code == 403
        assert (await at.client.post("/api/v1/thoughts", json={"content": _SAID})).status_code == 201
