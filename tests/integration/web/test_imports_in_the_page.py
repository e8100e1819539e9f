"""Files that a browser uploads: previewed, imported with progress, undone; and what is hostile in them."""

import re
from collections.abc import AsyncGenerator, Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import anyio
import httpx
import pytest
from starlette.applications import Starlette

from desk_pages import Desk, desk, read
from graph_rows import entity
from voice.core.records import Origin, Provenance, RowStatus, Thought
from voice.entrypoints.web.access import Limits
from voice.entrypoints.web.pages.import_jobs import ImportJobs
from voice.entrypoints.web.pages.rendering import make_templates
from voice.entrypoints.web.pages.transfer import ImportPages
from voice.ports.stores import WriteBatch
from web_door import door, guard

_NOTES = {
    "vault/Kiln.md": b"Marta Lind works at Clay Co in Lisbon. See [[Glaze]].\n",
    "vault/Glaze.md": b"The glaze is blue.\n",
    "vault/deep/Shed.md": b"The shed is dry.\n",
}


async def upload(page: Desk, files: Mapping[str, bytes], **fields: str) -> httpx.Response:
    """Send files as a form does, without following where it leads."""
    sent = [("files", (name, content)) for name, content in files.items()]
    return await page.browser.post("/import", files=sent, data=fields)


async def settled(page: Desk, url: str) -> str:
    """Return the page of an import once nothing is under way, as a browser without scripts loads it anew."""
    with anyio.fail_after(30):
        while "http-equiv" in (html := await page.html(url)):
            await anyio.lowlevel.checkpoint()
        return html


async def thoughts_of(page: Desk) -> list[Thought]:
    changes = await page.services.store.changes(0, 500)
    rows = {change.row_id: change.row for change in changes}
    return [row for row in rows.values() if isinstance(row, Thought)]


def left_in(home: Path) -> list[Path]:
    return sorted((home / "uploads").rglob("*"))


async def imported(page: Desk, files: Mapping[str, bytes], **fields: str) -> str:
    """Import files, and return the address of the import."""
    url = (await upload(page, files, **fields)).headers["location"]
    await settled(page, url)
    await page.send(url, deed="run")
    await settled(page, url)
    return url


@pytest.mark.requirement("web:import", "web:import:progress")
async def test_a_folder_is_previewed_and_then_imported_with_its_links_and_known_the_next_time(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        answer = await upload(page, _NOTES, tags="studio")
        url = answer.headers["location"]
        told = [(await page.browser.get(f"{url}/events")).text]
        seen = read(await settled(page, url))
        assert await thoughts_of(page) == []
        assert left_in(tmp_path) != []
        await page.send(url, deed="run")
        told.append((await page.browser.get(f"{url}/events")).text)
        done = read(await settled(page, url))
        rows = await thoughts_of(page)
        assert left_in(tmp_path) == []
        listed = await page.text("/import")
        again = (await upload(page, _NOTES, private="1")).headers["location"]
        assert "nothing new. Nothing is stored yet. Already known 3" in read(await settled(page, again))
        await page.send(again, deed="run")
        await settled(page, again)
        assert {each.is_private for each in await thoughts_of(page)} == {True}
        assert "Undo this import" not in await page.text(again)
    assert (answer.status_code, "To import: 3 thoughts. Nothing is stored yet." in seen) == (303, True)
    assert "<progress" in told[0]
    assert all(each.endswith("event: voice:imported\ndata: \n\n") for each in told)
    assert ("Said by you 3" in seen, "The glaze is blue." in seen) == (True, True)
    assert re.search(r"Imported: 3 thoughts, \d observations", done)
    assert {(each.origin, each.tags) for each in rows} == {(Origin.HUMAN, ("studio",))}
    assert {each.source_ref for each in rows} == {"Kiln.md", "Glaze.md", "deep/Shed.md"}
    assert "Imported3 thoughts" in listed


@pytest.mark.requirement("web:import:undo")
async def test_an_import_is_undone_as_shown_and_the_undo_is_taken_back(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await page.memory.remember("The kiln is older than the shed.")
        url = await imported(page, _NOTES)
        html = await page.html(f"{url}/undo")
        assert "would leave out 3 notes and" in read(html)
        assert "Nothing is deleted" in read(html)
        await page.send(url, deed="undo", sure_of=_sure(html))
        states = {each.content: each.status for each in await thoughts_of(page)}
        assert "The glaze is blue." not in await page.text("/sources")
        assert states["The kiln is older than the shed."] is RowStatus.ACTIVE
        assert list(states.values()).count(RowStatus.REMOVAL) == 3
        shown = await page.text(url)
        await page.send(url, deed="redo")
        assert "The glaze is blue." in await page.text("/sources")
        assert {each.status for each in await thoughts_of(page)} == {RowStatus.ACTIVE}
    assert "Nothing was deleted" in shown


@pytest.mark.requirement("web:import:undo")
async def test_an_undo_leaves_what_was_corrected_since_or_rests_on_other_notes_and_refuses_rows_it_did_not_show(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path) as page:
        await page.memory.remember("The kiln is older than the shed.")
        (own,) = await thoughts_of(page)
        url = await imported(page, _NOTES)
        html = await page.html(f"{url}/undo")
        rows = await thoughts_of(page)
        (glaze,) = [each for each in rows if "glaze is blue" in each.content]
        (shed,) = [each for each in rows if each.content.startswith("The shed is dry")]
        kiln = replace(entity("kiln", "The kiln"), provenance=(_on(own),))
        both = replace(entity("shed", "The shed"), provenance=(_on(own), _on(shed)))
        alone = replace(entity("dry", "Dryness"), provenance=(_on(shed),))
        await page.services.store.write(WriteBatch(rows=(kiln, both, alone)))
        await page.memory.correct(glaze.id, "The glaze is green.")
        refused = await page.send(url, deed="undo", sure_of=_sure(html))
        assert (refused.status_code, "nothing was undone" in read(refused.text)) == (422, True)
        assert "Not included: 1 note that" in read(refused.text)
        await page.send(url, deed="undo", sure_of=_sure(refused.text))
        live = {each.content for each in await thoughts_of(page) if each.status is RowStatus.ACTIVE}
        found = await page.services.store.fetch([kiln.id, both.id, alone.id])
    assert live == {own.content, "The glaze is green."}
    states = [found[each.id].status for each in (kiln, both, alone)]
    assert states == [RowStatus.ACTIVE, RowStatus.ACTIVE, RowStatus.REMOVAL]


def _on(thought: Thought) -> Provenance:
    return Provenance(thought_id=thought.id, start=0, end=8)


@pytest.mark.requirement("web:import:hostile")
async def test_an_upload_goes_when_it_waited_for_an_hour_and_when_the_program_ends(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        jobs = ImportJobs(page.memory)
        app = Starlette(routes=ImportPages(page.memory, make_templates("UTC"), jobs).routes)
        async with (
            jobs.kept(),
            httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1") as browser,
        ):
            held = Desk(page.memory, browser, page.clock)
            url = (await upload(held, _NOTES)).headers["location"]
            await settled(held, url)
            page.clock.advance(timedelta(minutes=59))
            assert (await browser.get(url)).status_code == 200
            page.clock.advance(timedelta(minutes=2))
            assert (await browser.get(url)).status_code == 404
            assert left_in(tmp_path) == []
            await settled(held, (await upload(held, _NOTES)).headers["location"])
            assert left_in(tmp_path) != []
        assert left_in(tmp_path) == []


def _sure(html: str) -> str:
    found = re.search(r'name="sure_of" value="([0-9a-f]+)"', html)
    assert found is not None
    return found[1]


@pytest.mark.requirement("web:import:hostile")
async def test_no_uploaded_name_leads_out_of_its_room_or_steers_what_shows_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    files = {
        "../../escaped.md": b"Out of the folder.\n",
        "/etc/passwd.md": b"An absolute path stays inside.\n",
        "a\u202egnp.md": b"It turns the direction.\n",
        "x" * 300 + ".md": b"Too long.\n",
    }
    async with desk(home) as page:
        url = (await upload(page, files)).headers["location"]
        html = await settled(page, url)
        inside = [str(path.relative_to(home)) for path in left_in(home) if path.is_file() and path.suffix == ".md"]
        modes = {path.stat().st_mode & 0o077 for path in [home / "uploads", *left_in(home)]}
        await page.send(url, deed="discard")
        assert left_in(home) == []
    shown = read(html)
    assert len(inside) == 2
    assert all(re.fullmatch(r"uploads/[0-9a-f]{16}/upload/(etc/passwd|agnp)\.md", each) for each in inside), inside
    assert modes == {0}
    assert list(tmp_path.rglob("escaped*")) == []
    assert "../../escaped.md: its path leads out of its folder" in shown
    assert "a name in its path is longer than 200 bytes" in shown
    assert "\u202e" not in html


@pytest.mark.requirement("web:import:hostile")
async def test_what_an_earlier_program_left_behind_is_taken_away_and_nothing_that_is_in_use(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        (await upload(page, _NOTES)).headers["location"]
        held = {path.name for path in (tmp_path / "uploads").iterdir()}
        abandoned = tmp_path / "uploads" / "0123456789abcdef"
        (abandoned / "upload").mkdir(parents=True)
        (abandoned / "upload" / "note.md").write_text("left behind")
        abandoned.with_suffix(".lock").touch()
        await upload(page, {"other.md": b"Another.\n"})
        now = {path.name for path in (tmp_path / "uploads").iterdir()}
    assert not abandoned.exists()
    assert held <= now


@pytest.mark.requirement("web:import", "web:errors", "web:import:hostile")
async def test_what_cannot_be_meant_is_said_and_nothing_of_it_is_kept(tmp_path: Path) -> None:
    cut_off = b'--b\r\ncontent-disposition: form-data; name="files"; filename="a.md"\r\n\r\nThe kiln'
    async with desk(tmp_path) as page:
        for files, fields, words in (
            ({"": b""}, {}, "choose at least one file"),
            ({"..": b"x"}, {}, "voice can import no file: ..: its path leads out of its folder"),
            ({"a.md": b"x"}, {"fields": "nonsense"}, "OURS=THEIRS"),
            ({"a.md": b"x"}, {"format": "docx"}, "format must be one of"),
            ({"a.md": b"x"}, {"tags": "x" * 300}, "a tag has at most"),
        ):
            answer = await upload(page, files, **fields)
            assert (answer.status_code, words in read(answer.text)) == (422, True), read(answer.text)
            assert left_in(tmp_path) == []
        for body in (b"nonsense", cut_off, b"--b\r\n" + b"x" * 20_000):
            answer = await page.browser.post("/import", content=body, headers={"content-type": _FORM})
            assert (answer.status_code, left_in(tmp_path)) == (400, [])
        assert (await upload(page, {"a.md": b"The kiln is hot.\n"})).status_code == 303
        assert left_in(tmp_path) != []


@pytest.mark.requirement("web:import")
async def test_what_cannot_be_read_is_said_without_where_it_lay_and_ignored_fields_are_one_folded_line(
    tmp_path: Path,
) -> None:
    note = b"---\naliases: [Oven]\nslug: red\nlayout: wide\n---\nThe kiln is hot.\n"
    async with desk(tmp_path) as page:
        url = (await upload(page, {"picture.png": b"\x89PNG\r\n\x1a\n" + b"\0" * 64})).headers["location"]
        shown = read(await settled(page, url))
        assert left_in(tmp_path) == []
        sent = await upload(page, {"notes/Kiln.md": note})
        html = await settled(page, sent.headers["location"])
    assert ("The import failed" in shown, "picture.png" in shown, "uploads" in shown) == (True, True, False)
    assert "<summary>2 fields ignored</summary>" in html
    assert ("'slug' (1×)" in read(html), "aliases" in read(html), "notice doubt" in html) == (True, False, False)


@pytest.mark.requirement("web:import:bounded")
async def test_an_upload_is_larger_than_any_other_body_and_bounded_all_the_same(tmp_path: Path) -> None:
    limits = Limits(body_bytes=1_000, upload_bytes=20_000)
    cookie = {"Cookie": f"voice_8423={guard().cookie}", "Origin": "http://127.0.0.1:8423"}
    async with door(tmp_path, what=guard(limits=limits), pages=True, headers=cookie) as at:
        fits = await at.client.post("/import", files={"files": ("a.md", b"The kiln is hot. " * 300)})
        large = await at.client.post("/import", files={"files": ("a.md", b"x" * 30_000)})
        announced_less = await at.client.post("/import", content=_slowly(), headers={"content-type": _FORM})
        other = await at.client.post("/add", data={"text": "x" * 2_000})
    assert (fits.status_code, large.status_code, announced_less.status_code, other.status_code) == (303, 413, 413, 413)


_FORM = "multipart/form-data; boundary=b"


async def _slowly() -> AsyncGenerator[bytes]:
    """Yield the chunks of a body whose length is not announced."""
    yield b'--b\r\ncontent-disposition: form-data; name="files"; filename="a.md"\r\n\r\n'
    for _ in range(40):
        yield b"x" * 1_000
