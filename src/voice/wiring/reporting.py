"""Wires the reports on past turns."""

from voice.services.configured import nlq_settings
from voice.services.report import Reports
from voice.wiring.opened import Opened


def report_of(opened: Opened) -> Reports:
    """Return the service over an open memory."""
    stores, settings = opened.stores, opened.settings
    return Reports(
        sessions=stores.sessions,
        clock=opened.clock,
        nlq=nlq_settings(settings),
        timezone=settings.time.timezone,
        spending=stores.spending,
    )
