"""Ids as records, statements that are too large, and an engine that fails."""

import pytest

from store_values import thought
from stores_in_memory import store_in_memory
from voice.adapters.surreal.connection import RecordID, block, record, row_id_of, row_record
from voice.adapters.surreal.embedded_engine import EmbeddedConnection
from voice.adapters.surreal.stores import rows
from voice.core.errors import InvalidParams, StoreDamaged, StoreError, StoreUnavailable
from voice.core.records import Thought
from voice.ports.stores import WriteBatch


@pytest.mark.requirement("ruling:B2")
def test_a_row_id_is_a_record_and_back() -> None:
    assert row_record("o:a:b") == RecordID("kg_observations", "a:b")
    assert row_id_of(RecordID("kg_observations", "a:b")) == "o:a:b"
    assert record("stamps", "t:1") == RecordID("stamps", "t:1")


@pytest.mark.parametrize("row_id", ["", "t", "t:", "z:1", "t:\ud800"])
def test_what_no_row_can_be_called_is_no_record(row_id: str) -> None:
    with pytest.raises(InvalidParams):
        row_record(row_id)


@pytest.mark.parametrize("found", [RecordID("metrics", "x"), "t:1", None])
def test_a_record_of_no_table_of_rows_is_damage(found: object) -> None:
    with pytest.raises(StoreDamaged):
        row_id_of(found)


@pytest.mark.parametrize("key", ["", "\ud800"])
def test_an_empty_or_broken_key_is_refused(key: str) -> None:
    with pytest.raises(InvalidParams):
        record("stamps", key)


def test_steps_become_one_statement() -> None:
    assert block("LET $a = 1;", "LET $b = 2;", result="$a") == "{ LET $a = 1; LET $b = 2; RETURN $a; }"


@pytest.mark.requirement("ruling:H.10")
@pytest.mark.parametrize(
    "row",
    [
        thought(content="x" * (1 << 20)),
        thought(content="窯" * (1 << 19)),
        thought(tags=("x" * (1 << 19), "y" * (1 << 19))),
    ],
)
async def test_a_batch_of_too_many_bytes_is_refused_before_the_engine_sees_it(
    monkeypatch: pytest.MonkeyPatch, row: Thought
) -> None:
    monkeypatch.setattr(rows, "MAX_STATEMENT_BYTES", 1 << 20)
    stores = await store_in_memory()
    with pytest.raises(InvalidParams, match="at most 1 MiB"):
        await stores.memory.write(WriteBatch(rows=(row,)))
    assert (await stores.memory.status()).last_seq == 0


@pytest.mark.requirement("ruling:B14")
async def test_an_error_in_the_middle_of_a_block_is_the_blocks_error() -> None:
    stores = await store_in_memory()
    text = block("CREATE metrics SET name = 'x', at = time::now(), body = '';", "SELECT * FROM missing;")
    with pytest.raises(StoreError, match=r"refused to test \(NotFound\)"):
        await stores.connection.run("test", text)
    assert await stores.metrics.count("x") == 0
    with pytest.raises(StoreError, match=r"refused to test \(Validation\)"):
        await stores.connection.run("test", "SELECT FROM")


async def test_an_engine_that_stops_by_itself_is_unavailable(bare: EmbeddedConnection) -> None:
    engine = bare._engine  # pyright: ignore[reportPrivateUsage]
    inside = engine._engine  # pyright: ignore[reportPrivateUsage]
    assert inside is not None
    engine._thread.submit(inside.close).result()  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(StoreUnavailable, match="cannot be reached to look"):
        await bare.run("look", "RETURN 1")


@pytest.mark.parametrize("value", ["half \ud800", 2**70, None])
async def test_a_value_that_cannot_be_sent_is_an_error_of_the_store(value: object, bare: EmbeddedConnection) -> None:
    with pytest.raises(StoreError):
        await bare.run("keep it", "RETURN $value", {"value": value})


async def test_what_the_engine_cannot_read_is_an_error_of_the_store_and_the_next_statement_works(
    bare: EmbeddedConnection,
) -> None:
    nested: object = 1
    for _ in range(300):
        nested = [nested]
    with pytest.raises(StoreError, match="could not read the request to keep it"):
        await bare.run("keep it", "RETURN $value", {"value": nested})
    assert await bare.run("answer", "RETURN 1") == 1
