"""Clock, ids, data directory and key: the real ones, and the ones that tests can foresee."""

import os
import re
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from voice.adapters.system.clock_and_ids import KEY_CHARS, CountingIds, FixedClock, MovedClock, SystemClock, SystemIds
from voice.adapters.system.data_directory import data_directory, load_key, secure_home
from voice.core.errors import ConfigurationError, InvalidParams, StoreUnavailable

NOON = datetime(2025, 3, 1, 12, tzinfo=UTC)


def test_the_systems_clock_is_aware_and_never_goes_back() -> None:
    clock = SystemClock()
    assert clock.now().tzinfo is UTC
    assert clock.monotonic_ms() <= clock.monotonic_ms()


def test_a_fixed_clock_stands_ticks_and_moves() -> None:
    still, ticking = FixedClock(NOON), FixedClock(NOON, step=timedelta(milliseconds=5))
    assert (still.now(), still.now(), still.monotonic_ms()) == (NOON, NOON, 0.0)
    assert (ticking.monotonic_ms(), ticking.monotonic_ms()) == (0.0, 5.0)
    still.advance(timedelta(hours=1))
    assert still.now() == NOON + timedelta(hours=1)
    with pytest.raises(InvalidParams):
        FixedClock(datetime(2025, 3, 1))  # noqa: DTZ001 - a naive one is what is refused


def test_ids_rise_have_26_characters_and_never_repeat() -> None:
    ids = SystemIds(SystemClock())
    drawn = [ids.new_id("t") for _ in range(2000)]
    assert drawn == sorted(set(drawn))
    assert all(re.fullmatch(r"t:[0-9a-z]{26}", each) for each in drawn)
    assert KEY_CHARS == 26


def test_ids_rise_when_the_clock_is_set_back_and_sort_by_time() -> None:
    clock = FixedClock(NOON)
    ids = SystemIds(clock)
    first = ids.new_id("t")
    clock.advance(timedelta(days=-400))
    second = ids.new_id("t")
    clock.advance(timedelta(days=800))
    assert first < second < ids.new_id("t")
    assert first < SystemIds(FixedClock(NOON + timedelta(milliseconds=1))).new_id("t")
    assert SystemIds(FixedClock(datetime(1900, 1, 1, tzinfo=UTC))).new_id("t").startswith("t:0000000000")


def test_two_sources_do_not_meet_and_threads_share_one() -> None:
    one, other = (SystemIds(FixedClock(NOON)) for _ in range(2))
    assert one.new_id("t") != other.new_id("t")
    drawn: list[str] = []
    threads = [threading.Thread(target=lambda: drawn.extend(one.new_id("t") for _ in range(200))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(drawn)) == 800


def test_counting_ids_count_per_prefix() -> None:
    ids = CountingIds()
    assert [ids.new_id("t"), ids.new_id("t"), ids.new_id("s")] == [
        "t:00000000000000000000000001",
        "t:00000000000000000000000002",
        "s:00000000000000000000000001",
    ]


@pytest.mark.requirement("ruling:H.1")
def test_the_data_directory_is_made_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert data_directory() == tmp_path / "voice"
    home = secure_home(data_directory())
    assert (home, home.stat().st_mode & 0o777) == (tmp_path / "voice", 0o700)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert secure_home(Path("~/other")) == tmp_path / "other"


@pytest.mark.requirement("ruling:D20", "ruling:H.1")
def test_the_key_is_made_once_and_is_private_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        key = load_key(tmp_path)
    finally:
        os.umask(before)
    assert len(key) == 32
    assert load_key(tmp_path) == key
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["key"]


@pytest.mark.requirement("ruling:D20")
def test_many_at_once_get_the_same_key(tmp_path: Path) -> None:
    keys: list[bytes] = []
    threads = [threading.Thread(target=lambda: keys.append(load_key(tmp_path))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(keys), len(set(keys))) == (8, 1)


def test_the_key_that_another_process_made_first_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = load_key(tmp_path)

    def not_there_yet(path: Path) -> bool:
        return False

    monkeypatch.setattr(Path, "exists", not_there_yet)
    assert load_key(tmp_path) == key


@pytest.mark.requirement("ruling:H.7")
def test_a_lost_key_of_a_store_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    with pytest.raises(ConfigurationError, match="is missing"):
        load_key(tmp_path)
    assert not (tmp_path / "key").exists()


def test_a_key_that_others_can_read_is_refused_with_what_to_do(tmp_path: Path) -> None:
    load_key(tmp_path)
    (tmp_path / "key").chmod(0o640)
    with pytest.raises(ConfigurationError, match="chmod 600"):
        load_key(tmp_path)


@pytest.mark.parametrize("content", [b"", b"short", b"x" * 33])
def test_a_key_of_another_length_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "key").write_bytes(content)
    (tmp_path / "key").chmod(0o600)
    with pytest.raises(ConfigurationError, match="not a key of 32 bytes"):
        load_key(tmp_path)


def test_a_key_that_cannot_be_read_is_the_disks_matter(tmp_path: Path) -> None:
    (tmp_path / "key").mkdir(mode=0o700)
    with pytest.raises(StoreUnavailable, match="key cannot be used"):
        load_key(tmp_path)


def test_a_moved_clock_starts_where_it_was_put_and_runs_like_the_real_one() -> None:
    clock = MovedClock(NOON)
    first, second = clock.now(), clock.now()
    assert NOON <= first <= second < NOON + timedelta(minutes=1)
    assert clock.monotonic_ms() <= clock.monotonic_ms()
