"""What became of stored answers and prompts, as programs read it.

Law: ids, offsets and statuses; a sentence's words only where they may be shown, else null: those of a private turn when
they were asked for, those that rest on a redacted row never (promise 6).
Source: DESIGN 6 "Receipts"; ruling D20.
"""

from collections import Counter
from collections.abc import Collection, Mapping

from voice.core.context.prompt_proof import PROOFS, Replay
from voice.core.messages import showing as messages
from voice.core.session.audit import AuditReport, ExchangeAudit, SentenceAudit, count_statuses
from voice.core.text.display import counted
from voice.core.text.instants import render_instant


def audit_json(report: AuditReport, *, include_private: bool) -> Mapping[str, object]:
    """Return a report as JSON values (schema: schemas/cli/sessions-audit.schema.json), with private words or not."""
    answers = [exchange for exchange in report.exchanges if exchange.is_answer]
    return {
        "grounded": report.is_grounded,
        "turns": len(report.exchanges),
        "answers": len(answers),
        "sentences": dict(count_statuses(answers)),
        "exchanges": [
            _exchange(exchange, report.topics.get(exchange.session_id), include_private=include_private)
            for exchange in answers
        ],
    }


def _exchange(exchange: ExchangeAudit, topic: str | None, *, include_private: bool) -> dict[str, object]:
    is_shown = include_private or not exchange.is_private
    return {
        "id": exchange.exchange_id,  # refusals have no sentences to verify
        "session_id": exchange.session_id,
        "thread_topic": topic,
        "index": exchange.index,
        "timestamp": render_instant(exchange.timestamp),
        "private": exchange.is_private,
        "grounded": exchange.is_grounded,
        "sentences": [_sentence(sentence, is_shown=is_shown) for sentence in exchange.sentences],
    }


def _sentence(sentence: SentenceAudit, *, is_shown: bool) -> dict[str, object]:
    return {
        "start": sentence.start,
        "end": sentence.end,
        "text": sentence.text if is_shown and not sentence.is_withheld else None,
        "status": sentence.status,
        "rows": list(sentence.row_ids),
        "superseded": list(sentence.superseded),
    }


def summary_line(audits: Collection[ExchangeAudit]) -> str:
    """Return in one line how many sentences of how many answers stand, and what became of the others."""
    answers = [audit for audit in audits if audit.is_answer]
    statuses = count_statuses(answers)
    told = [f"{count:,} {messages.AUDITS_COUNTED[status]}" for status, count in statuses.items() if count]
    silent = len(audits) - len(answers)
    rest = messages.no_answer_of(counted(silent, "turn")) if silent else ""
    of = messages.sentences_of(counted(sum(statuses.values()), "sentence"), counted(len(answers), "answer"))
    return f"{of}: {', '.join(told) or messages.NOTHING_TO_VERIFY}{rest}"


def replay_json(replays: Collection[Replay], *, show: bool) -> Mapping[str, object]:
    """Return replays as JSON values (schema: schemas/cli/sessions-replay.schema.json); `show` adds the prompts."""
    proofs = Counter(replay.proof for replay in replays)
    return {
        "proofs": {proof: proofs[proof] for proof in PROOFS},  # every proof is named, also with 0
        "exchanges": [_replay(replay, show=show) for replay in replays],
    }


def _replay(replay: Replay, *, show: bool) -> dict[str, object]:
    return {
        "id": replay.exchange_id,
        "session_id": replay.session_id,
        "index": replay.index,
        "timestamp": render_instant(replay.timestamp),
        "private": replay.is_private,
        "proof": replay.proof,
        "findings": list(replay.findings),
        "summary_revision": replay.summary_revision,
        **({"system": replay.system, "prompt": replay.prompt} if show else {}),  # a prompt holds words of the memory
    }


def replay_line(replays: Collection[Replay]) -> str:
    """Return in one line how many prompts are proven, and what became of the others."""
    proofs = Counter(replay.proof for replay in replays)
    told = [f"{proofs[proof]:,} {messages.PROOFS[proof]}" for proof in PROOFS if proofs[proof]]  # a person reads no 0
    turns = counted(len(replays), "turn")
    return f"{turns}: {', '.join(told) or messages.NOTHING_TO_PROVE}"
