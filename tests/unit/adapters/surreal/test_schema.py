"""The ledger takes each step once, in order, and refuses a store it does not understand."""

from collections.abc import AsyncGenerator

import pytest

from served_stores import IN_MEMORY, SERVED, open_connection
from voice.adapters.surreal.connection import Connection
from voice.adapters.surreal.schema import Migration, migrate, remaining, shipped, taken
from voice.core.errors import SchemaDrift, StoreError

ONE = Migration(name="001_one", checksum="a", text="DEFINE TABLE meta SCHEMALESS;")
TWO = Migration(name="002_two", checksum="b", text="DEFINE TABLE two SCHEMAFULL;")
BROKEN = Migration(name="002_two", checksum="b", text="DEFINE TABLE two SCHEMAFULL; THROW 'broken';")


@pytest.fixture(params=[IN_MEMORY, *SERVED])
async def connection(request: pytest.FixtureRequest) -> AsyncGenerator[Connection]:
    opened = await open_connection(str(request.param))
    yield opened
    await opened.aclose()


@pytest.mark.requirement("ruling:B7")
async def test_steps_are_taken_once_and_in_order(connection: Connection) -> None:
    await migrate(connection, (ONE,))
    await migrate(connection, (ONE, TWO))
    await migrate(connection, (ONE, TWO))
    assert await taken(connection) == [("001_one", "a"), ("002_two", "b")]


@pytest.mark.requirement("ruling:B7")
async def test_a_step_that_fails_leaves_no_trace(connection: Connection) -> None:
    with pytest.raises(StoreError):
        await migrate(connection, (ONE, BROKEN))
    assert await taken(connection) == [("001_one", "a")]
    await migrate(connection, (ONE, TWO))
    assert len(await taken(connection)) == 2


@pytest.mark.requirement("ruling:B7")
async def test_a_store_with_an_edited_or_unknown_step_is_refused(connection: Connection) -> None:
    await migrate(connection, (ONE, TWO))
    edited = Migration(name="001_one", checksum="other", text=ONE.text)
    with pytest.raises(SchemaDrift, match="001_one differs"):
        await migrate(connection, (edited, TWO))
    with pytest.raises(SchemaDrift, match="002_two, which this version of voice does not know"):
        await migrate(connection, (ONE,))


async def test_a_step_that_another_process_took_meanwhile_is_no_fault(connection: Connection) -> None:
    class Raced:
        """The connection as it looks to the slower of two processes: the ledger it reads first is old."""

        def __init__(self) -> None:
            self.answers: list[object] = [[]]

        async def run(self, purpose: str, text: str, params: object = None) -> object:
            if text.startswith("SELECT") and self.answers:
                return self.answers.pop()
            return await connection.run(purpose, text, params)  # pyright: ignore[reportArgumentType]

        async def aclose(self) -> None: ...

    await migrate(connection, (ONE,))
    await migrate(Raced(), (ONE,))
    assert await taken(connection) == [("001_one", "a")]


def test_nothing_remains_of_what_was_done() -> None:
    assert remaining([("001_one", "a")], (ONE, TWO)) == [TWO]


def test_the_shipped_steps_are_numbered_without_a_hole() -> None:
    names = [step.name for step in shipped()]
    assert [int(name[:3]) for name in names] == list(range(1, len(names) + 1))
    assert all(len(step.checksum) == 64 for step in shipped())
