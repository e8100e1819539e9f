"""A path is not a store: what an engine has open is told from what is in its place."""

import os
from pathlib import Path

import pytest

from voice.adapters.surreal.holding.ground import Ground


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Return a directory that looks like a store's."""
    (store := tmp_path / "memory").mkdir()
    (store / "LOCK").touch()
    return store


@pytest.mark.requirement("holder:gone")
def test_what_is_deleted_moved_or_replaced_is_not_there(store: Path) -> None:
    ground = Ground(store)
    assert ground.is_there
    away = store.rename(store.with_name("away"))
    assert not ground.is_there
    store.mkdir()
    (store / "LOCK").touch()
    assert not ground.is_there
    (store / "LOCK").unlink()
    store.rmdir()
    store.touch()
    assert not ground.is_there
    store.unlink()
    away.rename(store)
    assert ground.is_there
    ground.close()


@pytest.mark.requirement("holder:gone")
def test_a_new_file_does_not_get_the_number_of_the_one_that_was_deleted(store: Path) -> None:
    ground = Ground(store)
    for _ in range(20):
        (store / "LOCK").unlink()
        (store / "LOCK").touch()
        assert not ground.is_there
    ground.close()


@pytest.mark.requirement("holder:gone")
def test_what_may_not_be_looked_at_is_not_taken_for_gone(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: Path) -> os.stat_result:
        raise PermissionError(13, "Permission denied")

    ground = Ground(store)
    monkeypatch.setattr(Path, "stat", refused)
    assert ground.is_there
    ground.close()
