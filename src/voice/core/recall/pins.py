"""Tier 1: what somebody marked as important.

Law: a pin is shown when it is active at `now`, when its own scope and its target's are admitted, and when its target
may be told; then it is always shown, newest first, and never truncated. Of several pins on one target the newest is
shown. A private target, or one that was private when it was pinned, leaves no trace for a reader who may not see it,
whatever became of it; one that is gone is counted and said. With a redacted target its reason goes, too: it says what
the target said. Pins are not bound by the time window: what is important stays so.

Source: spec retrieval-contract, Tier 1; rulings A17, G ("pins leak across scopes and accept missing targets").
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from voice.core.graph.rendering import is_evidence
from voice.core.recall.shown import is_shown_redacted, shown_redacted, shown_row
from voice.core.recall.telling import is_silenced, may_be_told, tells_private
from voice.core.recall.values import REDACTED_TEXT, Pin, PinResult, Recalled, RecallParams
from voice.core.records import Relation, Row, RowStatus, Table
from voice.core.retrieval.candidates import Neighbourhood
from voice.core.retrieval.values import RowFilter

_LOST = frozenset({RowStatus.REMOVAL, RowStatus.SUPERSEDED})


@dataclass(frozen=True, slots=True, kw_only=True)
class PinTargets:
    """What pins may point to, as it now stands."""

    rows: Mapping[str, Row]
    """They and the thoughts behind them, by id; unknown ones are absent."""
    around: Neighbourhood
    """Where the names in a graph row's text are taken from."""
    summaries: Mapping[str, Recalled]
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
        targets: what they point to.
        params: what is asked for.
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


def _target(target_id: str, targets: PinTargets, params: RecallParams) -> Recalled | None:
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
