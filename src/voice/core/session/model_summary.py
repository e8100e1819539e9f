"""Check a summary written by a model against the turns it summarises.

Law: each sentence is judged alone, like an answer, against the proven sentences of the folded turns (ruling D16). Those
that fail are dropped; if fewer than `MIN_HELD` hold, all are. A line rests on the rows behind its sentences.
Source: rulings D16, D22, H.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from voice.core.grounding.judge import judge
from voice.core.grounding.proof import Proof, ProofContext, prove
from voice.core.grounding.values import Draft, DraftSentence, DraftSource, Evidence, GroundingPolicy, SentenceVerdict
from voice.core.grounding.verifier_values import VerificationReply
from voice.core.records import TrustTier
from voice.core.session.history import (
    OF_ONE_READER,
    SourceStatus,
    grounds_of,
    is_repeatable,
    line_fault,
    status_of_ground,
)
from voice.core.session.rolling_summary import sentence_grounds
from voice.core.session.values import DialogueExchange, Ground, SummaryLine
from voice.core.text.instants import day_or_undated, in_zone
from voice.core.text.normalise import content_hash
from voice.core.text.prompt_injection import find_instruction
from voice.core.text.sentences import sentence_spans
from voice.core.text.word_lists import word_set

MIN_HELD = 0.5
"""Minimum share of a model's sentences that must hold."""
MOST_LINES = 12
_STAND_INS = word_set(  # pronouns that need the sentence before
    "it its he his him she her hers they their them this that these those er sie es ihr ihre ihm ihn dies diese dieser "
    "dieses"
)
# A policy under which every sentence is judged independently.
_EACH_BY_ITSELF = GroundingPolicy(min_sources=0, min_coverage=0.0, on_unsupported="mark")


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedSentence:
    """A proven sentence of a folded turn."""

    row: Evidence
    """The sentence as evidence, under an alias, dated by its turn."""
    turn: int
    grounds: tuple[Ground, ...]
    is_private: bool


def folded_sentences(
    exchanges: Sequence[DialogueExchange], standings: Mapping[str, SourceStatus], *, quarantine: bool, timezone: str
) -> tuple[FoldedSentence, ...]:
    """Return the sentences that may be summarised, oldest first."""
    found: list[FoldedSentence] = []
    for exchange in filter(is_repeatable, exchanges):
        for sentence in exchange.sentences:
            grounds = sentence_grounds(sentence, exchange)
            line = SummaryLine(text=sentence.text, grounds=grounds)  # judged as the line it would be
            if not sentence.is_proven or line_fault(line, standings, quarantine=quarantine) is not None:
                continue
            found.append(
                FoldedSentence(
                    row=_row(f"S{len(found) + 1}", exchange, sentence.text, timezone),  # an alias for this summary only
                    turn=exchange.index,
                    grounds=grounds,
                    is_private=exchange.is_private
                    or any(status_of_ground(standings, row_id).is_private for row_id, _ in grounds),
                )
            )
    return tuple(found)


def holds_hidden_content(
    exchanges: Sequence[DialogueExchange], standings: Mapping[str, SourceStatus], *, include_private: bool
) -> bool:
    """Return whether any exchange, or a row behind it, is hidden from this reader."""
    for exchange in filter(is_repeatable, exchanges):
        if exchange.is_withheld and not include_private:
            return True
        if any(status_of_ground(standings, row_id).fault in OF_ONE_READER for row_id, _ in grounds_of(exchange)):
            return True
    return False


def summary_proof(draft: Draft, statements: Sequence[FoldedSentence], *, now: datetime) -> Proof:
    """Prove a model's summary by rules, each sentence against all `statements`."""
    rows = [each.row for each in statements]
    sources = tuple(DraftSource(source_id=row.alias, span=row.text) for row in rows)  # any of them may carry it
    pieces = (sentence.text[start:end] for sentence in draft.sentences for start, end in sentence_spans(sentence.text))
    texts = [" ".join(piece.split()) for piece in pieces][:MOST_LINES]
    sentences = tuple(DraftSentence(text=text, sources=sources) for text in texts)
    return prove(Draft(sentences=sentences), rows, ProofContext(now=now))


def proven_lines(
    proof: Proof, statements: Sequence[FoldedSentence], *, reply: VerificationReply | None = None
) -> tuple[SummaryLine, ...] | None:
    """Return the lines that hold by the proof and, if not verbatim, the reply, oldest first; None if too few do."""
    heard = None if reply is None else replace(reply, answers_question=None)  # a summary answers no question
    judged = judge(proof, _EACH_BY_ITSELF, reply=heard).sentences
    found = [_line(sentence, statements) for sentence in judged]
    held = [line for line in found if line is not None]
    if not held or len(held) < MIN_HELD * len(judged):
        return None
    return tuple(sorted(held, key=lambda line: line.turns))


def _line(sentence: SentenceVerdict, statements: Sequence[FoldedSentence]) -> SummaryLine | None:
    text = sentence.text.strip()
    carrying = {receipt.row_id for receipt in sentence.receipts}
    under = [each for each in statements if each.row.row_id in carrying]
    if not sentence.is_proven or not under or find_instruction(text) or _starts_with_pronoun(text):
        return None
    days = sorted({day_or_undated(each.row.created_at) for each in under})  # a line may draw on several turns
    return SummaryLine(
        text=f"- [{days[0] if len(days) == 1 else f'{days[0]} to {days[-1]}'}] {text}",
        grounds=tuple(dict.fromkeys(ground for each in under for ground in each.grounds)),
        turns=tuple(sorted({each.turn for each in under})),
        by_model=True,
    )


def _starts_with_pronoun(text: str) -> bool:
    """Return whether a sentence starts with a pronoun that needs another sentence."""
    first = text.split(maxsplit=1)[0].strip("\"'“‘(").casefold() if text.strip() else ""
    return first in _STAND_INS


def _row(alias: str, exchange: DialogueExchange, text: str, timezone: str) -> Evidence:
    return Evidence(
        alias=alias,
        row_id=f"{exchange.id}#{alias}",  # no row of the memory: receipts lead back to the turn
        source_type="kg_observation",
        text=text,
        shown=text,
        content_hash=content_hash(text),
        trust=TrustTier.AMBER,
        created_at=in_zone(exchange.timestamp, timezone),
        is_private=exchange.is_private,
    )
