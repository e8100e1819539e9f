"""Pins: creation rules, and tier 1 of recall.

Law: a pin is shown, never truncated, if active at `now`, in scope, and its target visible; newest first, one per
target, regardless of time windows. Hidden private targets leave no trace; missing targets are counted. A pin needs a
live target, a reason and a future end; its scope names only dimensions of the target's, so it is never seen where the
target is not.
Source: spec retrieval-contract, Tier 1; rulings A17, A18, G, H.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Literal

from voice.core.errors import InvalidParams
from voice.core.graph.row_display import is_evidence, readable_text_of
from voice.core.graph.thoughts.vouching import is_unvouched
from voice.core.messages import memory as messages
from voice.core.recall.disclosure import (
    is_content_visible,
    is_shown_redacted,
    is_silenced,
    shown_redacted,
    shown_row,
    tells_private,
)
from voice.core.recall.values import REDACTED_TEXT, Pin, PinResult, RecalledEntity, RecallParams
from voice.core.records import Relation, Row, RowStatus, Scope, Table, require_utc
from voice.core.retrieval.candidates import Neighbourhood, is_live, is_synthesis
from voice.core.retrieval.values import RowFilter
from voice.core.text.normalise import clean_text, norm_v1

_LOST = frozenset({RowStatus.REMOVAL, RowStatus.SUPERSEDED})  # a redacted row is not missing, only its words are


@dataclass(frozen=True, slots=True, kw_only=True)
class PinTargets:
    """Current targets of pins."""

    rows: Mapping[str, Row]
    """Rows and the thoughts behind them, by id; unknown ids are absent."""
    around: Neighbourhood
    """Source of names in graph rows' texts."""
    summaries: Mapping[str, RecalledEntity]
    """Visible summaries, by id."""
    known_summaries: frozenset[str] = frozenset()
    """Ids of existing summaries, visible or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PinTier:
    """The first tier, with the number of pins without a target."""

    shown: tuple[PinResult, ...]
    lost: int


def pin_filter(params: RecallParams) -> RowFilter:
    """Return the filter for pinned rows; it has no time window."""
    return RowFilter(tables=frozenset(Table), scope=params.scope, include_private=params.include_private)


def eligible_pins(pins: Iterable[Pin], params: RecallParams) -> tuple[Pin, ...]:
    """Return the active, visible pins in scope, newest first, the newest per target."""
    active = [pin for pin in pins if pin.is_active(params.now) and params.scope.admits(pin.scope)]
    visible = [pin for pin in active if params.include_private or not pin.is_private]
    by_id = sorted(visible, key=lambda pin: pin.id, reverse=True)  # then by time and reversed: equal times by id
    oldest_first = sorted(by_id, key=lambda pin: pin.created_at)
    newest = {pin.target_id: pin for pin in oldest_first}  # the last one of each target stays
    return tuple(pin for pin in reversed(oldest_first) if newest[pin.target_id] is pin)


def active_pins(pins: Iterable[Pin], targets: PinTargets, params: RecallParams) -> PinTier:
    """Return the pins to show, each with its target."""
    shown: list[PinResult] = []
    lost = 0
    for pin in eligible_pins(pins, params):
        target = _target(pin.target_id, targets, params)
        if target is not None:
            told = replace(pin, reason=REDACTED_TEXT) if target.redacted else pin  # the reason may repeat the words
            shown.append(PinResult(pin=told, target=target))
        lost += target is None and _is_lost(pin.target_id, targets, params)
    return PinTier(shown=tuple(shown), lost=lost)


def _target(target_id: str, targets: PinTargets, params: RecallParams) -> RecalledEntity | None:
    row, row_filter = targets.rows.get(target_id), pin_filter(params)
    if row is None:
        return targets.summaries.get(target_id)
    if params.include_redacted and is_shown_redacted(row, row_filter):
        return shown_redacted(row) if params.include_private or not tells_private(row, targets.rows) else None
    if not is_content_visible(row, targets.rows, row_filter):
        return None
    around = targets.around
    # A bare name is content because someone pinned it; half an edge is not.
    if isinstance(row, Relation) and not is_evidence(row, entities=around.entities, relations=around.relations):
        return None
    text = around.text_of(row)
    reveals_private = text != around.public().text_of(row)
    return shown_row(row, text, is_private=tells_private(row, targets.rows) or reveals_private)


def _is_lost(target_id: str, targets: PinTargets, params: RecallParams) -> bool:
    row = targets.rows.get(target_id)
    if row is None:
        return target_id not in targets.known_summaries
    hides = tells_private(row, targets.rows) and not params.include_private  # a count would tell of it
    is_gone = row.status in _LOST or is_silenced(row, targets.rows)
    return is_gone and not hides and params.scope.admits(row.scope)


MAX_REASON_CHARS = 500
MAX_LIFETIME = timedelta(days=3660)
"""Ten years; without an end a pin has no limit."""
_UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_LIFETIME = re.compile(r"([0-9]{1,6})([mhdw])")  # "90m", "2w"; six digits, so that no timedelta overflows


TargetState = Literal["live", "gone", "not live"]
PinState = Literal["active", "expired", "target gone", "target not live"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PinRequest:
    """A pin to be created."""

    target_id: str
    reason: str = field(repr=False)
    lifetime: timedelta | None = None
    """From now on; None without `expires_at` never expires."""
    expires_at: datetime | None = None
    scope: Scope | None = None
    """None is the target's own scope."""
    allow_private: bool = False
    """Whether a private target is accepted; every recall with private rows then shows it."""
    hides_private: bool = False
    """Answer otherwise for a private target as for one that is not there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A pin's target: a row, or the summary of a capsule or session."""

    id: str
    state: TargetState
    is_private: bool = False
    scope: Scope = Scope()
    says: str = field(default="", repr=False)
    """The words of a live one."""
    is_withheld: bool = False
    """Whether its content may no longer be shown: forgotten, redacted, or a repeat of such."""


def target_of(row_id: str, rows: Mapping[str, Row]) -> Target:
    """Return a row as a target; not live: the inner voice's own (ruling A13) and what waits (ruling J2)."""
    row = rows.get(row_id)
    if row is None:
        return Target(id=row_id, state="gone", is_withheld=True)
    is_pinnable = is_live(row) and not (is_synthesis(row) or is_unvouched(row) or is_silenced(row, rows))
    return Target(
        id=row_id,
        state="live" if is_pinnable else "not live",
        is_private=tells_private(row, rows),
        scope=row.scope,
        says=readable_text_of(row) if is_pinnable else "",
        is_withheld=row.status is RowStatus.REDACTED or is_silenced(row, rows),
    )


def make_pin(request: PinRequest, target: Target, *, pin_id: str, now: datetime) -> Pin:
    """Create the pin.

    Raises InvalidParams: target not pinnable, foreign scope, empty or long reason, or an end in the past or too far.
    """
    # First, so that no other message tells what state a private target is in.
    if target.is_private and not request.allow_private:
        raise InvalidParams(messages.pin_private(target.id))
    if target.state == "not live":
        raise InvalidParams(messages.cannot_pin(target.id))
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
    """Return the pin for a list, without its reason if its target is withheld."""
    return replace(pin, reason=REDACTED_TEXT) if target.is_withheld else pin


def state_of(pin: Pin, target: Target, now: datetime) -> PinState:
    """Return whether the pin is active at `now`, or why not."""
    if target.state == "gone":
        return "target gone"
    if target.state == "not live":
        return "target not live"
    return "active" if pin.is_active(now) else "expired"


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
    lifetime = request.lifetime
    if request.expires_at is not None:
        lifetime = require_utc(request.expires_at, "the end of a pin") - now
    if lifetime is None:
        return None
    if lifetime <= timedelta():
        raise InvalidParams(messages.PIN_ENDED)
    if lifetime > MAX_LIFETIME:
        raise InvalidParams(messages.pin_lasts_too_long(MAX_LIFETIME.days))
    return now + lifetime


def _scope(requested: Scope | None, target: Target) -> Scope:
    if requested is None:
        return target.scope
    if requested.everything:  # seen in scopes in which its target is not
        raise InvalidParams(messages.PIN_OF_ALL)
    if not requested.admits(target.scope) or (requested.is_empty and not target.scope.is_empty):
        raise InvalidParams(messages.pin_out_of_scope(target.id))
    return requested


def parse_lifetime(text: str) -> timedelta:
    """Parse `90m`, `12h`, `7d` or `2w`. Raises InvalidParams: not a whole number with one of these units."""
    found = _LIFETIME.fullmatch(text.strip())
    if found is None:
        raise InvalidParams(messages.DURATION_SHAPE)
    return int(found[1]) * _UNITS[found[2]]
