"""A thought and all that is distilled from it are one write, however long it is."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from failing_store import FailingStore
from played_turns import MOVED, all_rows, memory, rows_of
from store_values import entity, relation, thought
from synced_folders import request
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.bootstrap import Services
from voice.core.errors import SessionConflict, StoreError
from voice.core.graph.removal.forget_cascade import ForgetRequest
from voice.core.graph.thoughts.distillation import distil
from voice.core.records import Observation, Origin, Row, RowStatus, Thought
from voice.ports.review_stores import CandidateFilter
from voice.ports.stores import MAX_BATCH, WriteBatch
from voice.services.graph.correct import CorrectRequest
from voice.services.memory.ingest import MAX_TRANSACTION_ROWS
from voice.services.memory.ingest_values import NewThought

pytestmark = pytest.mark.requirement("ruling:I8")
SENTENCES = [f"On day number {n} I fired bowl {n} in the kiln and it cracked in place {n}." for n in range(1100)]
LONG = " ".join(SENTENCES)
LONGER = " ".join(SENTENCES[:220])
"""Longer than a transaction that `small_transactions` makes."""


@pytest.fixture
def small_transactions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a transaction hold a fifth of its rows, so that a note is soon longer."""
    monkeypatch.setattr("voice.services.memory.ingest.MAX_TRANSACTION_ROWS", MAX_TRANSACTION_ROWS // 5)
    for bound in ("_PAGE", "MAX_BATCH"):
        monkeypatch.setattr(f"voice.services.removal.forget.{bound}", MAX_BATCH // 5)


class Alike(HashedEmbedder):
    """An encoder that gives every text the same vector, at once."""

    def __init__(self) -> None:
        super().__init__(8)

    async def embed(self, texts: Sequence[str]) -> list[bytes]:
        return [b"\x01" * 32 for _ in texts]


@pytest.fixture
async def services(tmp_path: Path) -> AsyncGenerator[Services]:
    async with memory(tmp_path, embedder=Alike()) as opened:
        yield opened


@pytest.mark.requirement("ruling:A21", "promise:3")
async def test_a_long_thought_is_one_transaction_with_all_that_is_distilled_from_it(services: Services) -> None:
    note = NewThought(content=LONG, origin=Origin.HUMAN, id="t:long")
    store = FailingStore(services.store)
    report = await replace(services.ingest, store=store).remember([note])
    rows = (await services.store.status()).rows
    assert report.observations > 2 * MAX_TRANSACTION_ROWS
    assert store.sizes == store.vectors == [sum(rows.values())] == [1 + report.observations]


@pytest.mark.slow
@pytest.mark.requirement("ruling:A21", "promise:3")
async def test_of_a_long_thought_that_was_cut_off_nothing_is_there_and_the_next_time_it_comes_in_whole(
    services: Services, small_transactions: None
) -> None:
    note = NewThought(content=LONGER, origin=Origin.HUMAN, id="t:long", source_ref="long.md")
    with pytest.raises(StoreError, match="power"):
        await replace(services.ingest, store=FailingStore(services.store, fail_at=0)).remember([note])
    cut = sum((await services.store.status()).rows.values())
    report = await services.ingest.remember([note])
    made = await rows_of(services, Observation)
    assert (cut, report.stored, report.observations) == (0, ("t:long",), 220)
    assert len({row.provenance[0].start for row in made}) == len(made) == 220


@pytest.mark.slow
@pytest.mark.requirement("ruling:C17", "ruling:H.10")
async def test_vectors_that_do_not_fit_into_the_transaction_of_their_rows_follow_it(
    services: Services, monkeypatch: pytest.MonkeyPatch, small_transactions: None
) -> None:
    monkeypatch.setattr("voice.services.memory.ingest.MAX_VECTOR_BYTES", 32 * 80)
    note = NewThought(content=LONGER, origin=Origin.HUMAN, id="t:long")
    store = FailingStore(services.store)
    await replace(services.ingest, store=store).remember([note])
    whole = await services.store.status()
    with pytest.raises(StoreError, match="power"):
        await replace(services.ingest, store=FailingStore(services.store, fail_at=1)).remember(
            [replace(note, id="t:cut")]
        )
    cut = await services.store.status()
    assert await services.ingest.embed_pending(limit=5000) == 141
    assert (await services.store.status()).pending_embeddings == 0
    assert (store.sizes, store.vectors) == ([221, 0, 0], [80, 100, 41])
    assert (whole.pending_embeddings, cut.pending_embeddings) == (0, 141)
    assert sum(cut.rows.values()) == 2 * 221


@pytest.mark.slow
@pytest.mark.requirement("ruling:F.6")
async def test_a_correction_of_a_long_note_is_one_write_with_what_waits_for_review(
    services: Services, monkeypatch: pytest.MonkeyPatch, small_transactions: None
) -> None:
    said = f"Ada Lund works at Kiln Co. {LONGER}"
    (old,) = (await services.ingest.remember([NewThought(content=said, origin=Origin.HUMAN)])).stored
    await services.extracting.stage_stored()
    waiting = services.correcting.candidates
    before, staged = await all_rows(services), await waiting.candidates(limit=99)
    assert staged
    request = CorrectRequest(row_id=old, text=said.replace("bowl 7 ", "pot 7 "))
    save, writes = waiting.save, list[WriteBatch]()

    async def fail(*_: object, rows: WriteBatch, **__: object) -> None:
        writes.append(rows)
        raise SessionConflict("somebody was faster")

    monkeypatch.setattr(waiting, "save", fail)
    with pytest.raises(SessionConflict, match="kept changing"):
        await services.correcting(request)
    assert (await all_rows(services), await waiting.candidates(limit=99)) == (before, staged)
    assert {len(each.rows) for each in writes} == {2 * (1 + 221)}
    monkeypatch.setattr(waiting, "save", save)
    done = await services.correcting(request)
    following = await waiting.candidates(CandidateFilter(thought_id=done.row_id), limit=99)
    live = [row for row in await rows_of(services, Observation) if row.status is RowStatus.ACTIVE]
    assert {each.id for each in following} == {each.id for each in staged}
    assert len(live) == 221
    assert {row.provenance[0].thought_id for row in live} == {done.row_id}


@pytest.mark.slow
@pytest.mark.requirement("ruling:F.3")
async def test_a_note_goes_with_all_that_rests_on_it_or_not_at_all(
    services: Services, small_transactions: None
) -> None:
    notes = [NewThought(content=LONGER, origin=Origin.HUMAN, id=f"t:{n}") for n in range(2)]
    await services.ingest.remember([*notes, NewThought(content=MOVED, origin=Origin.HUMAN)])
    wanted = ForgetRequest(ids=frozenset({"t:0", "t:1"}))
    with pytest.raises(StoreError, match="power"):
        await replace(services.forget, store=FailingStore(services.store, fail_at=1))(wanted, "forget")
    left = [row for row in await all_rows(services) if row.status is not RowStatus.REDACTED]
    of_note = [
        sum(row.provenance[0].thought_id == each.id for row in left if isinstance(row, Observation)) for each in notes
    ]
    there = [any(row.id == each.id for row in left) for each in notes]
    assert sorted(zip(there, of_note, strict=True)) == [(False, 0), (True, 220)]
    await services.forget(wanted, "forget")
    assert len([row for row in await all_rows(services) if row.status is not RowStatus.REDACTED]) == 2
    assert (await services.maintenance.verify(), (await services.store.status()).pending_embeddings) == ([], 0)


def resting(thought: Thought, target: str) -> Sequence[Row]:
    """Return what a file brings along of a thought: its observation, an entity and a relation of it."""
    (made,) = distil(thought)
    key = thought.id.removeprefix("t:")
    person = entity(key, f"Person {key}", provenance=made.provenance)
    tie = relation(key, person.id, target, rel_type="knows", provenance=made.provenance)
    return [person, replace(made, entity_ids=(person.id,)), tie]


@pytest.mark.requirement("ruling:F.1")
async def test_an_import_of_our_own_format_that_is_cut_off_leaves_no_part_of_a_thought(
    tmp_path: Path, small_transactions: None
) -> None:
    file, target = tmp_path / "own.jsonl", "e:0000"
    thoughts = [thought(f"{n:04}", f"I fired bowl {n} in the kiln.") for n in range(60)]
    rows = [row for each in thoughts for row in resting(each, target)]
    async with memory(tmp_path / "first", embedder=Alike()) as services:
        await services.store.write(WriteBatch(rows=(*thoughts, *rows)))
        await services.transfer.export_memory(str(file))
    async with memory(tmp_path / "second", embedder=Alike()) as services:
        store = FailingStore(services.store, fail_at=1)
        failing = replace(services.transfer, ingest=replace(services.ingest, store=store))
        with pytest.raises(StoreError, match="power"):
            await failing.import_memory(request(file))
        cut = {row.id for row in await all_rows(services)}
        assert await services.torn.rows.torn() == []
        for each in thoughts:
            of_it = {each.id, *(row.id for row in resting(each, target))}
            assert of_it <= cut or not of_it & cut
        assert 0 < len(cut) < 4 * len(thoughts)
        report = await services.transfer.import_memory(request(file))
        whole = await all_rows(services)
    done = len(cut) // 4
    assert len(whole) == 4 * len(thoughts)
    assert (len(report.ingested.stored), report.entities, report.observations, report.relations) == (60 - done,) * 4
    assert (report.graph_known, report.ingested.observations) == (3 * done, 0)


@pytest.mark.slow
@pytest.mark.requirement("ruling:F.3")
async def test_empty_vectors_that_do_not_fit_into_the_transaction_of_redacted_rows_follow_it(
    services: Services, monkeypatch: pytest.MonkeyPatch, small_transactions: None
) -> None:
    monkeypatch.setattr("voice.services.memory.ingest.MAX_VECTOR_BYTES", 32 * 120)
    long = f"{LONGER} {LONGER.replace('bowl', 'pot')}"
    await services.ingest.remember([NewThought(content=long, origin=Origin.HUMAN, id="t:long")])
    store = FailingStore(services.store)
    await replace(services.forget, store=store)(ForgetRequest(ids=frozenset({"t:long"})), "redact")
    status = await services.store.status()
    assert (store.sizes, store.vectors) == ([441, 0, 0, 0], [120, 120, 120, 81])
    assert status.pending_embeddings == 0
