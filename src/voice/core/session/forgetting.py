"""Remove forgotten content from a conversation.

Law: a turn that cites or quotes it loses its text but keeps figures and receipts. The content hash of a forgotten row
is removed, since it would confirm a guess; that of a redacted row stays. Every changed field leaves its commitment, so
the chain still verifies (ruling H).
Source: rulings D16, D20, H; DESIGN 6 "Receipts"; docs/forgetting.md.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from voice.core.grounding.values import CutSentence, SentenceVerdict, SourceCitation
from voice.core.session.history import grounds_of
from voice.core.session.turn_traces import CALL, commitments, values_of, without_fields
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.core.text.leakage import LeakMarkers
from voice.core.text.normalise import norm_v1

TOPIC_GONE: Final = "[forgotten]"
"""Replacement for a topic that quoted forgotten content."""
_PLACED: Final = re.compile(r"^(?:from turn [0-9]++: |as of [0-9-]++: )++")  # before the question in a topic
# Fields about an answer that contain no receipts.
_SPOKEN: Final = ("notes", "rejected_citations", "self_reported", "verification", "premise")


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgottenContent:
    """The rows to forget or redact."""

    ids: frozenset[str]
    giveaway: LeakMarkers
    keeps_hashes: bool
    """Whether content hashes stay: redacted rather than forgotten."""


def exchange_without(exchange: DialogueExchange, gone: ForgottenContent, *, key: bytes) -> DialogueExchange:
    """Return the turn without forgotten content, the same object if nothing changes; `key` is the store's 32 bytes."""
    if exchange.deleted:  # without words already
        return exchange
    bare = exchange
    if _cites(exchange, gone.ids) or _answer_quotes(exchange, gone.giveaway):
        bare = _without_answer(bare, gone)
    elif _was_shown(exchange, gone.ids):
        bare = replace(bare, cut=_without_digests(bare.cut))
    if _asks_for(exchange, gone):
        bare = replace(bare, my_query="")
    if not gone.keeps_hashes and exchange.prompt is not None:  # a hash would confirm a guess
        evidence = tuple((each, "" if each in gone.ids else kept) for each, kept in exchange.prompt.evidence)
        bare = replace(bare, prompt=replace(exchange.prompt, evidence=evidence))
    return _with_commitments(exchange, bare, key)


def session_without(
    session: InnerVoiceSession, gone: ForgottenContent, *, unasked: Collection[str], now: datetime
) -> InnerVoiceSession:
    """Return the session, topic and summary cleaned, or the same object; `unasked`: questions that its turns lost."""
    changed = session
    if _is_topic_gone(session.thread_topic, gone, unasked):
        changed = replace(changed, thread_topic=TOPIC_GONE)  # not "": a session needs a topic
    summary = session.rolling_summary
    if summary is not None:
        lines = tuple(
            line
            for line in summary.lines
            if gone.ids.isdisjoint(row_id for row_id, _ in line.grounds) and not gone.giveaway.is_quoted_in(line.text)
        )
        if len(lines) < len(summary.lines):
            sources = tuple(each for each in summary.source_ids if each not in gone.ids)
            left = replace(
                summary.with_lines(lines), source_ids=sources, revision=summary.revision + 1, last_updated=now
            )
            changed = replace(changed, rolling_summary=left)
    return changed if changed is session else replace(changed, revision=session.revision + 1)


def rests_on(exchange: DialogueExchange, ids: Collection[str]) -> bool:
    """Return whether a turn cites one of the rows, found it, or showed it to the model."""
    return _cites(exchange, ids) or _was_shown(exchange, ids)


def _cites(exchange: DialogueExchange, ids: Collection[str]) -> bool:
    rows = (*(row_id for row_id, _ in grounds_of(exchange)), *(each.source_id for each in exchange.evidence_found))
    return any(row_id in ids for row_id in (*rows, *exchange.memories_referenced))


def _was_shown(exchange: DialogueExchange, ids: Collection[str]) -> bool:
    """Return whether the prompt contained a forgotten row: sentences cut from the draft may have used it uncited."""
    return exchange.prompt is not None and any(row_id in ids for row_id, _ in exchange.prompt.evidence)


def _answer_quotes(exchange: DialogueExchange, giveaway: LeakMarkers) -> bool:
    spans = (each.span for each in (*exchange.sources, *exchange.evidence_found))
    sentences = (each.text for each in exchange.sentences)
    return giveaway.is_quoted_in(exchange.answer, exchange.notes, *spans, *sentences, *exchange.premise)


def _asks_for(exchange: DialogueExchange, gone: ForgottenContent) -> bool:
    """Return whether the question reveals it: quotes it, or is about it and uses a word only it had."""
    if gone.giveaway.is_quoted_in(exchange.my_query):
        return True
    return rests_on(exchange, gone.ids) and gone.giveaway.is_hinted_at_in(exchange.my_query)


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
    """Remove the words of citations, keeping row ids."""
    return tuple(
        replace(each, span="", content_hash=_hash_left(each.source_id, each.content_hash, gone)) for each in cited
    )


def _without_words(sentence: SentenceVerdict, gone: ForgottenContent) -> SentenceVerdict:
    receipts = tuple(
        replace(each, content_hash=_hash_left(each.row_id, each.content_hash, gone)) for each in sentence.receipts
    )
    lexical = sentence.lexical
    if lexical is not None:
        lexical = replace(lexical, parts=tuple(replace(part, reasons=()) for part in lexical.parts))
    return replace(sentence, text="", reasons=(), receipts=receipts, missing=(), lexical=lexical)


def _without_digests(cut: Iterable[CutSentence]) -> tuple[CutSentence, ...]:
    """Remove what could confirm a guess from cut sentences; rungs and flags stay."""
    return tuple(replace(each, digest="", reasons=()) for each in cut)


def _hash_left(row_id: str, kept: str, gone: ForgottenContent) -> str:
    return kept if gone.keeps_hashes or row_id not in gone.ids else ""


def _with_commitments(before: DialogueExchange, after: DialogueExchange, key: bytes) -> DialogueExchange:
    """Record commitments of the changed fields; the turn no longer serves idempotent calls."""
    if after == before:
        return before
    kept, left = values_of(before), values_of(after)
    lost = {name for name, value in kept.items() if left.get(name) != value}
    committed = commitments(before, key)  # of the values before: the chain holds
    redacted = dict(before.redacted) | {name: committed[name] for name in lost}
    return replace(without_fields(after, CALL), redacted=tuple(sorted(redacted.items())))


def _is_topic_gone(topic: str, gone: ForgottenContent, unasked: Collection[str]) -> bool:
    if topic == TOPIC_GONE:
        return False
    normal = norm_v1(_PLACED.sub("", topic.rstrip("…")))  # a topic may be a question that was cut
    # "" begins every question.
    begins = any(norm_v1(question).startswith(normal) for question in unasked) if normal else False
    return begins or gone.giveaway.is_quoted_in(topic) or (bool(unasked) and gone.giveaway.is_hinted_at_in(topic))
