"""What a memory says is hostile input: on every page it is text and nothing else."""

import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest

from browsed_pages import Browser, browsing, text_of
from played_turns import quoting, scripted, tell
from tables import tables
from voice.core.session.lifecycle import MAX_TOPIC_CHARS
from voice.ports.llm import LlmClient

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("web:inert")
_HOSTILE = tuple(TABLES["hostile"])
_PATHS = TABLES["the_way_back_from_choosing_a_theme_is_the_address_as_it_was_typed"]
_QUESTION = 'Where <script>alert(2)</script> is "the" kiln \u202etxet? {{ 123 * 457 }}'
_STEERS = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\x00-\x08\x0b-\x1f\x7f-\x9f]")


def _quoting_all() -> LlmClient:
    return scripted(lambda request: quoting(*(row.text for row in request.evidence))(request))


def _faults(page: str) -> list[str]:
    """Return what of a hostile text is more than text in a page; the tags were held against the rules before."""
    own = re.sub(r'<script defer src="/static/[^"]+"></script>', "", page)
    found = [word for word in ("<script", "<img", "javascript:alert(1)</a", "<hx-partial", "56211") if word in own]
    return [*found, *_STEERS.findall(page)]


async def _pages(browser: Browser) -> list[str]:
    await browser.send("/ask", question=_QUESTION, topic=_QUESTION)
    session = (await browser.voice.sessions.list())[0].id
    turn = (await browser.voice.services.sessions.exchanges())[-1]
    paths = [
        "/",
        f"/chat/{session}",
        "/sessions",
        f"/sessions/{session}",
        f"/sessions/{session}/audit",
        f"/sessions/{session}/delete",
        "/pins",
        *(f"/turns/{turn.id}/sentences/{number}" for number in range(len(turn.sentences))),
    ]
    return [await browser.get(path) for path in paths]


async def test_a_hostile_note_is_text_on_every_page(tmp_path: Path) -> None:
    async with browsing(tmp_path, _quoting_all()) as browser:
        thoughts = await tell(browser.voice.services, *_HOSTILE, "The kiln was moved on Sunday by Marta.")
        await browser.send("/pins", target=thoughts[0], reason=f"because {_HOSTILE[0]} \u202e")
        pages = await _pages(browser)
        assert [faults for page in pages if (faults := _faults(page))] == []
        assert any("The kiln &lt;script&gt;alert(1)&lt;/script&gt; stands in the shed." in page for page in pages)
        messages = await browser.stream(question=_QUESTION)
        pieces = [data.replace("<hx-partial hx-target", "<own") for _, data in messages]
        assert [faults for piece in pieces if (faults := _faults(piece))] == []
        for path in _PATHS:
            page = (await browser.client.get(path)).text
            (back,) = re.findall(r'name="back" value="([^"]*)"', page)
            answer = await browser.client.post("/theme", data={"back": unescape(back)}, follow_redirects=False)
            assert (_faults(page), back.isascii()) == ([], True)
            assert unquote(answer.headers["location"]) == unquote(path)


async def test_a_huge_note_is_cut_around_what_was_cited_and_a_huge_question_is_cut_and_offered_whole(
    tmp_path: Path,
) -> None:
    said = "The kiln stands in the shed behind the house."
    note = f"{'Nothing of note happened on this day. ' * 900}{said} {'And nothing after it. ' * 900}"
    async with browsing(tmp_path, scripted(quoting(said, "Marta moved the kiln on Sunday."))) as browser:
        await tell(browser.voice.services, note, "Marta moved the kiln on Sunday.")
        asked = await browser.send("/ask", question="Where is the kiln? " * 300, topic="x" * 5_000)
        turn = (await browser.voice.services.sessions.exchanges())[-1]
        page = await browser.get(f"/turns/{turn.id}/sentences/0")
    assert (f"<mark>{said}</mark>" in page, "[…]" in page, len(page) < 10_000) == (True, True, True)
    assert "show all 5,699 characters" in asked
    assert "x" * (MAX_TOPIC_CHARS + 1) not in asked


async def test_the_field_of_a_correction_leaves_out_what_cannot_be_seen_and_names_it(tmp_path: Path) -> None:
    text = "The kiln \u202egnorw\u202c \x1b[31m\u200bstands."
    async with browsing(tmp_path) as browser:
        kept = await browser.voice.remember(text)
        plain = await browser.voice.remember("The kiln stands.")
        page = (await browser.client.get(f"/sources/{kept.stored[0]}")).text
        quiet = (await browser.client.get(f"/sources/{plain.stored[0]}")).text
    (field,) = re.findall(r"<textarea[^>]*>([^<]*)</textarea>", page)
    assert unescape(field) == "The kiln gnorw [31mstands."
    assert "U+202E, U+202C, U+001B, U+200B" in text_of(page)
    assert "cannot be seen:" not in text_of(quiet)
