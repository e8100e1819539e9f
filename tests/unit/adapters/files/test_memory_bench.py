"""Reading `memory-bench/1`."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from interchange_values import records
from tables import tables
from voice.adapters.files.plain_text import load_memory_bench
from voice.core.errors import DataFileError
from voice.core.interchange.memory_lines import BadLine, ParsedLine, ThoughtLine

TABLES = tables(__file__)

_ITEM = {"id": "D1:1", "text": "Hi!", "speaker": "Mel", "thread": "s1", "kind": "message", "created_at": "2023-05-08Z"}


def _file(folder: Path, *corpora: object) -> Path:
    path = folder / "bench.json"
    path.write_text(json.dumps({"format": "memory-bench/1", "corpora": list(corpora)}), encoding="utf-8")
    return path


def _read(path: Path, corpus: str | None = None) -> list[ParsedLine | BadLine]:
    return list(load_memory_bench(path, corpus=corpus).lines())


def test_an_item_is_a_thought_that_can_be_found_again(tmp_path: Path) -> None:
    assert _read(_file(tmp_path, {"id": "c1", "items": [_ITEM], "questions": []})) == [
        ParsedLine(
            where="c1 item 1",
            record=ThoughtLine(
                content="Hi!",
                speaker="Mel",
                kind="message",
                thread="c1/s1",
                source_ref="c1/D1:1",
                created_at=datetime(2023, 5, 8, tzinfo=UTC),
            ),
        )
    ]


def test_corpora_keep_threads_and_references_apart_and_one_can_be_chosen(tmp_path: Path) -> None:
    note = {"id": "n", "text": "x"}
    path = _file(tmp_path, {"id": "c1", "items": [note]}, {"id": "c2", "items": [note, note]})
    assert [record.thread for record in records(_read(path))] == ["c1", "c2", "c2"]
    assert load_memory_bench(path).items == 3
    assert [line.where for line in _read(path, "c2")] == ["c2 item 1", "c2 item 2"]


def test_a_corpus_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match="it has: c1"):
        load_memory_bench(_file(tmp_path, {"id": "c1", "items": []}), corpus="c9")


@pytest.mark.parametrize(("item", "reason"), TABLES["a_bad_item_is_reported_and_the_next_is_read"])
def test_a_bad_item_is_reported_and_the_next_is_read(tmp_path: Path, item: object, reason: str) -> None:
    bad, good = _read(_file(tmp_path, {"id": "c1", "items": [item, _ITEM]}))
    assert isinstance(bad, BadLine)
    assert bad.where == "c1 item 1"
    assert reason in bad.reason
    assert isinstance(good, ParsedLine)


def test_an_unknown_field_is_named(tmp_path: Path) -> None:
    (line,) = _read(_file(tmp_path, {"id": "c1", "items": [{**_ITEM, "mood": 1}]}))
    assert isinstance(line, ParsedLine)
    assert line.unknown_fields == ("mood",)


@pytest.mark.parametrize(
    ("content", "message"),
    [*TABLES["a_file_that_is_none_is_refused"], ("\udcff", "is not JSON"), ("[" * 200_000, "is not JSON")],
    ids=lambda value: str(value)[:40],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(content.encode(errors="surrogateescape"))
    with pytest.raises(DataFileError, match=message):
        load_memory_bench(path)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match="No such file"):
        load_memory_bench(tmp_path / "none.json")


def test_a_file_of_more_than_half_a_gigabyte_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "big.json"
    with path.open("wb") as stream:
        stream.truncate(513 * 1024 * 1024)
    with pytest.raises(DataFileError, match="larger than 512 MiB"):
        load_memory_bench(path)


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(sorted(_ITEM)), inner, max_size=4),
    max_leaves=10,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_json)
def test_no_items_break_the_reader(tmp_path: Path, items: object) -> None:
    path = _file(tmp_path, {"id": "c", "items": [items]})
    assert len(_read(path)) == 1
