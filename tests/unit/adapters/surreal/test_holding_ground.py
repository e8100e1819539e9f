"""A path is not a store: what an engine has open is told from what is in its place."""

import fcntl
import os
import shutil
from collections.abc import Generator
from contextlib import closing
from pathlib import Path

import pytest

from voice.adapters.surreal.holder import held_message, refuse_if_held
from voice.adapters.surreal.holding.ground import Ground
from voice.core.errors import StoreHeld


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Return a directory that looks like a store's."""
    (store := tmp_path / "memory").mkdir()
    _fill(store)
    return store


@pytest.fixture
def ground(store: Path) -> Generator[Ground]:
    """Yield the ground of a store that an engine has opened, and locked."""
    with closing(Ground(store)) as ground, (store / "LOCK").open() as engine:
        fcntl.flock(engine, fcntl.LOCK_EX)
        ground.settle()
        yield ground


def _fill(store: Path) -> None:
    (store / "manifest").mkdir()
    (store / "LOCK").touch()


def _is_locked(store: Path) -> bool:
    try:
        refuse_if_held(store)
    except StoreHeld:
        return True
    return False


@pytest.mark.requirement("holder:gone")
def test_what_is_deleted_moved_or_replaced_is_not_there(store: Path, ground: Ground) -> None:
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
    store: Path, ground: Ground
) -> None:
    for _ in range(20):
        (store / "LOCK").unlink()
        (store / "manifest").rmdir()
        assert not ground.is_there
        _fill(store)
        assert not ground.is_there


@pytest.mark.requirement("holder:gone")
def test_a_store_that_the_engine_has_not_opened_yet_is_its_directory(store: Path) -> None:
    with closing(Ground(store)) as ground:
        (store / "manifest").rmdir()
        assert ground.is_there
        assert ground.is_locked()
        store.rename(store.with_name("away"))
        assert not ground.is_there


@pytest.mark.requirement("holder:gone")
def test_an_engine_is_given_a_name_that_stays_its_directorys_and_leads_nowhere_where_another_store_is_in_it(
    store: Path, ground: Ground
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
    store: Path, ground: Ground, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(os, "devnull", str(tmp_path / "nothing"))
    assert not ground.set_apart()
    monkeypatch.setattr("voice.adapters.surreal.holding.ground._HANDLES", tmp_path / "no" / "such")
    with closing(Ground(store)) as by_path:
        assert by_path.name == store
        assert not by_path.set_apart()


@pytest.mark.requirement("holder:lock")
@pytest.mark.parametrize("is_replaced", [False, True])
def test_an_engines_lock_that_is_deleted_or_replaced_is_taken_again_and_the_store_stays(
    store: Path, ground: Ground, *, is_replaced: bool
) -> None:
    for _ in range(3):
        if is_replaced:
            (store / "other").write_text("4711", encoding="ascii")
            (store / "other").replace(store / "LOCK")
        else:
            (store / "LOCK").unlink()
        assert ground.is_there
        assert not _is_locked(store)
        assert ground.is_locked()
        assert _is_locked(store)
        assert "this process" in held_message(store)


@pytest.mark.requirement("holder:lock")
def test_a_lock_that_somebody_else_took_meanwhile_or_that_is_a_link_is_left_alone(
    store: Path, ground: Ground, tmp_path: Path
) -> None:
    (store / "LOCK").unlink()
    with (store / "LOCK").open("w+", encoding="ascii") as other:
        other.write("4711")
        other.flush()
        fcntl.flock(other, fcntl.LOCK_EX)
        assert not ground.is_locked()
        assert (store / "LOCK").read_text(encoding="ascii") == "4711"
    assert ground.is_locked()
    (tmp_path / "letter").write_text("Dear Bo", encoding="ascii")
    (store / "LOCK").unlink()
    (store / "LOCK").symlink_to(tmp_path / "letter")
    assert not ground.is_locked()
    assert (tmp_path / "letter").read_text(encoding="ascii") == "Dear Bo"


@pytest.mark.requirement("holder:gone")
def test_what_may_not_be_looked_at_is_not_taken_for_gone(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: Path) -> os.stat_result:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "stat", refused)
        assert ground.is_there
