"""Wires making a conversation's summary again."""

from voice.core.tokens import ConservativeCounter
from voice.services.configured import summary_settings
from voice.services.summaries import Summaries
from voice.wiring.opened import Opened


def summaries_of(opened: Opened) -> Summaries:
    """Return the service over an open memory."""
    stores, count = opened.stores, ConservativeCounter().count
    limits = summary_settings(opened.settings)
    return Summaries(sessions=stores.sessions, store=stores.memory, clock=opened.clock, count=count, settings=limits)
