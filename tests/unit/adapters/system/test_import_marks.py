"""Imports that are under way are seen by whoever asks, and those that were broken off until they were done."""

import fcntl
import stat
from contextlib import suppress
from pathlib import Path

import pytest

from voice.adapters.system.import_marks import FileImportMarks
from voice.core.interchange.import_plan import UnfinishedImport, warnings_of

pytestmark = pytest.mark.requirement("imports:seen")
_MISSES = "so this answer may miss something"
_AGAIN = "to finish it, run the same command again"


def break_off(marks: FileImportMarks, path: Path, rows: int = 0) -> None:
    with suppress(KeyboardInterrupt), marks.mark_running(str(path)) as tell:
        tell(rows)
        raise KeyboardInterrupt


def test_an_import_is_seen_from_its_beginning_to_its_end(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    with FileImportMarks(tmp_path).mark_running(str(vault)) as tell:
        tell(7_000)
        (seen,) = FileImportMarks(tmp_path).seen()
        (mark,) = (tmp_path / "imports").iterdir()
        assert stat.S_IMODE(mark.stat().st_mode) == 0o600
        with FileImportMarks(tmp_path).mark_running(str(vault), is_sync=True):
            assert sorted(each.is_sync for each in FileImportMarks(tmp_path).seen()) == [False, True]
    assert seen == UnfinishedImport(path=str(vault), rows=7_000, runs=True)
    assert FileImportMarks(tmp_path).seen() == ()
    assert list((tmp_path / "imports").iterdir()) == []


def test_one_that_was_broken_off_is_seen_until_the_same_path_came_in_or_is_gone(tmp_path: Path) -> None:
    marks, paths = FileImportMarks(tmp_path), (tmp_path / "a", tmp_path / "b")
    for path in paths:
        path.mkdir()
        break_off(marks, path, rows=120)
    found = sorted((seen.path, seen.rows, seen.runs) for seen in marks.seen())
    assert found == [(str(path), 120, False) for path in paths]
    with marks.mark_running(str(paths[0])):
        pass
    assert [seen.path for seen in marks.seen()] == [str(paths[1])]
    paths[1].rmdir()
    assert marks.seen() == ()


def test_what_was_piped_in_is_seen_while_it_runs_alone(tmp_path: Path) -> None:
    marks = FileImportMarks(tmp_path)
    with suppress(KeyboardInterrupt), marks.mark_running("-"):
        assert [seen.path for seen in marks.seen()] == ["-"]
        raise KeyboardInterrupt
    assert list((tmp_path / "imports").iterdir()) == []


def test_what_is_no_mark_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "imports").mkdir()
    for number, content in enumerate((b"", b"[]", b'{"path": 1}', b"\xff")):
        (tmp_path / "imports" / f"{number}.json").write_bytes(content)
    (tmp_path / "imports" / "link.json").symlink_to(tmp_path / "none")
    with FileImportMarks(tmp_path).mark_running(str(tmp_path)):
        assert [seen.path for seen in FileImportMarks(tmp_path).seen()] == [str(tmp_path)]


def test_where_nothing_can_be_locked_an_import_runs_unseen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_handle: int, _how: int) -> None:
        raise OSError

    monkeypatch.setattr(fcntl, "flock", refused)
    with FileImportMarks(tmp_path).mark_running(str(tmp_path)) as tell:
        tell(100)
        assert FileImportMarks(tmp_path).seen() == ()
    assert list((tmp_path / "imports").iterdir()) == []


def test_what_is_told_says_what_to_do_running_ones_first() -> None:
    said = warnings_of(
        [
            UnfinishedImport(path="/a/notes", rows=1_250, runs=False),
            UnfinishedImport(path="/a/vault", rows=1_250, runs=True),
            UnfinishedImport(path="/b/vault/", rows=3, runs=True, is_sync=True),
            UnfinishedImport(path="-", rows=0, runs=True),
        ]
    )
    assert said == (
        f"the import of the piped input is still running (0 records so far), {_MISSES}; ask again when it is done",
        f"the import of “vault” is still running (1,250 records so far), {_MISSES}; ask again when it is done",
        f"the sync of “vault” is still running (3 records so far), {_MISSES}; ask again when it is done",
        f"the import of “notes” stopped early, after 1,250 records, {_MISSES}; {_AGAIN}",
    )


def test_an_import_that_was_broken_off_and_begun_again_is_told_once() -> None:
    cut, again = (UnfinishedImport(path="/a/vault", rows=rows, runs=False) for rows in (0, 300))
    assert warnings_of((cut, again)) == (again.warning,)
    runs = UnfinishedImport(path="/a/vault", rows=20, runs=True)
    assert warnings_of((cut, again, runs)) == (runs.warning,)
