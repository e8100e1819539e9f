"""Asking in a browser: with a script and without, and when it goes wrong."""

import re
from pathlib import Path
from urllib.parse import quote

import pytest

from browsed_pages import browsing, text_of
from played_turns import FIRED, KILN, MOVED, WHERE, grounded, quoting, scripted, tell
from synced_folders import sync
from voice.adapters.llm.scripted import ScriptedClient
from voice.core.errors import ProviderRejected, StoreUnavailable
from voice.core.messages.showing import ALL_PROVEN
from voice.core.settings.values import GateSettings


@pytest.mark.requirement("web:chat", "web:without-script")
async def test_a_plain_form_leads_to_a_page_with_the_answer_each_sentence_with_its_sign(tmp_path: Path) -> None:
    async with browsing(tmp_path, grounded()) as browser:
        await tell(browser.voice.services, *KILN)
        page = await browser.send("/ask", question=WHERE)
        assert browser.address.startswith("/chat/s%3A")
        assert browser.address.endswith("#turn-1")
        shown = text_of(page)
        assert f"{MOVED} quoted 1" in shown
        assert f"{FIRED} quoted 2 ✓ {ALL_PROVEN}" in shown
        assert "100% proven by 2 sources 2 quoted" in shown
        assert "1,100 tokens" in shown


@pytest.mark.requirement("web:chat")
async def test_the_same_form_sent_twice_asks_once_and_a_question_goes_on_in_the_conversation_it_is_asked_in(
    tmp_path: Path,
) -> None:
    llm = grounded()
    async with browsing(tmp_path, llm) as browser:
        await tell(browser.voice.services, *KILN)
        await browser.send("/ask", question=WHERE, key="k:1", topic="the kiln")
        first = browser.address
        await browser.send("/ask", question=WHERE, key="k:1", topic="the kiln")
        assert (browser.address, llm.calls) == (first, 1)
        session = (await browser.voice.sessions.list())[0]
        page = await browser.send("/ask", question="Where was the kiln moved?", key="k:1", session=session.id)
        assert (llm.calls, "Turn 2" in page) == (2, True)
        (session,) = await browser.voice.sessions.list()
        assert (session.total_exchanges, session.thread_topic) == (2, "the kiln")


@pytest.mark.requirement("web:refusal", "ruling:I4:locations")
async def test_a_refusal_says_what_was_missing_what_there_was_with_note_and_line_and_what_can_be_done(
    tmp_path: Path,
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/Kiln.md").write_text(f"---\ntags: [a]\n---\n{MOVED}\n", encoding="utf-8")
    async with browsing(tmp_path, scripted(quoting(MOVED))) as browser:
        await sync(browser.voice.services, tmp_path / "notes")
        asked = await browser.send("/ask", question=WHERE)
        for words in ("∅ no answer", "What is missing and what you can do", "Closest in your notes", MOVED, "Rephrase"):
            assert words in text_of(asked)
        assert 'href="/sources"' in asked
        session = (await browser.voice.sessions.list())[0]
        for page in (asked, await browser.get(f"/sessions/{quote(session.id, safe='')}")):
            assert re.search(r"<h3>Closest in your notes</h3>.*>Kiln\.md:4</bdi></a>", page, re.DOTALL)
        (browser.voice.services.home / "folders.json").write_text("{")
        assert "Closest in your notes" in await browser.get(browser.address.partition("#")[0])


@pytest.mark.requirement("web:chat", "web:errors", "web:without-script", "web:theme")
async def test_what_was_typed_comes_back_when_the_question_cannot_be_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unreachable(*_: object, **__: object) -> object:
        raise StoreUnavailable("the store cannot be reached")

    async with browsing(tmp_path) as browser:
        page = await browser.send("/ask", 422, question="Where <b>is</b> it?", when="the day of never", topic="kiln")
        assert "Where &lt;b&gt;is&lt;/b&gt; it?</textarea>" in page
        assert ('value="the day of never"' in page, 'value="kiln"' in page) == (True, True)
        assert "The request is not valid" in text_of(page)
        for fields in ({"question": ""}, {"question": "x" * 20_001}, {"question": "where?", "stance": "shout"}):
            await browser.send("/ask", 422, **fields)
        page = await browser.send("/ask", 404, question=WHERE, session="s:gone", when="last week")
        assert (f"{WHERE}</textarea>" in page, 'value="last week"' in page, 'name="session"' in page) == (
            True,
            True,
            False,
        )
        assert "Not found" in text_of(page)
        assert "Your next question starts a new one." in text_of(page)
        await browser.send("/ask", question=WHERE)
        session = (await browser.voice.sessions.list())[0].id
        page = await browser.send("/ask", 422, question=WHERE, session=session, when="the day of never")
        assert f'name="back" value="/chat/{session.replace(":", "%3A")}"' in page, "other colours lead back there"
        monkeypatch.setattr(type(browser.voice.services.store), "changes", unreachable)
        monkeypatch.setattr(type(browser.voice.services.sessions), "load", unreachable)
        page = await browser.send("/ask", 503, question="And then?", session=session)
        assert "And then?</textarea>" in page
        assert "The store is not available now" in text_of(page)


@pytest.mark.requirement("web:errors")
async def test_a_provider_that_fails_is_told_in_the_turn_that_it_was_asked_in(tmp_path: Path) -> None:
    async with browsing(tmp_path, ScriptedClient([ProviderRejected("the key is not valid")])) as browser:
        await tell(browser.voice.services, *KILN)
        shown = text_of(await browser.send("/ask", question=WHERE))
        assert "the model's provider failed" in shown
        assert WHERE in shown


@pytest.mark.requirement("web:errors")
async def test_an_inner_voice_that_is_switched_off_says_so_and_keeps_the_question(tmp_path: Path) -> None:
    async with browsing(tmp_path, gate=GateSettings(enabled=False)) as browser:
        page = await browser.send("/ask", 403, question=WHERE)
        assert f"{WHERE}</textarea>" in page
        assert "SURR_ENABLE_INNER_VOICE" in page
        [_, (_, told), (event, _)] = await browser.stream(question=WHERE)
        assert "SURR_ENABLE_INNER_VOICE" in told
        assert event == "voice:failed"


@pytest.mark.requirement("web:stream")
async def test_the_script_is_sent_how_far_it_is_and_then_sentence_by_sentence_what_was_judged(tmp_path: Path) -> None:
    async with browsing(tmp_path, grounded()) as browser:
        await tell(browser.voice.services, *KILN)
        messages = await browser.stream(question=WHERE, key="k:1")
        told = [text_of(data) for event, data in messages if not event]
        assert told[0].startswith(WHERE)
        assert "Understood; searching your memory" in told
        assert any(each.startswith("Found ") for each in told)
        assert "Asking scripted/scripted-1" in told
        assert "Checked: 100% proven by 2 sources" in told
        first = next(at for at, each in enumerate(told) if MOVED in each)
        assert first > told.index("Checked: 100% proven by 2 sources")
        assert told[first].startswith(f"{MOVED} quoted 1")
        assert told[first + 1].startswith(FIRED)
        session = (await browser.voice.sessions.list())[0]
        assert messages[-1] == ("voice:answered", f"/chat/{session.id.replace(':', '%3A')}")
        assert f'name="session" value="{session.id}"' in messages[-2][1]


@pytest.mark.requirement("web:stream", "web:errors", "answers:small-talk")
async def test_the_script_is_told_what_went_wrong_and_small_talk_has_no_sign_of_proof(tmp_path: Path) -> None:
    async with browsing(tmp_path, llm := scripted()) as browser:
        [_, (_, told), (event, _)] = await browser.stream(question=WHERE, when="the day of never", key="k:1")
        shown = text_of(await browser.send("/ask", question="Hello!"))
    assert ("The request is not valid" in text_of(told), 'name="key"' in told, event) == (True, True, "voice:failed")
    assert "Hello. Ask me about anything in your notes." in shown
    assert [sign for sign in ("✓", "proven by", "no answer") if sign in shown] == []
    assert llm.calls == 0
