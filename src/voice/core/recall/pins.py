"""Pins: what may be pinned and for how long, and tier 1 of recall.

Law: a pin is shown when it is active at `now`, when its own scope and its target's are admitted, and when its target
may be told; then it is always shown, newest first, and never truncated. Of several pins on one target the newest is
shown. A private target, or one that was private when it was pinned, leaves no trace for a reader who may not see it,
whatever became of it; one that is gone is counted and said. With a redacted target its reason goes, too: it says what
the target said. Pins are not bound by the time window: what is important stays so.

What may be pinned, how long and where. A pin is judged when it is made, against its target (ruling G): the target is
there, live, and private only where that was allowed; every dimension the pin's scope names is the target's own, so that
a pin is never seen where its target is not; it has a reason, and an end that lies ahead. Pinning again is pinning anew:
the pin keeps its id and takes the new reason, the new end and the new time, so it moves to the front.

Source: spec retrieval-contract, Tier 1; rulings A17, G ("pins leak across scopes and accept missing targets"); rulings
A18, G, H.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Literal

from voice.core.errors import InvalidParams
from voice.core.graph.row_text import is_evidence
from voice.core.messages import memory as messages
from voice.core.recall.disclosure import (
    is_shown_redacted,
    is_silenced,
    may_be_told,
    shown_redacted,
    shown_row,
    tells_private,
)
from voice.core.recall.values import REDACTED_TEXT, Pin, PinResult, RecalledEntity, RecallParams
from voice.core.records import Relation, Row, RowStatus, Scope, Table, require_utc
from voice.core.retrieval.candidates import Neighbourhood
from voice.core.retrieval.row_filters import is_live, is_synthesis
from voice.core.retrieval.values import RowFilter
from voice.core.text.normalise import clean_text, norm_v1

_LOST = frozenset({RowStatus.REMOVAL, RowStatus.SUPERSEDED})


@dataclass(frozen=True, slots=True, kw_only=True)
class PinTargets:
    """What pins may point to, as it now stands."""

    rows: Mapping[str, Row]
    """They and the thoughts behind them, by id; unknown ones are absent."""
    around: Neighbourhood
    """Where the names in a graph row's text are taken from."""
    summaries: Mapping[str, RecalledEntity]
    """Visible summaries, by id."""
    known_summaries: frozenset[str] = frozenset()
    """Ids of summaries whose capsule or session exists, visible or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PinTier:
    """The first tier, and how many pins point to nothing any more."""

    shown: tuple[PinResult, ...]
    lost: int


def pin_filter(params: RecallParams) -> RowFilter:
    """Return which rows a pin may show."""
    return RowFilter(tables=frozenset(Table), scope=params.scope, include_private=params.include_private)


def eligible_pins(pins: Iterable[Pin], params: RecallParams) -> tuple[Pin, ...]:
    """Return the pins that are active, in scope and not hidden, newest first: of each target the newest."""
    wanted = [pin for pin in pins if pin.is_active(params.now) and params.scope.admits(pin.scope)]
    told = [pin for pin in wanted if params.include_private or not pin.is_private]
    by_id = sorted(told, key=lambda pin: pin.id, reverse=True)
    oldest_first = sorted(by_id, key=lambda pin: pin.created_at)
    newest = {pin.target_id: pin for pin in oldest_first}
    return tuple(pin for pin in reversed(oldest_first) if newest[pin.target_id] is pin)


def active_pins(pins: Iterable[Pin], targets: PinTargets, params: RecallParams) -> PinTier:
    """Return the pins that are shown, each with its target.

    Args:
        pins: any; those that are not eligible are left out.
    """
    shown: list[PinResult] = []
    lost = 0
    for pin in eligible_pins(pins, params):
        target = _target(pin.target_id, targets, params)
        if target is not None:
            told = replace(pin, reason=REDACTED_TEXT) if target.redacted else pin
            shown.append(PinResult(pin=told, target=target))
        lost += target is None and _is_lost(pin.target_id, targets, params)
    return PinTier(shown=tuple(shown), lost=lost)


def _target(target_id: str, targets: PinTargets, params: RecallParams) -> RecalledEntity | None:
    row, row_filter = targets.rows.get(target_id), pin_filter(params)
    if row is None:
        return targets.summaries.get(target_id)
    if params.include_redacted and is_shown_redacted(row, row_filter):
        return shown_redacted(row) if params.include_private or not tells_private(row, targets.rows) else None
    if not may_be_told(row, targets.rows, row_filter) or not _says_something(row, targets.around):
        return None
    text = targets.around.text_of(row)
    reveals_private = text != targets.around.public().text_of(row)
    return shown_row(row, text, is_private=tells_private(row, targets.rows) or reveals_private)


def _says_something(row: Row, around: Neighbourhood) -> bool:
    """Return whether the row's text says anything; a bare name does, since somebody marked it, a half edge does not."""
    return not isinstance(row, Relation) or is_evidence(row, entities=around.entities, relations=around.relations)


def _is_lost(target_id: str, targets: PinTargets, params: RecallParams) -> bool:
    row = targets.rows.get(target_id)
    if row is None:
        return target_id not in targets.known_summaries
    hides = tells_private(row, targets.rows) and not params.include_private
    is_gone = row.status in _LOST or is_silenced(row, targets.rows)
    return is_gone and not hides and params.scope.admits(row.scope)


MAX_REASON_CHARS = 500
MAX_LIFETIME = timedelta(days=3660)
"""Ten years; what shall stay longer needs no end at all."""
_UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_LIFETIME = re.compile(r"([0-9]{1,6})([mhdw])")
TargetState = Literal["live", "gone", "not live"]
PinState = Literal["active", "expired", "target gone", "target not live"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PinRequest:
    """What somebody wants pinned."""

    target_id: str
    reason: str = field(repr=False)
    lifetime: timedelta | None = None
    """How long from now; None and no `expires_at` is for ever."""
    expires_at: datetime | None = None
    scope: Scope | None = None
    """Where it counts; None is the target's own scope."""
    allow_private: bool = False
    """Whether a private target may be pinned: its text then stands in every recall that lets private rows in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What a pin points at, as far as pinning goes: a row, or the summary of a capsule or session."""

    id: str
    state: TargetState
    is_private: bool = False
    scope: Scope = Scope()
    is_withheld: bool = False
    """Whether what it said may not be told any more: it was forgotten or redacted, or says again what was."""


def target_of(row_id: str, rows: Mapping[str, Row]) -> Target:
    """Return the row with that id as a target; what the inner voice wrote itself is never one (ruling A13).

    Args:
        rows: the row, if it is stored, and the thoughts behind it.
    """
    row = rows.get(row_id)
    if row is None:
        return Target(id=row_id, state="gone", is_withheld=True)
    is_pinnable = is_live(row) and not is_synthesis(row) and not is_silenced(row, rows)
    return Target(
        id=row_id,
        state="live" if is_pinnable else "not live",
        is_private=tells_private(row, rows),
        scope=row.scope,
        is_withheld=row.status is RowStatus.REDACTED or is_silenced(row, rows),
    )


def make_pin(request: PinRequest, target: Target, *, pin_id: str, now: datetime) -> Pin:
    """Return the pin that was asked for.

    Raises:
        InvalidParams: the target cannot be pinned, the scope is not its own, the reason says nothing or too much, or
            the end does not lie ahead or lies more than `MAX_LIFETIME` ahead.
    """
    _require_pinnable(target, allow_private=request.allow_private)
    return Pin(
        id=pin_id,
        target_id=target.id,
        reason=_reason(request.reason),
        created_at=now,
        expires_at=_expiry(request, now),
        scope=_scope(request.scope, target),
        is_private=target.is_private,
    )


def as_listed(pin: Pin, target: Target) -> Pin:
    """Return the pin as a list shows it: without its reason where that says what may not be told any more."""
    return replace(pin, reason=REDACTED_TEXT) if target.is_withheld else pin


def state_of(pin: Pin, target: Target, now: datetime) -> PinState:
    """Return whether the pin counts at `now`, or why not."""
    if target.state == "gone":
        return "target gone"
    if target.state == "not live":
        return "target not live"
    return "active" if pin.is_active(now) else "expired"


def _require_pinnable(target: Target, *, allow_private: bool) -> None:
    if target.state == "not live":
        raise InvalidParams(messages.cannot_pin(target.id))
    if target.is_private and not allow_private:
        raise InvalidParams(messages.pin_private(target.id))


def _reason(text: str) -> str:
    reason = clean_text(text).strip()
    if not norm_v1(reason):
        raise InvalidParams(messages.PIN_REASON_MISSING)
    if len(reason) > MAX_REASON_CHARS:
        raise InvalidParams(messages.pin_reason_too_long(len(reason), MAX_REASON_CHARS))
    return reason


def _expiry(request: PinRequest, now: datetime) -> datetime | None:
    if request.lifetime is not None and request.expires_at is not None:
        raise InvalidParams(messages.PIN_LASTS_AND_ENDS)
    if request.expires_at is not None:
        lifetime = require_utc(request.expires_at, "the end of a pin") - now
    elif request.lifetime is not None:
        lifetime = request.lifetime
    else:
        return None
    if lifetime <= timedelta():
        raise InvalidParams(messages.PIN_ENDED)
    if lifetime > MAX_LIFETIME:
        raise InvalidParams(messages.pin_lasts_too_long(MAX_LIFETIME.days))
    return now + lifetime


def _scope(asked: Scope | None, target: Target) -> Scope:
    if asked is None:
        return target.scope
    if asked.everything:
        raise InvalidParams(messages.PIN_OF_ALL)
    if not asked.admits(target.scope) or (asked.is_empty and not target.scope.is_empty):
        raise InvalidParams(messages.pin_out_of_scope(target.id))
    return asked


def parse_lifetime(text: str) -> timedelta:
    """Return the time that `text` writes, such as `90m`, `12h`, `7d` or `2w`.

    Raises:
        InvalidParams: it is not a whole number with one of these units.
    """
    found = _LIFETIME.fullmatch(text.strip())
    if found is None:
        raise InvalidParams(messages.DURATION_SHAPE)
    return int(found[1]) * _UNITS[found[2]]
