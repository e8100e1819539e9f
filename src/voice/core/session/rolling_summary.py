"""Fold older exchanges into the rolling summary, and rebuild it.

Law: it consists of proven sentences only, from answers or a checked model (ruling D16); refused exchanges add nothing
but their count (ruling D6). It is context, never a source. Oldest lines are dropped when over budget. If a row behind a
line falls, it is rebuilt from the exchanges that still stand.
Source: spec stateful-design-v2, 5 RollingSummary and 8; rulings D6, D16, D17, H.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from voice.core.grounding.values import SentenceVerdict
from voice.core.session.history import SourceStatus, is_repeatable, line_fault
from voice.core.session.values import (
    DialogueExchange,
    Ground,
    InnerVoiceSession,
    RollingSummary,
    SummaryFallback,
    SummaryLine,
)
from voice.core.text.instants import in_zone

Count = Callable[[str], int]
SENTENCES_PER_EXCHANGE = 2
SUMMARY_SHARE = 0.15
"""Maximum share of a prompt for the summary (ruling D10)."""


def foldable(
    session: InnerVoiceSession, *, window_limit: int, window_keep: int, appended: int = 0
) -> tuple[DialogueExchange, ...]:
    """Return all but the newest `window_keep` if more than `window_limit`, `appended` ones to come included."""
    length = len(session.context_window) + appended  # as if they were there
    return session.context_window[: length - window_keep] if length > window_limit else ()  # none while there is room


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSummary:
    """A model's checked summary of the exchanges to fold."""

    exchange_ids: tuple[str, ...]
    """The exchanges it was written for; it is unusable for others."""
    lines: tuple[SummaryLine, ...] = field(default=(), repr=False)
    """The sentences that hold, oldest first."""
    author: str | None = None
    fallback: SummaryFallback | None = None
    """Why the answers' own sentences are used instead."""


def fold(  # noqa: PLR0913 - what a summary is made of, by name
    session: InnerVoiceSession,
    exchanges: Sequence[DialogueExchange],
    *,
    now: datetime,
    count: Count,
    max_tokens: int,
    timezone: str = "UTC",
    written: ModelSummary | None = None,
) -> InnerVoiceSession:
    """Fold `exchanges`, the oldest of the window, into the summary.

    Args:
        written: a model's summary of exactly these exchanges; None: not asked.
    """
    if not exchanges:
        return session
    # The session moved on while the model wrote: other exchanges are due now.
    if written is not None and written.exchange_ids != tuple(each.id for each in exchanges):
        written = None
    before = session.rolling_summary or RollingSummary(
        text="", last_updated=now, exchanges_summarized=0, token_savings=0, revision=0
    )
    lines = list(before.lines)
    if written is not None and written.fallback is None:
        lines.extend(written.lines)
    else:
        lines.extend(line for exchange in exchanges for line in summary_lines_of(exchange, timezone))
    kept = _fit(lines, count=count, max_tokens=max_tokens)
    summary = replace(
        before.with_lines(kept),
        last_updated=now,
        exchanges_summarized=before.exchanges_summarized + len(exchanges),
        revision=before.revision + 1,
        through_index=max(exchange.index for exchange in exchanges),
        is_private=before.is_private or any(exchange.is_private for exchange in exchanges),
        author=_author(kept, written.author if written and written.author else before.author),
        fallen=_lines_since(kept, before.fallen) if len(kept) < len(lines) else before.fallen,
        fallback=written.fallback if written else None,
    )
    raw_tokens = sum(count(exchange.my_query) + count(exchange.answer) for exchange in exchanges)
    summary = _with_savings(summary, before, raw_tokens, count)
    folded = {exchange.id for exchange in exchanges}
    window = tuple(exchange for exchange in session.context_window if exchange.id not in folded)
    return replace(session, rolling_summary=summary, context_window=window)


def _author(kept: Sequence[SummaryLine], author: str | None) -> str | None:
    """Return the author of model lines; None if none remain."""
    return author if any(line.by_model for line in kept) else None


def _lines_since(kept: Sequence[SummaryLine], fallen: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Return the fallen lines since the oldest kept line; earlier ones were dropped anyway."""
    oldest = min((min(line.turns, default=0) for line in kept), default=0)
    return tuple(at for at in fallen if at[0] >= oldest)


def _with_savings(after: RollingSummary, before: RollingSummary, raw_tokens: int, count: Count) -> RollingSummary:
    """Return the summary with its sources, and its savings: folded tokens minus its own."""
    growth = count(after.text) - count(before.text)  # negative where old lines were dropped
    grounds = (row_id for line in after.lines for row_id, _ in line.grounds)
    return replace(
        after, source_ids=tuple(dict.fromkeys(grounds)), token_savings=before.token_savings + raw_tokens - growth
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedHistory:
    """Folded exchanges with the state of their rows for everyone."""

    exchanges: tuple[DialogueExchange, ...] = field(repr=False)
    """Oldest first, contiguous, up to the last folded one."""
    standings: Mapping[str, SourceStatus] = field(repr=False)
    quarantine: bool
    timezone: str
    """Dates the lines."""

    def stands(self, line: SummaryLine) -> bool:
        """Return whether the line may be shown again."""
        return line_fault(line, self.standings, quarantine=self.quarantine) is None

    def sentences(self) -> Iterator[tuple[tuple[int, int], SummaryLine]]:
        """Yield the answers' own lines, each with (exchange index, position)."""
        for exchange in self.exchanges:
            for place, line in enumerate(summary_lines_of(exchange, self.timezone)):
                yield (exchange.index, place), line

    def fills(self, max_tokens: int, count: Count) -> bool:
        """Return whether the standing lines exceed the summary's budget."""
        return count("\n".join(line.text for _, line in self.sentences() if self.stands(line))) > max_tokens


def rebuild(
    session: InnerVoiceSession, stood: FoldedHistory, *, now: datetime, count: Count, max_tokens: int
) -> InnerVoiceSession:
    """Rebuild the summary from what stands; the same session if nothing changes.

    Standing model lines stay; turns no longer covered by one contribute their own sentences. Private stays private,
    since no line records what made it so.

    Args:
        stood: folded exchanges as far back as a summary can reach.
    """
    before = session.rolling_summary
    if before is None:
        return session
    first = stood.exchanges[0].index if stood.exchanges else 0
    # A model's line stays where every turn behind it can still be checked.
    told = [line for line in before.lines if line.by_model and line.turns and line.turns[0] >= first]
    told = [line for line in told if stood.stands(line)]
    covered = {turn for line in told for turn in line.turns}
    own = [(at, line, stood.stands(line)) for at, line in stood.sentences()]
    lines = [*told, *(line for at, line, is_standing in own if is_standing and at[0] not in covered)]
    kept = _fit(sorted(lines, key=lambda line: line.turns[0]), count=count, max_tokens=max_tokens)
    is_full = len(kept) < len(lines)
    fallen = tuple(at for at, _, is_standing in own if not is_standing)
    after = replace(
        before.with_lines(kept),
        author=_author(kept, before.author),
        fallen=_lines_since(kept, fallen) if is_full else fallen,
        from_index=0 if is_full else first,
    )
    if after == before:
        return session
    after = _with_savings(replace(after, last_updated=now, revision=before.revision + 1), before, 0, count)
    return replace(session, rolling_summary=after, revision=session.revision + 1)


def summary_rendering(summary: RollingSummary) -> Iterator[tuple[str, str]]:
    """Yield the record entries needed to rebuild the summary from its turns."""
    if summary.author:
        yield "summary_by", summary.author
    if summary.fallen:
        yield "summary_fallen", " ".join(f"{index}.{place}" for index, place in summary.fallen)
    if summary.from_index:
        yield "summary_from", str(summary.from_index)


def summary_lines_of(exchange: DialogueExchange, timezone: str) -> list[SummaryLine]:
    """Return an exchange's summary lines: its weightiest proven sentences in order, dated."""
    if not is_repeatable(exchange):
        return []
    supported = [sentence for sentence in exchange.sentences if sentence.is_proven]
    heaviest = sorted(supported, key=lambda s: (-s.weight, s.start))[:SENTENCES_PER_EXCHANGE]  # ties by place
    day = f"{in_zone(exchange.timestamp, timezone):%Y-%m-%d}"
    return [
        SummaryLine(
            text=f"- [{day}] {' '.join(sentence.text.split())}",
            grounds=sentence_grounds(sentence, exchange),
            turns=(exchange.index,),
        )
        for sentence in sorted(heaviest, key=lambda s: s.start)
    ]


def sentence_grounds(sentence: SentenceVerdict, exchange: DialogueExchange) -> tuple[Ground, ...]:
    """Return the rows behind a sentence: its receipts, else all citations of the answer."""
    held = ((receipt.row_id, receipt.content_hash) for receipt in sentence.receipts)
    cited = ((source.source_id, source.content_hash) for source in exchange.sources)
    return tuple(dict.fromkeys(held)) or tuple(dict.fromkeys(cited))


def _fit(lines: Sequence[SummaryLine], *, count: Count, max_tokens: int) -> tuple[SummaryLine, ...]:
    """Merge duplicate lines and drop the oldest until the rest fits."""
    unique: dict[str, SummaryLine] = {}
    for line in lines:
        known = unique.get(line.text)
        unique[line.text] = line if known is None else _together(known, line)  # in its first place
    kept = tuple(unique.values())

    def fits(left_out: int) -> bool:
        return count("\n".join(line.text for line in kept[left_out:])) <= max_tokens

    # By bisection, because a fork may fold hundreds of turns: fewer lines never take more tokens.
    return kept[bisect_left(range(len(kept)), x=True, key=fits) :]


def _together(one: SummaryLine, other: SummaryLine) -> SummaryLine:
    return replace(
        one,
        grounds=tuple(dict.fromkeys((*one.grounds, *other.grounds))),
        turns=tuple(dict.fromkeys((*one.turns, *other.turns))),
        by_model=one.by_model and other.by_model,  # an answer's own sentence if one of them is
    )
