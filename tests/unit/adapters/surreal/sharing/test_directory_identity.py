"""A path is not a store: what an engine has open is told from what is in its place."""

import errno
import fcntl
import os
import shutil
from collections.abc import Generator
from contextlib import closing
from pathlib import Path

import pytest

from voice.adapters.surreal.sharing.directory_identity import DirectoryIdentity
from voice.adapters.surreal.sharing.holder import held_message, refuse_if_held
from voice.core.errors import StoreHeld


@pytest.fixture
def store(tmp_path: Path) -> Path:
    (store := tmp_path / "memory").mkdir()
    _fill(store)
    return store


@pytest.fixture
def ground(store: Path) -> Generator[DirectoryIdentity]:
    """Yield the ground of a store that an engine has opened, and locked."""
    with closing(DirectoryIdentity(store)) as ground, (store / "LOCK").open() as engine:
        fcntl.flock(engine, fcntl.LOCK_EX)
        ground.settle()
        yield ground


def _fill(store: Path) -> None:
    (store / "manifest").mkdir()
    (store / "LOCK").touch()


def _handles() -> set[int]:
    return {number for number in range(100) if _is_handle(number)}


def _is_handle(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def _is_locked(store: Path) -> bool:
    try:
        refuse_if_held(store)
    except StoreHeld:
        return True
    return False


@pytest.mark.requirement("holder:gone")
def test_what_is_deleted_moved_or_replaced_is_not_there(store: Path, ground: DirectoryIdentity) -> None:
    assert ground.is_there
    away = store.rename(store.with_name("away"))
    assert not ground.is_there
    store.mkdir()
    _fill(store)
    assert not ground.is_there
    shutil.rmtree(store)
    store.touch()
    assert not ground.is_there
    store.unlink()
    away.rename(store)
    assert ground.is_there


@pytest.mark.requirement("holder:gone")
def test_what_is_emptied_is_not_there_and_what_is_put_into_the_same_directory_is_another(
    store: Path, ground: DirectoryIdentity
) -> None:
    for _ in range(20):
        (store / "LOCK").unlink()
        (store / "manifest").rmdir()
        assert not ground.is_there
        _fill(store)
        assert not ground.is_there


@pytest.mark.requirement("holder:gone")
def test_a_store_that_the_engine_has_not_opened_yet_is_its_directory(store: Path) -> None:
    with closing(DirectoryIdentity(store)) as ground:
        (store / "manifest").rmdir()
        assert ground.is_there
        assert ground.locked_by() == "us"
        store.rename(store.with_name("away"))
        assert not ground.is_there


@pytest.mark.requirement("holder:gone")
def test_an_engine_is_given_a_name_that_stays_its_directorys_and_leads_nowhere_where_another_store_is_in_it(
    store: Path, ground: DirectoryIdentity
) -> None:
    if ground.name == store:
        pytest.skip("this system has no names for handles")
    away = store.rename(store.with_name("away"))
    store.mkdir()
    assert ground.name.samefile(away)
    assert ground.set_apart()
    assert ground.name.samefile(away)
    store.rmdir()
    away.rename(store)
    assert ground.set_apart()
    with pytest.raises(NotADirectoryError):
        (ground.name / "LOCK").stat()


@pytest.mark.requirement("holder:gone")
def test_an_engine_that_cannot_be_kept_from_the_place_is_not_to_be_closed(
    store: Path, ground: DirectoryIdentity, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(os, "devnull", str(tmp_path / "nothing"))
    assert not ground.set_apart()
    monkeypatch.setattr("voice.adapters.surreal.sharing.directory_identity._HANDLES", tmp_path / "no" / "such")
    with closing(DirectoryIdentity(store)) as by_path:
        assert by_path.name == store
        assert not by_path.set_apart()


@pytest.mark.requirement("holder:lock")
@pytest.mark.parametrize("is_replaced", [False, True])
def test_an_engines_lock_that_is_deleted_or_replaced_is_taken_again_and_the_store_stays(
    store: Path, ground: DirectoryIdentity, *, is_replaced: bool
) -> None:
    for _ in range(3):
        if is_replaced:
            (store / "other").write_text("4711", encoding="ascii")
            (store / "other").replace(store / "LOCK")
        else:
            (store / "LOCK").unlink()
        assert ground.is_there
        assert not _is_locked(store)
        assert ground.locked_by() == "us"
        assert _is_locked(store)
        assert "this process" in held_message(store)


@pytest.mark.requirement("holder:lock")
def test_a_lock_that_somebody_else_took_meanwhile_or_that_is_a_link_is_left_alone(
    store: Path, ground: DirectoryIdentity, tmp_path: Path
) -> None:
    (store / "LOCK").unlink()
    with (store / "LOCK").open("w+", encoding="ascii") as other:
        other.write("4711")
        other.flush()
        fcntl.flock(other, fcntl.LOCK_EX)
        assert ground.locked_by() == "another"
        assert (store / "LOCK").read_text(encoding="ascii") == "4711"
    assert ground.locked_by() == "us"
    (tmp_path / "letter").write_text("Dear Bo", encoding="ascii")
    (store / "LOCK").unlink()
    (store / "LOCK").symlink_to(tmp_path / "letter")
    assert ground.locked_by() == "nobody"
    assert (tmp_path / "letter").read_text(encoding="ascii") == "Dear Bo"


@pytest.mark.requirement("holder:lock")
def test_who_only_looks_whether_a_store_is_held_is_waited_for_and_not_taken_for_another_engine(
    store: Path, ground: DirectoryIdentity, monkeypatch: pytest.MonkeyPatch
) -> None:
    def done(_: float) -> None:
        fcntl.flock(looking, fcntl.LOCK_UN)

    (store / "LOCK").unlink()
    with (store / "LOCK").open("w") as looking:
        fcntl.flock(looking, fcntl.LOCK_EX)
        assert ground.locked_by(wait_s=0) == "another"
        with monkeypatch.context() as patched:
            patched.setattr("time.sleep", done)
            assert ground.locked_by() == "us"


@pytest.mark.requirement("holder:lock")
def test_a_lock_is_kept_on_a_full_disk_and_is_nobodys_where_the_disk_has_no_locks(
    store: Path, ground: DirectoryIdentity, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    def without_locks(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    (store / "LOCK").unlink()
    with monkeypatch.context() as patched:
        patched.setattr(fcntl, "flock", without_locks)
        assert ground.locked_by() == "nobody"
        patched.undo()
        patched.setattr(os, "pwrite", full)
        assert ground.locked_by() == "us"
    assert _is_locked(store)


@pytest.mark.requirement("holder:gone")
def test_where_the_names_of_handles_may_not_be_looked_at_an_engine_is_given_the_path(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stat = Path.stat

    def refused(path: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        if path.parent == Path("/proc/self/fd"):
            raise PermissionError(errno.EACCES, "Permission denied")
        return stat(path, follow_symlinks=follow_symlinks)

    monkeypatch.setattr(Path, "stat", refused)
    with closing(DirectoryIdentity(store)) as ground:
        assert ground.name == store
        ground.settle()
        assert ground.is_there


@pytest.mark.requirement("holder:gone")
@pytest.mark.parametrize("missing", ["manifest", "LOCK"])
def test_no_handle_is_left_of_a_store_that_goes_while_it_is_opened(store: Path, missing: str) -> None:
    before = _handles()
    ground = DirectoryIdentity(store)
    (store / missing).rename(store.with_name("away"))
    with pytest.raises(FileNotFoundError):
        ground.settle()
    ground.close()
    assert _handles() <= before


@pytest.mark.requirement("holder:gone")
@pytest.mark.parametrize("is_kept", [False, True])
def test_a_handle_that_was_made_to_lead_nowhere_is_let_go_unless_its_engine_lives_on(
    store: Path, *, is_kept: bool
) -> None:
    ground = DirectoryIdentity(store)
    if ground.name == store:
        pytest.skip("this system has no names for handles")
    handle = int(Path(ground.name).name)
    ground.settle()
    assert ground.set_apart()
    if is_kept:
        ground.keep()
    ground.close()
    assert _is_handle(handle) == is_kept
    if is_kept:
        os.close(handle)


@pytest.mark.requirement("holder:gone")
def test_what_may_not_be_looked_at_is_not_taken_for_gone(
    ground: DirectoryIdentity, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: Path) -> os.stat_result:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "stat", refused)
        assert ground.is_there
