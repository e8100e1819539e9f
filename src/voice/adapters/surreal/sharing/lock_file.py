"""Where a store is held: the file that its holder locks, and the socket on which it answers.

    memory                the store
    memory.holder         locked by the holder, with its card inside
    memory.sock           where the holder answers, 0600

Law: only the owner of the lock holds the store; the kernel releases it however a process ends. The socket belongs to
the lock's owner: it is made after the lock was taken, removed before it is released, and a leftover one is replaced.
The lock file is removed with the lock; a lock on a file that has lost its name is none. No process removes what another
made, and nothing is written through a link.

A socket's name has about a hundred bytes. A longer one is reached through an open handle of its directory, where the
system has names for handles (Linux: /proc/self/fd); elsewhere the socket is in a directory of ours for temporary files,
under a hash of the store's path.

Source: DESIGN 8; docs/holder.md; ruling H (a data directory is its owner's alone); unix(7) for Linux, unix(4) for
macOS.
"""

import errno
import os
import socket
import stat
import struct
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from blake3 import blake3

from voice.adapters.disk.private_files import FILE_MODE, disk_errors, secure_directory, try_lock
from voice.adapters.surreal.sharing.protocol import NoCard, decode_card, encode_card
from voice.core.errors import ConfigurationError, VoiceError
from voice.core.store_holder import ProcessCard

_LONGEST_NAME: Final = 100  # bytes; Linux has room for 108 and macOS for 104, including the final zero
_ROOM_FOR_DRAFT: Final = 10  # bytes by which the name of a socket is longer while it is made (`listen_at`)
_LONGEST_OWN: Final = 60  # longest file name, in bytes, that is reached through its directory's handle
_HANDLES: Final = Path("/proc/self/fd")
_LONGEST_CARD: Final = 4096
_BACKLOG: Final = 128
_OPEN_SAFELY: Final = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK  # follows no link and does not block on a pipe


@dataclass(frozen=True, slots=True)
class HoldingPlace:
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
    """The right to hold a store, until it is released."""

    def __init__(self, place: HoldingPlace, handle: int) -> None:
        self._place = place
        self._handle = handle
        self._card: ProcessCard | None = None
        self._socket_id: tuple[int, int] | None = None  # device and inode of the socket that this holder made

    def sign(self, card: ProcessCard) -> None:
        """Write the holder's card into the locked file. Raises StoreUnavailable, ConfigurationError: the disk is full
        or fails."""
        self._card = card
        with disk_errors(self._place.lock):
            os.ftruncate(self._handle, 0)
            os.pwrite(self._handle, encode_card(card), 0)

    def listen(self) -> socket.socket:
        """Return a listening socket from `listen_at`, which is removed when the lock is released. Raises OSError: it
        cannot be made."""
        end = listen_at(self._place)
        self._socket_id = _identity(self._place.socket)
        return end

    @property
    def is_named(self) -> bool:
        """Whether the locked file still has its name."""
        return _is_at(self._place.lock, self._handle)

    def renew(self) -> socket.socket | None:
        """Make the lock file and the socket again if they were removed; return a new socket, which must be served.
        Files that another process made meanwhile are left unchanged."""
        with suppress(OSError, VoiceError):
            if not self.is_named and (renewed := _locked(self._place)) is not None:
                old, self._handle = self._handle, renewed
                os.close(old)
                if self._card is not None:
                    self.sign(self._card)
            if self._socket_id is not None and self.is_named and not os.path.lexists(self._place.socket):
                return self.listen()
        return None

    def withdraw(self) -> None:
        """Remove the socket that this holder made, and no other."""
        with suppress(OSError):  # the next holder replaces what cannot be removed
            if self._socket_id is not None and _identity(self._place.socket) == self._socket_id:
                self._place.socket.unlink()

    def clear(self) -> None:
        """Remove the socket of a killed holder; the caller must know that no engine runs."""
        with suppress(OSError):
            self._place.socket.unlink()

    def give_back(self) -> None:
        """Remove our socket and file, and release the lock; once only."""
        try:
            self.withdraw()
            with suppress(OSError):
                if self.is_named:
                    # While it is locked, because afterwards it may be another holder's.
                    self._place.lock.unlink()
        finally:
            os.close(self._handle)


def take_lock(place: HoldingPlace) -> Lock | None:
    """Return the lock of the store, or None if another process has it. Raises ConfigurationError: the lock file is not
    an ordinary file of ours, or others may write into its directory; OSError: it cannot be written."""
    handle = _locked(place)
    return None if handle is None else Lock(place, handle)


def _locked(place: HoldingPlace) -> int | None:
    try:
        handle = os.open(place.lock, os.O_RDWR | os.O_CREAT | _OPEN_SAFELY, FILE_MODE)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _no_lock(place) from None  # it is a link
        raise
    try:
        _require_ours(place, os.fstat(handle))
        if try_lock(handle) and _is_at(place.lock, handle):  # not the file of a holder that has just ended
            return handle
    except BaseException:
        os.close(handle)
        raise
    os.close(handle)
    return None


def _require_ours(place: HoldingPlace, found: os.stat_result) -> None:
    """Check that an opened file is an ordinary one of this user, with one name, in a directory only they may write."""
    # Under a second name it may be any file, which the card would overwrite.
    if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_nlink > 1:
        raise _no_lock(place)
    parent = place.lock.parent.stat().st_mode
    if parent & stat.S_IWOTH and not parent & stat.S_ISVTX:  # in a sticky one (/tmp) others cannot replace our files
        raise ConfigurationError(
            f"every user can write to {place.lock.parent}, and so replace the store; run chmod o-w on it, or choose "
            "another directory with VOICE_HOME or SURR_DB_URL"
        )


def _no_lock(place: HoldingPlace) -> ConfigurationError:
    return ConfigurationError(
        f"{place.lock} is a link, or not a file of this user, so it cannot say who holds the store; move it away"
    )


def _identity(path: Path) -> tuple[int, int]:
    found = path.lstat()
    return found.st_dev, found.st_ino


def _is_at(path: Path, handle: int) -> bool:
    try:
        mine = os.fstat(handle)
        return _identity(path) == (mine.st_dev, mine.st_ino)
    except OSError:
        return False


def read_holder_card(place: HoldingPlace) -> ProcessCard | None:
    """Return the card in the lock file; None if there is none that can be read."""
    try:
        handle = os.open(place.lock, os.O_RDONLY | _OPEN_SAFELY)
    except OSError:
        return None
    try:
        return decode_card(os.pread(handle, _LONGEST_CARD, 0))
    except (OSError, NoCard):
        return None
    finally:
        os.close(handle)


def listen_at(place: HoldingPlace) -> socket.socket:
    """Return a socket that listens in the store's place, for its owner alone; the caller must have the lock. Raises
    OSError: it cannot be made."""
    draft = place.socket.with_name(f"{place.socket.name}.{os.getpid()}")
    if draft.parent != place.directory.parent:  # the directory for temporary files
        secure_directory(draft.parent)
    end = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        draft.unlink(missing_ok=True)
        with _address(draft) as address:
            end.bind(address)
        # No process can connect before it listens, and by then only its owner may.
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


def connect_to(place: HoldingPlace) -> socket.socket:
    """Return a socket that is connected to the process that listens in the store's place. Raises OSError: none does."""
    end = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        end.setblocking(False)  # with a full backlog it fails instead of blocking the event loop
        with _address(place.socket) as address:
            end.connect(address)
    except BaseException:
        end.close()
        raise
    return end


@contextmanager
def _address(path: Path) -> Generator[str]:
    """Yield a name of `path` that is short enough for a socket's address."""
    if len(os.fsencode(path)) <= _LONGEST_NAME:
        yield str(path)
        return
    handle = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield str(_HANDLES / str(handle) / path.name)
    finally:
        os.close(handle)


_LINUX: Final = struct.Struct("3i")  # ucred: process, user, group
_MACOS: Final = struct.Struct("II")  # how xucred begins: its version and the user
_LOCAL_PEERCRED: Final = 1  # of macOS's sys/un.h


def is_same_user(end: socket.socket, platform: str = sys.platform) -> bool:
    """Return whether the process at the other end runs as this one's user; False if the system does not say."""
    try:
        return _user(end, platform) == os.geteuid()
    except (OSError, struct.error):
        return False


def peer_pid(end: socket.socket, platform: str = sys.platform) -> int | None:
    """Return the process at the other end; None if the system does not say."""
    if platform != "linux":
        return None
    try:
        found = end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _LINUX.size)
        return int(_LINUX.unpack(found)[0]) or None  # 0 for a process of another namespace
    except (OSError, struct.error):
        return None


def _user(end: socket.socket, platform: str) -> int | None:
    if platform == "linux":
        found = end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _LINUX.size)
        return int(_LINUX.unpack(found)[1])
    if platform == "darwin":
        return int(_MACOS.unpack_from(end.getsockopt(0, _LOCAL_PEERCRED, 76))[1])  # 76: the size of xucred
    return None
