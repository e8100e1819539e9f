"""`SURR_DB_URL` names a store, or is refused with what would."""

from pathlib import Path

import pytest

from tables import tables
from voice.adapters.surreal.location import InMemory, OnDisk, Server, parse_address
from voice.core.errors import ConfigurationError

TABLES = tables(__file__)

HOME = Path("/home/ann/my data")


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("mem://", InMemory()),
        ("surrealkv://memory", OnDisk(directory=HOME / "memory")),
        ("surrealkv:///var/a place/memory", OnDisk(directory=Path("/var/a place/memory"))),
        ("ws://127.0.0.1:8000", Server(url="ws://127.0.0.1:8000")),
        ("wss://db.example/", Server(url="wss://db.example")),
        ("ws://[::1]:8000", Server(url="ws://[::1]:8000")),
        ("wss://db.example/rpc", Server(url="wss://db.example")),
    ],
)
def test_an_address_is_understood(url: str, address: object) -> None:
    assert parse_address(url, home=HOME) == address


@pytest.mark.parametrize("url", TABLES["anything_else_is_refused_with_what_is_accepted"])
def test_anything_else_is_refused_with_what_is_accepted(url: str) -> None:
    with pytest.raises(ConfigurationError, match=r"SURR_DB_URL.*surrealkv://DIRECTORY, mem://, ws://"):
        parse_address(url, home=HOME)
