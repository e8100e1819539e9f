"""Wires capsules, pins and the summary of what goes on: what recall shows unasked."""

from voice.services.recall.capsules import Capsules
from voice.services.recall.current_summary import CurrentSummary
from voice.services.recall.pins import Pins
from voice.wiring.open_memory import OpenMemory


def capsules_of(opened: OpenMemory) -> Capsules:
    """Return what opens, sums up and closes pieces of work."""
    stores, scoping = opened.stores, opened.scoping
    return Capsules(capsules=stores.capsules, store=stores.memory, scoping=scoping, clock=opened.clock, ids=opened.ids)


def pins_of(opened: OpenMemory) -> Pins:
    """Return what pins rows."""
    stores = opened.stores
    return Pins(
        store=stores.memory,
        held=stores.pins,
        scoping=opened.scoping,
        current=current_summary_of(opened),
        clock=opened.clock,
        ids=opened.ids,
    )


def current_summary_of(opened: OpenMemory) -> CurrentSummary:
    """Return what finds the summary of what goes on."""
    settings, stores = opened.settings, opened.stores
    return CurrentSummary(
        store=stores.memory,
        capsules=stores.capsules,
        sessions=stores.sessions,
        timezone=settings.time.timezone,
        timeout_hours=settings.session.timeout_hours,
    )
