"""Wires reading the graph as a person sees it."""

from voice.services.graph.browse import Browse
from voice.wiring.opened import Opened


def browse_of(opened: Opened) -> Browse:
    """Return the service over an open memory."""
    stores = opened.stores
    return Browse(
        store=stores.memory,
        graph=stores.graph,
        names=opened.names,
        history=stores.history,
        merges=stores.merges,
        clock=opened.clock,
        half_lives=opened.settings.organise.ageing,
    )
