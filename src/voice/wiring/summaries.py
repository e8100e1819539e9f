"""Wires making a conversation's summary again."""

from voice.core.session.rolling_summary import SUMMARY_SHARE
from voice.core.settings.values import Settings
from voice.core.token_estimates import ConservativeCounter
from voice.services.turn.summaries import Summaries, SummarySettings
from voice.wiring.open_memory import OpenMemory


def summaries_of(opened: OpenMemory) -> Summaries:
    """Return the service over an open memory."""
    stores, count = opened.stores, ConservativeCounter().count
    limits = summary_settings(opened.settings)
    return Summaries(sessions=stores.sessions, store=stores.memory, clock=opened.clock, count=count, settings=limits)


def summary_settings(settings: Settings) -> SummarySettings:
    """Return what shapes a summary that is made again outside of a turn."""
    return SummarySettings(
        max_tokens=int(settings.llm.max_prompt_tokens * SUMMARY_SHARE),
        timezone=settings.time.timezone,
        quarantine=settings.llm.quarantine_instructions,
    )
