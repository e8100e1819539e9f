"""The memory as one file, handed out to a browser."""

from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from desk_pages import Desk, desk
from voice.core.interchange.origin import Entrance
from voice.services.imports.request import ImportRequest
from web_door import door

pytestmark = pytest.mark.requirement("web:export")


async def fill(page: Desk) -> None:
    await page.send("/add", text="The kiln is in the shed.")
    await page.send("/add", text="The safe opens with 4711.", private="1")


async def test_the_page_says_that_private_notes_are_in_it_and_hands_out_what_imports_again(tmp_path: Path) -> None:
    async with desk(tmp_path / "one") as page:
        await fill(page)
        assert "including private ones" in await page.text("/export")
        got = await page.send("/export")
    assert got.headers["content-disposition"] == 'attachment; filename="voice-2026-03-20.jsonl"'
    assert int(got.headers["content-length"]) == len(got.content)
    assert not list((tmp_path / "one").rglob("memory.jsonl"))
    (tmp_path / "taken.jsonl").write_bytes(got.content)
    async with desk(tmp_path / "two") as other:
        request = ImportRequest(
            path=str(tmp_path / "taken.jsonl"), entrance=Entrance.PAGE, zone=ZoneInfo(other.services.timezone)
        )
        await other.services.transfer.import_memory(request)
        shown, everything = await other.text("/sources"), await other.text("/sources?private=1")
    assert "The kiln is in the shed." in shown
    assert ("4711" in shown, "4711" in everything) == (False, True)


async def test_an_export_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await fill(page)
        (tmp_path / "uploads").write_text("in the way")
        refused = await page.send("/export")
        assert "kiln" not in refused.text
        assert (refused.status_code, "uploads cannot be used" in refused.text) == (422, True)
        (tmp_path / "uploads").unlink()
        assert "kiln" in (await page.send("/export")).text


@pytest.mark.requirement("web:owner")
async def test_a_program_with_the_token_is_not_the_owner_on_any_page(tmp_path: Path) -> None:
    """It is handed no memory, adds and imports nothing as the person's own words, and changes no setting."""
    async with door(tmp_path, pages=True) as at:
        await at.memory.remember("The kiln is in the shed.")
        (tmp_path / "voice.toml").write_text("# mine\n")
        refused = [
            await at.client.post("/export"),
            await at.client.post("/add", data={"text": "The glaze is blue."}),
            await at.client.post("/settings", data={"set.owner.names": "Else"}),
            await at.client.post("/import", files={"files": ("a.md", b"The kiln is hot.\n")}),
        ]
        assert (await at.client.post("/api/v1/thoughts", json={"content": "The glaze is blue."})).status_code == 201
    assert [(each.status_code, "kiln" in each.text) for each in refused] == [(403, False)] * 4
    assert (tmp_path / "voice.toml").read_text() == "# mine\n"
    assert list((tmp_path / "uploads").rglob("*")) == []
