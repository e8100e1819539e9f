"""Wires the check-up of a memory, and the look at who holds its store.

Source: DESIGN 8.
"""

from pathlib import Path

from voice.adapters.surreal.location import OnDisk, parse_address
from voice.adapters.surreal.sharing.holder import find_holder, own_card
from voice.adapters.system.data_directory import STORE_NAME
from voice.core.settings.values import Settings
from voice.core.store_holder import HolderState
from voice.services.maintenance.doctor import Checkup, OrphanRows
from voice.services.recall.pins import Pins
from voice.wiring.open_memory import OpenMemory


def checkup_of(opened: OpenMemory, pins: Pins, torn: OrphanRows) -> Checkup:
    """Return the service over an open memory."""
    return Checkup(
        store=opened.stores.memory,
        sessions=opened.stores.sessions,
        pins=pins,
        index=opened.index,
        embedder=opened.embedder,
        clock=opened.clock,
        torn=torn,
    )


async def holder_of(settings: Settings, home: Path) -> HolderState:
    """Return who holds the store that the settings name.

    Raises:
        ConfigurationError: its address is not understood.
    """
    store = settings.store
    address = OnDisk(directory=home / STORE_NAME) if store.url is None else parse_address(store.url, home=home)
    if not isinstance(address, OnDisk):
        return HolderState(state="elsewhere")
    return await find_holder(address.directory, own_card(store.namespace, store.database), wait_s=store.wait_s)
