"""What services take of the settings: caps on spending, and how questions are read."""

from voice.core.nlq.parsed_query import NlqSettings
from voice.core.settings.values import Settings
from voice.ports.llm import SpendStore
from voice.services.runtime.spending import SpendCaps, Spending


def spending_of(settings: Settings, store: SpendStore | None = None) -> Spending:
    """Return what holds turns to the caps; of those on more than one turn only where what was spent is kept."""
    group = settings.llm
    caps = SpendCaps(
        turn=group.max_turn_cost,
        session=group.max_session_cost,
        day=group.max_day_cost,
        month=group.max_month_cost,
        on_unknown_price=group.on_unknown_price,
    )
    return Spending(store=store, caps=caps, timezone=settings.time.timezone)  # no store: the turn's cap


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
