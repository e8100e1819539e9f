"""How a capsule is opened, written to and closed, and what its summary may rest on.

Law: a closed capsule is never written to again; closing it twice is closing it once. A summary rests on rows that are
there and in the capsule's own scope, is private if one of them or a thought behind it is (ruling H), and falls with
them: once a row behind it is gone, redacted, replaced or marked, or says again what was redacted, it says nothing any
more (ruling D16). A session is a capsule: its rolling
summary is that capsule's, in the scope of the session's own id (ruling G).

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
"""The summary is never cut (ruling A17), so it has to be short from the start."""
MAX_EVIDENCE = 500
SUMMARY_PREFIX = "m:"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSummary:
    """What somebody says a capsule comes to."""

    content: str = field(repr=False)
    confidence: float = 1.0
    """How sure whoever wrote it is; it is theirs, not computed."""
    evidence_refs: tuple[str, ...] | None = None
    """Ids of the rows it rests on; None is every live thought of the capsule."""
    is_private: bool = False
    """Private on its own account, whatever it rests on."""


def open_capsule(intent: str, scope: Scope, *, capsule_id: str, now: datetime) -> Capsule:
    """Return a capsule that is open.

    Raises:
        InvalidParams: the intent is empty or too long, or the scope is everything.
    """
    if scope.everything:
        raise InvalidParams(messages.CAPSULE_OF_ALL)
    text = _bounded(intent, "what the capsule is about", MAX_INTENT_CHARS)
    return Capsule(id=capsule_id, intent=" ".join(text.split()), opened_at=now, scope=scope)


def close_capsule(capsule: Capsule, *, now: datetime) -> Capsule:
    """Return the capsule closed; a closed one is returned as it is."""
    if capsule.status == "closed":
        return capsule
    return replace(capsule, closed_at=max(now, capsule.opened_at))


def summarise(capsule: Capsule, said: NewSummary, evidence: Sequence[Row], *, now: datetime) -> Capsule:
    """Return the open capsule with its summary.

    Args:
        capsule: the capsule as it was loaded.
        evidence: the rows it rests on.

    Raises:
        CapsuleClosed: the capsule is closed.
        InvalidParams: the text is empty or too long, the confidence is not in [0, 1], or a row is of another scope or
            not live.
    """
    require_open(capsule)
    if not (math.isfinite(said.confidence) and 0 <= said.confidence <= 1):
        raise InvalidParams(messages.SUMMARY_CONFIDENCE)
    for row in evidence:
        _require_evidence(row, capsule)
    summary = Summary(
        id=summary_id(capsule.id),
        capsule_id=capsule.id,
        content=_bounded(said.content, "the summary", MAX_SUMMARY_CHARS),
        confidence=said.confidence,
        evidence_refs=tuple(row.id for row in evidence),
        created_at=now,
        scope=capsule.scope,
        is_private=said.is_private or any(row.is_private for row in evidence),
    )
    return replace(capsule, summary=summary)


def require_open(capsule: Capsule) -> None:
    """Check that something can be put into the capsule.

    Raises:
        CapsuleClosed: it is closed.
    """
    if capsule.status == "closed":
        raise CapsuleClosed(messages.capsule_closed(capsule.id))


def as_it_stands(summary: Summary, rows: Mapping[str, Row]) -> Summary | None:
    """Return the summary as the rows behind it stand now: private if one of them is, None if one is no longer live.

    Args:
        summary: a capsule's or a session's.
        rows: what is stored of its `evidence_refs` and of the thoughts behind those, by id.
    """
    known = [row for row in map(rows.get, summary.evidence_refs) if row is not None]
    stands = len(known) == len(summary.evidence_refs) and all(may_bear(row, rows) for row in known)
    if not stands:
        return None
    return replace(summary, is_private=summary.is_private or any(tells_private(row, rows) for row in known))


def may_bear(row: Row, rows: Mapping[str, Row]) -> bool:
    """Return whether a summary may rest on the row as it stands, with the thoughts behind it among `rows`."""
    return is_live(row) and not is_silenced(row, rows)


def require_place(capsule: Capsule, scope: Scope) -> None:
    """Check that a thought of that scope may go into the capsule.

    Raises:
        CapsuleClosed: it is closed.
        InvalidParams: it belongs to another scope.
    """
    require_open(capsule)
    if scope != capsule.scope:
        raise InvalidParams(messages.capsule_out_of_scope(capsule.id))


def summary_of_session(session: InnerVoiceSession) -> Summary | None:
    """Return a session's rolling summary as that of a capsule; None where nothing was folded yet.

    Its sentences were found supported, every one, when they were folded (ruling D16): its confidence is 1.
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
    """Return the id of the capsule or session whose summary `target_id` names; None if it names no summary."""
    return target_id.removeprefix(SUMMARY_PREFIX) if target_id.startswith(SUMMARY_PREFIX) else None


def require_rows(ids: Sequence[str], rows: Mapping[str, Row]) -> list[Row]:
    """Return the rows with these ids, once each, in the order given.

    Args:
        ids: what a summary is said to rest on.
        rows: what is stored of it and of the thoughts behind it, by id.

    Raises:
        UnknownId: one of them is not stored.
        InvalidParams: there are too many, or one says again what was redacted.
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


def _require_evidence(row: Row, capsule: Capsule) -> None:
    if not is_live(row):
        raise InvalidParams(messages.source_not_live(row.id))
    if not capsule.scope.admits(row.scope):
        raise InvalidParams(messages.source_out_of_scope(row.id, capsule.id))


def _bounded(text: str, what: str, most: int) -> str:
    cleaned = clean_text(text).strip()
    if not norm_v1(cleaned):
        raise InvalidParams(messages.capsule_text_empty(what))
    if len(cleaned) > most:
        raise InvalidParams(messages.capsule_text_too_long(what, len(cleaned), most))
    return cleaned
