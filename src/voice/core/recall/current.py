"""Tier 2 of recall: the summary of the work at hand.

Law: at most one: the summary of the most recently opened open capsule in scope that has one. A live session is an open
capsule (ruling G.3); before anything of it was folded, its summary is what folding would make of it: proven sentences,
word for word. A capsule whose summary nobody wrote, or whose written one fell with a row behind it, is summed up in its
thoughts' own sentences. What the reader may not see is as if it were not there. A session lies in no repository: who
names it beside other dimensions sees its summary where every row behind that is in those.

Source: spec retrieval-contract, Tier 2; rulings D6, D16, G, H.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from voice.core.graph.thoughts.distillation import statement_spans
from voice.core.recall.capsules import as_it_stands, may_bear
from voice.core.recall.disclosure import shown_summary, tells_private
from voice.core.recall.params import content_stems
from voice.core.recall.pins import pin_filter
from voice.core.recall.values import Capsule, RecalledEntity, RecallParams, Summary, summary_id
from voice.core.records import TRUST_RANK, Row, Scope, Thought, TrustTier
from voice.core.retrieval.row_filters import admits
from voice.core.session.rolling_summary import digest_lines
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.core.text.normalise import norm_v1
from voice.core.text.sentences import cap_span

MAX_SENTENCES = 5
MAX_SENTENCE_CHARS = 400
_PLACES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Extract:
    """A made summary and the lowest trust of what it is made of."""

    summary: Summary
    trust: TrustTier


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sentence:
    thought: Thought
    text: str
    stems: frozenset[str]


def extract_summary(capsule: Capsule, thoughts: Sequence[Thought]) -> Extract | None:
    """Return a summary of `capsule` made of what its thoughts say, or None when they say nothing.

    Args:
        thoughts: those of its thoughts that the reader may see, in any order.
    """
    spoken = sorted(thoughts, key=lambda thought: (thought.created_at, thought.id))
    counts = Counter(content_stems(thought.content for thought in spoken))
    chosen = _chosen([sentence for thought in spoken for sentence in _sentences(thought)], counts)
    if not chosen:
        return None
    said = frozenset[str]().union(*(sentence.stems for sentence in chosen))
    behind = list(dict.fromkeys(sentence.thought.id for sentence in chosen))
    made_of = [sentence.thought for sentence in chosen]
    summary = Summary(
        id=summary_id(capsule.id),
        capsule_id=capsule.id,
        content="\n".join(sentence.text for sentence in chosen),
        confidence=_share(said, counts),
        evidence_refs=tuple(behind),
        created_at=max(thought.created_at for thought in made_of),
        scope=capsule.scope,
        is_private=any(thought.is_private for thought in made_of),
    )
    return Extract(summary=summary, trust=min((one.trust for one in made_of), key=TRUST_RANK.__getitem__))


def _sentences(thought: Thought) -> list[_Sentence]:
    found: list[_Sentence] = []
    for start, end in statement_spans(thought.content, in_dialogue=thought.speaker is not None):
        text = thought.content[start:end]
        text = text[slice(*cap_span(text, lower=MAX_SENTENCE_CHARS // 2, upper=MAX_SENTENCE_CHARS))]
        found.append(_Sentence(thought=thought, text=text, stems=frozenset(content_stems([text]))))
    return found


def _chosen(sentences: list[_Sentence], counts: Counter[str]) -> list[_Sentence]:
    """Return the sentences that share most with the rest, one of each text, in the order they were given."""
    once = list({norm_v1(sentence.text): sentence for sentence in reversed(sentences)}.values())[::-1]
    worth = [(-_weight(sentence, counts), place) for place, sentence in enumerate(once)]
    return [once[place] for place in sorted(place for _, place in sorted(worth)[:MAX_SENTENCES])]


def _weight(sentence: _Sentence, counts: Counter[str]) -> float:
    """Return how often the capsule says a word of the sentence: a long one gains nothing by its length."""
    total = sum(counts[stem] for stem in sorted(sentence.stems))
    return round(total / (len(sentence.stems) + 3), 6)


def _share(said: frozenset[str], counts: Counter[str]) -> float:
    everything = sum(counts.values())
    return round(sum(counts[stem] for stem in said) / everything, _PLACES) if everything else 0.0


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


def visible_summary(summary: Summary | None, rows: Mapping[str, Row], params: RecallParams) -> RecalledEntity | None:
    """Return a written summary as the reader may see it, or None.

    Args:
        summary: of a capsule or session.
        rows: what is stored of the rows it rests on and of the thoughts behind them, by id.
    """
    standing = None if summary is None else as_it_stands(summary, rows)
    if standing is None or not may_see(standing, rows, params) or not standing.content.strip():
        return None
    return shown_summary(standing)


def capsule_summary(capsule: Capsule, thoughts: Sequence[Thought], params: RecallParams) -> RecalledEntity | None:
    """Return what the capsule's own thoughts say, as far as the reader may see them, or None."""
    if not params.scope.admits(capsule.scope):
        return None
    row_filter = pin_filter(params)
    extract = extract_summary(capsule, [thought for thought in thoughts if admits(row_filter, thought)])
    return None if extract is None else shown_summary(extract.summary, extract.trust)


def digest_summary(
    session: InnerVoiceSession, rows: Mapping[str, Row], params: RecallParams, *, timezone: str
) -> RecalledEntity | None:
    """Return what folding would make of the session's newest exchanges, as far as the reader may see them, or None.

    Args:
        session: with exchanges in its window, and no rolling summary.
        rows: what is stored of those exchanges' sources and of the thoughts behind them, by id.
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
