"""Wires looking for conflicts."""

from voice.services.graph.conflicts import Conflicts
from voice.wiring.open_memory import OpenMemory


def conflicts_of(opened: OpenMemory) -> Conflicts:
    """Return what finds conflicts."""
    stores = opened.stores
    return Conflicts(store=stores.memory, names=opened.names, log=stores.conflicts, clock=opened.clock, key=opened.key)
