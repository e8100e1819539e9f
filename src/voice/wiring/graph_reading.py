"""Wires reading the graph as a person sees it, and everything there is to tell of one row."""

from voice.services.graph.browse import Browse
from voice.services.graph.row_dossier import Dossiers
from voice.services.recall.pins import Pins
from voice.wiring.open_memory import OpenMemory


def browse_of(opened: OpenMemory) -> Browse:
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


def dossiers_of(opened: OpenMemory, pins: Pins) -> Dossiers:
    """Return the service over an open memory."""
    stores = opened.stores
    return Dossiers(
        store=stores.memory,
        graph=stores.graph,
        history=stores.history,
        sessions=stores.sessions,
        pins=pins,
        forgotten=opened.forgotten,
    )
