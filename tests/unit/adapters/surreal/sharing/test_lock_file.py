"""The lock and the socket of a store: one has them, and a long path is no reason not to share."""

import errno
import fcntl
import os
import socket
import stat
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from voice.adapters.surreal.sharing import lock_file as place_module
from voice.adapters.surreal.sharing.holder import own_card
from voice.adapters.surreal.sharing.lock_file import (
    HoldingPlace,
    Lock,
    connect_to,
    is_same_user,
    listen_at,
    read_holder_card,
    take_lock,
)
from voice.core.errors import ConfigurationError, StoreUnavailable


@pytest.fixture
def place(tmp_path: Path) -> HoldingPlace:
    """Where a store would be held."""
    return HoldingPlace(tmp_path / "memory")


def taken(place: HoldingPlace) -> Lock:
    lock = take_lock(place)
    assert lock is not None
    return lock


@pytest.mark.requirement("holder:one")
def test_one_has_the_lock_until_it_is_given_back(place: HoldingPlace) -> None:
    lock = taken(place)
    assert take_lock(place) is None
    lock.sign(own_card("n", "d"))
    signed = read_holder_card(place)
    assert signed is not None
    assert signed.pid == os.getpid()
    assert signed.since <= datetime.now(UTC)
    lock.give_back()
    assert read_holder_card(place) is None
    assert list(place.directory.parent.iterdir()) == []
    taken(place).give_back()


@pytest.mark.requirement("holder:one")
def test_a_lock_on_a_file_that_was_taken_away_is_none(place: HoldingPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    real = fcntl.flock

    def flock(handle: int, operation: int) -> None:
        real(handle, operation)
        place.lock.unlink()  # whoever had it gave it back a moment before we looked

    with monkeypatch.context() as replaced:
        replaced.setattr(fcntl, "flock", flock)
        assert take_lock(place) is None
    assert take_lock(place) is not None


@pytest.mark.requirement("holder:private")
def test_the_socket_is_its_owners_alone_and_one_left_behind_is_replaced(place: HoldingPlace) -> None:
    place.socket.write_text("left behind")
    with listen_at(place) as listening:
        assert stat.S_ISSOCK(place.socket.stat().st_mode)
        assert stat.S_IMODE(place.socket.stat().st_mode) == 0o600
        with connect_to(place) as guest:
            holder, _ = listening.accept()
            assert is_same_user(guest)
            assert is_same_user(holder)
            holder.close()
    assert [path.name for path in place.directory.parent.iterdir()] == ["memory.sock"]
    with pytest.raises(ConnectionRefusedError):
        connect_to(place)


@pytest.mark.requirement("holder:path")
@pytest.mark.parametrize("name", ["memory", "a name of its own that is longer than a socket can be called " * 3])
def test_a_long_path_is_shared_all_the_same(tmp_path: Path, name: str) -> None:
    deep = tmp_path / ("d" * 120) / ("e" * 120)
    deep.mkdir(parents=True)
    place = HoldingPlace(deep / name)
    with listen_at(place), connect_to(place) as guest:
        assert is_same_user(guest)
        assert place.socket.parent == deep


@pytest.mark.requirement("holder:path", "holder:private")
def test_where_handles_have_no_names_the_socket_stands_among_our_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place_module, "_HANDLES", tmp_path / "none")
    monkeypatch.setattr(tempfile, "gettempdir", lambda: "/tmp")
    deep = tmp_path / ("d" * 120)
    deep.mkdir()
    place = HoldingPlace(deep / "memory")
    with listen_at(place), connect_to(place) as guest:
        assert is_same_user(guest)
        assert place.socket.parent == Path(f"/tmp/voice-{os.getuid()}")
        assert stat.S_IMODE(place.socket.parent.stat().st_mode) == 0o700
    place.socket.unlink()
    assert HoldingPlace(Path("/m/memory")).socket == Path("/m/memory.sock")


@pytest.mark.requirement("holder:private")
def test_a_socket_that_cannot_be_made_leaves_nothing_behind(tmp_path: Path) -> None:
    place = HoldingPlace(tmp_path / "memory")
    place.socket.mkdir()
    (place.socket / "letter").touch()
    with pytest.raises(OSError):  # noqa: PT011 - which one is the system's choice
        listen_at(place)
    assert [path.name for path in tmp_path.iterdir()] == ["memory.sock"]


@pytest.mark.requirement("holder:place")
@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_link_in_the_locks_place_is_refused_and_what_it_leads_to_stays_as_it_is(
    place: HoldingPlace, link: Callable[[Path, Path], None]
) -> None:
    precious = place.directory.with_name("precious")
    precious.write_text("precious")
    link(precious, place.lock)
    with pytest.raises(ConfigurationError, match=r"memory\.holder is a link"):
        take_lock(place)
    assert precious.read_text() == "precious"
    assert read_holder_card(place) is None


@pytest.mark.requirement("holder:place")
def test_a_pipe_or_anothers_file_in_the_locks_place_is_refused(
    place: HoldingPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(place.lock)
    assert read_holder_card(place) is None
    with pytest.raises(ConfigurationError, match="not a file of this user"):
        take_lock(place)
    place.lock.unlink()
    place.lock.touch()
    monkeypatch.setattr(os, "geteuid", lambda: 123_456)
    with pytest.raises(ConfigurationError, match="not a file of this user"):
        take_lock(place)


@pytest.mark.requirement("holder:place")
def test_a_store_in_a_directory_that_everybody_may_write_is_refused_unless_it_is_sticky(place: HoldingPlace) -> None:
    parent = place.directory.parent
    parent.chmod(0o777)
    with pytest.raises(ConfigurationError, match="every user can write to"):
        take_lock(place)
    parent.chmod(0o1777)
    taken(place).give_back()


@pytest.mark.requirement("holder:place")
def test_a_card_for_which_the_disk_has_no_room_is_a_sentence(
    place: HoldingPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int, length: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    lock = taken(place)
    monkeypatch.setattr(os, "ftruncate", full)
    with pytest.raises(StoreUnavailable, match="is full"):
        lock.sign(own_card("n", "d"))
    lock.give_back()


@pytest.mark.requirement("holder:reachable")
def test_only_what_a_lock_put_there_is_taken_away_with_it(place: HoldingPlace) -> None:
    first = taken(place)
    with first.listen():
        place.lock.unlink()
        taken(place).give_back()
        assert place.socket.exists()
        third = taken(place)
        first.give_back()
        assert (place.socket.exists(), place.lock.exists()) == (False, True)
        third.give_back()
    assert not place.lock.exists()


@pytest.mark.requirement("holder:reachable")
def test_a_lock_and_a_socket_that_were_taken_away_are_put_back_and_anothers_are_left(place: HoldingPlace) -> None:
    lock = taken(place)
    lock.sign(own_card("n", "d"))
    with lock.listen():
        assert lock.renew() is None
        place.lock.unlink()
        place.socket.unlink()
        again = lock.renew()
        assert again is not None
        with again, connect_to(place):
            assert take_lock(place) is None
            assert read_holder_card(place) is not None
            place.lock.unlink()
            place.socket.unlink()
            other = taken(place)
            assert lock.renew() is None
            assert not place.socket.exists()
            other.give_back()
    lock.give_back()


def test_what_is_no_card_is_signed_by_nobody(place: HoldingPlace) -> None:
    place.lock.write_text("77\n")
    assert read_holder_card(place) is None
    place.lock.unlink()
    lock = taken(place)
    lock.sign(own_card("n", "d"))
    assert read_holder_card(place) is not None
    lock.give_back()


class _Foreign(socket.socket):
    """A socket whose other end runs as another user, or of which nobody knows."""

    said = b""

    def getsockopt(self, level: int, optname: int, buflen: int = 0) -> bytes:  # pyright: ignore[reportIncompatibleMethodOverride]
        return self.said


@pytest.mark.requirement("holder:private")
@pytest.mark.parametrize(
    ("platform", "said", "ours"),
    [
        ("linux", (7).to_bytes(4, "little") + os.geteuid().to_bytes(4, "little") + bytes(4), True),
        ("linux", (7).to_bytes(4, "little") + (os.geteuid() + 1).to_bytes(4, "little") + bytes(4), False),
        ("linux", b"short", False),
        ("darwin", bytes(4) + os.geteuid().to_bytes(4, "little") + bytes(68), True),
        ("darwin", bytes(4) + (os.geteuid() + 1).to_bytes(4, "little") + bytes(68), False),
        ("plan9", b"", False),
    ],
)
def test_the_systems_word_is_taken_for_who_is_there(
    platform: str,
    said: bytes,
    ours: bool,  # noqa: FBT001 - one case of many
) -> None:
    with _Foreign(socket.AF_UNIX, socket.SOCK_STREAM) as end:
        end.said = said
        assert is_same_user(end, platform) is ours
