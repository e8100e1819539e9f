"""Wires what becomes of conversations: listed, named, forked, closed, deleted."""

from voice.core.tokens import ConservativeCounter
from voice.services.configured import life_settings
from voice.services.session_life import SessionLife
from voice.wiring.opened import Opened


def life_of(opened: Opened) -> SessionLife:
    """Return the service over an open memory."""
    return SessionLife(
        sessions=opened.stores.sessions,
        removal=opened.stores.removal,
        clock=opened.clock,
        ids=opened.ids,
        count=ConservativeCounter().count,
        settings=life_settings(opened.settings),
    )
