"""Stored answers verified against a store that has moved on."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from changed_rows import corrected, redacted_behind, removed, rewrite, row_that_says, superseded
from played_turns import FERRY, FIRED, KILN, MOVED, NOW, ask, grounded, know, memory, quoting, scripted, tell, wire
from stand_ins import stand_in
from store_values import tombstone
from stored_turns import keep_copies, keep_more
from voice.bootstrap import Services
from voice.core.errors import UnknownId
from voice.core.records import Entity, RowStatus, Tombstone
from voice.core.session.audit import AuditReport, AuditStatus, SentenceAudit, count_statuses
from voice.ports.stores import WriteBatch
from voice.services.graph.editor import Backing

pytestmark = pytest.mark.requirement("promise:9")


def statuses(report: AuditReport) -> list[AuditStatus]:
    return [sentence.status for exchange in report.exchanges for sentence in exchange.sentences]


async def redacted_for_good(services: Services) -> None:
    row = await row_that_says(services, FIRED)
    buried = Tombstone(row_id=row.id, keyed_hash="k", reason="redacted", at=NOW)
    await services.store.write(WriteBatch(tombstones=(buried,)))


async def redacted(services: Services) -> None:
    await rewrite(services, await row_that_says(services, FIRED), status=RowStatus.REDACTED, text="[redacted]")


async def marked(services: Services) -> None:
    await rewrite(services, await row_that_says(services, FIRED), status=RowStatus.REMOVAL)


@pytest.mark.parametrize(
    ("change", "status"),
    [
        (corrected, "source_changed"),
        (removed, "source_removed"),
        (redacted, "source_redacted"),
        (redacted_for_good, "source_redacted"),
        (redacted_behind, "source_redacted"),
        (superseded, "still_grounded"),
        (marked, "still_grounded"),
    ],
)
async def test_a_sentence_tells_what_became_of_its_source(
    tmp_path: Path, change: Callable[[Services], object], status: AuditStatus
) -> None:
    async with memory(tmp_path, grounded(), told=KILN) as services:
        await ask(services)
        assert statuses(await services.audit()) == ["still_grounded", "still_grounded"]
        row = await row_that_says(services, FIRED)
        await change(services)  # pyright: ignore[reportGeneralTypeIssues]
        report = await services.audit()
    (exchange,) = report.exchanges
    by_text = {sentence.text: sentence for sentence in exchange.sentences}
    assert (by_text[FIRED].status, by_text[FIRED].row_ids) == (status, (row.id,))
    assert report.is_grounded is (status == "still_grounded")
    assert by_text[FIRED].superseded == ((row.id,) if change is superseded else ())
    assert by_text[FIRED].is_withheld is (status == "source_redacted")


async def test_the_rest_of_a_note_is_still_ground_when_another_sentence_was_forgotten(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded(), told=(MOVED, f"{FIRED}\n\n{FERRY}")) as services:
        await ask(services)
        (told,) = await services.sentence_edits.find("the ferry")
        await services.sentence_edits.take(told)
        assert statuses(await services.audit()) == ["still_grounded", "still_grounded"]


@pytest.mark.requirement("sessions:imported")
async def test_of_an_imported_answer_a_row_that_was_never_here_is_not_called_removed(tmp_path: Path) -> None:
    async with memory(tmp_path / "one", grounded(), told=KILN) as here, memory(tmp_path / "two") as there:
        turn = await ask(here)
        path = tmp_path / "a.json"
        path.write_text(json.dumps((await here.transcripts.export(turn.session.id)).document.members()))
        await there.transcripts.bring_in(str(path))
        assert statuses(await there.audit()) == ["source_not_here", "source_not_here"]
        row_id = turn.exchange.sentences[0].receipts[0].row_id
        await there.store.write(WriteBatch(tombstones=(tombstone(row_id),)))
        assert statuses(await there.audit()) == ["source_removed", "source_not_here"]


async def test_an_answer_that_was_forged_in_the_store_no_longer_stands(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded(), told=KILN) as services:
        turn = await ask(services)
        one, *rest = turn.exchange.sentences
        sentences = (replace(one, text="The kiln moved to the attic in May."), *rest)
        forged = replace(turn.exchange, id="x:forged", index=1, sentences=sentences)
        await keep_more(services, turn.session, forged)
        report = await services.audit()
    assert statuses(report) == ["still_grounded", "still_grounded", "no_longer_supported", "still_grounded"]


async def test_a_renamed_neighbour_changes_what_an_entity_says(tmp_path: Path) -> None:
    said = "Marta (person): fires bowls on Sundays; uses → The kiln"
    model = scripted(quoting(said, FIRED, answer=f"Marta fires bowls on Sundays. {FIRED}"))
    async with memory(tmp_path, model, told=KILN) as services:
        await know(services, "Marta", "person", "fires bowls on Sundays")
        await know(services, "The kiln", "tool", "for bowls")
        await services.graph_editor.add_relation("Marta", "uses", "The kiln", description="", backing=Backing())
        turn = await ask(services, "When does Marta fire bowls?")
        assert turn.exchange.status == "answered", turn.exchange.notes
        assert (await services.audit()).is_grounded
        entities = [change.row for change in await services.store.changes(0, 1000) if isinstance(change.row, Entity)]
        await rewrite(services, next(entity for entity in entities if entity.name == "The kiln"), name="The oven")
        report = await services.audit()
    assert "source_changed" in statuses(report)


async def test_refusals_are_counted_and_not_verified(tmp_path: Path) -> None:
    async with memory(tmp_path, scripted(wire("The kiln is on the moon.", ("S9", "moon"))), told=KILN) as services:
        turn = await ask(services)
        report = await services.audit(turn.session.id)
    assert [(audit.is_answer, audit.sentences) for audit in report.exchanges] == [(False, ())]
    assert report.is_grounded


async def test_a_private_turn_is_audited_as_it_saw_its_rows(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded()) as services:
        await tell(services, *KILN, is_private=True)
        turn = await ask(services, include_private=True)
        assert turn.exchange.is_private
        report = await services.audit()
    assert statuses(report) == ["still_grounded", "still_grounded"]
    assert [audit.is_private for audit in report.exchanges] == [True]


async def test_one_conversation_is_named_as_everywhere_else(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded(), told=KILN) as services:
        kiln = await ask(services, new_topic="the kiln")
        await ask(services, new_topic="bowls")
        only = await services.audit("the kiln")
        with pytest.raises(UnknownId):
            await services.audit("no such conversation")
    assert [audit.exchange_id for audit in only.exchanges] == [kiln.exchange.id]


async def test_a_thousand_turns_are_read_page_by_page(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded(), told=KILN) as services:
        turn = await ask(services)
        await keep_copies(services, turn, 1000)
        asked: list[int] = []
        told: list[tuple[int, int]] = []

        async def watched(**limits: object) -> object:
            found = await services.sessions.exchanges(**limits)  # pyright: ignore[reportArgumentType]
            asked.append(len(found))
            return found

        audit = replace(services.audit, sessions=stand_in(services.sessions, exchanges=watched))
        report = await audit(progress=lambda done, total: told.append((done, total)))
    assert count_statuses(report.exchanges)["still_grounded"] == 2000
    assert max(asked) == 100
    assert told == [(n, 1000) for n in range(100, 1001, 100)]
    assert [audit.index for audit in report.exchanges] == list(range(1000))


def test_the_words_of_a_sentence_are_in_no_repr() -> None:
    told = SentenceAudit(index=0, start=0, end=1, text="SECRET", status="still_grounded", row_ids=())
    assert "SECRET" not in repr(told)
    assert "still_grounded" in repr(told)
