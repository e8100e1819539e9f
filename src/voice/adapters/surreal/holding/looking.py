"""Who holds a store, seen from outside.

Law: looking opens no store, makes nothing where nothing was, and joins nobody for longer than it takes to ask. What a
killed holder left behind is taken away by whoever could hold the store now. A holder that answers has its engine's lock
in the store's directory; where nobody has that, its store is another one than what is there.

Source: DESIGN 8 (`doctor`); docs/holder.md.
"""

import asyncio
import os
from pathlib import Path

from voice.adapters.surreal.engine import NotCarriedOut
from voice.adapters.surreal.holder import refuse_if_held
from voice.adapters.surreal.holding.link import Link, Lost, Nobody
from voice.adapters.surreal.holding.patience import is_running
from voice.adapters.surreal.holding.place import Lock, Place, signed_by, take
from voice.core.errors import ConfigurationError, StoreHeld, StoreUnavailable
from voice.core.store_holder import HolderState, ProcessCard, detached_store_message, silent_holder_message


async def look_at_holder(directory: Path, mine: ProcessCard, *, wait_s: float) -> HolderState:
    """Return who holds the store in `directory`.

    Args:
        directory: of the store, which need not be there.
        mine: the card of who looks.
        wait_s: how long a holder may be silent.
    """
    place = Place(directory)
    try:
        link = await Link.to(place, mine, wait_s=wait_s)
    except Nobody:
        return await asyncio.to_thread(_without_answer, place, wait_s)
    except Lost as lost:
        return await asyncio.to_thread(_silent, place, lost.silent_s)
    except StoreUnavailable as full:
        return HolderState(state="alone", said=full.message)
    try:
        guests = await link.guests()
        if await asyncio.to_thread(_is_locked, directory):
            return HolderState(state="answers", holder=link.holder, guests=guests)
        guests = await link.guests()  # it still answers, so it has not begun to close its engine
        said = detached_store_message(str(directory), link.holder)
        return HolderState(state="astray", holder=link.holder, guests=guests, said=said)
    except (NotCarriedOut, Lost):
        return _silent(place, wait_s)
    finally:
        await link.aclose()


def _is_locked(directory: Path) -> bool:
    """Return whether an engine has the store in `directory` open."""
    try:
        refuse_if_held(directory)
    except (StoreHeld, OSError):
        return True
    return False


def _without_answer(place: Place, wait_s: float) -> HolderState:
    """Return what is known of a store on whose socket nobody answers."""
    was_left = any(os.path.lexists(each) for each in (place.lock, place.socket))
    if was_left:
        try:
            lock = take(place)
        except OSError as error:
            return HolderState(
                state="alone", said=f"{place.lock} cannot be written ({error.strerror}), so nothing is shared"
            )
        except ConfigurationError as error:
            return HolderState(state="alone", said=error.message)
        if lock is None:
            return _silent(place, wait_s)
        try:
            return _unless_held(place, lock)
        finally:
            lock.give_back()
    return _unless_held(place, None)


def _unless_held(place: Place, lock: Lock | None) -> HolderState:
    """Return that nobody holds the store, what was left of its holder taken away, unless somebody has it open."""
    try:
        refuse_if_held(place.directory)
    except StoreHeld as held:
        return HolderState(state="alone", said=held.message)
    if lock is not None:
        lock.clear()
    return HolderState(state="nobody", was_left_behind=lock is not None)


def _silent(place: Place, silent_s: float) -> HolderState:
    holder = signed_by(place)
    runs = holder is not None and is_running(holder.pid)
    return HolderState(
        state="silent", holder=holder, said=silent_holder_message(holder, str(place.directory), silent_s, runs=runs)
    )
