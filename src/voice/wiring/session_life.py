"""Wires what becomes of conversations: listed, named, forked, closed, deleted."""

from voice.core.session.rolling_summary import SUMMARY_SHARE
from voice.core.settings.values import Settings
from voice.core.token_estimates import ConservativeCounter
from voice.services.sessions.lifecycle import LifeSettings, SessionLife
from voice.wiring.open_memory import OpenMemory


def session_life_of(opened: OpenMemory) -> SessionLife:
    """Return the service over an open memory."""
    return SessionLife(
        sessions=opened.stores.sessions,
        removal=opened.stores.removal,
        clock=opened.clock,
        ids=opened.ids,
        count=ConservativeCounter().count,
        settings=life_settings(opened.settings),
    )


def life_settings(settings: Settings) -> LifeSettings:
    """Return when a session expires, and what shapes the summary of a fork."""
    return LifeSettings(
        timeout_hours=settings.session.timeout_hours,
        max_tokens=int(settings.llm.max_prompt_tokens * SUMMARY_SHARE),
        timezone=settings.time.timezone,
        window_limit=settings.session.window_limit,
        window_keep=settings.session.window_keep,
    )
