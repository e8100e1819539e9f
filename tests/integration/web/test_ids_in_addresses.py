"""Ids in the addresses of pages that nothing bears, or nothing can bear."""

from pathlib import Path

import pytest

from desk_pages import desk, read
from voice.core.graph.removal.forget_cascade import ForgetRequest

_NO_ID = "there is no such source: this is not the id of a source; ids look like t:…, e:…, o:… or r:…"
_NO_SESSION = "there is no session of that name; it is neither an id nor a topic"
_NO_ENTITY = "there is no entity called that; it is neither a name nor an id"


@pytest.mark.requirement("web:errors")
@pytest.mark.parametrize(
    ("path", "words", "back"),
    [
        ("/sources/%00", _NO_ID, "/sources"),
        ("/sources/", _NO_ID, "/sources"),
        ("/sources/x", _NO_ID, "/sources"),
        ("/sources/t:", _NO_ID, "/sources"),
        ("/sources/t:1%00", _NO_ID, "/sources"),
        ("/sources/m:s:1", _NO_ID, "/sources"),
        ("/sources/t%3A%E2%80%AE%3Cscript", _NO_ID, "/sources"),
        ("/sources/%00/answers", _NO_ID, "/sources"),
        ("/sources/t:nobody", "there is no source 't:nobody' in this memory", "/sources"),
        ("/sources/t:nobody/answers", "there is no source 't:nobody' in this memory", "/sources"),
        (f"/sources/t:{'x' * 500}", f"there is no source 't:{'x' * 98}…' in this memory", "/sources"),
        ("/graph/%00", _NO_ENTITY, "/graph"),
        ("/graph/", _NO_ENTITY, "/graph"),
        (f"/graph/{'x' * 500}", f"there is no entity called '{'x' * 100}…'", "/graph"),
        ("/graph/e:nobody", "there is no entity called 'e:nobody'", "/graph"),
        ("/sessions/%00", _NO_SESSION, "/sessions"),
        ("/sessions/%E2%80%AE", _NO_SESSION, "/sessions"),
        ("/chat/%00", _NO_SESSION, "/sessions"),
        ("/sessions/s:nobody/audit", "there is no session 's:nobody'", "/sessions"),
    ],
)
async def test_an_id_that_is_none_is_said_to_be_none_in_words_that_can_be_read(
    tmp_path: Path, path: str, words: str, back: str
) -> None:
    async with desk(tmp_path) as page:
        html = await page.html(path, 404)
    assert words in read(html)
    assert "\\x00" not in html
    assert f'<a href="{back}">' in html.partition('role="alert"')[2]


@pytest.mark.requirement("web:sources:page")
async def test_answers_that_cite_what_is_not_there_any_more_are_still_listed(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await page.memory.remember("Ada moved the kiln to the shed.")
        turn = await page.memory.ask("Where is the kiln?", new_topic="the kiln")
        cited = turn.exchange.sources[0].source_id
        await page.services.forget(ForgetRequest(ids=frozenset([cited])), "forget")
        shown = await page.text(f"/sources/{cited}/answers")
    assert "Answers that cite it A turn whose question was deleted 20 Mar 2026" in shown
