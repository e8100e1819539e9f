"""Stored answers verified against a store that has moved on."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from changed_rows import corrected, removed, rewrite, row_that_says, superseded
from played_turns import FERRY, FIRED, KILN, MOVED, NOW, ask, grounded, memory, quoting, scripted, stored, tell, wire
from voice.bootstrap import Services
from voice.core.errors import UnknownId
from voice.core.records import Entity, RowStatus, Thought, Tombstone
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


async def redacted_behind(services: Services) -> None:
    thought = await row_that_says(services, FIRED, Thought)
    await rewrite(services, thought, status=RowStatus.REDACTED, content="[redacted]")


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
    async with memory(tmp_path, grounded()) as services:
        await tell(services, *KILN)
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
    async with memory(tmp_path, grounded()) as services:
        await tell(services, MOVED, f"{FIRED}\n\n{FERRY}")
        await ask(services)
        (told,) = await services.sentence_edits.find("the ferry")
        await services.sentence_edits.take(told)
        assert statuses(await services.audit()) == ["still_grounded", "still_grounded"]


@pytest.mark.requirement("sessions:imported")
async def test_of_an_imported_answer_a_row_that_was_never_here_is_not_called_removed(tmp_path: Path) -> None:
    async with memory(tmp_path / "one", grounded()) as here, memory(tmp_path / "two") as there:
        await tell(here, *KILN)
        turn = await ask(here)
        path = tmp_path / "a.json"
        path.write_text(json.dumps((await here.transcripts.export(turn.session.id)).document.members()))
        await there.transcripts.bring_in(str(path))
        assert statuses(await there.audit()) == ["source_not_here", "source_not_here"]
        row_id = turn.exchange.sentences[0].receipts[0].row_id
        buried = Tombstone(row_id=row_id, keyed_hash="k", reason="forgotten", at=NOW)
        await there.store.write(WriteBatch(tombstones=(buried,)))
        assert statuses(await there.audit()) == ["source_removed", "source_not_here"]


async def test_an_answer_that_was_forged_in_the_store_no_longer_stands(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded()) as services:
        await tell(services, *KILN)
        turn = await ask(services)
        one, *rest = turn.exchange.sentences
        forged = replace(
            turn.exchange,
            id="x:forged",
            index=1,
            sentences=(replace(one, text="The kiln moved to the attic in May."), *rest),
        )
        grown = replace(turn.session, total_exchanges=2, answered=2, revision=turn.session.revision + 1)
        await services.sessions.save(grown, [forged], expected=turn.session.revision)
        report = await services.audit()
    assert statuses(report) == ["still_grounded", "still_grounded", "no_longer_supported", "still_grounded"]


async def test_a_renamed_neighbour_changes_what_an_entity_says(tmp_path: Path) -> None:
    said = "Marta (person): fires bowls on Sundays; uses → The kiln"
    async with memory(
        tmp_path, scripted(quoting(said, FIRED, answer=f"Marta fires bowls on Sundays. {FIRED}"))
    ) as services:
        await tell(services, *KILN)
        editor = services.graph_editor
        backing = Backing()
        await editor.add_entity(
            "Marta", entity_type="person", description="fires bowls on Sundays", aliases=[], backing=backing
        )
        await editor.add_entity("The kiln", entity_type="tool", description="for bowls", aliases=[], backing=backing)
        await editor.add_relation("Marta", "uses", "The kiln", description="", backing=backing)
        turn = await ask(services, "When does Marta fire bowls?")
        assert turn.exchange.status == "answered", turn.exchange.notes
        assert (await services.audit()).is_grounded
        entities = [change.row for change in await services.store.changes(0, 1000) if isinstance(change.row, Entity)]
        await rewrite(services, next(entity for entity in entities if entity.name == "The kiln"), name="The oven")
        report = await services.audit()
    assert "source_changed" in statuses(report)


async def test_refusals_are_counted_and_not_verified(tmp_path: Path) -> None:
    async with memory(tmp_path, scripted(wire("The kiln is on the moon.", ("S9", "moon")))) as services:
        await tell(services, *KILN)
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
    async with memory(tmp_path, grounded()) as services:
        await tell(services, *KILN)
        kiln = await ask(services, new_topic="the kiln")
        await ask(services, new_topic="bowls")
        only = await services.audit("the kiln")
        with pytest.raises(UnknownId):
            await services.audit("no such conversation")
    assert [audit.exchange_id for audit in only.exchanges] == [kiln.exchange.id]


async def test_a_thousand_turns_are_read_page_by_page(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded()) as services:
        await tell(services, *KILN)
        turn = await ask(services)
        more = [
            replace(turn.exchange, id=f"x:{n}", index=n, timestamp=NOW + timedelta(seconds=n)) for n in range(1, 1000)
        ]
        grown = replace(turn.session, total_exchanges=1000, answered=1000, revision=turn.session.revision + 1)
        await services.sessions.save(grown, more, expected=turn.session.revision)
        asked: list[int] = []
        told: list[tuple[int, int]] = []
        real = services.sessions.exchanges

        async def watched(**limits: object) -> object:
            found = await real(**limits)  # pyright: ignore[reportArgumentType]
            asked.append(len(found))
            return found

        audit = replace(services.audit, sessions=Watched(services, watched))  # pyright: ignore[reportArgumentType]
        report = await audit(progress=lambda done, total: told.append((done, total)))
        assert len(await stored(services)) == 1000
    assert count_statuses(report.exchanges)["still_grounded"] == 2000
    assert max(asked) == 100
    assert told == [(n, 1000) for n in range(100, 1001, 100)]
    assert [audit.index for audit in report.exchanges] == list(range(1000))


class Watched:
    """The session store of a memory, with its reading of exchanges watched."""

    def __init__(self, services: Services, exchanges: object) -> None:
        self.sessions = services.sessions.sessions
        self.load = services.sessions.load
        self.exchanges = exchanges


def test_the_words_of_a_sentence_are_in_no_repr() -> None:
    told = SentenceAudit(index=0, start=0, end=1, text="SECRET", status="still_grounded", row_ids=())
    assert "SECRET" not in repr(told)
    assert "still_grounded" in repr(told)
