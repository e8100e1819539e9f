"""Capsules: open, summarise, close; and what a summary may rest on.

Law: a closed capsule is immutable; closing is idempotent. A summary rests on live rows of the capsule's scope, is
private if any of them or their thoughts is (ruling H), and is invalid once one is no longer live or repeats redacted
content (ruling D16). A session is a capsule with its rolling summary (ruling G).
Source: spec retrieval-contract, Tier 2 and Entity-Level Provenance; DESIGN 10 (capsule); rulings D16, D21, G, H.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from voice.core.errors import CapsuleClosed, InvalidParams, UnknownId
from voice.core.messages import memory as messages
from voice.core.recall.disclosure import is_silenced, tells_private
from voice.core.recall.values import Capsule, Summary, summary_id
from voice.core.records import Row, Scope
from voice.core.retrieval.row_filters import is_live
from voice.core.session.values import InnerVoiceSession
from voice.core.text.normalise import clean_text, norm_v1

MAX_INTENT_CHARS = 500
MAX_SUMMARY_CHARS = 8_000
"""Summaries are never truncated (ruling A17), so their length is limited."""
MAX_EVIDENCE = 500
SUMMARY_PREFIX = "m:"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSummary:
    """A summary to be written."""

    content: str = field(repr=False)
    confidence: float = 1.0
    """The author's own confidence, 0-1."""
    evidence_refs: tuple[str, ...] | None = None
    """Ids of its rows; None is every live thought of the capsule."""
    is_private: bool = False
    """Private regardless of its rows."""


def open_capsule(intent: str, scope: Scope, *, capsule_id: str, now: datetime) -> Capsule:
    """Return an open capsule.

    Raises:
        InvalidParams: the intent is empty or too long, or the scope is everything.
    """
    if scope.everything:
        raise InvalidParams(messages.CAPSULE_OF_ALL)
    text = _bounded(intent, "what the capsule is about", MAX_INTENT_CHARS)
    return Capsule(id=capsule_id, intent=" ".join(text.split()), opened_at=now, scope=scope)


def close_capsule(capsule: Capsule, *, now: datetime) -> Capsule:
    """Return the capsule closed; unchanged if it is already."""
    if capsule.status == "closed":
        return capsule
    return replace(capsule, closed_at=max(now, capsule.opened_at))


def summarise(capsule: Capsule, written: NewSummary, evidence: Sequence[Row], *, now: datetime) -> Capsule:
    """Return the open capsule with its summary.

    Raises:
        CapsuleClosed: the capsule is closed.
        InvalidParams: empty or long text, confidence outside [0, 1], or a row out of scope or not live.
    """
    require_open(capsule)
    if not (math.isfinite(written.confidence) and 0 <= written.confidence <= 1):
        raise InvalidParams(messages.SUMMARY_CONFIDENCE)
    for row in evidence:
        if not is_live(row):
            raise InvalidParams(messages.source_not_live(row.id))
        if not capsule.scope.admits(row.scope):
            raise InvalidParams(messages.source_out_of_scope(row.id, capsule.id))
    summary = Summary(
        id=summary_id(capsule.id),
        capsule_id=capsule.id,
        content=_bounded(written.content, "the summary", MAX_SUMMARY_CHARS),
        confidence=written.confidence,
        evidence_refs=tuple(row.id for row in evidence),
        created_at=now,
        scope=capsule.scope,
        is_private=written.is_private or any(row.is_private for row in evidence),
    )
    return replace(capsule, summary=summary)


def require_open(capsule: Capsule) -> None:
    """Check that the capsule is open.

    Raises:
        CapsuleClosed: it is not.
    """
    if capsule.status == "closed":
        raise CapsuleClosed(messages.capsule_closed(capsule.id))


def as_it_stands(summary: Summary, rows: Mapping[str, Row]) -> Summary | None:
    """Return the summary with its current privacy; None if one of its rows is no longer live.

    Args:
        rows: its `evidence_refs` and the thoughts behind those, by id.
    """
    known = [row for row in map(rows.get, summary.evidence_refs) if row is not None]
    if len(known) < len(summary.evidence_refs) or not all(may_bear(row, rows) for row in known):
        return None
    return replace(summary, is_private=summary.is_private or any(tells_private(row, rows) for row in known))


def may_bear(row: Row, rows: Mapping[str, Row]) -> bool:
    """Return whether a summary may rest on the row; `rows` includes the thoughts behind it."""
    return is_live(row) and not is_silenced(row, rows)


def require_place(capsule: Capsule, scope: Scope) -> None:
    """Check that a thought of that scope may be added.

    Raises:
        CapsuleClosed: it is closed.
        InvalidParams: another scope.
    """
    require_open(capsule)
    if scope != capsule.scope:
        raise InvalidParams(messages.capsule_out_of_scope(capsule.id))


def summary_of_session(session: InnerVoiceSession) -> Summary | None:
    """Return a session's rolling summary as a capsule's; None if nothing is folded.

    Confidence is 1, since every sentence was proven when folded (ruling D16).
    """
    rolling = session.rolling_summary
    if rolling is None or not rolling.text:
        return None
    return Summary(
        id=summary_id(session.id),
        capsule_id=session.id,
        content=rolling.text,
        confidence=1.0,
        evidence_refs=rolling.source_ids,
        created_at=rolling.last_updated,
        scope=Scope(session_id=session.id),
        is_private=rolling.is_private,
    )


def owner_of_summary(target_id: str) -> str | None:
    """Return the capsule or session id of a summary id; None for other ids."""
    return target_id.removeprefix(SUMMARY_PREFIX) if target_id.startswith(SUMMARY_PREFIX) else None


def require_rows(ids: Sequence[str], rows: Mapping[str, Row]) -> list[Row]:
    """Return the distinct rows with these ids, in order.

    Args:
        rows: they and the thoughts behind them, by id.

    Raises:
        UnknownId: a row is not stored.
        InvalidParams: too many, or a row repeats redacted content.
    """
    once = list(dict.fromkeys(ids))
    if len(once) > MAX_EVIDENCE:
        raise InvalidParams(messages.too_many_sources(MAX_EVIDENCE))
    missing = [row_id for row_id in once if row_id not in rows]
    if missing:
        raise UnknownId(messages.source_not_stored(missing[0]))
    silenced = [row_id for row_id in once if is_silenced(rows[row_id], rows)]
    if silenced:
        raise InvalidParams(messages.source_redacted(silenced[0]))
    return [rows[row_id] for row_id in once]


def _bounded(text: str, what: str, most: int) -> str:
    cleaned = clean_text(text).strip()
    if not norm_v1(cleaned):
        raise InvalidParams(messages.capsule_text_empty(what))
    if len(cleaned) > most:
        raise InvalidParams(messages.capsule_text_too_long(what, len(cleaned), most))
    return cleaned
