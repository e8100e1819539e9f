"""Forgetting and redacting from the pages: what would go is shown, and goes only where that is confirmed."""

import re
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote

import pytest

from browsed_pages import Browser, browsing, text_of
from desk_pages import Desk, desk, read
from played_turns import KILN, MOVED, NOW, WHERE, grounded, tell
from voice.core.records import Observation, RowStatus
from voice.core.session.values import DialogueExchange
from voice.entrypoints.web.pages.addresses import source_url

pytestmark = pytest.mark.requirement("web:removal", "web:without-script")
SHED = "The kiln moved to the shed. Marta helped."


async def _told(page: Desk) -> str:
    return (await page.memory.remember(SHED, at=NOW - timedelta(days=2))).stored[0]


def _confirmed(html: str) -> dict[str, str]:
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', html.partition("/remove")[2]))


@pytest.mark.requirement("web:errors")
async def test_a_source_is_forgotten_once_it_was_shown_what_goes_and_the_box_is_ticked(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        said = await _told(page)
        address = f"{source_url(said)}/remove"
        assert f'action="{address}"' in await page.html(source_url(said))
        looked = await page.send(address, deed="look", act="forget")
        for words in ("Forget it for good?", "observation: a sentence of it", "No answer is redacted."):
            assert words in read(looked.text)
        assert "Marta helped." in read(looked.text).partition("Also to be forgotten")[2]
        unsure = await page.send(address, **_confirmed(looked.text), deed="do")
        assert (unsure.status_code, "tick the box first" in read(unsure.text)) == (422, True)
        said = (await page.memory.correct(said, f"{SHED} It rained.")).row_id
        late = await page.send(address, **_confirmed(looked.text), deed="do", sure="1")
        assert (late.status_code, "has changed since you looked" in read(late.text)) == (422, True)
        assert SHED in await page.text(source_url(said))
        address = f"{source_url(said)}/remove"
        fields = _confirmed((await page.send(address, deed="look", act="forget")).text)
        done = read((await page.send(address, **fields, deed="do", sure="1")).text)
        assert "voice deleted the entry" in done
        assert "It rained" not in await page.text("/sources")
        await page.html(source_url(said), 404)
        assert (await page.send(address, **fields, deed="do", sure="1")).status_code == 404, "a reload does no harm"


async def test_a_redacted_source_keeps_its_page_and_loses_its_words(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        said = await _told(page)
        address = f"{source_url(said)}/remove"
        assert (await page.send(address, act="burn")).status_code == 422
        preview = await page.send(address, deed="look", act="redact")
        assert "Redact it for good?" in read(preview.text)
        done = await page.send(address, **_confirmed(preview.text), deed="do", sure="1")
        assert "voice deleted the words" in read(done.text)
        (row,) = (await page.services.store.fetch([said])).values()
        assert row.status is RowStatus.REDACTED
        shown = await page.text(source_url(said))
        assert ("Marta" in shown, "A redacted thought" in shown) == (False, True)
        again = await page.send(address, deed="look", act="redact")
        assert "Nothing is left to delete." in read(again.text)


@pytest.mark.requirement("web:private")
async def test_of_a_private_source_nothing_is_shown_or_done_unasked(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        url = source_url((await page.memory.remember(SHED, is_private=True)).stored[0])
        for form in ("remove", "pin", "unpin", "correct", "sentence"):
            closed = await page.send(f"{url}/{form}", act="forget", reason="why", text="Other words.")
            (anyway,) = re.findall(r'class="button" href="([^"]+)"', closed.text)
            assert (closed.status_code, closed.history, "Marta" in closed.text) == (403, [], False)
            shown = await page.text(anyway)
            assert [said in shown for said in (SHED, "Pin it", "Replaced")] == [True, True, False]
        asked = await page.send(f"{url}/remove", deed="look", act="forget", private="1")
        assert "Marta helped." in read(asked.text)


async def _asked(browser: Browser, **fields: str) -> DialogueExchange:
    await browser.send("/ask", question=WHERE, **fields)
    return (await browser.voice.services.sessions.exchanges())[-1]


@pytest.mark.requirement("web:private")
async def test_the_answers_that_lose_their_words_are_named_with_their_question_and_private_ones_counted(
    tmp_path: Path,
) -> None:
    async with browsing(tmp_path, grounded()) as browser:
        thought = (await tell(browser.voice.services, *KILN))[0]
        await _asked(browser, private="1")
        hidden = text_of(await browser.send(f"{source_url(thought)}/remove", deed="look", act="forget"))
        turn = await _asked(browser)
        shown = await browser.send(f"{source_url(thought)}/remove", deed="look", act="forget")
    assert ("1 private answer, not shown" in hidden, WHERE in hidden) == (True, False)
    rest = shown.partition("Answers to be redacted")[2]
    assert f"/sessions/{quote(turn.session_id, safe='')}" in rest
    assert WHERE in text_of(rest)


@pytest.mark.requirement("forget:sentence")
async def test_a_note_that_says_nothing_else_goes_with_its_sentence_and_the_page_says_so(tmp_path: Path) -> None:
    async with browsing(tmp_path, grounded()) as browser:
        thought, *_ = await tell(browser.voice.services, *KILN)
        page = await browser.get(f"{source_url(thought)}/sentence?from=0&to={len(MOVED)}")
        hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page))
        foreseen = await browser.send(f"{source_url(thought)}/sentence", **hidden, deed="foresee")
        assert "The note says nothing else" in text_of(foreseen)
        done = await browser.send(f"{source_url(thought)}/sentence", **hidden, deed="forget", sure="1")
        assert "voice deleted the sentence and its note" in text_of(done)
        rows = [each.row for each in await browser.voice.services.store.changes(0, 100)]
        assert not any(isinstance(row, Observation) and MOVED in row.text for row in rows)
