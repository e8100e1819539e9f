"""Stored answers verified against a store that has moved on."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from changed_rows import corrected, redacted_behind, removed, row_that_says, superseded
from played_turns import FERRY, FIRED, KILN, MOVED, NOW, ask, grounded, memory
from store_values import tombstone
from stored_turns import keep_more
from voice.bootstrap import Services
from voice.core.records import Tombstone
from voice.core.session.audit import AuditReport, AuditStatus, SentenceAudit
from voice.ports.stores import WriteBatch

pytestmark = pytest.mark.requirement("promise:9")


def statuses(report: AuditReport) -> list[AuditStatus]:
    return [sentence.status for exchange in report.exchanges for sentence in exchange.sentences]


async def redacted_for_good(services: Services) -> None:
    row = await row_that_says(services, FIRED)
    buried = Tombstone(row_id=row.id, keyed_hash="k", reason="redacted", at=NOW)
    await services.store.write(WriteBatch(tombstones=(buried,)))


@pytest.mark.parametrize(
    ("change", "status"),
    [
        (corrected, "source_changed"),
        (removed, "source_removed"),
        (redacted_for_good, "source_redacted"),
        (redacted_behind, "source_redacted"),
        (superseded, "still_grounded"),
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


def test_the_words_of_a_sentence_are_in_no_repr() -> None:
    told = SentenceAudit(index=0, start=0, end=1, text="SECRET", status="still_grounded", row_ids=())
    assert "SECRET" not in repr(told)
    assert "still_grounded" in repr(told)
