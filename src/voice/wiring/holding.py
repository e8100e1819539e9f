"""Wires the look at who holds a store.

Source: DESIGN 8.
"""

from pathlib import Path

from voice.adapters.surreal.location import OnDisk, parse_address
from voice.adapters.surreal.sharing.holder import find_holder, own_card
from voice.adapters.system.data_directory import STORE_NAME
from voice.core.settings.values import Settings
from voice.core.store_holder import HolderState


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
