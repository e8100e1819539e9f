"""A backup file is believed only as a whole: files that were made with care, and are wrong all the same."""

import json
from io import BytesIO
from pathlib import Path

import pytest
from blake3 import blake3

from store_values import Stores, thought, vector
from tables import tables
from voice.adapters.disk.backup_file import batches, check_backup
from voice.adapters.surreal.opening import open_store
from voice.core.errors import DataFileError
from voice.ports.stores import WriteBatch

TABLES = tables(__file__)

GOOD: dict[str, object] = {"kind": "metrics", "value": {"name": "x", "at": "2025-03-01T12:00:00Z", "values": {}}}
_EMPTY: dict[str, int] = {}


def _file(*lines: object, counts: dict[str, int] = _EMPTY) -> BytesIO:
    """A file whose checksum is right, whatever it says."""
    head: dict[str, object] = {
        "format": "voice-backup",
        "version": 1,
        "store_id": "s",
        "last_seq": 0,
        "schema": [],
        "counts": counts,
    }
    body = b"".join(json.dumps(line).encode() + b"\n" for line in (head, *lines))
    end = {"blake3": blake3(body).hexdigest(), "end": "voice-backup", "lines": len(lines)}
    return BytesIO(body + json.dumps(end, separators=(",", ":")).encode() + b"\n")


def test_a_sound_file_is_believed() -> None:
    assert check_backup(_file(GOOD, counts={"metrics": 1, "thoughts": 0}), "b").store_id == "s"


@pytest.mark.parametrize(("line", "words"), TABLES["a_line_that_is_no_entry_is_refused_by_its_number"])
def test_a_line_that_is_no_entry_is_refused_by_its_number(line: object, words: str) -> None:
    with pytest.raises(DataFileError, match=words):
        check_backup(_file(line, counts={"metrics": 1}), "b")


def test_a_file_that_counts_otherwise_is_refused() -> None:
    with pytest.raises(DataFileError, match="first line says"):
        check_backup(_file(GOOD, counts={"metrics": 2}), "b")


def test_a_file_without_its_last_line_is_cut_short() -> None:
    whole = _file(GOOD, counts={"metrics": 1}).getvalue()
    with pytest.raises(DataFileError, match="cut short"):
        check_backup(BytesIO(whole[: whole.rindex(b'{"blake3"')]), "b")


def test_entries_are_grouped_in_order() -> None:
    rows = [thought(f"{place}") for place in range(5)]
    assert [len(group) for group in batches(iter(rows), 2)] == [2, 2, 1]
    assert list(batches(iter(rows[:4]), 2)) == [rows[:2], rows[2:4]]


async def test_a_backup_of_more_than_a_page_is_restored_page_by_page(tmp_path: Path) -> None:
    rows = tuple(thought(f"{place:04}") for place in range(1100))
    async with (
        await open_store("surrealkv://large", home=tmp_path) as large,
        await open_store("surrealkv://memory", home=tmp_path) as stores,
    ):
        await large.memory.write(WriteBatch(rows=rows, vectors=tuple(vector(row.id) for row in rows)))
        await large.maintenance.backup(str(tmp_path / "b.jsonl"))
        await stores.maintenance.restore(str(tmp_path / "b.jsonl"))
        assert await _ids(stores) == await _ids(large)
        assert await stores.maintenance.verify() == []


async def test_a_backup_of_a_newer_schema_is_refused(tmp_path: Path) -> None:
    async with await open_store("surrealkv://memory", home=tmp_path) as stores:
        text = "CREATE migrations:`999_future` SET checksum = 'x', taken_at = time::now()"
        await stores.connection.run("pretend", text)
        await stores.maintenance.backup(str(tmp_path / "b.jsonl"))
    async with await open_store("surrealkv://second", home=tmp_path) as stores:
        with pytest.raises(DataFileError, match="newer version"):
            await stores.maintenance.restore(str(tmp_path / "b.jsonl"))
        assert (await stores.memory.status()).last_seq == 0


async def _ids(stores: Stores) -> list[tuple[int, str, bool]]:
    changes = await stores.memory.changes(0, 5000)
    return [(change.seq, change.row_id, change.vector is not None) for change in changes]
