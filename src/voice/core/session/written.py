"""A summary in a model's words, held against what it sums up.

Law: a model may put things more briefly and may add nothing: each of its sentences is judged by itself, by the judge
that answers pass, against the supported sentences of the turns that are folded (ruling D16). What does not hold is
dropped; where less than half holds, nothing of it is taken. A line rests on the rows behind the sentences that carry
it, so that it falls with them; the summary itself is never what anything rests on.

Source: rulings D16, D22, H.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from voice.core.grounding.judge import judge
from voice.core.grounding.values import Draft, DraftSource, Evidence, GroundedResponse, GroundingPolicy
from voice.core.records import TrustTier
from voice.core.session.past import (
    OF_ONE_READER,
    Standing,
    grounds_of,
    may_come_back,
    sentence_fault,
    standing_of_ground,
)
from voice.core.session.summary import sentence_grounds
from voice.core.session.values import DialogueExchange, Ground, SummaryLine
from voice.core.text.days import in_zone
from voice.core.text.instructions import instruction_in
from voice.core.text.normalise import content_hash
from voice.core.text.sentences import sentence_spans
from voice.core.text.wordlists import word_set

MIN_HELD = 0.5
"""Of a model's sentences so many have to hold."""
MOST_LINES = 12
_STAND_INS = word_set(
    "it its he his him she her hers they their them this that these those er sie es ihr ihre ihm ihn dies diese dieser "
    "dieses"
)
_ONE_IS_ENOUGH = GroundingPolicy(min_sources=1, min_coverage=1.0, on_unsupported="refuse")


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A supported sentence of a turn that is folded."""

    row: Evidence
    """As the judge sees it: its own words, under an alias, on the day of its turn."""
    turn: int
    grounds: tuple[Ground, ...]
    is_private: bool


def statements_of(
    exchanges: Sequence[DialogueExchange], standings: Mapping[str, Standing], *, quarantine: bool, timezone: str
) -> tuple[Statement, ...]:
    """Return what of the exchanges stands and may be summed up, oldest first.

    Args:
        exchanges: those that are to be folded.
        standings: how the rows behind them stand for the one who asks.
        quarantine: whether what reads like instructions to the model is left out.
        timezone: the zone of their days.
    """
    found: list[Statement] = []
    for exchange in filter(may_come_back, exchanges):
        for sentence in exchange.sentences:
            grounds = sentence_grounds(sentence, exchange)
            fault = sentence_fault(sentence.text, grounds, standings, quarantine=quarantine)
            if sentence.verdict != "supported" or fault is not None:
                continue
            found.append(
                Statement(
                    row=_row(f"S{len(found) + 1}", exchange, sentence.text, timezone),
                    turn=exchange.index,
                    grounds=grounds,
                    is_private=exchange.is_private
                    or any(standing_of_ground(standings, row_id).is_private for row_id, _ in grounds),
                )
            )
    return tuple(found)


def may_not_be_seen(
    exchanges: Sequence[DialogueExchange], standings: Mapping[str, Standing], *, include_private: bool
) -> bool:
    """Return whether any of the exchanges is not for this reader, or rests on what is not."""
    for exchange in filter(may_come_back, exchanges):
        if exchange.is_withheld and not include_private:
            return True
        if any(standing_of_ground(standings, row_id).fault in OF_ONE_READER for row_id, _ in grounds_of(exchange)):
            return True
    return False


def held_lines(
    answer: str, statements: Sequence[Statement], *, policy: GroundingPolicy, now: datetime
) -> tuple[SummaryLine, ...] | None:
    """Return the sentences of a model's summary that hold, oldest first; None where too few do.

    Args:
        answer: what the model wrote.
        statements: what it was to sum up.
        policy: its support threshold counts; one statement is enough, and all of a sentence must hold.
        now: when it was asked.
    """
    texts = [" ".join(answer[start:end].split()) for start, end in sentence_spans(answer)]
    found = [_line(text, statements, policy, now) for text in texts[:MOST_LINES]]
    held = [line for line in found if line is not None]
    if not held or len(held) < MIN_HELD * len(texts):
        return None
    return tuple(sorted(held, key=lambda line: line.turns))


def _line(text: str, statements: Sequence[Statement], policy: GroundingPolicy, now: datetime) -> SummaryLine | None:
    response = _judged(text, statements, policy, now)
    carrying = {receipt.row_id for sentence in response.sentences for receipt in sentence.receipts}
    under = [each for each in statements if each.row.row_id in carrying]
    if response.refused or len(response.sentences) != 1 or not under or instruction_in(text) or _leans(text):
        return None
    days = sorted({f"{each.row.created_at:%Y-%m-%d}" for each in under})
    return SummaryLine(
        text=f"- [{days[0] if len(days) == 1 else f'{days[0]} to {days[-1]}'}] {response.answer.strip()}",
        grounds=tuple(dict.fromkeys(ground for each in under for ground in each.grounds)),
        turns=tuple(sorted({each.turn for each in under})),
        by_model=True,
    )


def _leans(text: str) -> bool:
    """Return whether a sentence begins with a word that stands for what another one names."""
    first = text.split(maxsplit=1)[0].strip("\"'“‘(").casefold() if text.strip() else ""
    return first in _STAND_INS


def _judged(text: str, statements: Sequence[Statement], policy: GroundingPolicy, now: datetime) -> GroundedResponse:
    rows = [each.row for each in statements]
    draft = Draft(answer=text, sources=tuple(DraftSource(source_id=row.alias, span=row.text) for row in rows))
    strict = replace(_ONE_IS_ENOUGH, support_threshold=policy.support_threshold)
    return judge(draft, rows, strict, question="", now=now)


def _row(alias: str, exchange: DialogueExchange, text: str, timezone: str) -> Evidence:
    return Evidence(
        alias=alias,
        row_id=f"{exchange.id}#{alias}",
        source_type="kg_observation",
        text=text,
        shown=text,
        content_hash=content_hash(text),
        trust=TrustTier.AMBER,
        created_at=in_zone(exchange.timestamp, timezone),
        is_private=exchange.is_private,
    )
