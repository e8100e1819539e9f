"""An answer with its sources, taken along as Markdown."""

from pathlib import Path
from urllib.parse import quote

import pytest

from browsed_pages import browsing
from played_turns import FIRED, KILN, MOVED, WHERE, grounded, tell
from synced_folders import sync

pytestmark = pytest.mark.requirement("web:copy", "web:without-script")


async def test_under_an_answer_a_link_leads_to_it_with_its_sources(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/Kiln.md").write_text(f"# Kiln\n\n{MOVED}\n", encoding="utf-8")
    (tmp_path / "notes/Bowls.md").write_text(FIRED, encoding="utf-8")
    async with browsing(tmp_path, grounded()) as browser:
        await sync(browser.voice.services, tmp_path / "notes")
        page = await browser.send("/ask", question=WHERE)
        turn = (await browser.voice.services.sessions.exchanges())[-1]
        address = f"/turns/{quote(turn.id, safe='')}/answer.md"
        assert f'href="{address}"' in page
        got = await browser.client.get(address)
    assert got.headers["content-disposition"] == 'attachment; filename="answer.md"'
    assert got.text.startswith(f"> {WHERE}\n")
    assert f"- ✓ {MOVED}[^1]" in got.text
    assert f"[^1]: “{MOVED}” (Kiln.md:3, " in got.text
    assert turn.sources[0].source_id not in got.text


@pytest.mark.requirement("web:private")
async def test_a_private_answer_is_handed_out_only_where_that_is_asked(tmp_path: Path) -> None:
    async with browsing(tmp_path, grounded()) as browser:
        await tell(browser.voice.services, *KILN, is_private=True)
        page = await browser.send("/ask", question=WHERE, private="1")
        turn = (await browser.voice.services.sessions.exchanges())[-1]
        address = f"/turns/{quote(turn.id, safe='')}/answer.md"
        assert f'href="{address}?private=1"' in page
        assert MOVED not in await browser.get(address, 404)
        assert MOVED in (await browser.client.get(f"{address}?private=1")).text
        assert "this turn does not exist" in await browser.get("/turns/x%3Anobody/answer.md", 404)
