"""How many, as S3 takes it, and in which order when nobody says.

Law: a number out of range is clamped and said so. Both change what is shown, never what is found (ruling E).

Source: spec nlq 1 (order_clause, effective_limit), 5, 10; rulings A22, A24, C16, E.
"""

from collections.abc import Callable
from typing import Final

from voice.core.errors import InvalidParams
from voice.core.nlq.values import NlqSettings
from voice.core.retrieval.values import Order

DEFAULT_ORDER: Final[Order] = "created_at_desc"


def limit_meant(said: int | None, settings: NlqSettings, warn: Callable[[str], None]) -> int:
    """Return how many rows are wanted: what was said, or the default, from 1 to the most allowed.

    Args:
        said: what the caller asked for; None is "not said".
        settings: the default and the most.
        warn: told in words when the number was changed (ruling C16).

    Raises:
        InvalidParams: it is no number.
    """
    if isinstance(said, bool):
        raise InvalidParams(f"limit must be a number from 1 to {settings.max_limit}")
    wanted = settings.default_limit if said is None else said
    inside = min(max(wanted, 1), max(settings.max_limit, 1))
    if said is not None and inside != said:
        warn(f"limit {said} is out of range and was set to {inside}")
    return inside
