"""Wires what takes an import back."""

from voice.services.unimporting import Unimporting
from voice.wiring.services import Services


def unimporting_of(services: Services) -> Unimporting:
    """Return what takes back what an import stored in an open memory."""
    return Unimporting(store=services.store, gone=services.following.gone, extracting=services.extracting)
