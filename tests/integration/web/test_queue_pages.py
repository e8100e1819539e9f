"""The moderation queue without a script, and the parts of it that a script asks for."""

import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from candidate_values import candidate, edge, person
from desk_pages import PART, Desk, desk, read
from played_turns import NOW
from store_values import NOON, thought
from tables import tables
from voice.core.graph.review.candidates import Candidate, CandidateStatus, EntityProposal
from voice.core.records import Entity, Provenance
from voice.entrypoints.web.pages.review.queue_requests import PAGE_SIZE
from voice.ports.stores import WriteBatch

TABLES = tables(__file__)

SAID = thought(
    "1", content="Ada has worked at Kiln Co since May, long before Beth came to the shed to help with it all."
)
ADA = person("Ada", confidence=0.9)
KILN = person("Kiln Co", confidence=0.6, provenance=(Provenance(thought_id="t:1", start=18, end=25),))
WORKS = edge("Ada", "works_at", "Kiln Co", confidence=0.7, provenance=(Provenance(thought_id="t:1", start=0, end=25),))


async def waiting(page: Desk, *candidates: Candidate) -> None:
    """Let candidates wait in a memory that holds the thought they rest on."""
    await page.services.store.write(WriteBatch(rows=(SAID,)))
    await page.services.review.moderation.candidates.save(candidates)


async def state(page: Desk, candidate: Candidate) -> Candidate:
    return (await page.services.review.moderation.candidates.fetch([candidate.id]))[candidate.id]


def at(candidate: Candidate) -> str:
    return f"/review/{candidate.id}"


@pytest.mark.requirement("web:queue:shown")
async def test_a_candidate_stands_beside_the_words_it_rests_on(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await waiting(page, ADA, KILN, WORKS)
        html = await page.html("/review")
    shown = read(html)
    assert "3 waiting" in shown
    assert "Ada works at → Kiln Co" in shown
    assert re.search(r"<mark>Kiln Co</mark><span class=\"soft\"> since May, long before", html)
    assert "90% sure" in shown


@pytest.mark.requirement("web:queue:shown")
async def test_what_cannot_be_true_beside_it_is_shown_on_both_sides(tmp_path: Path) -> None:
    lives, moved = edge("Ada", "lives_in", "Porto"), edge("Ada", "lives_in", "Faro")
    async with desk(tmp_path) as page:
        await waiting(page, lives, moved)
        shown = await page.text("/review")
    assert shown.count("cannot both be true") == 2
    assert shown.count("also waiting") == 2


@pytest.mark.requirement("web:queue:shown", "promise:6")
async def test_private_candidates_show_only_when_they_are_asked_for(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await page.services.store.write(WriteBatch(rows=(thought("9", content="Zelda lies.", is_private=True),)))
        secret = person("Zelda", is_private=True, provenance=(Provenance(thought_id="t:9", start=0, end=5),))
        await waiting(page, ADA, secret)
        without, with_them = await page.text("/review"), await page.text("/review?private=1")
        refused = await page.send(at(secret), deed="approve")
        allowed = await page.send(at(secret), deed="approve", private="1")
    assert "Zelda" not in without
    assert "1 private candidate not shown" in without
    assert "Zelda" in with_them
    assert (refused.status_code, allowed.status_code) == (404, 200)


@pytest.mark.requirement("web:queue:decide", "ruling:C10")
async def test_approving_a_relation_approves_what_it_joins_and_leads_back(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await waiting(page, ADA, KILN, WORKS)
        done = await page.send(at(WORKS), deed="approve")
        rows = await page.services.browse.entities()
        held = await state(page, WORKS)
    assert {row.name for row in rows} == {"Ada", "Kiln Co"}
    assert (held.status, str(held.decided_by)) == (CandidateStatus.APPROVED, "human")
    assert "Ada works at → Kiln Co is now in the graph" in read(done.text)
    assert "Nothing waits" in read(done.text)


@pytest.mark.requirement("web:queue:decide")
async def test_a_rejection_keeps_its_reason_and_can_be_taken_back(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await waiting(page, ADA, KILN)
        done = await page.send(at(ADA), deed="reject", reason="not a person")
        held = await state(page, ADA)
        listed = await page.text("/review?status=rejected")
        back = await page.send(at(ADA), deed="reopen")
        again = await state(page, ADA)
    assert (held.status, held.reason) == (CandidateStatus.REJECTED, "not a person")
    assert "is rejected; voice will not suggest it again" in read(done.text)
    assert "Undo" in read(done.text)
    assert "reason: not a person" in listed
    assert (again.status, again.reason) == (CandidateStatus.PENDING, "")
    assert "2 waiting" in read(back.text)


@pytest.mark.requirement("web:queue:decide")
async def test_an_edit_puts_right_what_was_changed_and_nothing_else(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await waiting(page, ADA)
        fields = {"name": "Ada Lund", "entity_type": "person", "aliases": "Adi\r\nA. Lund\r\n", "description": ""}
        done = await page.send(at(ADA), deed="edit", **fields)
        held = await state(page, ADA)
    assert held.names == ("ada", "ada lund")
    assert getattr(held.proposal, "aliases", ()) == ("Adi", "A. Lund")
    assert "Ada Lund" in read(done.text)
    assert "originally Ada" in read(done.text)


@pytest.mark.requirement("web:queue:decide")
async def test_a_candidate_is_merged_into_an_entity_by_its_name(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await waiting(page, ADA, person("Ada Lund"))
        await page.send(at(person("Ada Lund")), deed="approve")
        await page.send(at(ADA), deed="alias", entity="ada lund")
        (row,) = await page.services.browse.entities()
    assert isinstance(row, Entity)
    assert (row.name, row.aliases) == ("Ada Lund", ("Ada",))


@pytest.mark.requirement("web:queue:refused")
@pytest.mark.parametrize(
    ("fields", "words", "kept"), TABLES["a_verdict_that_is_refused_changes_nothing_and_keeps_what_was_typed"]
)
async def test_a_verdict_that_is_refused_changes_nothing_and_keeps_what_was_typed(
    tmp_path: Path, fields: dict[str, str], words: str, kept: str
) -> None:
    async with desk(tmp_path) as page:
        await waiting(page, ADA)
        whole = await page.send(at(ADA), **fields)
        part = await page.browser.post(at(ADA), data=fields, headers=PART)
        held = await state(page, ADA)
    assert held.status is CandidateStatus.PENDING
    assert held.edited is None
    for refused in (whole, part):
        assert refused.status_code in (404, 422)
        assert words in read(refused.text)
    assert kept in part.text


@pytest.mark.requirement("web:queue:decide")
async def test_a_script_gets_what_stands_in_the_place_of_each_row_that_changed(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await waiting(page, ADA, KILN, WORKS)
        approved = (await page.browser.post(at(WORKS), data={"deed": "approve"}, headers=PART)).text
        beth = person("Beth")
        await page.services.review.moderation.candidates.save([beth])
        rejected = (await page.browser.post(at(beth), data={"deed": "reject"}, headers=PART)).text
        back = (await page.browser.post(at(beth), data={"deed": "reopen"}, headers=PART)).text
    assert "<html" not in approved + rejected + back
    assert approved.count('hx-swap-oob="true"') == 2, "both ends come along"
    assert re.match(rf'\s*<li class="candidate decided" id="c-{WORKS.id[2:]}"', approved)
    assert 'value="reopen"' in rejected
    assert "It waits for review again." in read(back)
    assert 'value="approve"' in back


@pytest.mark.requirement("web:queue:count")
async def test_a_script_is_told_how_many_wait_now_of_those_that_are_listed(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await waiting(page, ADA, KILN, WORKS, person("Beth"), person("Cleo"))

        async def told(of: Candidate, **fields: str) -> str:
            return (await page.browser.post(at(of), data=fields, headers=PART)).text

        count = '<hx-partial hx-target="#queue-count" hx-swap="innerHTML">{}</hx-partial>'
        assert count.format("4 waiting") in await told(person("Cleo"), deed="reject")
        assert count.format("2 waiting") in await told(person("Beth"), deed="reject", kind="entity", sure="0.5")
        assert count.format("4 waiting") in await told(person("Beth"), deed="reopen")
        assert count.format("1 waiting") in await told(WORKS, deed="approve"), "its ends come along"
        assert count.format("1 waiting") in await told(person("Beth"), deed="edit", name="Bertha", entity_type="person")
        assert count.format("0 rejected") in await told(person("Cleo"), deed="reopen", status="rejected")
        shown = await page.html("/review")
    assert '<span id="queue-count" role="status">2 waiting</span>' in shown, "a reader of the screen is told politely"


@pytest.mark.requirement("web:queue:count", "web:queue:shown")
async def test_a_script_is_told_how_many_private_ones_are_left_out_now(tmp_path: Path) -> None:
    told = '<hx-partial hx-target="#queue-hidden" hx-swap="innerHTML">{}</hx-partial>'
    async with desk(tmp_path) as page:
        await page.services.store.write(WriteBatch(rows=(thought("9", content="Zelda lies.", is_private=True),)))
        secret = person("Zelda", is_private=True, provenance=(Provenance(thought_id="t:9", start=0, end=5),))
        await waiting(page, ADA, KILN, secret)
        shown = await page.html("/review")
        before = (await page.browser.post(at(KILN), data={"deed": "reject"}, headers=PART)).text
        await page.send(at(secret), deed="approve", private="1")
        after = (await page.browser.post(at(ADA), data={"deed": "reject"}, headers=PART)).text
    assert '<span id="queue-hidden"> · 1 private candidate not shown</span>' in shown
    assert told.format(" · 1 private candidate not shown") in before
    assert told.format("") in after


async def test_a_long_queue_comes_page_by_page_and_filters_stay(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await waiting(page, *(person(f"Person {number:02}") for number in range(PAGE_SIZE + 3)), WORKS)
        first = await page.html("/review?kind=entity")
        onward = re.search(r'rel="next" href="([^"]+)"', first)
        assert onward is not None
        second = await page.text(onward[1].replace("&amp;", "&"))
    assert "Ada works at" not in read(first)
    assert second.count("Edit it and keep it in review") == 3
    assert "First page" in second


@pytest.mark.parametrize(("path", "words"), TABLES["an_empty_queue_says_what_to_do"])
async def test_an_empty_queue_says_what_to_do(tmp_path: Path, path: str, words: str) -> None:
    async with desk(tmp_path) as page:
        assert words in await page.text(path)


async def test_a_candidate_that_is_not_there_is_said_to_be_none(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        assert (await page.send("/review/c:none", deed="approve")).status_code == 404


@pytest.mark.requirement("web:hostile")
async def test_a_hostile_name_is_text(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await waiting(page, person("<b>Ada</b> \u202eadA"), edge("<i>x</i>", "<u>y</u>", "<s>z</s>"))
        html = await page.html("/review")
    assert not re.search(r"<(b|i|u|s)>", html)
    assert "&lt;b&gt;Ada&lt;/b&gt;" in html


def test_the_time_of_the_thought_is_that_of_the_shared_values() -> None:
    assert SAID.created_at == NOON


@pytest.mark.requirement("ruling:I5:batch", "web:without-script")
async def test_all_that_is_shown_is_decided_at_once_after_it_was_shown_what_that_is(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await waiting(page, ADA, KILN, WORKS)
        only = {"kind": "entity", "type": "person"}
        preview = await page.send("/review/all", deed="approve", **only)
        assert "Approve 2 candidates?" in read(preview.text)
        assert (await state(page, ADA)).status is CandidateStatus.PENDING
        other = await page.send("/review/all", deed="approve", sure_of="x", **only)
        assert "The queue has changed since you looked" in read(other.text)
        found = re.search(r'name="sure_of" value="([^"]+)"', preview.text)
        assert found is not None
        done = await page.send("/review/all", deed="approve", sure_of=found[1], **only)
        assert "2 candidates approved" in read(done.text)
        assert "No candidate matches these filters" in read(done.text)
        assert 'action="/review/undo"' not in done.text, "what is in the graph is changed there"
        states = [(await state(page, each)).status for each in (ADA, KILN, WORKS)]
    assert states == [CandidateStatus.APPROVED, CandidateStatus.APPROVED, CandidateStatus.PENDING]


@pytest.mark.requirement("web:queue:batches")
async def test_what_was_rejected_at_once_is_told_and_waits_again_when_that_is_undone(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await waiting(page, ADA, KILN, WORKS)
        preview = await page.send("/review/all", deed="reject", kind="entity")
        assert "You can undo this later." in read(preview.text)
        found = re.search(r'name="sure_of" value="([^"]+)"', preview.text)
        assert found is not None
        done = await page.send("/review/all", deed="reject", kind="entity", sure_of=found[1])
        assert "candidates rejected." in read(done.text)
        batch = re.search(r'name="batch" value="([^"]+)"', done.text)
        assert batch is not None
        undone = await page.send("/review/undo", kind="entity", batch=batch[1])
        assert "returned to review" in read(undone.text)
        assert {(await state(page, each)).status for each in (ADA, KILN, WORKS)} == {CandidateStatus.PENDING}
        assert (await page.send("/review/undo", batch="nothing")).status_code == 404
        assert "rejected" not in await page.text("/review?batch=nothing&kind=relation")


@pytest.mark.requirement("web:queue:batches")
async def test_a_candidate_that_cannot_be_approved_with_the_others_is_named_with_why(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        lost = edge("Nobody", "works_at", "Nothing")
        await waiting(page, ADA, lost)
        preview = await page.send("/review/all", deed="approve", all="1")
        found = re.search(r'name="sure_of" value="([^"]+)"', preview.text)
        assert found is not None
        done = read((await page.send("/review/all", deed="approve", all="1", sure_of=found[1])).text)
    assert "1 candidate approved" in done
    assert "Nobody works at Nothing still waits:" in done


@pytest.mark.requirement("web:queue:batches")
async def test_the_queue_is_narrowed_to_what_was_found_in_one_note(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await waiting(page, ADA, KILN, WORKS)
        html = await page.html("/review")
        links = set(re.findall(r'href="(/review\?[^"]*of=t%3A1[^"]*)">All candidates from this note', html))
        assert len(links) == 1
        (link,) = links
        narrowed = await page.text(link.replace("&amp;", "&"))
        assert "Only candidates from one note" in narrowed
        assert "Approve all 3" in narrowed
        assert "Show all candidates" in narrowed


@pytest.mark.requirement("web:queue:batches")
async def test_the_queue_is_narrowed_to_what_was_found_in_a_time(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await waiting(page, replace(ADA, staged_at=NOW - timedelta(minutes=2)), KILN)
        today, ever = await page.text("/review?since=today"), await page.text("/review")
    assert ("Ada" in today, "1 waiting" in today, "2 waiting" in ever) == (True, True, True)


@pytest.mark.requirement("ruling:I5:queue")
async def test_what_is_folded_away_is_counted_and_shows_where_it_is_asked_for(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await waiting(page, ADA, candidate(EntityProposal(name="Guess", entity_type="thing")))
        shown, every = await page.text("/review"), await page.text("/review?all=1")
        assert await page.text("/review?named=2&type=person") != every
    assert ("1 rarely mentioned candidate" in shown, "Guess" in shown, "Guess" in every) == (True, False, True)
