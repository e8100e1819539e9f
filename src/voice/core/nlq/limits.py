"""How many and in which order, as S3 takes them.

Law: a number out of range is clamped and said so; an order that does not exist is refused. Both change what is shown,
never what is found (ruling E).

Source: spec nlq 1 (order_clause, effective_limit), 5, 10; rulings A22, A24, C16, E.
"""

from collections.abc import Callable
from typing import Final

from voice.core.errors import InvalidParams
from voice.core.nlq.values import NlqSettings
from voice.core.retrieval.values import Order

DEFAULT_ORDER: Final[Order] = "created_at_desc"
_ORDERS: Final[dict[str, Order]] = {"created_at_desc": "created_at_desc", "created_at_asc": "created_at_asc"}


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


def order_meant(said: str | None) -> Order | None:
    """Return the order called `said`, None when nothing was said.

    Raises:
        InvalidParams: there is no such order.
    """
    if said is None:
        return None
    if said not in _ORDERS:
        raise InvalidParams(f"there is no such order; use one of {', '.join(_ORDERS)}")
    return _ORDERS[said]
