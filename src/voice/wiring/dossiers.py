"""Wires what tells everything of one row."""

from voice.services.graph.row_dossier import Dossiers
from voice.services.recall.pins import Pins
from voice.wiring.opened import Opened


def dossiers_of(opened: Opened, pins: Pins) -> Dossiers:
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
