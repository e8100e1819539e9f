"""Capsules: open, summarise, close; and tier 2 of recall, the summary of the current work.

Law: a closed capsule is immutable; closing is idempotent. A summary rests on live rows of the capsule's scope, is
private if any of them or their thoughts is (ruling H), and is invalid once one is no longer live or repeats redacted
content (ruling D16). A session is a capsule with its rolling summary (ruling G).

The current summary is at most one: that of the most recently opened open capsule in scope that has one; live sessions
count (ruling G.3). Without a valid written summary it is extracted from the capsule's thoughts or the session's proven
sentences. A named session is visible in further dimensions only if all its rows are in them.
Source: spec retrieval-contract, Tier 2 and Entity-Level Provenance; DESIGN 10 (capsule); rulings D6, D16, D21, G, H.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from voice.core.errors import CapsuleClosed, InvalidParams, UnknownId
from voice.core.graph.thoughts.distillation import statement_spans
from voice.core.messages import memory as messages
from voice.core.recall.disclosure import is_silenced, shown_summary, tells_private
from voice.core.recall.params import content_stems
from voice.core.recall.pins import pin_filter
from voice.core.recall.values import Capsule, RecalledEntity, RecallParams, Summary, summary_id
from voice.core.records import TRUST_RANK, Row, Scope, Thought, TrustTier
from voice.core.retrieval.candidates import admits, is_live
from voice.core.session.rolling_summary import summary_lines_of
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.core.text.normalise import clean_text, norm_v1
from voice.core.text.sentences import cap_span

MAX_INTENT_CHARS = 500  # it is shown on one line
MAX_SUMMARY_CHARS = 8_000
"""Summaries are never truncated (ruling A17), so their length is limited."""
MAX_EVIDENCE = 500  # rows behind a summary, all read again at each recall
SUMMARY_PREFIX = "m:"  # as in `summary_id`


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
    """Return an open capsule. Raises InvalidParams: the intent is empty or too long, or the scope is everything."""
    if scope.everything:
        raise InvalidParams(messages.CAPSULE_OF_ALL)
    text = _bounded(intent, "what the capsule is about", MAX_INTENT_CHARS)
    return Capsule(id=capsule_id, intent=" ".join(text.split()), opened_at=now, scope=scope)  # on one line


def close_capsule(capsule: Capsule, *, now: datetime) -> Capsule:
    """Return the capsule closed; unchanged if it is already."""
    if capsule.status == "closed":
        return capsule
    return replace(capsule, closed_at=max(now, capsule.opened_at))  # a clock may have been set back


def summarise(capsule: Capsule, written: NewSummary, evidence: Sequence[Row], *, now: datetime) -> Capsule:
    """Return the open capsule with its summary.

    Raises CapsuleClosed, or InvalidParams: empty or long text, confidence outside [0, 1], or a row out of scope or not
    live.
    """
    require_open(capsule)
    if not 0 <= written.confidence <= 1:
        raise InvalidParams(messages.SUMMARY_CONFIDENCE)
    for row in evidence:
        if not is_live(row):
            raise InvalidParams(messages.source_not_live(row.id))
        if not capsule.scope.admits(row.scope):  # or the summary would show rows to whoever may not see them
            raise InvalidParams(messages.source_out_of_scope(row.id, capsule.id))
    summary = Summary(
        id=summary_id(capsule.id),
        capsule_id=capsule.id,
        content=_bounded(written.content, "the summary", MAX_SUMMARY_CHARS),
        confidence=written.confidence,
        evidence_refs=tuple(row.id for row in evidence),
        created_at=now,
        scope=capsule.scope,
        is_private=written.is_private or any(row.is_private for row in evidence),  # today's; see `live_summary`
    )
    return replace(capsule, summary=summary)


def require_open(capsule: Capsule) -> None:
    """Check that the capsule is open. Raises CapsuleClosed: it is not."""
    if capsule.status == "closed":
        raise CapsuleClosed(messages.capsule_closed(capsule.id))


def live_summary(summary: Summary, rows: Mapping[str, Row]) -> Summary | None:
    """Return the summary with the privacy of its `rows` and the thoughts behind them today; None if one is not live."""
    known = [row for row in map(rows.get, summary.evidence_refs) if row is not None]
    if len(known) < len(summary.evidence_refs) or not all(may_bear(row, rows) for row in known):
        return None
    return replace(summary, is_private=summary.is_private or any(tells_private(row, rows) for row in known))


def may_bear(row: Row, rows: Mapping[str, Row]) -> bool:
    """Return whether a summary may rest on the row; `rows` includes the thoughts behind it."""
    return is_live(row) and not is_silenced(row, rows)  # active itself, but repeating what was redacted


def require_place(capsule: Capsule, scope: Scope) -> None:
    """Check that a thought of that scope may be added. Raises CapsuleClosed, or InvalidParams: another scope."""
    require_open(capsule)
    if scope != capsule.scope:
        raise InvalidParams(messages.capsule_out_of_scope(capsule.id))


def summary_of_session(session: InnerVoiceSession) -> Summary | None:
    """Return a session's rolling summary as a capsule's, of confidence 1 (ruling D16); None if nothing is folded."""
    rolling = session.rolling_summary
    if rolling is None or not rolling.text:
        return None
    return Summary(
        id=summary_id(session.id),
        capsule_id=session.id,
        content=rolling.text,
        confidence=1.0,  # folded from proven sentences
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

    Raises UnknownId: a row is not stored; InvalidParams: too many, or a row repeats redacted content.
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


MAX_SENTENCES = 5
MAX_SENTENCE_CHARS = 400
_PLACES = 2  # of the confidence of an extract


@dataclass(frozen=True, slots=True, kw_only=True)
class Extract:
    """An extracted summary with the lowest trust of its sources."""

    summary: Summary
    trust: TrustTier


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    thought: Thought
    text: str
    stems: frozenset[str]


def extract_summary(capsule: Capsule, thoughts: Sequence[Thought]) -> Extract | None:
    """Extract a summary from a capsule's visible thoughts, in any order; None if they contain no statement."""
    by_time = sorted(thoughts, key=lambda thought: (thought.created_at, thought.id))
    counts = Counter(content_stems(thought.content for thought in by_time))
    chosen = _best_sentences([sentence for thought in by_time for sentence in _sentences(thought)], counts)
    if not chosen:
        return None
    stems = frozenset[str]().union(*(sentence.stems for sentence in chosen))
    total = sum(counts.values())
    sources = [sentence.thought for sentence in chosen]
    summary = Summary(
        id=summary_id(capsule.id),
        capsule_id=capsule.id,
        content="\n".join(sentence.text for sentence in chosen),
        confidence=round(sum(counts[stem] for stem in stems) / total, _PLACES) if total else 0.0,
        evidence_refs=tuple(dict.fromkeys(thought.id for thought in sources)),
        created_at=max(thought.created_at for thought in sources),  # it says nothing newer
        scope=capsule.scope,
        is_private=any(thought.is_private for thought in sources),
    )
    return Extract(summary=summary, trust=min((one.trust for one in sources), key=TRUST_RANK.__getitem__))


def _sentences(thought: Thought) -> list[_Sentence]:
    found: list[_Sentence] = []
    for start, end in statement_spans(thought.content, in_dialogue=thought.speaker is not None):
        text = thought.content[start:end]
        text = text[slice(*cap_span(text, lower=MAX_SENTENCE_CHARS // 2, upper=MAX_SENTENCE_CHARS))]
        found.append(_Sentence(thought=thought, text=text, stems=frozenset(content_stems([text]))))
    return found


def _best_sentences(sentences: list[_Sentence], counts: Counter[str]) -> list[_Sentence]:
    """Return the distinct sentences with the most shared words, normalised by length, in the given order."""
    distinct = list({norm_v1(sentence.text): sentence for sentence in reversed(sentences)}.values())[::-1]
    weights = [
        (-round(sum(counts[stem] for stem in sentence.stems) / (len(sentence.stems) + 3), 6), place)
        for place, sentence in enumerate(distinct)
    ]
    return [distinct[place] for place in sorted(place for _, place in sorted(weights)[:MAX_SENTENCES])]


MAX_THOUGHTS = 200
"""Newest thoughts of a capsule used for an extracted summary."""
MAX_EXCHANGES = 8
"""Newest exchanges of a session without a rolling summary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenUnit:
    """An open capsule or session."""

    id: str
    opened_at: datetime
    capsule: Capsule | None = None
    """None for a session, which is loaded when needed."""


def newest_first(units: Iterable[OpenUnit]) -> tuple[OpenUnit, ...]:
    """Sort open units newest first, then by id."""
    by_id = sorted(units, key=lambda unit: unit.id)  # sorting is stable, also in reverse
    return tuple(sorted(by_id, key=lambda unit: unit.opened_at, reverse=True))


def visible_summary(summary: Summary | None, rows: Mapping[str, Row], params: RecallParams) -> RecalledEntity | None:
    """Return a written summary if it is visible and valid by its `rows` and the thoughts behind them, else None."""
    valid = None if summary is None else live_summary(summary, rows)
    if valid is None or not is_summary_visible(valid, rows, params) or not valid.content.strip():
        return None
    return shown_summary(valid)


def capsule_summary(capsule: Capsule, thoughts: Sequence[Thought], params: RecallParams) -> RecalledEntity | None:
    """Extract a summary from the capsule's visible thoughts; None if there is none."""
    if not params.scope.admits(capsule.scope):
        return None
    row_filter = pin_filter(params)  # without a time window: it is the current work, whatever time is asked about
    extract = extract_summary(capsule, [thought for thought in thoughts if admits(row_filter, thought)])
    return None if extract is None else shown_summary(extract.summary, extract.trust)


def digest_summary(
    session: InnerVoiceSession, rows: Mapping[str, Row], params: RecallParams, *, timezone: str
) -> RecalledEntity | None:
    """Build a summary of the session's newest exchanges as folding would; None if nothing is visible.

    Args:
        session: with its window, without a rolling summary.
        rows: the exchanges' sources and the thoughts behind them, by id.
    """
    visible = [each for each in session.context_window if _is_exchange_visible(each, rows, params)]
    lines = dict.fromkeys(line.text for exchange in visible for line in summary_lines_of(exchange, timezone))
    if not lines:
        return None
    summary = Summary(
        id=summary_id(session.id),
        capsule_id=session.id,
        content="\n".join(lines),
        confidence=1.0,  # the judge found every one of these sentences supported (ruling D16)
        evidence_refs=tuple(dict.fromkeys(source.source_id for each in visible for source in each.sources)),
        created_at=visible[-1].timestamp,
        scope=Scope(session_id=session.id),
        is_private=any(exchange.is_withheld for exchange in visible),
    )
    return visible_summary(summary, rows, params)


def is_summary_visible(summary: Summary, rows: Mapping[str, Row], params: RecallParams) -> bool:
    """Return whether the reader may see the summary, given its rows."""
    is_in = params.scope.admits(summary.scope) or _is_of_named_session(summary, rows, params.scope)
    return is_in and (params.include_private or not summary.is_private)


def _is_of_named_session(summary: Summary, rows: Mapping[str, Row], scope: Scope) -> bool:
    if summary.scope != Scope(session_id=summary.capsule_id) or scope.session_id != summary.capsule_id:
        return False
    other_dimensions = replace(scope, session_id=None)  # the session itself is named; of the rest each row decides
    sources = [rows.get(row_id) for row_id in summary.evidence_refs]
    return bool(sources) and all(row is not None and other_dimensions.admits(row.scope) for row in sources)


def _is_exchange_visible(exchange: DialogueExchange, rows: Mapping[str, Row], params: RecallParams) -> bool:
    if exchange.is_withheld and not params.include_private:
        return False
    sources = [rows.get(source.source_id) for source in exchange.sources]
    return all(
        row is not None and may_bear(row, rows) and (params.include_private or not tells_private(row, rows))
        for row in sources
    )
