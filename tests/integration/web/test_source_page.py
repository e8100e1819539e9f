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


@pytest.mark.requirement("web:sources:page", "promise:9")
async def test_the_page_of_a_thought_shows_its_words_its_provenance_and_what_was_made_of_it(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        said = await page.memory.remember(SHED, tags=["kiln"], at=NOW - timedelta(days=2))
        shown = await page.text(source_url(said.stored[0]))
    for words in (SHED, "a person", "green: said", "kiln", said.stored[0], content_hash(SHED), "Derived from it"):
        assert words in shown, words
    assert "The kiln moved to the shed." in shown.partition("Derived from it")[2]


@pytest.mark.requirement("web:sources:page", "ruling:I4:locations")
async def test_the_page_of_a_statement_names_its_note_and_line_and_opens_it_in_obsidian(tmp_path: Path) -> None:
    (tmp_path / "vault/.obsidian").mkdir(parents=True)
    (tmp_path / "vault/Gate.md").write_text("---\ntitle: Gate\n---\nMarta painted it green.\n", encoding="utf-8")
    async with desk(tmp_path) as page:
        services = page.memory.services
        await sync(services, tmp_path / "vault")
        rows = [change.row for change in await services.store.changes(0, 100)]
        (said,) = (row for row in rows if isinstance(row, Observation) and "green" in row.text)
        shown = await page.html(source_url(said.id))
    assert re.search(r'<a href="obsidian://open\?path=[^"]*Gate\.md"><bdi>Gate\.md:4</bdi></a>', shown)


@pytest.mark.requirement("web:sources:page", "ruling:I1")
async def test_the_page_of_a_statement_says_what_it_stands_under_and_so_does_the_list(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        said = await page.memory.remember("# Gate\n\n- Hinges\n  - We replaced the left one in May.\n")
        rows = await page.services.graph.derived_from(said.stored)
        (made,) = (row for row in rows if isinstance(row, Observation) and "replaced" in row.text)
        shown = await page.text(source_url(made.id))
        listed = await page.html("/sources?kind=observations")
    assert re.search(r"Context\s+Gate › Hinges", shown)
    assert "<span><bdi>Gate › Hinges</bdi></span>" in listed


@pytest.mark.requirement("web:sources:page")
async def test_the_page_of_an_observation_leads_to_the_place_in_its_thought(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        said = await page.memory.remember(SHED)
        rows = await page.services.graph.derived_from(said.stored)
        (made,) = (row for row in rows if isinstance(row, Observation))
        html = await page.html(source_url(made.id))
        place = re.search(r'href="(/sources/t[^"]+from=[^"]+)"', html)
        assert place is not None
        thought = await page.html(place[1].replace("&amp;", "&").partition("#")[0])
    assert "Based on" in read(html)
    assert f'<mark id="span">{made.text}</mark>' in thought


@pytest.mark.requirement("web:sources:span")
async def test_a_place_that_a_text_has_no_more_marks_nothing_for_older_answers_lead_there(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        said = await page.memory.remember(SHED)
        assert "<mark" not in await page.html(source_url(said.stored[0], 900, 912))
        assert "<mark" in await page.html(source_url(said.stored[0], 0, 5))


@pytest.mark.requirement("web:hostile", "ruling:D22")
async def test_a_hostile_memory_is_text_in_the_list_and_on_its_page(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        said = await page.memory.remember(HOSTILE, tags=['<b onclick="x">'])
        html = await page.html("/sources") + await page.html(source_url(said.stored[0]))
    assert "<script>alert" not in html
    assert "<img src=x" not in html
    assert "<b onclick" not in html
    assert "\u202e" not in re.sub(r"<textarea.*?</textarea>", "", html, flags=re.DOTALL), "but where it is corrected"
    assert "U+202E" in html
    assert "&lt;script&gt;" in html


@pytest.mark.requirement("web:hostile")
async def test_a_huge_text_is_cut_and_shown_whole_to_who_asks(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        text = "clay " * 3_000 + "the end."
        said = await page.memory.remember(text)
        short = await page.html(source_url(said.stored[0]))
        whole = await page.text(f"{source_url(said.stored[0])}?all=1")
    assert "show all 15,008 characters" in short
    assert "the end." in whole
    assert "show all" not in whole


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


@pytest.mark.parametrize("row_id", ["t:none", "nonsense", "e:a/b"])
async def test_a_row_that_is_not_there_is_said_to_be_none(tmp_path: Path, row_id: str) -> None:
    async with desk(tmp_path) as page:
        assert "Not found" in await page.text(source_url(row_id), 404)


@pytest.mark.requirement("web:sources:page")
async def test_what_was_forgotten_says_so(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        said = await page.memory.remember(SHED)
        await page.services.forget(ForgetRequest(ids=frozenset(said.stored)), "forget")
        assert "was forgotten" in await page.text(source_url(said.stored[0]), 404)


@pytest.mark.requirement("web:sources:page")
async def test_the_answers_that_cite_a_source_are_told_as_a_page_and_as_a_part(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        said = await page.memory.remember(SHED)
        none = await page.text(f"{source_url(said.stored[0])}/answers")
        turn = await page.memory.ask("Where did the kiln move?")
        assert turn.exchange.status == "answered"
        whole = await page.html(f"{source_url(said.stored[0])}/answers")
        part = await page.browser.get(f"{source_url(said.stored[0])}/answers", headers=PART)
    assert "No answer has cited it yet" in none
    assert "Where did the kiln move?" in read(whole)
    assert "<html" in whole
    assert "Where did the kiln move?" in read(part.text)
    assert "<html" not in part.text


@pytest.mark.requirement("web:sources:page")
async def test_an_answer_that_cites_an_earlier_version_counts_and_says_so(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await page.memory.remember(SHED)
        turn = await page.memory.ask("Where did the kiln move?")
        done = await page.memory.correct(turn.exchange.sources[0].source_id, "The kiln stayed where it was.")
        told = await page.text(f"{source_url(done.row_id)}/answers")
        before = await page.text(f"{source_url(turn.exchange.sources[0].source_id)}/answers")
    assert "Where did the kiln move?" in told
    assert "cites an earlier version" in told
    assert "earlier version" not in before


@pytest.mark.requirement("web:sources:change")
async def test_a_source_is_pinned_and_unpinned(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        url = source_url((await page.memory.remember(SHED)).stored[0])
        pinned = await page.send(f"{url}/pin", reason="the move", **{"for": "1w"})
        (view,) = await page.memory.pins()
        unpinned = await page.send(f"{url}/unpin")
        left = await page.memory.pins()
    assert "Pinned: recall and prompts show it first." in read(pinned.text)
    assert (view.pin.reason, view.pin.expires_at) == ("the move", NOW + timedelta(weeks=1))
    assert "Unpinned" in read(unpinned.text)
    assert left == ()


@pytest.mark.requirement("web:sources:change", "web:errors")
async def test_a_row_that_is_not_there_is_not_said_to_be_pinned_no_more(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        answer = await page.send("/sources/zz/unpin")
    assert (answer.status_code, answer.history) == (404, [])
    assert "Not found" in read(answer.text)


@pytest.mark.requirement("web:sources:change")
async def test_a_pin_that_is_refused_keeps_what_was_typed(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        url = source_url((await page.memory.remember(SHED)).stored[0])
        refused = await page.send(f"{url}/pin", reason="the move", **{"for": "ages"})
    assert refused.status_code == 422
    assert 'value="the move"' in refused.text
    assert 'role="alert"' in refused.text


@pytest.mark.requirement("web:sources:change")
async def test_a_correction_is_looked_at_made_and_kept_with_what_it_replaced(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        url = source_url((await page.memory.remember(SHED)).stored[0])
        fields = {"text": "The kiln moved to the barn.", "reason": "misheard"}
        looked = await page.send(f"{url}/correct", deed="look", **fields)
        unchanged = await page.text(url)
        done = await page.send(f"{url}/correct", deed="do", **fields)
        old = await page.text(url)
    assert "Nothing has changed yet" in read(looked.text)
    assert "The kiln moved to the barn." in looked.text
    assert "barn" not in unchanged
    assert "Corrected. The old words are below" in read(done.text)
    assert "Earlier versions" in read(done.text)
    assert SHED in read(done.text)
    assert "misheard" in read(done.text)
    assert "Replaced by The kiln moved to the barn." in old


@pytest.mark.requirement("web:sources:change")
@pytest.mark.parametrize("fields", [{"text": " "}, {"text": "The kiln moved.", "since": "the day after never"}])
async def test_a_correction_that_is_refused_keeps_what_was_typed(tmp_path: Path, fields: dict[str, str]) -> None:
    async with desk(tmp_path) as page:
        url = source_url((await page.memory.remember(SHED)).stored[0])
        refused = await page.send(f"{url}/correct", deed="do", reason="I was wrong", **fields)
        after = await page.text(url)
    assert refused.status_code == 422
    assert 'role="alert"' in refused.text
    assert "I was wrong" in refused.text
    assert SHED in after


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


@pytest.mark.requirement("web:sources:page", "ruling:F.6")
async def test_every_wording_that_was_replaced_is_told_the_latest_first(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        row_id = (await page.memory.remember("The kiln moved to the shed.")).stored[0]
        for place in ("barn", "yard"):
            done = await page.memory.correct(row_id, f"The kiln moved to the {place}.", reason=f"it was the {place}")
            row_id = done.row_id
        shown = (await page.text(source_url(row_id))).partition("Earlier versions")[2]
    assert shown.index("to the barn.") < shown.index("to the shed.")
    assert "it was the barn" in shown


@pytest.mark.requirement("web:sources:title")
async def test_a_source_is_called_by_its_note_or_its_first_words_and_not_by_its_id(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/Garden gate.md").write_text("Marta painted it green.\n", encoding="utf-8")
    async with desk(tmp_path) as page:
        await sync(page.services, tmp_path / "notes")
        rows = [change.row for change in await page.services.store.changes(0, 100)]
        pages = {row.id: await page.html(source_url(row.id)) for row in rows if row is not None}
    for row_id, html in pages.items():
        called = "Garden gate" if row_id.startswith("t:") else "Marta painted it green."
        assert f"{called}</h1>" in html
        assert row_id not in html.partition("</title>")[0]
    assert len(pages) > 1
