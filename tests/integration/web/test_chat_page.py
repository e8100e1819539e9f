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
from voice.entrypoints.web.pages.conversations.chat import SHOWN
from voice.ports.stores import SessionListItem

_UNKNOWN = "Which marathon did I run in Porto?"


@pytest.mark.requirement("web:chat")
async def test_an_empty_memory_says_how_to_fill_it(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        page = await browser.get("/")
        assert "This memory is empty" in text_of(page)
        assert all(f'href="{path}">' in page for path in ("/add", "/import"))
        await tell(browser.voice.services, *KILN)
        assert "This memory is empty" not in text_of(await browser.get("/"))


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
async def test_a_question_goes_on_in_the_conversation_it_is_asked_in(tmp_path: Path) -> None:
    async with browsing(tmp_path, grounded()) as browser:
        await tell(browser.voice.services, *KILN)
        await browser.send("/ask", question=WHERE, topic="the kiln")
        session = (await browser.voice.sessions.list())[0]
        page = await browser.send("/ask", question=WHERE, session=session.id)
        assert "Turn 2" in page
        assert (await browser.voice.sessions.list())[0].total_exchanges == 2
        assert (await browser.voice.sessions.list())[0].thread_topic == "the kiln"


@pytest.mark.requirement("web:chat")
async def test_the_same_form_sent_twice_asks_once_and_another_question_in_it_asks_again(tmp_path: Path) -> None:
    llm = grounded()
    async with browsing(tmp_path, llm) as browser:
        await tell(browser.voice.services, *KILN)
        await browser.send("/ask", question=WHERE, key="k:1")
        first = browser.address
        await browser.send("/ask", question=WHERE, key="k:1")
        assert (browser.address, llm.calls) == (first, 1)
        await browser.send("/ask", question="Where was the kiln moved?", key="k:1")
        assert llm.calls == 2


@pytest.mark.requirement("web:refusal")
async def test_a_refusal_says_what_was_missing_what_there_was_and_what_can_be_done(tmp_path: Path) -> None:
    async with browsing(tmp_path, scripted(quoting(MOVED))) as browser:
        await tell(browser.voice.services, *KILN)
        page = await browser.send("/ask", question=WHERE)
        shown = text_of(page)
        assert "∅ no answer" in shown
        assert "What is missing and what you can do" in shown
        assert "Closest in your notes" in shown
        assert MOVED in shown
        assert "Rephrase" in shown
        assert 'href="/sources"' in page


@pytest.mark.requirement("answers:small-talk")
async def test_small_talk_is_answered_without_a_sign_of_proof(tmp_path: Path) -> None:
    llm = scripted()
    async with browsing(tmp_path, llm) as browser:
        shown = text_of(await browser.send("/ask", question="Hello!"))
    assert "Hello. Ask me about anything in your notes." in " ".join(shown.split())
    assert not [sign for sign in ("✓", "proven by", "no answer") if sign in shown]
    assert llm.calls == 0


@pytest.mark.requirement("web:refusal", "ruling:I4:locations")
async def test_what_a_refusal_shows_names_its_note_and_line(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/Kiln.md").write_text(f"---\ntags: [a]\n---\n{MOVED}\n", encoding="utf-8")
    async with browsing(tmp_path, scripted(quoting(MOVED))) as browser:
        await sync(browser.voice.services, tmp_path / "notes")
        asked = await browser.send("/ask", question=WHERE)
        session = (await browser.voice.sessions.list())[0]
        for page in (asked, await browser.get(f"/sessions/{quote(session.id, safe='')}")):
            assert re.search(r"<h3>Closest in your notes</h3>.*>Kiln\.md:4</bdi></a>", page, re.DOTALL)
        (browser.voice.services.home / "folders.json").write_text("{")
        assert "Closest in your notes" in await browser.get(browser.address.partition("#")[0])


@pytest.mark.requirement("web:chat", "web:errors")
async def test_what_was_typed_comes_back_when_nobody_could_be_asked(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        await tell(browser.voice.services, *KILN)
        page = await browser.send("/ask", 422, question="Where <b>is</b> it?", when="the day of never", topic="kiln")
        assert "Where &lt;b&gt;is&lt;/b&gt; it?</textarea>" in page
        assert 'value="the day of never"' in page
        assert 'value="kiln"' in page
        assert "The request is not valid" in text_of(page)


@pytest.mark.requirement("web:chat", "web:errors", "web:without-script")
async def test_what_was_typed_comes_back_in_a_new_session_when_its_own_is_gone(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        await tell(browser.voice.services, *KILN)
        page = await browser.send("/ask", 404, question=WHERE, session="s:gone", when="last week")
        assert f"{WHERE}</textarea>" in page
        assert 'value="last week"' in page
        assert 'name="session"' not in page
        assert "Not found" in text_of(page)
        assert "Your next question starts a new one." in text_of(page)


@pytest.mark.requirement("web:chat", "web:errors")
async def test_what_was_typed_comes_back_when_nothing_of_the_memory_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unreachable(*_: object, **__: object) -> object:
        raise StoreUnavailable("the store cannot be reached")

    async with browsing(tmp_path) as browser:
        await browser.send("/ask", question=WHERE)
        session = (await browser.voice.sessions.list())[0].id
        monkeypatch.setattr(type(browser.voice.services.store), "changes", unreachable)
        monkeypatch.setattr(type(browser.voice.services.sessions), "load", unreachable)
        page = await browser.send("/ask", 503, question="And then?", session=session)
        assert "And then?</textarea>" in page
        assert "The store is not available now" in text_of(page)


@pytest.mark.requirement("web:theme", "web:errors")
async def test_other_colours_lead_back_to_the_session_whose_question_was_refused(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        await tell(browser.voice.services, *KILN)
        await browser.send("/ask", question=WHERE)
        session = (await browser.voice.sessions.list())[0].id
        page = await browser.send("/ask", 422, question=WHERE, session=session, when="the day of never")
        assert f'name="back" value="/chat/{session.replace(":", "%3A")}"' in page


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


@pytest.mark.requirement("web:errors")
@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"question": ""}, 422),
        ({"question": "x" * 20_001}, 422),
        ({"question": "where?", "stance": "shout"}, 422),
        ({"question": "where?", "session": "s:nobody"}, 404),
    ],
)
async def test_a_form_that_means_nothing_is_told_so(tmp_path: Path, fields: dict[str, str], status: int) -> None:
    async with browsing(tmp_path) as browser:
        await browser.send("/ask", status, **fields)


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


@pytest.mark.requirement("web:stream", "web:refusal")
async def test_the_script_is_sent_a_refusal_as_help(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        await tell(browser.voice.services, *KILN)
        messages = await browser.stream(question=_UNKNOWN)
        assert any("What is missing and what you can do" in data for _, data in messages)
        assert messages[-1][0] == "voice:answered"


@pytest.mark.requirement("web:stream", "web:errors")
async def test_the_script_is_told_what_went_wrong_and_gets_a_form_that_can_be_sent_again(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        [_, (_, told), (event, _)] = await browser.stream(question=WHERE, when="the day of never", key="k:1")
        assert "The request is not valid" in text_of(told)
        assert 'name="key"' in told
        assert event == "voice:failed"


@pytest.mark.requirement("web:chat")
async def test_a_conversation_shows_its_newest_turns_and_where_the_others_are(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        await tell(browser.voice.services, *KILN)
        for number in range(SHOWN + 2):
            await browser.send("/ask", question=f"{WHERE} {number}", **_session(await browser.voice.sessions.list()))
        session = (await browser.voice.sessions.list())[0]
        page = await browser.get(f"/chat/{session.id}")
        assert 'id="turn-2"' not in page
        assert 'id="turn-3"' in page
        assert f'id="turn-{SHOWN + 2}"' in page
        assert "2 earlier turns in the transcript" in text_of(page)


def _session(listed: list[SessionListItem]) -> dict[str, str]:
    return {"session": listed[0].id} if listed else {}


@pytest.mark.requirement("web:chat")
async def test_a_closed_conversation_is_read_and_opened_again_from_its_page(tmp_path: Path) -> None:
    async with browsing(tmp_path) as browser:
        await tell(browser.voice.services, *KILN)
        await browser.send("/ask", question=WHERE)
        session = (await browser.voice.sessions.list())[0].id
        await browser.voice.sessions.close(session)
        page = await browser.get(f"/chat/{session}")
        assert "This session is closed" in text_of(page)
        assert "<textarea" not in page
        await browser.send(f"/sessions/{session}/reopen")
        assert "<textarea" in await browser.get(f"/chat/{session}")


@pytest.mark.requirement("web:private")
async def test_a_private_turn_is_shown_to_who_asked_it_and_on_no_other_page_unasked(tmp_path: Path) -> None:
    async with browsing(tmp_path, grounded()) as browser:
        await tell(browser.voice.services, *KILN, is_private=True)
        asked = await browser.send("/ask", question=WHERE, private="1")
        assert MOVED in asked
        assert "private=1" in browser.address
        session = (await browser.voice.sessions.list())[0].id
        for page in (await browser.get(f"/chat/{session}"), await browser.get(f"/sessions/{session}")):
            assert MOVED not in page
            assert WHERE not in page
            assert "is private and not shown" in page
        assert MOVED in await browser.get(f"/sessions/{session}?private=1")
