"""What `StoreMaintenance` promises, held against every store; a backup of any store fills any other."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from blake3 import blake3
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from candidate_values import edge, person
from recall_values import capsule, full_capsule, full_pin, pin
from store_values import (
    NOON,
    Driven,
    Stores,
    entity,
    exchange,
    full_exchange,
    full_rows,
    relation,
    session,
    talk,
    thought,
    tombstone,
    vector,
)
from stores_in_memory import store_in_memory
from voice.core.errors import ConfigurationError, DataFileError, InvalidParams
from voice.core.recall.values import Capsule, Pin
from voice.core.records import Provenance
from voice.core.session.lifecycle import append
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.ports.stores import Change, WriteBatch


async def _fill(stores: Stores) -> None:
    rows = tuple(replace(row, revision=1) for row in full_rows())
    await stores.memory.write(WriteBatch(rows=rows, vectors=(vector("t:full"), vector("o:full"))))
    await stores.memory.write(WriteBatch(rows=(thought("gone"), entity("2")), embedding_failed=("e:2",)))
    await stores.memory.write(WriteBatch(rows=(relation("2", "e:2", "e:full"),), tombstones=(tombstone("t:gone"),)))
    spoken = await talk(stores.sessions, [exchange(), exchange(index=1, is_private=True, cost_estimate=None)])
    turn = full_exchange(index=2)
    await stores.sessions.save(append(spoken, turn), [turn], expected=spoken.revision)
    await stores.metrics.record("turn", NOON, {"latency_ms": 1.5, "model": "x"})
    await stores.pins.save_pin(full_pin())
    await stores.capsules.save_capsule(full_capsule(), expected=0)


Content = tuple[list[Change], list[DialogueExchange], InnerVoiceSession | None, int, int, list[Pin], list[Capsule]]


async def _back_up_of_a_filled_store(path: Path) -> None:
    async with await store_in_memory() as filled:
        await _fill(filled)
        await filled.maintenance.backup(str(path))


async def _content(stores: Stores) -> Content:
    return (
        await stores.memory.changes(0, 1000),
        await stores.sessions.exchanges(),
        await stores.sessions.load("s:1", window=100),
        (await stores.memory.status()).last_seq,
        await stores.metrics.count("turn"),
        await stores.pins.pins(),
        await stores.capsules.capsules(limit=9),
    )


@pytest.mark.requirement("ruling:H.2a", "ruling:B8")
async def test_a_backup_restored_into_an_empty_store_is_the_same_memory(
    stores: Stores, second: Stores, tmp_path: Path
) -> None:
    await _fill(stores)
    made = await stores.maintenance.backup(str(tmp_path / "b.jsonl"))
    restored = await second.maintenance.restore(made.path)
    assert restored == made
    assert await _content(second) == await _content(stores)
    assert await second.maintenance.verify() == []
    last = (await stores.memory.status()).last_seq
    assert await second.memory.write(WriteBatch(rows=(thought("later"),))) == last + 1


@pytest.mark.requirement("ruling:H.2a")
async def test_candidates_with_many_names_and_thoughts_are_backed_up_once_each(
    stores: Stores, second: Stores, tmp_path: Path
) -> None:
    resting = [[Provenance(thought_id=key, start=0, end=1) for key in (f"t:{n}", "t:0", "t:7")] for n in range(6)]
    held = [person(f"P{n}", provenance=tuple(spans)) for n, spans in enumerate(resting)]
    await stores.candidates.save([*held, *(edge(f"P{n}", provenance=held[n].provenance) for n in range(6))])
    made = await stores.maintenance.backup(str(tmp_path / "b.jsonl"))
    assert made.rows == 12
    await second.maintenance.restore(made.path)
    assert await second.candidates.candidates(limit=99) == await stores.candidates.candidates(limit=99)


@pytest.mark.requirement("ruling:H.1", "ruling:D20", "ruling:H.7")
async def test_a_backup_is_private_counts_its_lines_and_holds_tombstones(stores: Stores, tmp_path: Path) -> None:
    await _fill(stores)
    made = await stores.maintenance.backup(str(tmp_path / "b.jsonl"))
    path = tmp_path / "b.jsonl"
    assert path.stat().st_mode & 0o777 == 0o600
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert (lines[0]["format"], lines[0]["version"], lines[0]["last_seq"]) == ("voice-backup", 4, 16)
    assert (made.rows, lines[-1]["lines"]) == (len(lines) - 2, len(lines) - 2)
    assert [line["value"]["row_id"] for line in lines if line.get("kind") == "tombstones"] == ["t:gone"]


async def test_a_backup_replaces_an_older_one_and_leaves_nothing_beside_it(stores: Stores, tmp_path: Path) -> None:
    path = tmp_path / "backups" / "b.jsonl"
    path.parent.mkdir()
    path.write_text("older")
    await stores.maintenance.backup(str(path))
    assert [each.name for each in path.parent.iterdir()] == ["b.jsonl"]
    assert path.read_bytes().startswith(b'{"counts"')


async def test_a_backup_that_cannot_be_written_says_so(stores: Stores, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(ConfigurationError, match="not a directory"):
        await stores.maintenance.backup(str(tmp_path / "file" / "b.jsonl"))


async def test_a_store_that_holds_something_is_not_filled(stores: Stores, second: Stores, tmp_path: Path) -> None:
    await _fill(stores)
    made = await stores.maintenance.backup(str(tmp_path / "b.jsonl"))
    await talk(second.sessions, [exchange("s:mine")])
    with pytest.raises(InvalidParams, match="not empty"):
        await second.maintenance.restore(made.path)
    assert (await second.memory.status()).exchanges == 1


async def test_pins_and_capsules_are_something_too(stores: Stores, second: Stores, tmp_path: Path) -> None:
    made = await stores.maintenance.backup(str(tmp_path / "b.jsonl"))
    await second.pins.save_pin(pin())
    with pytest.raises(InvalidParams, match="not empty"):
        await second.maintenance.restore(made.path)
    await second.pins.remove_pin("p:1")
    await second.capsules.save_capsule(capsule(), expected=0)
    with pytest.raises(InvalidParams, match="not empty"):
        await second.maintenance.restore(made.path)


@pytest.mark.parametrize("version", [1, 2])
async def test_a_backup_from_before_pins_and_candidates_is_read(stores: Stores, tmp_path: Path, version: int) -> None:
    older = await store_in_memory()
    await older.memory.write(WriteBatch(rows=(thought(),)))
    await older.maintenance.backup(str(tmp_path / "b.jsonl"))
    lines = (tmp_path / "b.jsonl").read_bytes().splitlines(keepends=True)
    lines[0] = lines[0].replace(b'"version":3', b'"version":%d' % version)
    digest = blake3(b"".join(lines[:-1])).hexdigest()
    lines[-1] = b'{"blake3":"' + digest.encode() + b'","end":"voice-backup","lines":1}\n'
    (tmp_path / "b.jsonl").write_bytes(b"".join(lines))
    await stores.maintenance.restore(str(tmp_path / "b.jsonl"))
    assert set(await stores.memory.fetch(["t:1"])) == {"t:1"}


@pytest.mark.requirement("ruling:H.7")
async def test_what_was_forgotten_here_does_not_come_back_from_a_backup(
    stores: Stores, second: Stores, tmp_path: Path
) -> None:
    await _fill(stores)
    made = await stores.maintenance.backup(str(tmp_path / "b.jsonl"))
    await second.memory.write(WriteBatch(tombstones=(tombstone("t:full"), tombstone("t:gone"))))
    await second.maintenance.restore(made.path)
    assert set(await second.memory.fetch(["t:full", "o:full"])) == {"o:full"}
    changes = await second.memory.changes(0, 100)
    assert [(change.row_id, change.row) for change in changes[-2:]] == [("t:full", None), ("t:gone", None)]
    assert (await second.memory.status()).last_seq == 18
    assert await second.ledger.buried(["t:full", "t:gone"]) == {"t:full", "t:gone"}
    assert await second.maintenance.verify() == []


@pytest.mark.requirement("ruling:H.2a")
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True)
@given(data=st.data())
def test_a_backup_with_any_damage_is_refused_and_nothing_is_written(
    driven: Driven, tmp_path: Path, data: st.DataObject
) -> None:
    path = tmp_path / "good.jsonl"
    if not path.exists():
        driven.run(_back_up_of_a_filled_store(path))
    good = path.read_bytes()
    place = data.draw(st.integers(0, len(good) - 1), label="place")
    damaged = data.draw(
        st.sampled_from(
            [
                good[:place],
                good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :],
                good[:place] + bytes([good[place] ^ 0x80]) + good[place + 1 :],
                good + good[place:],
            ]
        ),
        label="damaged",
    )
    (tmp_path / "bad.jsonl").write_bytes(damaged)
    with pytest.raises(DataFileError):
        driven.run(driven.stores.maintenance.restore(str(tmp_path / "bad.jsonl")))
    status = driven.run(driven.stores.memory.status())
    assert (status.last_seq, sum(status.rows.values()), status.sessions, status.exchanges) == (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "cannot be read"),
        (b"\x00\xff\n", "cannot be read"),
        (b'{"format":"other"}\n', "not a backup"),
        (b'{"format":"voice-backup","version":99}\n', "another version"),
        (b'{"format":"voice-backup","version":1}\n', "first line"),
        (b"[1]\n", "cannot be read"),
        (b"[" * 100_000, "cannot be read"),
    ],
)
async def test_another_file_is_not_a_backup(stores: Stores, tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "b.jsonl").write_bytes(content)
    with pytest.raises(DataFileError, match=words):
        await stores.maintenance.restore(str(tmp_path / "b.jsonl"))


@pytest.mark.parametrize("name", ["missing.jsonl", "."])
async def test_a_backup_that_is_not_there_is_named(stores: Stores, tmp_path: Path, name: str) -> None:
    with pytest.raises(DataFileError, match="cannot be read"):
        await stores.maintenance.restore(str(tmp_path / name))


async def test_a_sound_store_has_no_faults(stores: Stores) -> None:
    assert await stores.maintenance.verify() == []
    await _fill(stores)
    assert await stores.maintenance.verify() == []
    assert (await stores.memory.head()).last_seq > 0


async def test_totals_that_are_not_those_of_the_exchanges_are_a_fault(stores: Stores) -> None:
    turn = exchange()
    spoken = append(session(), turn)
    await stores.sessions.save(replace(spoken, total_exchanges=1, total_tokens=spoken.total_tokens), [turn], expected=0)
    assert await stores.maintenance.verify() == []
    await stores.sessions.save(replace(spoken, answered=7, revision=2), [], expected=1)
    assert [fault.partition(":")[0] for fault in await stores.maintenance.verify()] == ["s"]
