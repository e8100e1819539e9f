"""Wires looking for conflicts."""

from voice.services.graph.conflicts import Conflicts
from voice.wiring.opened import Opened


def conflicts_of(opened: Opened) -> Conflicts:
    """Return what finds conflicts."""
    stores = opened.stores
    return Conflicts(store=stores.memory, names=opened.names, log=stores.conflicts, clock=opened.clock, key=opened.key)
