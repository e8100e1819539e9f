"""The rolling summary: what remains in context of exchanges that left the window.

Law: it is made of sentences the judge found supported, word for word (ruling D16); refused exchanges leave nothing but
the fact that they were asked (ruling D6). `exchanges_summarized` and `token_savings` are true numbers (ruling D17).
It is context and never a source. Older lines give way to newer ones when the digest outgrows its budget.

Source: spec stateful-design-v2, 5 RollingSummary and 8; rulings D6, D16, D17, H.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from voice.core.grounding.values import SentenceVerdict
from voice.core.session.past import may_come_back
from voice.core.session.values import DialogueExchange, Ground, InnerVoiceSession, RollingSummary, SummaryLine
from voice.core.text.days import in_zone

SENTENCES_PER_EXCHANGE = 2


def foldable(session: InnerVoiceSession, *, window_limit: int, window_keep: int) -> tuple[DialogueExchange, ...]:
    """Return the oldest exchanges to fold: all but the newest `window_keep` once more than `window_limit` are there."""
    window = session.context_window
    return window[: len(window) - window_keep] if len(window) > window_limit else ()


def fold(
    session: InnerVoiceSession,
    exchanges: Sequence[DialogueExchange],
    *,
    now: datetime,
    count: Callable[[str], int],
    max_tokens: int,
    timezone: str = "UTC",
) -> InnerVoiceSession:
    """Return the session with `exchanges` (the oldest of its window) folded into its summary.

    Args:
        count: the token counter.
        max_tokens: what the summary may take; 15 % of the prompt budget (ruling D10).
        timezone: the zone whose days date the lines.
    """
    if not exchanges:
        return session
    before = session.rolling_summary
    lines = [line for line in before.lines if line.text] if before else []
    for exchange in exchanges:
        lines.extend(_lines_of(exchange, timezone))
    kept = _fit(lines, count=count, max_tokens=max_tokens)
    text = "\n".join(line.text for line in kept)
    raw_tokens = sum(count(exchange.my_query) + count(exchange.answer) for exchange in exchanges)
    growth = count(text) - (count(before.text) if before else 0)
    summary = RollingSummary(
        text=text,
        last_updated=now,
        exchanges_summarized=(before.exchanges_summarized if before else 0) + len(exchanges),
        token_savings=(before.token_savings if before else 0) + raw_tokens - growth,
        revision=(before.revision + 1) if before else 1,
        through_index=max(exchange.index for exchange in exchanges),
        source_ids=_sources(kept),
        is_private=(before.is_private if before else False) or any(exchange.is_private for exchange in exchanges),
        line_grounds=tuple(line.grounds for line in kept),
    )
    folded = {exchange.id for exchange in exchanges}
    window = tuple(exchange for exchange in session.context_window if exchange.id not in folded)
    return replace(session, rolling_summary=summary, context_window=window)


def digest_lines(exchange: DialogueExchange, timezone: str = "UTC") -> list[str]:
    """Return the exchange's lines in a summary: its heaviest supported sentences in their own order, with their day."""
    return [line.text for line in _lines_of(exchange, timezone)]


def _lines_of(exchange: DialogueExchange, timezone: str) -> list[SummaryLine]:
    if not may_come_back(exchange):
        return []
    supported = [sentence for sentence in exchange.sentences if sentence.verdict == "supported"]
    heaviest = sorted(supported, key=lambda s: (-s.weight, s.start))[:SENTENCES_PER_EXCHANGE]
    day = f"{in_zone(exchange.timestamp, timezone):%Y-%m-%d}"
    return [
        SummaryLine(text=f"- [{day}] {' '.join(sentence.text.split())}", grounds=_grounds(sentence, exchange))
        for sentence in sorted(heaviest, key=lambda s: s.start)
    ]


def _grounds(sentence: SentenceVerdict, exchange: DialogueExchange) -> tuple[Ground, ...]:
    """Return the rows that a sentence rests on: those it has receipts of, or else all that its answer cites."""
    held = ((receipt.row_id, receipt.content_hash) for receipt in sentence.receipts)
    cited = ((source.source_id, source.content_hash) for source in exchange.sources)
    return tuple(dict.fromkeys(held)) or tuple(dict.fromkeys(cited))


def _fit(lines: Sequence[SummaryLine], *, count: Callable[[str], int], max_tokens: int) -> tuple[SummaryLine, ...]:
    """Return each sentence once, resting on all that it was ever said of, without the oldest that do not fit."""
    grounds: dict[str, dict[Ground, None]] = {}
    for line in lines:
        grounds.setdefault(line.text, {}).update(dict.fromkeys(line.grounds))
    unique = [SummaryLine(text=text, grounds=tuple(of)) for text, of in grounds.items()]
    while unique and count("\n".join(line.text for line in unique)) > max_tokens:
        unique = unique[1:]
    return tuple(unique)


def _sources(lines: Sequence[SummaryLine]) -> tuple[str, ...]:
    """Return the rows behind the sentences that are left, and no others: what gave way rests on nothing any more."""
    return tuple(dict.fromkeys(row_id for line in lines for row_id, _ in line.grounds))
