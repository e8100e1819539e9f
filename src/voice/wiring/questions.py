"""How the settings let questions be read."""

from voice.core.nlq.parsed_query import NlqSettings
from voice.core.settings.values import Settings


def nlq_settings(settings: Settings) -> NlqSettings:
    """Return how questions are read."""
    return NlqSettings(
        week_start=settings.time.week_start,
        hemisphere=settings.time.hemisphere,
        language=settings.nlq.language,
        date_order=settings.time.date_order,
        max_keywords=settings.nlq.max_keywords,
        default_limit=settings.nlq.default_limit,
        max_limit=settings.nlq.max_limit,
        timeout_ms=settings.nlq.timeout_ms,
    )
