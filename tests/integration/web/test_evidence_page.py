"""What a sentence rests on, in a browser."""

import re
from pathlib import Path
from urllib.parse import quote

import pytest

from browsed_pages import Browser, browsing, text_of
from played_turns import FIRED, KILN, MOVED, WHERE, grounded, quoting, scripted, tell
from synced_folders import sync
from voice.core.graph.removal.forget_cascade import ForgetRequest
from voice.core.grounding.values import GroundingPolicy
from voice.core.session.values import DialogueExchange

pytestmark = pytest.mark.requirement("web:evidence")
MARKING = GroundingPolicy(on_unsupported="mark")
_NOTE = f"A **long** [day](https://x.org/a_b). {MOVED} It rained all the while, and the roof is not tight yet."


async def _asked(browser: Browser, **fields: str) -> DialogueExchange:
    await browser.send("/ask", question=WHERE, **fields)
    return (await browser.voice.services.sessions.exchanges())[-1]


def _url(turn: DialogueExchange, number: int = 0) -> str:
    return f"/turns/{quote(turn.id, safe='')}/sentences/{number}"


@pytest.mark.requirement("web:without-script", "grounding:markup")
async def test_a_sentence_leads_to_the_words_it_rests_on_marked_in_the_note_they_stand_in(tmp_path: Path) -> None:
    async with browsing(tmp_path, grounded()) as browser:
        await tell(browser.voice.services, _NOTE, FIRED)
        turn = await _asked(browser)
        assert f'href="{_url(turn)}"' in await browser.get(f"/chat/{turn.session_id}")
        page = await browser.get(_url(turn))
        assert f"<mark>{MOVED}</mark>" in page
        assert "A long day." in page
        assert "It rained all the while" in page
        first = turn.sources[0]
        place = f"?from={first.span_start}&amp;to={first.span_end}#span"
        assert f'href="/sources/{quote(first.source_id, safe="")}{place}"' in page


@pytest.mark.requirement("ruling:I4:locations")
async def test_a_source_names_its_note_and_line_and_opens_it_in_obsidian(tmp_path: Path) -> None:
    (tmp_path / "vault/.obsidian").mkdir(parents=True)
    (tmp_path / "vault/Kiln.md").write_text(f"---\ntags: [a]\n---\n{MOVED}\n", encoding="utf-8")
    (tmp_path / "vault/Bowls.md").write_text(FIRED, encoding="utf-8")
    async with browsing(tmp_path, grounded()) as browser:
        await sync(browser.voice.services, tmp_path / "vault")
        page = await browser.get(_url(await _asked(browser)))
    assert re.search(r'<a href="obsidian://open\?path=[^"]*Kiln\.md"><bdi>Kiln\.md:4</bdi></a>', page)


@pytest.mark.requirement("ruling:I1")
async def test_beside_the_note_and_line_stands_what_is_above_the_words_in_the_note(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/Pottery.md").write_text(f"# Kiln\n\n- Where <it> is\n  - {MOVED}\n", encoding="utf-8")
    (tmp_path / "notes/Bowls.md").write_text(FIRED, encoding="utf-8")
    async with browsing(tmp_path, grounded()) as browser:
        await sync(browser.voice.services, tmp_path / "notes")
        turn = await _asked(browser)
        pages = await browser.get(_url(turn)), await browser.get(f"/chat/{turn.session_id}")
    for page in pages:
        assert re.search(r">Pottery\.md:4</bdi></a>\s*<span><bdi>Kiln › Where &lt;it&gt; is</bdi></span>", page)
        assert not re.search(r">Bowls\.md:1</bdi></a>\s*<span><bdi>", page)


async def test_the_script_gets_the_same_without_the_page_around_it(tmp_path: Path) -> None:
    async with browsing(tmp_path, grounded()) as browser:
        await tell(browser.voice.services, *KILN)
        part = await browser.get(_url(await _asked(browser), 1), **{"HX-Request": "true"})
        assert "<html" not in part
        assert f"<mark>{FIRED}</mark>" in part


async def test_a_source_that_was_corrected_shows_its_words_of_then_and_says_so(tmp_path: Path) -> None:
    async with browsing(tmp_path, grounded()) as browser:
        await tell(browser.voice.services, *KILN)
        turn = await _asked(browser)
        await browser.voice.correct(turn.sources[0].source_id, "The kiln never moved.")
        page = await browser.get(_url(turn))
        assert "Replaced since: The kiln never moved." in text_of(page)
        assert MOVED in page


async def test_a_source_that_was_redacted_shows_nothing_of_it(tmp_path: Path) -> None:
    async with browsing(tmp_path, grounded()) as browser:
        services = browser.voice.services
        thought = (await tell(services, *KILN))[0]
        turn = await _asked(browser)
        assert MOVED in (await browser.client.get(_url(turn))).text
        await services.forget(ForgetRequest(ids=frozenset({thought})), "redact")
        answer = await browser.client.get(_url(turn))
        assert MOVED not in answer.text
        assert MOVED not in await browser.get(f"/chat/{turn.session_id}")


async def test_a_sentence_that_nothing_bears_out_says_so_with_its_reasons(tmp_path: Path) -> None:
    llm = scripted(quoting(MOVED, FIRED, answer=f"{MOVED} {FIRED} It cost 411 euros."))
    async with browsing(tmp_path, llm, grounding=MARKING) as browser:
        await tell(browser.voice.services, *KILN)
        turn = await _asked(browser)
        page = text_of(await browser.get(_url(turn, 2)))
        assert "✗ not supported by its sources" in page
        assert "the cited sources do not give 411" in page
        assert "No source in your memory proves it." in page


@pytest.mark.requirement("grounding:signs")
async def test_what_the_signs_mean_and_who_checked_is_one_click_away(tmp_path: Path) -> None:
    async with browsing(tmp_path, grounded()) as browser:
        await tell(browser.voice.services, *KILN)
        page = text_of(await browser.get(_url(await _asked(browser))))
        assert "✓ quoted word for word" in page
        assert "What the signs mean" in page
        assert "~ not checked" in page


@pytest.mark.requirement("web:private")
async def test_of_a_private_turn_nothing_is_told_unasked(tmp_path: Path) -> None:
    async with browsing(tmp_path, grounded()) as browser:
        await tell(browser.voice.services, *KILN, is_private=True)
        turn = await _asked(browser, private="1")
        page = await browser.get(_url(turn), 404)
        assert MOVED not in page
        assert f"<mark>{MOVED}</mark>" in await browser.get(f"{_url(turn)}?private=1")


@pytest.mark.requirement("web:errors")
async def test_a_sentence_that_is_not_there_is_told_so(tmp_path: Path) -> None:
    async with browsing(tmp_path, grounded()) as browser:
        await tell(browser.voice.services, *KILN)
        turn = await _asked(browser)
        assert "the answer does not have that sentence" in await browser.get(_url(turn, 9), 404)
        assert "this turn does not exist" in await browser.get("/turns/x%3Anobody/sentences/0", 404)
        await browser.voice.sessions.delete(turn.session_id)
        assert "this turn does not exist" in await browser.get(_url(turn), 404)


async def _change_page(browser: Browser, turn: DialogueExchange) -> tuple[str, dict[str, str]]:
    """Return where the forms for the first sentence of a turn are sent to, and what they send."""
    found = re.search(r'<a href="([^"]*/sentence\?[^"]*)">Correct or forget it</a>', await browser.get(_url(turn)))
    assert found is not None
    page = await browser.get(found[1].replace("&amp;", "&"))
    (target,) = set(re.findall(r'<form class="stack" method="post" action="([^"]*)">', page))
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page))
    return target, hidden


@pytest.mark.requirement("ruling:I9:sentence", "web:without-script")
@pytest.mark.requirement("web:replaced")
async def test_an_old_answer_says_at_its_sentence_that_what_it_cites_was_replaced_since(tmp_path: Path) -> None:
    async with browsing(tmp_path, grounded()) as browser:
        await tell(browser.voice.services, *KILN)
        turn = await _asked(browser)
        paths = f"/sessions/{turn.session_id}", f"/chat/{turn.session_id}", _url(turn)
        files = f"/sessions/{turn.session_id}/conversation.md", f"/turns/{quote(turn.id, safe='')}/answer.md"
        fresh = [text_of(await browser.get(path)) for path in paths]
        first = await browser.voice.correct(turn.sources[0].source_id, "The kiln stands in the barn.")
        last = await browser.voice.correct(first.row_id, "The kiln never moved.")
        pages = [await browser.get(path) for path in paths]
        written = [(await browser.client.get(path)).text for path in files]
    assert not any("Replaced since" in page for page in fresh)
    assert all("Replaced since: The kiln never moved." in text_of(page) for page in pages)
    assert all(f'href="/sources/{quote(last.row_id, safe="")}"' in page for page in pages)
    assert all("proven by 2 sources, 1 replaced since" in text_of(page) for page in pages[:2])
    assert all("  - Replaced since: “The kiln never moved.”\n" in text for text in written)


@pytest.mark.requirement("web:replaced", "promise:6")
async def test_new_words_that_are_private_or_redacted_are_not_told_beside_an_old_answer(tmp_path: Path) -> None:
    async with browsing(tmp_path, grounded()) as browser:
        await tell(browser.voice.services, *KILN)
        turn = await _asked(browser)
        done = await browser.voice.correct(turn.sources[0].source_id, "The kiln never moved.")
        await browser.voice.services.forget(ForgetRequest(ids=frozenset({done.row_id})), "redact")
        page = await browser.get(f"/sessions/{turn.session_id}")
    assert "never moved" not in page


async def test_what_a_correction_of_a_sentence_would_do_is_shown_and_nothing_is_done(tmp_path: Path) -> None:
    async with browsing(tmp_path, grounded()) as browser:
        await tell(browser.voice.services, _NOTE, FIRED)
        address, hidden = await _change_page(browser, await _asked(browser))
        page = await browser.send(address, **hidden, text="The kiln never moved.", deed="look")
        assert "Nothing has changed yet." in text_of(page)
        assert "<mark>The kiln never moved.</mark>" in page
        assert "The kiln never moved." not in text_of(await browser.get("/sources"))
        done = await browser.send(address, **hidden, text="The kiln never moved.", deed="correct")
        assert "Corrected." in text_of(done)


@pytest.mark.requirement("ruling:I9:sentence", "web:without-script")
async def test_the_sentence_of_an_answer_is_corrected_in_its_note_and_the_rest_stays(tmp_path: Path) -> None:
    async with browsing(tmp_path, grounded()) as browser:
        await tell(browser.voice.services, _NOTE, FIRED)
        address, hidden = await _change_page(browser, await _asked(browser))
        page = await browser.send(address, **hidden, text="The kiln never moved.", deed="correct")
        assert "Corrected." in text_of(page)
        assert text_of(page).count("It rained all the while") >= 1
        assert "The kiln never moved." in text_of(page)
        late = await browser.send(address, 422, **hidden, text="It flew.", deed="correct")
        assert "has changed since you saw it" in text_of(late)
        assert "It flew." not in text_of(await browser.get("/sources"))


@pytest.mark.requirement("forget:sentence", "web:without-script")
async def test_the_sentence_of_an_answer_is_forgotten_only_where_the_box_is_ticked(tmp_path: Path) -> None:
    async with browsing(tmp_path, grounded()) as browser:
        await tell(browser.voice.services, _NOTE, FIRED)
        address, hidden = await _change_page(browser, await _asked(browser))
        assert "tick the box first" in text_of(await browser.send(address, 422, **hidden, deed="forget"))
        page = text_of(await browser.send(address, **hidden, deed="forget", sure="1"))
        assert "The sentence is forgotten." in page
        assert "It rained all the while" in page
        assert MOVED not in text_of(await browser.get("/sources"))
