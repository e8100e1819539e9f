"""Wires looking whether everything is in order."""

from voice.services.maintenance.doctor import Checkup, OrphanRows
from voice.services.recall.pins import Pins
from voice.wiring.opened import Opened


def checkup_of(opened: Opened, pins: Pins, torn: OrphanRows) -> Checkup:
    """Return the service over an open memory."""
    return Checkup(
        store=opened.stores.memory,
        sessions=opened.stores.sessions,
        pins=pins,
        index=opened.index,
        embedder=opened.embedder,
        clock=opened.clock,
        torn=torn,
    )
