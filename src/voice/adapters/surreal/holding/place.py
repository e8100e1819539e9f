"""Where a store is held: the file that its holder locks, and the socket on which it answers.

    memory                the store
    memory.holder         locked by whoever holds it, with the holder's card inside
    memory.sock           where the holder answers, 0600

Law: whoever has the lock holds the store, and nobody else; the kernel gives it back however a process ends. The socket
belongs to whoever has the lock: it is put in its place after the lock was taken and taken away before it is given back,
and one that was left behind is replaced. A lock file is taken away with the lock; who locked one that is not the named
one any more has locked nothing.

A socket's name has about a hundred bytes. A longer one is reached through an open handle of its directory, where the
system has names for those (Linux: /proc/self/fd), and else stands in a directory of ours for temporary files, under a
hash of the store's place.

Source: DESIGN 8; docs/holder.md.
"""

import fcntl
import os
import socket
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from blake3 import blake3

from voice.adapters.disk.private_files import FILE_MODE, secure_directory
from voice.adapters.surreal.holding.cards import NoCard, decode_card, encode_card
from voice.core.holding import Card

_LONGEST_NAME: Final = 100
"""Bytes; Linux has room for 108 and macOS for 104, the ending zero included."""
_ROOM_FOR_DRAFT: Final = 10
"""Bytes that the name is longer by under which a socket is made, before it is put in its place."""
_LONGEST_OWN: Final = 60
"""Bytes of a file's name that is reached through its directory's handle."""
_HANDLES: Final = Path("/proc/self/fd")
_LONGEST_CARD: Final = 4096
_BACKLOG: Final = 128


@dataclass(frozen=True, slots=True)
class Place:
    """Where the store in `directory` is held."""

    directory: Path

    @property
    def lock(self) -> Path:
        """The file that the holder locks."""
        return self.directory.with_name(f"{self.directory.name}.holder")

    @property
    def socket(self) -> Path:
        """Where the holder answers."""
        beside = self.directory.with_name(f"{self.directory.name}.sock")
        is_short = len(os.fsencode(beside)) <= _LONGEST_NAME - _ROOM_FOR_DRAFT
        if is_short or (_HANDLES.is_dir() and len(os.fsencode(beside.name)) <= _LONGEST_OWN):
            return beside
        name = f"{blake3(os.fsencode(self.directory.absolute())).hexdigest()[:32]}.sock"
        if _HANDLES.is_dir():
            return self.directory.with_name(name)
        return Path(tempfile.gettempdir()) / f"voice-{os.getuid()}" / name


class Lock:
    """The right to hold one store, until it is given back."""

    def __init__(self, place: Place, handle: int) -> None:
        self._place = place
        self._handle = handle

    def sign(self, card: Card) -> None:
        """Write who holds the store into the locked file."""
        os.ftruncate(self._handle, 0)
        os.pwrite(self._handle, encode_card(card), 0)

    def give_back(self) -> None:
        """Take the socket and the file away and let somebody else hold the store; once only."""
        try:
            for path in (self._place.socket, self._place.lock):
                with suppress(OSError):  # what cannot be taken away is replaced by the next holder
                    path.unlink()
        finally:
            os.close(self._handle)


def take(place: Place) -> Lock | None:
    """Return the right to hold the store, or None where somebody has it.

    Raises:
        OSError: the lock's place cannot be written.
    """
    handle = os.open(place.lock, os.O_RDWR | os.O_CREAT, FILE_MODE)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(handle).st_ino == place.lock.stat().st_ino:
            return Lock(place, handle)
    except (BlockingIOError, FileNotFoundError):
        pass
    except BaseException:
        os.close(handle)
        raise
    os.close(handle)
    return None


def signed_by(place: Place) -> Card | None:
    """Return the card in the lock file; None where there is none that can be read."""
    try:
        with place.lock.open("rb") as file:
            return decode_card(file.read(_LONGEST_CARD))
    except (OSError, NoCard):
        return None


def listen_at(place: Place) -> socket.socket:
    """Return a socket that listens in the store's place, for its owner alone; whoever calls has the lock.

    Raises:
        OSError: it cannot be made.
    """
    draft = place.socket.with_name(f"{place.socket.name}.{os.getpid()}")
    if draft.parent != place.directory.parent:
        secure_directory(draft.parent)
    end = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with suppress(FileNotFoundError):
            draft.unlink()
        with _address(draft) as address:
            end.bind(address)
        # Nobody can connect before it listens, and by then it is its owner's alone.
        draft.chmod(FILE_MODE)
        end.listen(_BACKLOG)
        draft.replace(place.socket)
    except BaseException:
        end.close()
        with suppress(OSError):
            draft.unlink()
        raise
    end.setblocking(False)
    return end


def reach(place: Place) -> socket.socket:
    """Return a socket that is connected to whoever listens in the store's place.

    Raises:
        OSError: nobody does.
    """
    end = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        end.setblocking(False)
        with _address(place.socket) as address:
            end.connect(address)
    except BaseException:
        end.close()
        raise
    return end


@contextmanager
def _address(path: Path) -> Generator[str]:
    """Yield a name of `path` that is short enough for a socket."""
    if len(os.fsencode(path)) <= _LONGEST_NAME:
        yield str(path)
        return
    handle = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield str(_HANDLES / str(handle) / path.name)
    finally:
        os.close(handle)
