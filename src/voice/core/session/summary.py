"""The rolling summary: what remains in context of exchanges that left the window.

Law: it is made of sentences the judge found supported, word for word (ruling D16); refused exchanges leave nothing but
the fact that they were asked (ruling D6). `exchanges_summarized` and `token_savings` are true numbers (ruling D17).
It is context and never a source. Older lines give way to newer ones when the digest outgrows its budget.

Source: spec stateful-design-v2, 5 RollingSummary and 8; rulings D6, D16, D17, H.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from voice.core.session.values import DialogueExchange, InnerVoiceSession, RollingSummary
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
    lines = _lines_of(before.text) if before else []
    for exchange in exchanges:
        lines.extend(digest_lines(exchange, timezone))
    text = _fit(lines, count=count, max_tokens=max_tokens)
    folded = {exchange.id for exchange in exchanges}
    raw_tokens = sum(count(exchange.my_query) + count(exchange.answer) for exchange in exchanges)
    growth = count(text) - (count(before.text) if before else 0)
    summary = RollingSummary(
        text=text,
        last_updated=now,
        exchanges_summarized=(before.exchanges_summarized if before else 0) + len(exchanges),
        token_savings=(before.token_savings if before else 0) + max(0, raw_tokens - growth),
        revision=(before.revision + 1) if before else 1,
        through_index=max(exchange.index for exchange in exchanges),
        source_ids=_sources(before, exchanges),
        is_private=(before.is_private if before else False) or any(exchange.is_private for exchange in exchanges),
    )
    window = tuple(exchange for exchange in session.context_window if exchange.id not in folded)
    return replace(session, rolling_summary=summary, context_window=window)


def digest_lines(exchange: DialogueExchange, timezone: str = "UTC") -> list[str]:
    """Return the exchange's lines in a summary: its heaviest supported sentences in their own order, with their day."""
    if exchange.status != "answered":
        return []
    supported = [sentence for sentence in exchange.sentences if sentence.verdict == "supported"]
    heaviest = sorted(supported, key=lambda s: (-s.weight, s.start))[:SENTENCES_PER_EXCHANGE]
    kept = sorted(heaviest, key=lambda s: s.start)
    day = f"{in_zone(exchange.timestamp, timezone):%Y-%m-%d}"
    return [f"- [{day}] {' '.join(sentence.text.split())}" for sentence in kept]


def _lines_of(text: str) -> list[str]:
    return [line for line in text.split("\n") if line]


def _fit(lines: list[str], *, count: Callable[[str], int], max_tokens: int) -> str:
    unique = list(dict.fromkeys(lines))
    while unique and count("\n".join(unique)) > max_tokens:
        unique = unique[1:]
    return "\n".join(unique)


def _sources(before: RollingSummary | None, exchanges: Sequence[DialogueExchange]) -> tuple[str, ...]:
    old = before.source_ids if before else ()
    new = (source.source_id for exchange in exchanges if exchange.status == "answered" for source in exchange.sources)
    return tuple(dict.fromkeys((*old, *new)))
