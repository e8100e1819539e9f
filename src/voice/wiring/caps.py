"""The caps on spending that the settings name."""

from voice.core.settings.values import Settings
from voice.services.runtime.spending import SpendCaps


def spend_caps(settings: Settings) -> SpendCaps:
    """Return the caps on what was spent."""
    group = settings.llm
    return SpendCaps(
        turn=group.max_turn_cost,
        session=group.max_session_cost,
        day=group.max_day_cost,
        month=group.max_month_cost,
        on_unknown_price=group.on_unknown_price,
    )
