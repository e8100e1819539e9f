"""Wires the look at who holds a store.

Source: DESIGN 8.
"""

from pathlib import Path

from voice.adapters.surreal.address import OnDisk, parse_address
from voice.adapters.surreal.holding.looking import look_at_holder
from voice.adapters.surreal.holding.own_card import own_card
from voice.adapters.system.key_file import STORE_NAME
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
    return await look_at_holder(address.directory, own_card(store.namespace, store.database), wait_s=store.wait_s)
