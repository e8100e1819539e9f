"""Tier 2: what the work at hand comes to.

Law: at most one: the summary of the most recently opened open capsule in scope that has one. A live session is an open
capsule (ruling G.3); before anything of it was folded, its summary is what folding would make of it: proven sentences,
word for word. A capsule whose summary nobody wrote, or whose written one fell with a row behind it, is summed up in its
thoughts' own sentences. What the reader may not see is as if it were not there. A session lies in no repository: who
names it beside other dimensions sees its summary where every row behind that is in those.

Source: spec retrieval-contract, Tier 2; rulings D6, D16, G, H.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from voice.core.recall.capsules import as_it_stands, may_bear
from voice.core.recall.extract import extract_summary
from voice.core.recall.pins import pin_filter
from voice.core.recall.shown import shown_summary
from voice.core.recall.telling import tells_private
from voice.core.recall.values import Capsule, Recalled, RecallParams, Summary, summary_id
from voice.core.records import Row, Scope, Thought
from voice.core.retrieval.visibility import admits
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
        rows: what is stored of the rows it rests on and of the thoughts behind them, by id.
        params: what is asked for.
    """
    standing = None if summary is None else as_it_stands(summary, rows)
    if standing is None or not may_see(standing, rows, params) or not standing.content.strip():
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
        rows: what is stored of those exchanges' sources and of the thoughts behind them, by id.
        params: what is asked for.
        timezone: the zone whose days date the lines.
    """
    told = [each for each in session.context_window if _may_tell(each, rows, params)]
    lines = dict.fromkeys(line for exchange in told for line in digest_lines(exchange, timezone))
    if not lines:
        return None
    summary = Summary(
        id=summary_id(session.id),
        capsule_id=session.id,
        content="\n".join(lines),
        confidence=1.0,  # the judge found every one of these sentences supported (ruling D16)
        evidence_refs=tuple(dict.fromkeys(source.source_id for each in told for source in each.sources)),
        created_at=told[-1].timestamp,
        scope=Scope(session_id=session.id),
        is_private=any(exchange.is_withheld for exchange in told),
    )
    return visible_summary(summary, rows, params)


def may_see(summary: Summary, rows: Mapping[str, Row], params: RecallParams) -> bool:
    """Return whether the reader may see the summary at all, given the rows it rests on."""
    is_in = params.scope.admits(summary.scope) or _is_of_named_session(summary, rows, params.scope)
    return is_in and (params.include_private or not summary.is_private)


def _is_of_named_session(summary: Summary, rows: Mapping[str, Row], scope: Scope) -> bool:
    if summary.scope != Scope(session_id=summary.capsule_id) or scope.session_id != summary.capsule_id:
        return False
    beside = replace(scope, session_id=None)
    behind = [rows.get(row_id) for row_id in summary.evidence_refs]
    return bool(behind) and all(row is not None and beside.admits(row.scope) for row in behind)


def _may_tell(exchange: DialogueExchange, rows: Mapping[str, Row], params: RecallParams) -> bool:
    if exchange.is_withheld and not params.include_private:
        return False
    behind = [rows.get(source.source_id) for source in exchange.sources]
    return all(
        row is not None and may_bear(row, rows) and (params.include_private or not tells_private(row, rows))
        for row in behind
    )
