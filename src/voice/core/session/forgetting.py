"""Remove forgotten content from a conversation.

Law: a turn that cites what goes, or quotes it, loses its words and keeps its figures and its receipts: which row each
sentence rested on, and where in it. Where the row is forgotten the hash of what it said goes, too, for it would confirm
a guess; where it is redacted the hash stays. Every field that loses something leaves its commitment, so the chain still
verifies (ruling H). A summary loses the lines that rest on it or quote it.

Source: rulings D16, D20, H; DESIGN 6 "Receipts"; docs/forgetting.md.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from voice.core.grounding.values import CutSentence, Receipt, SentenceVerdict, SourceCitation
from voice.core.session.hash_chain import CALL, commitments, values_of, without_fields
from voice.core.session.history import grounds_of
from voice.core.session.values import DialogueExchange, InnerVoiceSession, SummaryLine
from voice.core.text.leakage import LeakMarkers
from voice.core.text.normalise import norm_v1

TOPIC_GONE: Final = "[forgotten]"
"""What a conversation is about whose topic quoted what went."""
_SPOKEN: Final = ("notes", "rejected_citations", "self_reported", "verification", "premise")
"""Fields that speak of an answer and hold no receipt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenContent:
    """What goes."""

    ids: frozenset[str]
    giveaway: LeakMarkers
    keeps_hashes: bool
    """Whether hashes of what the rows said stay: they are redacted, not forgotten."""


def exchange_without(exchange: DialogueExchange, gone: ForgottenContent, *, key: bytes) -> DialogueExchange:
    """Return the turn without what it holds of what goes; itself where it holds nothing (any more).

    Args:
        exchange: as it is stored.
        key: the store's 32 bytes.
    """
    if exchange.deleted:
        return exchange
    bare = exchange
    if _cites(exchange, gone.ids) or _answer_quotes(exchange, gone.giveaway):
        bare = _without_answer(bare, gone)
    elif _was_shown(exchange, gone.ids):
        bare = replace(bare, cut=_without_digests(bare.cut))
    if _asks_for(exchange, gone):
        bare = replace(bare, my_query="")
    if not gone.keeps_hashes and exchange.prompt is not None:
        evidence = tuple((each, "" if each in gone.ids else kept) for each, kept in exchange.prompt.evidence)
        bare = replace(bare, prompt=replace(exchange.prompt, evidence=evidence))
    return _committed(exchange, bare, key)


def session_without(
    session: InnerVoiceSession, gone: ForgottenContent, *, unasked: Collection[str], now: datetime
) -> InnerVoiceSession:
    """Return the session without what its topic and its summary hold of what goes; itself if that is nothing.

    Args:
        session: as it is stored, without its window.
        unasked: the questions that its turns lost, in their own words.
    """
    changed = session
    if _is_topic_gone(session.thread_topic, gone, unasked):
        changed = replace(changed, thread_topic=TOPIC_GONE)
    summary = session.rolling_summary
    if summary is not None:
        lines = tuple(line for line in summary.lines if not _line_goes(line, gone))
        if len(lines) < len(summary.lines):
            sources = tuple(each for each in summary.source_ids if each not in gone.ids)
            left = replace(summary.of_lines(lines), source_ids=sources, revision=summary.revision + 1, last_updated=now)
            changed = replace(changed, rolling_summary=left)
    return changed if changed is session else replace(changed, revision=session.revision + 1)


def _cites(exchange: DialogueExchange, ids: Collection[str]) -> bool:
    rows = (*(row_id for row_id, _ in grounds_of(exchange)), *(each.source_id for each in exchange.evidence_found))
    return any(row_id in ids for row_id in (*rows, *exchange.memories_referenced))


def _was_shown(exchange: DialogueExchange, ids: Collection[str]) -> bool:
    """Return whether its model saw any of the rows: what was cut of its draft may have told of them uncited."""
    return exchange.prompt is not None and any(row_id in ids for row_id, _ in exchange.prompt.evidence)


def _answer_quotes(exchange: DialogueExchange, giveaway: LeakMarkers) -> bool:
    spans = (each.span for each in (*exchange.sources, *exchange.evidence_found))
    sentences = (each.text for each in exchange.sentences)
    return giveaway.is_quoted_in(exchange.answer, exchange.notes, *spans, *sentences, *exchange.premise)


def _asks_for(exchange: DialogueExchange, gone: ForgottenContent) -> bool:
    """Return whether the question gives it away: it quotes it, or is about it and uses a word that it alone said."""
    if gone.giveaway.is_quoted_in(exchange.my_query):
        return True
    is_about = _cites(exchange, gone.ids) or _was_shown(exchange, gone.ids)
    return is_about and gone.giveaway.is_hinted_at_in(exchange.my_query)


def _without_answer(exchange: DialogueExchange, gone: ForgottenContent) -> DialogueExchange:
    bare = without_fields(exchange, {"answer", *_SPOKEN})
    return replace(
        bare,
        sources=_without_spans(exchange.sources, gone),
        evidence_found=_without_spans(exchange.evidence_found, gone),
        sentences=tuple(_without_words(each, gone) for each in exchange.sentences),
        cut=_without_digests(exchange.cut),
    )


def _without_spans(cited: Iterable[SourceCitation], gone: ForgottenContent) -> tuple[SourceCitation, ...]:
    """Return the citations, each with which row it names; their words go."""
    return tuple(
        replace(each, span="", content_hash=_hash_left(each.source_id, each.content_hash, gone)) for each in cited
    )


def _without_words(sentence: SentenceVerdict, gone: ForgottenContent) -> SentenceVerdict:
    receipts = tuple(_receipt_left(each, gone) for each in sentence.receipts)
    lexical = sentence.lexical
    if lexical is not None:
        lexical = replace(lexical, parts=tuple(replace(part, reasons=()) for part in lexical.parts))
    return replace(sentence, text="", reasons=(), receipts=receipts, missing=(), lexical=lexical)


def _without_digests(cut: Iterable[CutSentence]) -> tuple[CutSentence, ...]:
    """Return how many sentences were left out and by which guards; nothing that would confirm a guess stays."""
    return tuple(replace(each, digest="", reasons=()) for each in cut)


def _receipt_left(receipt: Receipt, gone: ForgottenContent) -> Receipt:
    return replace(receipt, content_hash=_hash_left(receipt.row_id, receipt.content_hash, gone))


def _hash_left(row_id: str, kept: str, gone: ForgottenContent) -> str:
    return kept if gone.keeps_hashes or row_id not in gone.ids else ""


def _committed(before: DialogueExchange, after: DialogueExchange, key: bytes) -> DialogueExchange:
    """Return the turn with the commitments of the fields that lost something; it answers no repeated call any more."""
    if after == before:
        return before
    kept, left = values_of(before), values_of(after)
    lost = {name for name, value in kept.items() if left.get(name) != value}
    committed = commitments(before, key)
    redacted = dict(before.redacted) | {name: committed[name] for name in lost}
    return replace(without_fields(after, CALL), redacted=tuple(sorted(redacted.items())))


def _is_topic_gone(topic: str, gone: ForgottenContent, unasked: Collection[str]) -> bool:
    if topic == TOPIC_GONE:
        return False
    normal = norm_v1(topic.rstrip("…"))
    begins = any(norm_v1(question).startswith(normal) for question in unasked) if normal else False
    return begins or gone.giveaway.is_quoted_in(topic) or (bool(unasked) and gone.giveaway.is_hinted_at_in(topic))


def _line_goes(line: SummaryLine, gone: ForgottenContent) -> bool:
    return any(row_id in gone.ids for row_id, _ in line.grounds) or gone.giveaway.is_quoted_in(line.text)
