"""The holder of a store: its lock, its engine and its listener, opened and closed in one order.

Law: the lock is taken first and released last, so that its owner knows that no other engine runs, and the socket exists
only while the engine runs. However a hold ends (this process closes it, or a newer program asks for it), the statements
in the engine are finished, and ending twice is ending once. A hold is over as soon as its store is no longer in its
place, when another engine has the engine's lock, or when that lock can no longer be had: it takes no statement,
releases lock and socket, and leaves what is there now unchanged (`directory_identity`).

Source: DESIGN 8; docs/holder.md.
"""

import asyncio
import socket
import threading
import time
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from voice.adapters.disk.private_files import disk_error, disk_errors, has_store, secure_directory
from voice.adapters.surreal.connection import require_no_error, unreachable
from voice.adapters.surreal.embedded_engine import (
    Engine,
    EngineFailed,
    RequestNotBegun,
    StoreFilesMissing,
    decode_answer,
    encode_request,
)
from voice.adapters.surreal.location import finish_swap, make_store_private, require_directory_for_store
from voice.adapters.surreal.sharing.client import HolderLost
from voice.adapters.surreal.sharing.directory_identity import DirectoryIdentity
from voice.adapters.surreal.sharing.guest import Limits
from voice.adapters.surreal.sharing.holder import held_message, refuse_if_held
from voice.adapters.surreal.sharing.listener import LIMITS, Listener
from voice.adapters.surreal.sharing.lock_file import HoldingPlace, Lock
from voice.core.errors import StoreHeld, StoreUnavailable, VoiceError
from voice.core.store_holder import Effect, ProcessCard

_EXIT_S: Final = 1.0  # how long a killed process may keep the engine's lock after its own lock was released
_POLL_S: Final = 0.01


class NoStore(Exception):
    """A known store is no longer in its place."""


def prepare(directory: Path, *, is_known: bool = False) -> None:
    """Make a directory ready for its store to be opened, a new one unless it `is_known`; finishes or undoes a
    compaction that was killed. Raises NoStore: one was there and is gone; ConfigurationError: the directory cannot be a
    store's; StoreHeld: another process compacts it; StoreUnavailable: the disk is full or fails."""
    finish_swap(directory)
    require_directory_for_store(directory)
    if is_known:
        if not has_store(directory):
            raise NoStore
        return
    if not directory.parent.exists():
        secure_directory(directory.parent)
    secure_directory(directory)


class StoreHolder:
    """This process's open store, which also serves its guests."""

    def __init__(
        self,
        place: HoldingPlace,
        lock: Lock | None,
        card: ProcessCard,
        limits: Limits = LIMITS,
        *,
        is_known: bool = False,
    ) -> None:
        """Make a holder that is not open yet. Without a `lock`, whose place cannot be written, the store is not shared;
        where it `is_known`, no new one is made."""
        self.holder = replace(card, since=datetime.now(UTC))
        self.engine = Engine(is_there=self._is_there)
        self._place = place
        self._lock = lock
        self._listener = Listener(self.engine, self.holder, step_down=self._step_down, limits=limits)
        self._is_known = is_known
        self._identity: DirectoryIdentity | None = None  # files that the engine has open
        self._ending = threading.Lock()
        self.is_open = True
        """Whether statements are accepted."""
        self._has_ended = False
        self.gave_way = False
        """Whether a newer program asked for the store."""

    def open(self) -> None:
        """Open the store and serve guests; blocks. On a failure everything is closed again. Raises NoStore: it is gone;
        StoreHeld: another program has it open and does not answer; ConfigurationError: the directory cannot be written,
        or the engine does not accept it; StoreUnavailable: the disk is full, or the engine does not start."""
        try:
            prepare(self._place.directory, is_known=self._is_known)
            _wait_until_free(self._place.directory)
            with disk_errors(self._place.directory):
                self._identity = DirectoryIdentity(self._place.directory)
            self._start(self._identity)
            make_store_private(self._place.directory)
            if self._lock is not None:
                self._lock.sign(self.holder)
                # Last, so that a guest finds the store open and the holder's card written.
                with disk_errors(self._place.socket):
                    end = self._lock.listen()
                self._listener.start(end, renew=self._renew_socket, withdraw=self._lock.withdraw)
        except BaseException:
            with suppress(VoiceError):  # the first error is the one to report
                self.close()
            raise

    @property
    def is_shared(self) -> bool:
        """Whether another process uses the store."""
        return self._listener.has_guests

    @property
    def epoch(self) -> object | None:
        """See `Watched`; None once the store is not this holder's alone."""
        is_ours = self.is_open and self._identity is not None and self._identity.is_untouched
        return self.engine.epoch if is_ours else None

    async def ask(self, request: bytes, effect: Effect = Effect.WRITES) -> bytes:
        """Have a statement carried out; see `Engine.submit`. Raises EngineFailed, RequestMisread, RequestNotBegun: see
        `Engine.submit`; HolderLost: the store was removed meanwhile, and the outcome is unknown."""
        try:
            return await asyncio.wrap_future(self.engine.submit(request, reads=effect is Effect.READS))
        except StoreFilesMissing as gone:
            raise (HolderLost() if gone.was_carried_out else RequestNotBegun()) from None

    async def take_turn(self) -> bool:
        """Wait for this process's turn to write."""
        return await asyncio.wrap_future(self._listener.take_turn(self))

    def give_turn_back(self) -> None:
        """Give this process's turn back."""
        self._listener.give_turn_back(self)

    def close(self) -> None:
        """Finish the statements in the engine, close the store and release it; blocks, safe to call twice. Raises
        VoiceError: the engine did not close in order."""
        with self._ending:
            if not self._has_ended:
                self._end()

    def _start(self, identity: DirectoryIdentity) -> None:
        try:
            self.engine.start(f"surrealkv://{identity.name}").result()
            request = encode_request("use", (self.holder.namespace, self.holder.database))
            require_no_error("open it", decode_answer(self.engine.submit(request).result()))
            identity.settle()
        except EngineFailed as failed:
            error = unreachable("open it", failed.words)
            raise (StoreHeld(held_message(self._place.directory)) if isinstance(error, StoreHeld) else error) from None
        except OSError as failed:
            raise disk_error(failed, self._place.directory) from None
        except StoreFilesMissing:
            raise StoreUnavailable(
                f"the store {self._place.directory} disappeared while it was opened; try again"
            ) from None

    def _end(self) -> None:
        self.is_open, self._has_ended = False, True
        try:
            try:
                self._listener.stop(gives_way=self.gave_way)  # while the engine still runs
            finally:
                self._end_engine()
        except EngineFailed as failed:
            raise unreachable("close it", failed.words) from None
        finally:
            if self._identity is not None:
                self._identity.close()
            if self._lock is not None:
                self._lock.give_back()

    def _end_engine(self) -> None:
        """Close the engine, unless closing, which writes, would write into what replaced its store."""
        is_there = self._is_there()
        if not is_there and self._identity is not None and not self._identity.set_apart():
            self.engine.abandon().result()
            return
        try:
            self.engine.stop().result()
        except EngineFailed:
            if self._identity is not None:
                self._identity.keep()
            raise
        if is_there and self._place.directory.is_dir():
            make_store_private(self._place.directory)

    def _is_there(self) -> bool:
        """Return whether the store is still in its place and ours alone; if not, this hold ends."""
        if self._identity is None or (self._identity.is_there and self._keeps_others_out(self._identity)):
            return True
        if self.is_open:
            self.is_open = False
            # On another thread: this may be the engine's own, and closing waits for that.
            self._close_soon("voice-store-gone")
        return False

    def _keeps_others_out(self, identity: DirectoryIdentity) -> bool:
        owner = identity.locked_by()
        return owner == "us" or (owner == "nobody" and self._lock is not None and self._lock.is_named)

    def _renew_socket(self) -> socket.socket | None:
        """Return a new socket if ours was removed, unless the store itself is gone."""
        # This runs on the listener's thread, so it does not wait: whether another process only checks the lock is found
        # out on the engine's thread.
        identity = self._identity
        if identity is not None and identity.is_there and identity.locked_by(wait_s=0) == "another":
            self.engine.check_files()
            return None
        return self._lock.renew() if self._lock is not None and self._is_there() else None

    def _step_down(self) -> None:
        """Close the store for a newer program, on a thread other than the listener's, which must end first."""
        self.gave_way = True
        self._close_soon("voice-step-down")

    def _close_soon(self, name: str) -> None:
        threading.Thread(target=self._close_quietly, name=name, daemon=True).start()

    def _close_quietly(self) -> None:
        with suppress(VoiceError):  # the store is released all the same, and its next holder finds what is wrong
            self.close()


def _wait_until_free(directory: Path) -> None:
    """Check that no process has the store open in spite of our lock, such as an older program."""
    # A killed process loses its locks one after the other, so the engine's is tried for a while.
    until = time.monotonic() + _EXIT_S
    while True:
        try:
            refuse_if_held(directory)
        except StoreHeld:
            if time.monotonic() > until:
                raise
            time.sleep(_POLL_S)
        else:
            return
