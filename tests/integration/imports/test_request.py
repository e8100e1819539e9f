"""Memory files in and out: bad lines are told, interrupted imports go on, and an export is the memory."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from failing_store import FailingStore
from played_turns import FIRED, MOVED, NOW, all_rows, ask, grounded, memory, rows_of, tell
from synced_folders import bring_in, request
from voice.adapters.files.packaged_data import example_memory
from voice.bootstrap import Services
from voice.core.errors import DataFileError, StoreError
from voice.core.records import Observation, Origin, Thought, Tombstone
from voice.core.retrieval.params import RetrieveRequest
from voice.core.text.normalise import content_hash, keyed_hash
from voice.ports.stores import WriteBatch


def lines(path: Path, *records: object) -> Path:
    """Write an own-format file; a text stands for itself, anything else for its JSON."""
    texts = [record if isinstance(record, str) else json.dumps(record, ensure_ascii=False) for record in records]
    path.write_text("\n".join(['{"format":"inner-voice-memory/1"}', *texts, ""]), encoding="utf-8")
    return path


def thought(content: str, **members: object) -> dict[str, object]:
    return {"type": "thought", "content": content, **members}


async def exported(services: Services, path: Path) -> bytes:
    """Export the memory and return the file's bytes."""
    await services.transfer.export_memory(str(path), overwrite=True)
    return path.read_bytes()


HAND = (
    thought(MOVED, created_at="2026-03-01"),
    {"type": "relation", "source": "Irma", "target": "Chess club", "rel_type": "member_of"},
    {"type": "observation", "text": "Irma plays the Caro-Kann.", "entities": ["irma"], "created_at": "2026-02-01"},
    {"type": "entity", "name": "Irma Kowalski", "entity_type": "person", "aliases": ["Irma"]},
    {"type": "entity", "name": "Chess club", "entity_type": "organisation"},
)


@pytest.mark.requirement("ruling:A21", "ruling:H.3")
async def test_a_file_by_hand_comes_in_whatever_the_order_of_its_lines_and_can_be_asked_at_once(tmp_path: Path) -> None:
    async with memory(tmp_path, grounded()) as services:
        report = await bring_in(services, lines(tmp_path / "a.jsonl", *HAND, thought(FIRED)))
        turn = await ask(services)
    assert (len(report.ingested.stored), report.ingested.observations) == (2, 2)
    assert (report.entities, report.observations, report.relations) == (2, 1, 1)
    assert (report.bad, report.notes, report.graph_known) == ((), (), 0)
    assert turn.exchange.status == "answered"


@pytest.mark.requirement("promise:6")
async def test_a_bad_line_is_told_with_its_number_and_reason_and_the_rest_comes_in(
    services: Services, tmp_path: Path
) -> None:
    path = lines(
        tmp_path / "a.jsonl",
        thought(MOVED, colour="SECRETBLUE", size=1),
        "{not json SECRETBLUE",
        thought(""),
        {"type": "relation", "source": "SECRETBLUE", "target": "nobody", "rel_type": "is"},
        {"type": "observation", "text": "x y", "provenance": [{"thought_id": "t:none", "start": 0, "end": 1}]},
        thought(FIRED, is_summary="yes"),
        thought("One. Two.", colour="red"),
        {"type": "dream"},
    )
    report = await bring_in(services, path)
    assert len(report.ingested.stored) == 2
    assert sorted(bad.where for bad in report.bad) == [f"line {n}" for n in (3, 4, 5, 6, 7, 9)]
    assert all(bad.reason and "SECRETBLUE" not in bad.reason for bad in report.bad)
    assert report.notes == ("left out the unknown field 'colour' (2×)", "left out the unknown field 'size' (1×)")


@pytest.mark.requirement("promise:3")
async def test_an_import_that_was_cut_off_is_resumed_by_running_it_again(services: Services, tmp_path: Path) -> None:
    many = [thought(f"The kiln reached {n} degrees on day {n}.", created_at="2026-01-01") for n in range(100)]
    path = lines(tmp_path / "a.jsonl", *many, *HAND)
    reading, storing = list[tuple[int, int | None]](), list[tuple[int, int | None]]()
    cut = replace(services.transfer, ingest=replace(services.ingest, store=FailingStore(services.store, fail_at=2)))
    with pytest.raises(StoreError, match="power"):
        await cut.import_memory(request(path))
    before = sum((await services.store.status()).rows.values())
    resumed = await services.transfer.import_memory(
        request(path),
        reading=lambda done, total: reading.append((done, total)),
        storing=lambda done, total: storing.append((done, total)),
    )
    whole = await exported(services, tmp_path / "whole.jsonl")
    again = await bring_in(services, path)
    assert await exported(services, tmp_path / "again.jsonl") == whole
    assert before > 0
    assert resumed.ingested.already_known > 0
    assert resumed.ingested.already_known + len(resumed.ingested.stored) == 101
    assert (again.ingested.already_known, again.ingested.stored, again.graph_known) == (101, (), 4)
    assert (again.entities, again.observations, again.relations) == (0, 0, 0)
    assert storing[-1] == (101, 101)
    assert reading[-1][0] == reading[-1][1] == path.stat().st_size


@pytest.mark.requirement("promise:8", "ruling:H.1")
async def test_an_export_of_an_import_of_an_export_is_the_export(tmp_path: Path) -> None:
    async with memory(tmp_path / "one") as services:
        first = await bring_in(services, example_memory())
        grave = Tombstone(row_id="t:gone", keyed_hash="k" * 64, reason="forgotten", at=NOW)
        await services.store.write(WriteBatch(tombstones=(grave,)))
        one = await exported(services, tmp_path / "one.jsonl")
        with pytest.raises(DataFileError, match="already there"):
            await services.transfer.export_memory(str(tmp_path / "one.jsonl"))
        counts = (await services.store.status()).rows
    async with memory(tmp_path / "two") as services:
        second = await bring_in(services, tmp_path / "one.jsonl")
        again = await bring_in(services, tmp_path / "one.jsonl")
        two = await exported(services, tmp_path / "two.jsonl")
        assert (await services.store.status()).rows == counts
    assert first.bad == second.bad == ()
    assert one == two
    assert (second.tombstones, again.tombstones) == (1, 0)
    assert (tmp_path / "one.jsonl").stat().st_mode & 0o777 == 0o600
    assert len(one.splitlines()) == sum(counts.values()) + 2


@pytest.mark.requirement("ruling:H.7", "promise:6")
async def test_a_file_brings_nothing_back_that_was_forgotten_nor_what_was_drawn_from_it(
    services: Services, tmp_path: Path
) -> None:
    secret = "The emerald ring lies under the kiln in the shed."
    span = {"provenance": [{"thought_id": "t:other", "start": 0, "end": 10}]}
    path = lines(
        tmp_path / "a.jsonl",
        thought(secret, id="t:other"),
        thought(MOVED),
        {"type": "observation", "text": secret, **span},
        {"type": "entity", "name": "The emerald ring", "entity_type": "tool", "description": "is hidden", **span},
    )
    keyed = keyed_hash((services.home / "key").read_bytes(), content_hash(secret))
    grave = Tombstone(row_id="t:gone", keyed_hash=keyed, reason="forgotten", at=NOW)
    await services.store.write(WriteBatch(tombstones=(grave,)))
    report = await bring_in(services, path)
    everything = await exported(services, tmp_path / "all.jsonl")
    assert (report.ingested.forgotten, len(report.ingested.stored)) == (1, 1)
    assert (report.entities, report.observations, report.bad) == (0, 0, ())
    assert b"emerald" not in everything
    assert MOVED.encode() in everything


@pytest.mark.requirement("ruling:H.7")
async def test_a_row_that_is_gone_stays_gone_and_one_that_is_here_is_not_buried_by_a_file(
    services: Services, tmp_path: Path
) -> None:
    grave = {"type": "tombstone", "keyed_hash": "k" * 64, "reason": "forgotten", "at": "2026-03-01T00:00:00Z"}
    path = lines(
        tmp_path / "a.jsonl", {**grave, "row_id": "t:gone"}, {**grave, "row_id": "t:here"}, thought(FIRED, id="t:gone2")
    )
    back = lines(tmp_path / "b.jsonl", thought(MOVED, id="t:gone"))
    await bring_in(services, lines(tmp_path / "c.jsonl", thought(MOVED, id="t:here")))
    report = await bring_in(services, path)
    returned = await bring_in(services, back)
    rows = await services.store.fetch(["t:gone", "t:here", "t:gone2"])
    assert (report.tombstones, report.bad) == (1, ())
    assert (returned.ingested.forgotten, returned.ingested.stored) == (1, ())
    assert set(rows) == {"t:here", "t:gone2"}


@pytest.mark.requirement("promise:6", "ruling:C10")
async def test_private_makes_every_row_of_a_file_private_and_tags_reach_what_is_drawn_from_its_thoughts(
    services: Services, tmp_path: Path
) -> None:
    await bring_in(services, lines(tmp_path / "a.jsonl", *HAND), is_private=True, tags=("imported",))
    rows = await all_rows(services)
    assert len(rows) == 6
    assert all(row.is_private for row in rows)
    drawn = [row for row in rows if isinstance(row, Thought) or (isinstance(row, Observation) and row.text == MOVED)]
    assert [row.tags for row in drawn] == [("imported",)] * 2


@pytest.mark.requirement("ruling:A13", "ruling:A12", "ruling:H.3")
async def test_whose_words_a_file_holds_is_settled_by_the_entrance(services: Services, tmp_path: Path) -> None:
    path = lines(
        tmp_path / "a.jsonl",
        thought("The kiln is mine, I say.", id="t:own"),
        thought("The kiln is yours, I say.", id="t:said", speaker="assistant", kind="assistant_chat"),
        thought("The kiln is theirs, I say.", id="t:claimed", origin="tool"),
        thought("The kiln is nobody's, I say.", id="t:voice", origin="human", pipeline="inner_voice"),
    )
    report = await bring_in(services, path)
    rows = await services.store.fetch(["t:own", "t:said", "t:claimed", "t:voice"])
    found = await services.find(RetrieveRequest(query="whose is the kiln", floor=0.0, top_k=50, include_private=True))
    assert {row_id: row.origin for row_id, row in rows.items()} == {
        "t:own": Origin.HUMAN, "t:said": Origin.MODEL, "t:claimed": Origin.TOOL, "t:voice": Origin.MODEL,
    }  # fmt: skip
    assert report.ingested.observations == 1
    assert "t:voice" not in {snippet.id for snippet in found.snippets}


@pytest.mark.requirement("ruling:A21")
async def test_observations_that_a_file_brings_along_are_not_drawn_a_second_time(tmp_path: Path) -> None:
    async with memory(tmp_path / "one") as services:
        await tell(services, f"{MOVED} {FIRED}")
        await exported(services, tmp_path / "whole.jsonl")
        (kept,) = [row for row in await rows_of(services, Observation) if row.text == MOVED]
    records = [json.loads(line) for line in (tmp_path / "whole.jsonl").read_text(encoding="utf-8").splitlines()[1:]]
    one_left = [record for record in records if record["type"] == "thought" or record["id"] == kept.id]
    async with memory(tmp_path / "two") as services:
        report = await bring_in(services, lines(tmp_path / "some.jsonl", *one_left))
        rows = (await services.store.status()).rows
    assert (report.ingested.observations, report.observations) == (0, 1)
    assert sum(rows.values()) == 2
