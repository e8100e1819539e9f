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


@pytest.mark.requirement("web:without-script", "grounding:markup", "grounding:signs")
async def test_a_sentence_leads_to_the_words_it_rests_on_marked_in_the_note_they_stand_in(tmp_path: Path) -> None:
    async with browsing(tmp_path, grounded()) as browser:
        await tell(browser.voice.services, _NOTE, FIRED)
        turn = await _asked(browser)
        assert f'href="{_url(turn)}"' in await browser.get(f"/chat/{turn.session_id}")
        page = await browser.get(_url(turn))
        part = await browser.get(_url(turn), **{"HX-Request": "true"})
    for words in (f"<mark>{MOVED}</mark>", "A long day.", "It rained all the while"):
        assert (words in page, words in part) == (True, True)
    assert "<html" not in part
    first = turn.sources[0]
    place = f"?from={first.span_start}&amp;to={first.span_end}#span"
    assert f'href="/sources/{quote(first.source_id, safe="")}{place}"' in page
    for words in ("✓ quoted word for word", "What the signs mean", "~ not checked"):
        assert words in text_of(page)


@pytest.mark.requirement("ruling:I1", "ruling:I4:locations")
async def test_a_source_names_its_note_and_line_opens_it_in_obsidian_and_says_what_stands_above_the_words(
    tmp_path: Path,
) -> None:
    (tmp_path / "notes/.obsidian").mkdir(parents=True)
    (tmp_path / "notes/Pottery.md").write_text(f"# Kiln\n\n- Where <it> is\n  - {MOVED}\n", encoding="utf-8")
    (tmp_path / "notes/Bowls.md").write_text(FIRED, encoding="utf-8")
    async with browsing(tmp_path, grounded()) as browser:
        await sync(browser.voice.services, tmp_path / "notes")
        turn = await _asked(browser)
        pages = await browser.get(_url(turn)), await browser.get(f"/chat/{turn.session_id}")
    assert re.search(r'<a href="obsidian://open\?path=[^"]*Pottery\.md"><bdi>Pottery\.md:4</bdi></a>', pages[0])
    for page in pages:
        assert re.search(r">Pottery\.md:4</bdi></a>\s*<span><bdi>Kiln › Where &lt;it&gt; is</bdi></span>", page)
        assert not re.search(r">Bowls\.md:1</bdi></a>\s*<span><bdi>", page)


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


async def _change_page(browser: Browser, turn: DialogueExchange) -> tuple[str, dict[str, str]]:
    """Return where the forms for the first sentence of a turn are sent to, and what they send."""
    found = re.search(r'<a href="([^"]*/sentence\?[^"]*)">Correct or forget it</a>', await browser.get(_url(turn)))
    assert found is not None
    page = await browser.get(found[1].replace("&amp;", "&"))
    (target,) = set(re.findall(r'<form class="stack" method="post" action="([^"]*)">', page))
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page))
    return target, hidden


@pytest.mark.requirement("ruling:I9:sentence", "web:without-script", "web:replaced")
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
        await browser.voice.services.forget(ForgetRequest(ids=frozenset({last.row_id})), "redact")
        redacted = await browser.get(paths[0])
    assert not any("Replaced since" in page for page in fresh)
    assert all("Replaced since: The kiln never moved." in text_of(page) for page in pages)
    assert MOVED in pages[2], "the words of then"
    assert all(f'href="/sources/{quote(last.row_id, safe="")}"' in page for page in pages)
    assert all("proven by 2 sources, 1 replaced since" in text_of(page) for page in pages[:2])
    assert all("  - Replaced since: “The kiln never moved.”\n" in text for text in written)
    assert "never moved" not in redacted


@pytest.mark.requirement("ruling:I9:sentence", "web:without-script")
async def test_the_sentence_of_an_answer_is_corrected_in_its_note_after_a_look_and_the_rest_stays(
    tmp_path: Path,
) -> None:
    async with browsing(tmp_path, grounded()) as browser:
        await tell(browser.voice.services, _NOTE, FIRED)
        address, hidden = await _change_page(browser, await _asked(browser))
        looked = await browser.send(address, **hidden, text="The kiln never moved.", deed="look")
        assert "Nothing has changed yet." in text_of(looked)
        assert "<mark>The kiln never moved.</mark>" in looked
        assert "The kiln never moved." not in text_of(await browser.get("/sources"))
        page = text_of(await browser.send(address, **hidden, text="The kiln never moved.", deed="correct"))
        for words in ("Corrected.", "It rained all the while", "The kiln never moved."):
            assert words in page
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
