"""Whoever comes into a store again looks first whether it is the one it knew."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from fake_holder import CARD, entered
from stores_watched import write
from voice.adapters.surreal.connection import META, Connection, RecordID
from voice.adapters.surreal.opening import open_store, require_key
from voice.adapters.surreal.schema import Migration, migrate, shipped
from voice.core.errors import ConfigurationError, SchemaDrift, StoreDamaged, VoiceError

pytestmark = pytest.mark.requirement("holder:recognised")

URL = "surrealkv://memory"
_NEWER = Migration(name="999_later", checksum="later", text="DEFINE TABLE later SCHEMAFULL;")


@asynccontextmanager
async def _taken_over(home: Path) -> AsyncGenerator[Connection]:
    """Hold the store as a newer program does, until the end of the block."""
    async with entered(home, card=replace(CARD, version="9.0.0")) as newer:
        assert newer.holds
        yield newer


async def _rows(home: Path) -> object:
    async with entered(home) as now:
        return await now.run("look", "SELECT VALUE record::id(id) FROM thoughts ORDER BY id")


async def test_an_older_program_writes_nothing_into_a_store_that_a_newer_one_gave_another_form(tmp_path: Path) -> None:
    async with await open_store(URL, home=tmp_path) as older:
        await write(older, "before")
        async with _taken_over(tmp_path) as newer:
            await migrate(newer, [*shipped(), _NEWER])
        for _ in range(2):
            with pytest.raises(SchemaDrift, match="999_later"):
                await write(older, "after")
    assert await _rows(tmp_path) == ["before"]


@pytest.mark.parametrize(
    ("done", "refused", "said"),
    [
        ("UPDATE $meta SET restoring = true", StoreDamaged, "did not finish"),
        ("UPDATE $meta SET key_check = 'another'", ConfigurationError, "another key"),
        ("UPDATE $meta SET store_id = 'another'", ConfigurationError, "another store"),
        ("DELETE $meta", StoreDamaged, "its own state"),
        ("DELETE migrations WHERE id > $first", SchemaDrift, "no longer"),
    ],
)
async def test_a_store_that_is_another_one_meanwhile_is_not_written(
    tmp_path: Path, done: str, refused: type[VoiceError], said: str
) -> None:
    async with await open_store(URL, home=tmp_path) as stores:
        await require_key(stores.connection, "mine", home=tmp_path)
        await write(stores, "before")
        async with _taken_over(tmp_path) as other:
            await other.run("meddle", done, {"meta": META, "first": RecordID("migrations", "001_base")})
        with pytest.raises(refused, match=said):
            await write(stores, "after")
        with pytest.raises(refused, match=said):
            await stores.memory.fetch(["t:before"])


async def test_a_guest_looks_as_the_holder_does(tmp_path: Path) -> None:
    async with (
        await open_store(URL, home=tmp_path),
        await open_store(URL, home=tmp_path) as guest,
        _taken_over(tmp_path) as newer,
    ):
        await migrate(newer, [*shipped(), _NEWER])
        with pytest.raises(SchemaDrift):
            await write(guest, "as a guest of the newer one")


async def test_a_store_that_is_the_same_is_gone_on_with(tmp_path: Path) -> None:
    async with await open_store(URL, home=tmp_path) as stores:
        await require_key(stores.connection, "mine", home=tmp_path)
        async with _taken_over(tmp_path):
            pass
        await write(stores, "after")
        await require_key(stores.connection, "mine", home=tmp_path)
    assert await _rows(tmp_path) == ["after"]
