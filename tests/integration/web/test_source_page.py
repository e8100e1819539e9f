"""The page of one source: what it says, where it comes from, what became of it, and what can be done with it."""

import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from desk_pages import PART, desk, read
from graph_rows import entity, relation, studio
from played_turns import NOW
from store_values import thought
from synced_folders import sync
from voice.core.graph.removal.forget_cascade import ForgetRequest
from voice.core.records import Observation, Provenance
from voice.core.text.normalise import content_hash
from voice.entrypoints.web.pages.addresses import source_url
from voice.ports.stores import WriteBatch

SHED = "The kiln moved to the shed. Marta helped."
HOSTILE = '<script>alert(1)</script> [x](javascript:alert(1)) <img src=x onerror=alert(2)> "quoted" \u202egnp.exe'


@pytest.mark.requirement("web:sources:page", "web:sources:span", "promise:9")
async def test_the_page_of_a_thought_shows_its_words_its_provenance_and_what_was_made_of_it(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        said = await page.memory.remember(SHED, tags=["kiln"], at=NOW - timedelta(days=2))
        shown = await page.text(source_url(said.stored[0]))
        rows = await page.services.graph.derived_from(said.stored)
        (made,) = (row for row in rows if isinstance(row, Observation))
        html = await page.html(source_url(made.id))
        place = re.search(r'href="(/sources/t[^"]+from=[^"]+)"', html)
        assert place is not None
        marked = await page.html(place[1].replace("&amp;", "&").partition("#")[0])
        older = await page.html(source_url(said.stored[0], 900, 912))
        await page.services.forget(ForgetRequest(ids=frozenset(said.stored)), "forget")
        assert "was forgotten" in await page.text(source_url(said.stored[0]), 404)
    for words in (SHED, "a person", "green: said", "kiln", said.stored[0], content_hash(SHED), "Derived from it"):
        assert words in shown, words
    assert "The kiln moved to the shed." in shown.partition("Derived from it")[2]
    assert "Based on" in read(html)
    assert f'<mark id="span">{made.text}</mark>' in marked
    assert "<mark" not in older, "an older answer leads to a place that the text has no more"


@pytest.mark.requirement("web:hostile", "ruling:D22")
async def test_a_hostile_memory_is_text_in_the_list_and_on_its_page_and_a_huge_one_is_cut(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        said = await page.memory.remember(HOSTILE, tags=['<b onclick="x">'])
        html = await page.html("/sources") + await page.html(source_url(said.stored[0]))
        huge = source_url((await page.memory.remember("clay " * 3_000 + "the end.")).stored[0])
        short, whole = await page.html(huge), await page.text(f"{huge}?all=1")
    assert [each for each in ("<script>alert", "<img src=x", "<b onclick") if each in html] == []
    assert "\u202e" not in re.sub(r"<textarea.*?</textarea>", "", html, flags=re.DOTALL), "but where it is corrected"
    assert ("U+202E" in html, "&lt;script&gt;" in html) == (True, True)
    assert "show all 15,008 characters" in short
    assert ("the end." in whole, "show all" in whole) == (True, False)


@pytest.mark.requirement("promise:6")
async def test_a_private_source_is_shown_to_who_asks_for_it(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        said = await page.memory.remember("A secret about the lease.", is_private=True)
        refused = await page.html(f"{source_url(said.stored[0])}?from=2&to=8", 403)
        anyway = re.search(r'class="button" href="([^"]+)"', refused)
        assert anyway is not None
        shown = await page.html(anyway[1].replace("&amp;", "&"))
    assert "secret" not in refused
    assert '<mark id="span">secret</mark>' in shown


@pytest.mark.requirement("web:sources:page")
async def test_the_answers_that_cite_a_source_are_told_and_those_that_cite_an_earlier_version(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        answers = f"{source_url((await page.memory.remember(SHED)).stored[0])}/answers"
        none = await page.text(answers)
        turn = await page.memory.ask("Where did the kiln move?")
        whole = await page.html(answers)
        part = (await page.browser.get(answers, headers=PART)).text
        done = await page.memory.correct(turn.exchange.sources[0].source_id, "The kiln stayed where it was.")
        told = await page.text(f"{source_url(done.row_id)}/answers")
        before = await page.text(f"{source_url(turn.exchange.sources[0].source_id)}/answers")
    assert "No answer has cited it yet" in none
    assert ("<html" in whole, "<html" in part) == (True, False)
    assert all("Where did the kiln move?" in read(each) for each in (whole, part, told))
    assert ("cites an earlier version" in told, "earlier version" in before) == (True, False)


@pytest.mark.requirement("web:sources:change", "web:errors")
async def test_a_source_is_pinned_and_unpinned(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        url = source_url((await page.memory.remember(SHED)).stored[0])
        refused = await page.send(f"{url}/pin", reason="the move", **{"for": "ages"})
        pinned = await page.send(f"{url}/pin", reason="the move", **{"for": "1w"})
        (view,) = await page.memory.pins()
        unpinned = await page.send(f"{url}/unpin")
        left = await page.memory.pins()
        absent = await page.send("/sources/zz/unpin")
    assert (refused.status_code, 'value="the move"' in refused.text, 'role="alert"' in refused.text) == (
        422,
        True,
        True,
    )
    assert "Pinned: recall and prompts show it first." in read(pinned.text)
    assert (view.pin.reason, view.pin.expires_at) == ("the move", NOW + timedelta(weeks=1))
    assert ("Unpinned" in read(unpinned.text), left) == (True, ())
    assert (absent.status_code, absent.history) == (404, [])


@pytest.mark.requirement("web:sources:change", "web:sources:page", "ruling:F.6")
async def test_a_correction_is_looked_at_made_and_kept_with_what_it_replaced_the_latest_first(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        url = source_url((await page.memory.remember(SHED)).stored[0])
        for wrong in ({"text": " "}, {"text": "The kiln moved.", "since": "the day after never"}):
            refused = await page.send(f"{url}/correct", deed="do", reason="I was wrong", **wrong)
            told = (refused.status_code, 'role="alert"' in refused.text, "I was wrong" in refused.text)
            assert told == (422, True, True)
        fields = {"text": "The kiln moved to the barn.", "reason": "misheard"}
        looked = await page.send(f"{url}/correct", deed="look", **fields)
        unchanged = await page.text(url)
        done = await page.send(f"{url}/correct", deed="do", **fields)
        old = await page.text(url)
        row_id = str(done.url.path).rpartition("/")[2]
        last = await page.memory.correct(row_id, "The kiln moved to the yard.", reason="it was the yard")
        shown = (await page.text(source_url(last.row_id))).partition("Earlier versions")[2]
    assert "Nothing has changed yet" in read(looked.text)
    assert "The kiln moved to the barn." in looked.text
    assert (SHED in unchanged, "barn" in unchanged) == (True, False)
    for words in ("Corrected. The old words are below", "Earlier versions", SHED, "misheard"):
        assert words in read(done.text)
    assert "Replaced by The kiln moved to the barn." in old
    assert shown.index("to the barn.") < shown.index("to the shed.")
    assert "misheard" in shown


@pytest.mark.requirement("web:sources:page", "promise:6")
async def test_the_pages_of_the_graph_name_what_they_join_and_lead_to_the_picture(tmp_path: Path) -> None:
    rows = studio()
    secret = relation("anna", "fears", "mochi", is_private=True)
    async with desk(tmp_path) as page:
        await page.services.store.write(WriteBatch(rows=(*rows, secret)))
        anna = await page.html("/sources/e:anna")
        ended = await page.text("/sources/r:anna-member_of-coop")
        noted = await page.html("/sources/o:2")
        hidden = await page.text(f"/sources/{secret.id}", 403)
    assert "leads → Kiln rebuild" in read(anna)
    assert "fears" not in anna
    assert 'href="/graph/e%3Aanna"' in anna
    assert "Anna Lund —member of→ Barro Cooperative" in ended
    assert "True until" in ended
    assert "amber" in ended
    assert "Speaker Bea" in read(noted)
    assert 'href="/graph/e%3Amochi"' in noted
    assert "fears" not in hidden


@pytest.mark.requirement("promise:6")
async def test_a_ground_that_is_private_is_not_told_and_is_counted(tmp_path: Path) -> None:
    secret = thought("9", content="Zelda hides a ring.", is_private=True)
    place = Provenance(thought_id="t:9", start=0, end=5)
    node = replace(entity("zelda", "Zelda"), provenance=(place, replace(place, thought_id="t:gone")))
    async with desk(tmp_path) as page:
        await page.services.store.write(WriteBatch(rows=(secret, node)))
        without = await page.text("/sources/e:zelda?private=1")
        shown = await page.text("/sources/e:zelda")
    assert "hides a ring" in without
    assert "hides a ring" not in shown
    assert "1 private entry related to it not shown" in shown
    assert shown.count("Not shown: this note is private, redacted or deleted") == 2


@pytest.mark.requirement("web:sources:title", "web:sources:page", "ruling:I4:locations")
async def test_a_source_is_called_by_its_note_or_its_first_words_and_opens_it_in_obsidian(tmp_path: Path) -> None:
    (tmp_path / "vault/.obsidian").mkdir(parents=True)
    (tmp_path / "vault/Garden gate.md").write_text("Marta painted it green.\n", encoding="utf-8")
    async with desk(tmp_path) as page:
        await sync(page.services, tmp_path / "vault")
        rows = [change.row for change in await page.services.store.changes(0, 100)]
        (note,) = (row.id for row in rows if row is not None and row.id.startswith("t:"))
        (said,) = (row.id for row in rows if isinstance(row, Observation) and "green" in row.text)
        pages = {row_id: await page.html(source_url(row_id)) for row_id in (note, said)}
    for row_id, called in ((note, "Garden gate"), (said, "Marta painted it green.")):
        assert f"{called}</h1>" in pages[row_id]
        assert row_id not in pages[row_id].partition("</title>")[0]
    location = r'<a href="obsidian://open\?path=[^"]*Garden[^"]*"><bdi>Garden gate\.md:1</bdi></a>'
    assert re.search(location, pages[said])
