"""Hold a store: its lock, its engine and its listener, opened and closed in one order.

Law: the lock comes first and goes last, so that whoever has it knows that no other engine runs, and the socket is there
only while the engine is. Whatever ends a hold (its process's wish, a newer program's), what is in the engine is
finished, and ending twice is ending once. A hold is over as soon as its store is seen to be gone from its place: it
takes no statement, gives lock and socket up, and leaves whatever is there now as it is (`ground`). So it is where
another engine has the engine's lock, or nobody can have it and ours keeps nobody out any more.

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

from voice.adapters.disk.private_files import disk_error, has_store, secure_directory
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

_DYING_S: Final = 1.0
"""How long a process that is being killed may keep the engine's lock after it lost ours."""
_LOOK_AGAIN_S: Final = 0.01


class NoStore(Exception):
    """There is no store where one was."""


def prepare(directory: Path, *, is_known: bool = False) -> None:
    """Make the directory of a store ready to be opened, what a killed compaction began finished or undone.

    Args:
        is_known: whether a store was there before, so that none is made.

    Raises:
        NoStore: one was there, and none is.
        ConfigurationError: it cannot be a store's.
        StoreHeld: somebody compacts it.
        StoreUnavailable: the disk is full or fails.
    """
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
    """The store of this process, and of its guests."""

    def __init__(
        self,
        place: HoldingPlace,
        lock: Lock | None,
        card: ProcessCard,
        limits: Limits = LIMITS,
        *,
        is_known: bool = False,
    ) -> None:
        """Make a hold that is not open yet.

        Args:
            place: where the store is held.
            lock: the right to; None where the lock's place cannot be written, and the store is not shared.
            limits: what guests are granted.
            is_known: whether the store was open before, so that none is made; see `prepare`.
        """
        self.card = replace(card, since=datetime.now(UTC))
        self.engine = Engine(is_there=self._is_there)
        self._place = place
        self._lock = lock
        self._listener = Listener(self.engine, self.card, step_down=self._step_down, limits=limits)
        self._is_known = is_known
        self._ground: DirectoryIdentity | None = None
        """What the engine has open."""
        self._ending = threading.Lock()
        self._is_open = True
        self._has_ended = False
        self.gave_way = False
        """Whether a newer program asked for the store."""

    def open(self) -> None:
        """Open the store and answer guests; blocks. What cannot be opened is closed again.

        Raises:
            NoStore: it is gone.
            StoreHeld: another program has it open, and answers nobody.
            ConfigurationError: the directory cannot be written, or the engine takes it for none.
            StoreUnavailable: the disk is full, or the engine does not start.
        """
        try:
            prepare(self._place.directory, is_known=self._is_known)
            _wait_until_free(self._place.directory)
            self._ground = _ground_of(self._place)
            self._start(self._ground)
            make_store_private(self._place.directory)
            if self._lock is not None:
                self._lock.sign(self.card)
                end = _listening(self._lock, self._place)
                self._listener.start(end, renew=self._renewed, withdraw=self._lock.withdraw)
        except BaseException:
            with suppress(VoiceError):  # what kept it from opening is what matters
                self.close()
            raise

    @property
    def holder(self) -> ProcessCard:
        """Who holds the store this way: this process."""
        return self.card

    @property
    def is_open(self) -> bool:
        """Whether statements are still taken."""
        return self._is_open

    @property
    def is_shared(self) -> bool:
        """Whether anybody else uses the store."""
        return self._listener.has_guests

    @property
    def epoch(self) -> object | None:
        """What nothing was written since, by us or a guest; None once the store is not ours alone any more."""
        is_ours = self._is_open and self._ground is not None and self._ground.is_untouched
        return self.engine.epoch if is_ours else None

    async def ask(self, request: bytes, effect: Effect = Effect.WRITES) -> bytes:
        """Have a statement carried out; see `Engine.submit`.

        Raises:
            EngineFailed, RequestMisread, NotCarriedOut: as the engine says.
            Lost: the store was taken away meanwhile, and nobody knows.
        """
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
        """Finish what is in the engine, close the store and let others hold it; blocks, and safe to call twice.

        Raises:
            VoiceError: the engine could not close it in order.
        """
        with self._ending:
            if not self._has_ended:
                self._end()

    def _start(self, ground: DirectoryIdentity) -> None:
        try:
            self.engine.start(f"surrealkv://{ground.name}").result()
            request = encode_request("use", (self.card.namespace, self.card.database))
            require_no_error("open it", decode_answer(self.engine.submit(request).result()))
            ground.settle()
        except EngineFailed as failed:
            error = unreachable("open it", failed.words)
        except OSError as failed:
            raise disk_error(failed, self._place.directory) from None
        except StoreFilesMissing:
            raise StoreUnavailable(f"the store {self._place.directory} went while it was opened; try again") from None
        else:
            return
        raise StoreHeld(held_message(self._place.directory)) if isinstance(error, StoreHeld) else error

    def _end(self) -> None:
        self._is_open, self._has_ended = False, True
        try:
            try:
                self._listener.stop(gives_way=self.gave_way)
            finally:
                self._end_engine()
        except EngineFailed as failed:
            raise unreachable("close it", failed.words) from None
        finally:
            if self._ground is not None:
                self._ground.close()
            if self._lock is not None:
                self._lock.give_back()

    def _end_engine(self) -> None:
        """Close the engine, unless its store is gone and closing, which writes, would write into what is there now."""
        is_there = self._is_there()
        if not is_there and self._ground is not None and not self._ground.set_apart():
            self.engine.abandon().result()
            return
        try:
            self.engine.stop().result()
        except EngineFailed:
            if self._ground is not None:
                self._ground.keep()
            raise
        if is_there and self._place.directory.is_dir():
            make_store_private(self._place.directory)

    def _is_there(self) -> bool:
        """Return whether the store is still where it was opened, and ours alone; if not, this hold is over."""
        if self._ground is None or (self._ground.is_there and self._keeps_others_out(self._ground)):
            return True
        if self._is_open:
            self._is_open = False
            self._close_soon("voice-store-gone")
        return False

    def _keeps_others_out(self, ground: DirectoryIdentity) -> bool:
        by = ground.locked_by()
        return by == "us" or (by == "nobody" and self._lock is not None and self._lock.is_named)

    def _renewed(self) -> socket.socket | None:
        """Return a new socket where somebody took ours away, but not for a store that is gone itself.

        It is called where guests are answered. So whether who has the engine's lock only looks is waited for elsewhere.
        """
        ground = self._ground
        if ground is not None and ground.is_there and ground.locked_by(wait_s=0) == "another":
            self.engine.look()
            return None
        return self._lock.renew() if self._lock is not None and self._is_there() else None

    def _step_down(self) -> None:
        """Close the store for a newer program; not on the listener's thread, which is one of what ends."""
        self.gave_way = True
        self._close_soon("voice-step-down")

    def _close_soon(self, name: str) -> None:
        threading.Thread(target=self._close_quietly, name=name, daemon=True).start()

    def _close_quietly(self) -> None:
        with suppress(VoiceError):  # the store is given up all the same, and its next holder finds what is wrong
            self.close()


def _ground_of(place: HoldingPlace) -> DirectoryIdentity:
    try:
        return DirectoryIdentity(place.directory)
    except OSError as error:
        raise disk_error(error, place.directory) from None


def _listening(lock: Lock, place: HoldingPlace) -> socket.socket:
    try:
        return lock.listen()
    except OSError as error:
        raise disk_error(error, place.socket) from None


def _wait_until_free(directory: Path) -> None:
    """Refuse a store that somebody has open in spite of our lock: an older program, say.

    A process that is killed gives its locks back one after the other, so the engine's is asked for some time.

    Raises:
        StoreHeld: somebody has.
    """
    until = time.monotonic() + _DYING_S
    while True:
        try:
            refuse_if_held(directory)
        except StoreHeld:
            if time.monotonic() > until:
                raise
            time.sleep(_LOOK_AGAIN_S)
        else:
            return
