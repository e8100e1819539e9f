"""Wires what takes an import back."""

from voice.services.imports.undo import ImportUndo
from voice.wiring.services import Services


def unimporting_of(services: Services) -> ImportUndo:
    """Return what takes back what an import stored in an open memory."""
    return ImportUndo(store=services.store, gone=services.following.gone, extracting=services.extracting)
