"""Tier 2: what the work at hand comes to.

Law: at most one: the summary of the most recently opened open capsule in scope that has one. A live session is an open
capsule (ruling G.3); before anything of it was folded, its summary is what folding would make of it: proven sentences,
word for word. A capsule whose summary nobody wrote, or whose written one fell with a row behind it, is summed up in its
thoughts' own sentences. What the reader may not see is as if it were not there.

Source: spec retrieval-contract, Tier 2; rulings D6, D16, G, H.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from voice.core.recall.capsules import as_it_stands
from voice.core.recall.extract import extract_summary
from voice.core.recall.pins import pin_filter
from voice.core.recall.shown import shown_summary
from voice.core.recall.values import Capsule, Recalled, RecallParams, Summary, summary_id
from voice.core.records import Row, Scope, Thought
from voice.core.retrieval.visibility import admits, is_live
from voice.core.session.summary import digest_lines
from voice.core.session.values import DialogueExchange, InnerVoiceSession

MAX_THOUGHTS = 200
"""Of a capsule's thoughts so many, the newest, go into a made summary."""
MAX_EXCHANGES = 8
"""The same for the exchanges of a session that has no rolling summary yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenUnit:
    """Something open that may have a summary."""

    id: str
    opened_at: datetime
    capsule: Capsule | None = None
    """None for a session: it is loaded when its turn comes."""


def newest_first(units: Iterable[OpenUnit]) -> tuple[OpenUnit, ...]:
    """Return open units in the order in which they are asked for a summary."""
    by_id = sorted(units, key=lambda unit: unit.id)
    return tuple(sorted(by_id, key=lambda unit: unit.opened_at, reverse=True))


def visible_summary(summary: Summary | None, rows: Mapping[str, Row], params: RecallParams) -> Recalled | None:
    """Return a written summary as the reader may see it, or None.

    Args:
        summary: of a capsule or session.
        rows: what is stored of the rows it rests on, by id.
        params: what is asked for.
    """
    standing = None if summary is None else as_it_stands(summary, rows)
    if standing is None or not may_see(standing, params) or not standing.content.strip():
        return None
    return shown_summary(standing)


def made_summary(capsule: Capsule, thoughts: Sequence[Thought], params: RecallParams) -> Recalled | None:
    """Return what the capsule's own thoughts say, as far as the reader may see them, or None."""
    if not params.scope.admits(capsule.scope):
        return None
    row_filter = pin_filter(params)
    extract = extract_summary(capsule, [thought for thought in thoughts if admits(row_filter, thought)])
    return None if extract is None else shown_summary(extract.summary, extract.trust)


def digest_summary(
    session: InnerVoiceSession, rows: Mapping[str, Row], params: RecallParams, *, timezone: str
) -> Recalled | None:
    """Return what folding would make of the session's newest exchanges, as far as the reader may see them, or None.

    Args:
        session: with exchanges in its window, and no rolling summary.
        rows: what is stored of those exchanges' sources, by id.
        params: what is asked for.
        timezone: the zone whose days date the lines.
    """
    scope = Scope(session_id=session.id)
    told = [each for each in session.context_window if _may_tell(each, rows, params)]
    lines = dict.fromkeys(line for exchange in told for line in digest_lines(exchange, timezone))
    if not lines or not params.scope.admits(scope):
        return None
    return shown_summary(
        Summary(
            id=summary_id(session.id),
            capsule_id=session.id,
            content="\n".join(lines),
            confidence=1.0,  # the judge found every one of these sentences supported (ruling D16)
            evidence_refs=tuple(dict.fromkeys(source.source_id for each in told for source in each.sources)),
            created_at=told[-1].timestamp,
            scope=scope,
            is_private=any(exchange.is_private for exchange in told),
        )
    )


def may_see(summary: Summary, params: RecallParams) -> bool:
    """Return whether the reader may see the summary at all."""
    return params.scope.admits(summary.scope) and (params.include_private or not summary.is_private)


def _may_tell(exchange: DialogueExchange, rows: Mapping[str, Row], params: RecallParams) -> bool:
    if exchange.is_private and not params.include_private:
        return False
    behind = [rows.get(source.source_id) for source in exchange.sources]
    return all(row is not None and is_live(row) and (params.include_private or not row.is_private) for row in behind)
