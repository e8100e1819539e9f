"""Databases of the engine in memory, each of which ends with the test that asked for it."""

from collections.abc import AsyncGenerator

import pytest

from voice.adapters.surreal.embedded_engine import EmbeddedConnection
from voice.adapters.surreal.schema import migrate, shipped


@pytest.fixture
async def bare() -> AsyncGenerator[EmbeddedConnection]:
    """A database without a schema."""
    opened = await EmbeddedConnection.open("mem://", namespace="test", database="test")
    yield opened
    await opened.aclose()


@pytest.fixture
async def connection(bare: EmbeddedConnection) -> EmbeddedConnection:
    """A database with the whole schema."""
    await migrate(bare, shipped())
    return bare


@pytest.fixture
async def inner(connection: EmbeddedConnection) -> EmbeddedConnection:
    """A database with a table of things beside ours."""
    await connection.run("define", "DEFINE TABLE things")
    return connection
