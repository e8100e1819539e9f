"""The moderation queue without a script, and the parts of it that a script asks for."""

import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from candidate_values import candidate, edge, person
from desk_pages import PART, Desk, desk, read
from played_turns import NOW
from store_values import thought
from tables import tables
from voice.core.graph.review.candidates import Candidate, CandidateStatus, EntityProposal
from voice.core.records import Entity, Provenance
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


@pytest.mark.requirement("web:queue:shown", "web:hostile")
async def test_a_candidate_stands_beside_the_words_it_rests_on_and_what_cannot_be_true_beside_it(
    tmp_path: Path,
) -> None:
    hostile = person("<b>Eve</b> \u202eevE"), edge("<i>x</i>", "<u>y</u>", "<s>z</s>")
    async with desk(tmp_path) as page:
        empty = {
            path: await page.text(path) for path in ("/review", "/review?kind=relation", "/review?status=approved")
        }
        await waiting(page, ADA, KILN, WORKS, edge("Ada", "lives_in", "Porto"), edge("Ada", "lives_in", "Faro"))
        html = await page.html("/review")
        await page.services.review.moderation.candidates.save(hostile)
        steered = await page.html("/review")
    shown = read(html)
    for words, held in zip(
        ("Nothing waits", "Show all candidates", "Nothing approved yet"), empty.values(), strict=True
    ):
        assert words in held
    for words in ("5 waiting", "Ada works at → Kiln Co", "90% sure"):
        assert words in shown
    assert re.search(r"<mark>Kiln Co</mark><span class=\"soft\"> since May, long before", html)
    assert (shown.count("cannot both be true"), shown.count("also waiting")) == (2, 2)
    assert not re.search(r"<(b|i|u|s)>", steered)
    assert "&lt;b&gt;Eve&lt;/b&gt;" in steered


@pytest.mark.requirement("web:queue:shown", "web:queue:count", "promise:6")
async def test_private_candidates_show_only_when_they_are_asked_for_and_are_counted(tmp_path: Path) -> None:
    told = '<hx-partial hx-target="#queue-hidden" hx-swap="innerHTML">{}</hx-partial>'
    async with desk(tmp_path) as page:
        await page.services.store.write(WriteBatch(rows=(thought("9", content="Zelda lies.", is_private=True),)))
        secret = person("Zelda", is_private=True, provenance=(Provenance(thought_id="t:9", start=0, end=5),))
        await waiting(page, ADA, KILN, secret)
        without, with_them = await page.text("/review"), await page.text("/review?private=1")
        before = (await page.browser.post(at(KILN), data={"deed": "reject"}, headers=PART)).text
        refused = await page.send(at(secret), deed="approve")
        allowed = await page.send(at(secret), deed="approve", private="1")
        after = (await page.browser.post(at(ADA), data={"deed": "reject"}, headers=PART)).text
    assert ("Zelda" in without, "1 private candidate not shown" in without, "Zelda" in with_them) == (False, True, True)
    assert (refused.status_code, allowed.status_code) == (404, 200)
    assert told.format(" · 1 private candidate not shown") in before
    assert told.format("") in after


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
async def test_an_edit_puts_right_what_was_changed_and_a_candidate_is_merged_into_an_entity_by_its_name(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path) as page:
        await waiting(page, ADA, person("Ada Marsh"))
        fields = {"name": "Ada Lund", "entity_type": "person", "aliases": "Adi\r\nA. Lund\r\n", "description": ""}
        done = await page.send(at(ADA), deed="edit", **fields)
        held = await state(page, ADA)
        await page.send(at(ADA), deed="approve")
        await page.send(at(person("Ada Marsh")), deed="alias", entity="ada lund")
        (row,) = await page.services.browse.entities()
    assert held.names == ("ada", "ada lund")
    assert getattr(held.proposal, "aliases", ()) == ("Adi", "A. Lund")
    assert ("Ada Lund" in read(done.text), "originally Ada" in read(done.text)) == (True, True)
    assert isinstance(row, Entity)
    assert (row.name, "Ada Marsh" in row.aliases) == ("Ada Lund", True)


@pytest.mark.requirement("web:queue:refused")
async def test_a_verdict_that_is_refused_changes_nothing_and_keeps_what_was_typed(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await waiting(page, ADA)
        for fields, words, kept in TABLES["a_verdict_that_is_refused_changes_nothing_and_keeps_what_was_typed"]:
            whole = await page.send(at(ADA), **fields)
            part = await page.browser.post(at(ADA), data=fields, headers=PART)
            for refused in (whole, part):
                assert refused.status_code in (404, 422)
                assert words in read(refused.text)
            assert kept in part.text
        held = await state(page, ADA)
        assert (await page.send("/review/c:none", deed="approve")).status_code == 404
    assert (held.status, held.edited) == (CandidateStatus.PENDING, None)


@pytest.mark.requirement("ruling:I5:batch", "web:queue:batches", "web:without-script")
async def test_all_that_is_shown_is_decided_at_once_after_it_was_shown_what_that_is(tmp_path: Path) -> None:
    lost = edge("Nobody", "works_at", "Nothing")
    async with desk(tmp_path) as page:
        await waiting(page, ADA, KILN, lost)
        only = {"kind": "entity", "type": "person"}
        preview = await page.send("/review/all", deed="approve", **only)
        assert "Approve 2 candidates?" in read(preview.text)
        assert (await state(page, ADA)).status is CandidateStatus.PENDING
        other = await page.send("/review/all", deed="approve", sure_of="x", **only)
        assert "The queue has changed since you looked" in read(other.text)
        done = await page.send("/review/all", deed="approve", sure_of=_sure(preview.text), **only)
        assert "2 candidates approved" in read(done.text)
        assert "No candidate matches these filters" in read(done.text)
        assert 'action="/review/undo"' not in done.text, "what is in the graph is changed there"
        states = [(await state(page, each)).status for each in (ADA, KILN, lost)]
        assert states == [CandidateStatus.APPROVED, CandidateStatus.APPROVED, CandidateStatus.PENDING]
        await page.services.review.moderation.candidates.save([person("Beth")])
        preview = await page.send("/review/all", deed="approve", all="1")
        told = read((await page.send("/review/all", deed="approve", all="1", sure_of=_sure(preview.text))).text)
    assert "1 candidate approved" in told
    assert "Nobody works at Nothing still waits:" in told


def _sure(html: str) -> str:
    found = re.search(r'name="sure_of" value="([^"]+)"', html)
    assert found is not None
    return found[1]


@pytest.mark.requirement("web:queue:batches")
async def test_what_was_rejected_at_once_is_told_and_waits_again_when_that_is_undone(tmp_path: Path) -> None:
    async with desk(tmp_path) as page:
        await waiting(page, ADA, KILN, WORKS)
        preview = await page.send("/review/all", deed="reject", kind="entity")
        assert "You can undo this later." in read(preview.text)
        done = await page.send("/review/all", deed="reject", kind="entity", sure_of=_sure(preview.text))
        assert "candidates rejected." in read(done.text)
        batch = re.search(r'name="batch" value="([^"]+)"', done.text)
        assert batch is not None
        undone = await page.send("/review/undo", kind="entity", batch=batch[1])
        assert "returned to review" in read(undone.text)
        assert {(await state(page, each)).status for each in (ADA, KILN, WORKS)} == {CandidateStatus.PENDING}
        assert (await page.send("/review/undo", batch="nothing")).status_code == 404
        assert "rejected" not in await page.text("/review?batch=nothing&kind=relation")


@pytest.mark.requirement("ruling:I5:queue", "web:queue:batches")
async def test_the_queue_is_narrowed_to_a_note_to_a_time_and_to_what_is_often_named(tmp_path: Path) -> None:
    early = replace(ADA, staged_at=NOW - timedelta(minutes=2))
    async with desk(tmp_path) as page:
        await waiting(page, early, KILN, candidate(EntityProposal(name="Guess", entity_type="thing")))
        html, every, today = [await page.html(f"/review{each}") for each in ("", "?all=1", "?since=today")]
        assert await page.html("/review?named=2&type=person") != every
        links = set(re.findall(r'href="(/review\?[^"]*of=t%3A1[^"]*)">All candidates from this note', html))
        narrowed = await page.text(links.pop().replace("&amp;", "&"))
    shown = read(html)
    assert ("1 rarely mentioned candidate" in shown, "Guess" in shown, "Guess" in every) == (True, False, True)
    assert ("Ada" in today, "1 waiting" in read(today), "1 waiting" in shown) == (True, True, False)
    assert links == set()
    for words in ("Only candidates from one note", "Show all candidates"):
        assert words in narrowed
