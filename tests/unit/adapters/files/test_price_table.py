"""A person's own prices come from a file that says where they are from and of when."""

from decimal import Decimal
from pathlib import Path

import pytest

from tables import tables
from voice.adapters.files.price_table import read_price_table
from voice.core.errors import DataFileError
from voice.core.usage import Price

TABLES = tables(__file__)
pytestmark = pytest.mark.requirement("report:price-file")

TOML = """
source = " the contract of 2026 "
as_of = 2026-11-01

[models."gemini/gemini-2.5-pro"]
input_per_million = 1.1
cached_input_per_million = "0.10"
output_per_million = 8
"""
JSON = """{"source": "the contract of 2026", "as_of": "2026-11-01", "currency": "USD", "models": {
  "gemini/gemini-2.5-pro": {"input_per_million": 1.1, "cached_input_per_million": 0.10, "output_per_million": "8"}}}"""


def written(tmp_path: Path, text: str | bytes, name: str = "p.toml") -> Path:
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.requirement("ruling:D18")
@pytest.mark.parametrize(("name", "text"), [("p.toml", TOML), ("P.JSON", JSON)])
def test_a_table_is_read_to_the_last_digit_from_either_form(tmp_path: Path, name: str, text: str) -> None:
    table = read_price_table(written(tmp_path, text, name))
    assert (table.source, table.as_of, len(table.digest)) == ("the contract of 2026", "2026-11-01", 12)
    assert table.price_of("gemini", "gemini-2.5-pro") == Price(
        input_per_million=Decimal("1.1"),
        output_per_million=Decimal(8),
        cached_input_per_million=Decimal("0.10"),
        source="the contract of 2026",
        as_of="2026-11-01",
    )
    assert table.price_of("gemini", "gemini-2.5-flash") is None


@pytest.mark.parametrize(("text", "fault"), TABLES["a_fault_is_told_with_its_place"])
def test_a_fault_is_told_with_its_place(tmp_path: Path, text: str, fault: str) -> None:
    with pytest.raises(DataFileError) as raised:
        read_price_table(written(tmp_path, text))
    assert fault in raised.value.message
    assert "p.toml" in raised.value.message


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match=r"source is missing; models is missing; colour is unknown"):
        read_price_table(written(tmp_path, "as_of = 2026-11-01\ncolour = 1"))


@pytest.mark.parametrize(
    ("name", "data", "fault"),
    [
        ("p.csv", b"", "ends in .toml or .json"),
        ("p.toml", b"\xff", "is not UTF-8 text"),
        ("p.toml", b'source = "a', "is not valid TOML: its end is missing"),
        ("p.json", b'{"source": "a", "source": "b"}', "'source' appears twice"),
        ("p.json", b"[" * 100_000, "is nested too deeply"),
        ("p.toml", b"source = " + b"1" * 5000, "has too long a number"),
        ("p.json", b"[]", "the file is not as it must be"),
        ("p.toml", b" " * 1_000_001, "larger than a price table can be"),
    ],
)
def test_what_is_no_table_at_all_is_refused(tmp_path: Path, name: str, data: bytes, fault: str) -> None:
    with pytest.raises(DataFileError) as raised:
        read_price_table(written(tmp_path, data, name))
    assert fault in raised.value.message


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match=r"none\.toml cannot be read: No such file"):
        read_price_table(tmp_path / "none.toml")
