"""Wires looking whether everything is in order."""

from voice.services.checkup import Checkup
from voice.services.pins import Pins
from voice.services.torn import Torn
from voice.wiring.opened import Opened


def checkup_of(opened: Opened, pins: Pins, torn: Torn) -> Checkup:
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
