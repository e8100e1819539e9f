"""Wires what corrects and forgets single sentences."""

from voice.services.rewording import Rewording
from voice.wiring.services import Services


def rewording_of(services: Services) -> Rewording:
    """Return what changes single sentences of an open memory."""
    return Rewording(store=services.store, correcting=services.correcting, forget=services.forget)
