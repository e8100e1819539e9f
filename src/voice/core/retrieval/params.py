"""Validate and clamp retrieval parameters.

Law: a number out of range is clamped with a warning; an invalid value raises `invalid_params`. Types are not coerced
here. Unknown providers are rejected where providers are installed.
Source: spec inner_voice.retrieve, Parameters, Config validation, Error Handling; rulings A15, C3, C16.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from voice.core.errors import InvalidParams
from voice.core.messages import asking as messages
from voice.core.records import Scope, require_utc
from voice.core.retrieval.values import LOCAL_HYBRID, LOCAL_VECTOR, Order, RetrieveParams, Window
from voice.core.text.normalise import clean_text, norm_v1

TOP_K_MAX = 50  # S0's bound
MIN_CANDIDATES_PER_SOURCE = 150  # S0's default (ruling A24)
_T = TypeVar("_T")
_Number = TypeVar("_Number", int, float)
_ORDERS: dict[str, Order] = {"created_at_desc": "created_at_desc", "created_at_asc": "created_at_asc"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieveDefaults:
    """Defaults from the settings; the values here are the specs' own."""

    top_k: int = 10
    mix: float = 0.6
    floor: float = 0.25
    min_floor: float = 0.15
    max_candidates_per_source: int = MIN_CANDIDATES_PER_SOURCE
    provider: str = LOCAL_VECTOR
    reranker: str = "auto"
    """Name of the re-ranker; `auto`: the installed one, if any."""
    warnings: tuple[str, ...] = ()
    """Corrections of settings, repeated in each answer's diagnostics (ruling C16)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieveRequest:
    """A caller's parameters; None means default."""

    query: str = field(repr=False)
    top_k: int | None = None
    floor: float | None = None
    mix: float | None = None
    include_private: bool = False
    include_tags: tuple[str, ...] = ()
    exclude_tags: tuple[str, ...] = ()
    provider: str | None = None
    scope: Scope = Scope()
    """Named scope; empty names nothing, `Scope.ALL` everything (ruling A18)."""
    surroundings: Scope = Scope()
    """The entrance's default scope of a scoped memory."""
    when: str | None = None
    window: Window = Window()
    order: str | None = None
    limit: int | None = None
    """S3's name for `top_k`, with S3's bounds; give only one (rulings A22, A24)."""
    now: datetime | None = None
    speaker: str | None = None
    as_of: datetime | None = None
    """Search the memory as it was at this instant (ruling F); None is now."""
    lexical_only: bool = False
    superseded: bool = False
    explain: bool = False
    rerank: bool = False


def clean_params(request: RetrieveRequest, defaults: RetrieveDefaults) -> RetrieveParams:
    """Return valid parameters, warning of each change. Raises InvalidParams: empty query, no number, unknown name."""
    query = clean_text(request.query).strip()
    if not norm_v1(query):
        raise InvalidParams(messages.QUERY_EMPTY)
    warnings = list(defaults.warnings)
    top_k = clamped("top_k", _or_default(request.top_k, defaults.top_k), (1, TOP_K_MAX), warnings.append)
    floor = clamped("floor", _or_default(request.floor, defaults.floor), (0.0, 1.0), warnings.append)
    mix = clamped("mix", _or_default(request.mix, defaults.mix), (0.0, 1.0), warnings.append)
    # Re-ranking defaults to both arms, which find more (ruling C20); a provider asked for by name stays.
    provider = LOCAL_HYBRID if request.rerank and defaults.provider == LOCAL_VECTOR else defaults.provider
    return RetrieveParams(
        query=query,
        top_k=top_k,
        floor=floor,
        min_floor=min(defaults.min_floor, floor),  # never above the floor itself
        mix=mix,
        include_private=request.include_private,
        include_tags=_tags(request.include_tags),
        exclude_tags=_tags(request.exclude_tags),
        provider=_or_default(request.provider, provider),
        scope=request.scope,
        when=request.when,
        window=_window(request.window),
        order=order_meant(request.order),
        now=None if request.now is None else require_utc(request.now, "now"),
        speaker=request.speaker,
        max_candidates_per_source=_candidates(defaults.max_candidates_per_source, top_k, warnings.append),
        lexical_only=request.lexical_only,
        superseded=request.superseded,
        explain=request.explain,
        rerank=request.rerank,
        warnings=tuple(warnings),
    )


def order_meant(said: str | None) -> Order | None:
    """Parse the name of an order; None if not given. Raises InvalidParams: unknown order (spec nlq 1, order_clause)."""
    if said is None:
        return None
    if said not in _ORDERS:
        raise InvalidParams(messages.unknown_order(", ".join(_ORDERS)))
    return _ORDERS[said]


def _or_default(value: _T | None, default: _T) -> _T:
    return default if value is None else value


def clamped(name: str, value: _Number, bounds: tuple[_Number, _Number], warn: Callable[[str], None]) -> _Number:
    """Clamp a number, calling `warn` if it changes (ruling C16). Raises InvalidParams: it is not a finite number."""
    # `True` is 1 in Python, and NaN would come through `min` and `max`.
    if isinstance(value, bool) or (isinstance(value, float) and not math.isfinite(value)):
        raise InvalidParams(messages.number_out_of_bounds(name, bounds[0], bounds[1]))
    within = min(max(value, bounds[0]), bounds[1])
    if within != value:
        warn(messages.number_clamped(name, value, within))
    return within


def _tags(tags: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({tag.strip() for tag in tags} - {""}))  # sorted: equal requests are equal values


def _window(window: Window) -> Window:
    start, end = (
        None if moment is None else require_utc(moment, "the window") for moment in (window.start, window.end)
    )
    if start is not None and end is not None and end < start:  # equal ends are an empty window, and allowed
        raise InvalidParams(messages.WINDOW_REVERSED)
    return Window(start=start, end=end)


def _candidates(maximum: int, top_k: int, warn: Callable[[str], None]) -> int:
    if maximum >= top_k:
        return maximum
    enough = max(3 * top_k, MIN_CANDIDATES_PER_SOURCE)  # room for duplicates and floors
    warn(messages.too_few_candidates(maximum, enough))
    return enough
