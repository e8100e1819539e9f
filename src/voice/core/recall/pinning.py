"""What may be pinned, how long and where.

Law: a pin is judged when it is made, against its target (ruling G): the target is there, live, and private only where
that was allowed; every dimension the pin's scope names is the target's own, so that a pin is never seen where its
target is not; it has a reason, and an end that lies ahead. Pinning again is pinning anew: the pin keeps its id and
takes the new reason, the new end and the new time, so it moves to the front.

Source: spec retrieval-contract, Tier 1; rulings A18, G, H.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Literal

from voice.core.errors import InvalidParams
from voice.core.recall.telling import is_silenced, tells_private
from voice.core.recall.values import REDACTED_TEXT, Pin
from voice.core.records import Row, RowStatus, Scope, require_utc
from voice.core.retrieval.visibility import is_live, is_synthesis
from voice.core.text.normalise import clean_text, norm_v1

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
        row_id: its id.
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
        raise InvalidParams(
            f"{target.id} cannot be pinned: a row that was replaced, redacted, marked for removal or written by the "
            "inner voice, or a summary that says nothing yet or no longer stands"
        )
    if target.is_private and not allow_private:
        raise InvalidParams(f"{target.id} is private; say that private rows are allowed (--private) to pin it")


def _reason(text: str) -> str:
    reason = clean_text(text).strip()
    if not norm_v1(reason):
        raise InvalidParams("a pin needs a reason: say in a few words why it matters")
    if len(reason) > MAX_REASON_CHARS:
        raise InvalidParams(f"that reason has {len(reason):,} characters; at most {MAX_REASON_CHARS} are kept")
    return reason


def _expiry(request: PinRequest, now: datetime) -> datetime | None:
    if request.lifetime is not None and request.expires_at is not None:
        raise InvalidParams("say how long the pin lasts or when it ends, not both")
    if request.expires_at is not None:
        lifetime = require_utc(request.expires_at, "the end of a pin") - now
    elif request.lifetime is not None:
        lifetime = request.lifetime
    else:
        return None
    if lifetime <= timedelta():
        raise InvalidParams("a pin must end after it was made; give it a time that lies ahead")
    if lifetime > MAX_LIFETIME:
        raise InvalidParams(f"a pin lasts at most {MAX_LIFETIME.days} days; leave its end out and it stays for ever")
    return now + lifetime


def _scope(asked: Scope | None, target: Target) -> Scope:
    if asked is None:
        return target.scope
    if asked.everything:
        raise InvalidParams("a pin belongs to one scope; leave the scope out and it takes its target's")
    if not asked.admits(target.scope) or (asked.is_empty and not target.scope.is_empty):
        raise InvalidParams(f"{target.id} is not in that scope, so such a pin is never seen; leave the scope out")
    return asked


def parse_lifetime(text: str) -> timedelta:
    """Return the time that `text` writes, such as `90m`, `12h`, `7d` or `2w`.

    Raises:
        InvalidParams: it is not a whole number with one of these units.
    """
    found = _LIFETIME.fullmatch(text.strip())
    if found is None:
        raise InvalidParams("how long is written as a whole number and m, h, d or w, such as 12h or 7d")
    return int(found[1]) * _UNITS[found[2]]
