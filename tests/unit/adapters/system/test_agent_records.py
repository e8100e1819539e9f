"""The file of the records of other frameworks' programs."""

import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from voice.adapters.system.agent_records import AGENTS_NAME, RecordFile, StartsWith
from voice.core.errors import StoreUnavailable, VoiceError
from voice.core.session.agent_records import RecordKind

pytestmark = pytest.mark.requirement("frameworks:records")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATER = datetime(2026, 3, 2, 12, tzinfo=UTC)
STORED = RecordKind.STORED


def test_it_is_made_by_the_first_write_and_its_owners_alone(tmp_path: Path) -> None:
    file = RecordFile(tmp_path)
    assert not file.is_there
    with file.transaction() as records:
        records.put(STORED, "a", "x", b"1", NOON)
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}
    file.close()
    assert [path.name for path in tmp_path.iterdir()] == [AGENTS_NAME]
    with RecordFile(tmp_path).transaction() as records:
        assert [each.value for each in records.find(STORED)] == [b"1"]


def test_a_change_that_fails_leaves_nothing(tmp_path: Path) -> None:
    file = RecordFile(tmp_path)

    def fails() -> None:
        with file.transaction() as records:
            records.put(STORED, "a", "x", b"1", NOON)
            assert records.find(STORED) != []
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    with file.transaction() as records:
        assert records.find(STORED) == []


def test_finds_by_owner_name_beginning_and_the_last_of_them(tmp_path: Path) -> None:
    with RecordFile(tmp_path).transaction() as records:
        for owner, name in (("ab", "2"), ("a", "2"), ("a", "1"), ("b", "1"), ("a", None), ("a", None)):
            records.put(STORED, owner, name, b"", NOON)
        records.put(RecordKind.FILE, "a", "1", b"", NOON)
        assert [each.name for each in records.find(STORED, "a")] == [None, None, "1", "2"]
        assert [each.id for each in records.find(STORED, "a", last=2)] == [3, 2]
        assert [each.owner for each in records.find(STORED, None, StartsWith("2"))] == ["ab", "a"]
        assert records.remove(STORED, StartsWith("a"), "2") == 2
        assert records.owners(STORED) == ["a", "b"]


def test_writing_again_keeps_the_place_or_the_value(tmp_path: Path) -> None:
    with RecordFile(tmp_path).transaction() as records:
        records.put(STORED, "a", "x", b"1", NOON)
        records.put(STORED, "a", "x", b"2", LATER)
        (found,) = records.find(STORED)
        assert (found.id, found.value, found.made, found.changed) == (1, b"2", NOON.isoformat(), LATER.isoformat())
        records.put(STORED, "a", "x", b"3", LATER, over=False)
        assert [each.value for each in records.find(STORED)] == [b"2"]


def test_what_is_taken_away_is_in_none_of_the_files(tmp_path: Path) -> None:
    file = RecordFile(tmp_path)
    with file.transaction() as records:
        records.put(STORED, "a", "x", b"The safe opens with 4711.", NOON)
    assert any(b"4711" in path.read_bytes() for path in tmp_path.iterdir())
    with file.transaction() as records:
        records.remove(STORED, "a")
    file.erase()
    assert not any(b"4711" in path.read_bytes() for path in tmp_path.iterdir())


def test_two_processes_take_turns(tmp_path: Path) -> None:
    one, other = RecordFile(tmp_path), RecordFile(tmp_path)
    for file in (one, other, one):
        with file.transaction() as records:
            records.put(STORED, "a", None, b"", NOON)
    with other.transaction() as records:
        assert [each.id for each in records.find(STORED)] == [1, 2, 3]


def test_a_file_that_is_none_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / AGENTS_NAME).write_bytes(b"no database at all, but a text" * 100)
    with pytest.raises(StoreUnavailable, match="nothing was changed") as caught, RecordFile(tmp_path).transaction():
        pass
    assert tmp_path / AGENTS_NAME not in [each.resolve() for each in Path("/proc/self/fd").iterdir()], caught


def test_a_place_that_is_not_there_is_said_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(VoiceError, match=AGENTS_NAME), RecordFile(tmp_path / "gone").transaction():
        pass
