"""Wires finding what a question in words is about."""

from voice.services.find import Find
from voice.wiring.opened import Opened
from voice.wiring.questions import nlq_settings


def find_of(opened: Opened) -> Find:
    """Return the service over an open memory."""
    settings, stores = opened.settings, opened.stores
    return Find(
        retrieve=opened.retrieve,
        history=stores.history,
        merges=stores.merges,
        clock=opened.clock,
        defaults=settings.retrieve,
        nlq=nlq_settings(settings),
        timezone=settings.time.timezone,
        half_lives=settings.organise.ageing,
    )
