"""Wires the reports on past turns."""

from voice.services.sessions.report import Reports
from voice.wiring.open_memory import OpenMemory
from voice.wiring.service_settings import nlq_settings


def report_of(opened: OpenMemory) -> Reports:
    """Return the service over an open memory."""
    stores, settings = opened.stores, opened.settings
    return Reports(
        sessions=stores.sessions,
        clock=opened.clock,
        nlq=nlq_settings(settings),
        timezone=settings.time.timezone,
        spending=stores.spending,
    )
