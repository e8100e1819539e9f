"""Stubs of turns: figures alone, of deleted sessions and of calls outside any session.

Law: a stub keeps figures only (time, model, template, outcome, usage): no text, row, hash or origin. Spending therefore
stays counted in reports and caps without revealing content.
Source: rulings D6, D18, H; docs/sessions.md; promise 7; docs/budgets.md.
"""

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from datetime import datetime
from typing import Final

from voice.core.grounding.values import Stance
from voice.core.messages import asking as messages
from voice.core.session.exchange import TurnFacts, total_cost, total_usage
from voice.core.session.hash_chain import FIGURES, without_fields
from voice.core.session.values import Attempt, DialogueExchange, PromptRecord

_KEPT: Final = (FIGURES - {"imported_from"}) | {"session_id", "seq"}
"""`imported_from` is a hash of content: only its presence is kept, as "", because spending depends on it."""


def turn_stub(exchange: DialogueExchange) -> DialogueExchange:
    """Reduce a turn to its stub; idempotent."""
    names = frozenset(each.name for each in fields(exchange)) - _KEPT
    return replace(
        without_fields(exchange, names),
        prompt=None if exchange.prompt is None else _template_of(exchange.prompt),
        imported_from=None if exchange.imported_from is None else "",
        attempts=tuple(replace(each, draft_hash=None) for each in exchange.attempts),
        deleted=True,
    )


def unreadable_turn_stub(*, exchange_id: str, session_id: str, index: int, timestamp: datetime) -> DialogueExchange:
    """Return a stub of a turn whose record is unreadable; its cost is unknown."""
    return DialogueExchange(
        id=exchange_id,
        session_id=session_id,
        index=index,
        timestamp=timestamp,
        my_query="",
        answer="",
        sources=(),
        confidence=0.0,
        coverage_ratio=0.0,
        refused=True,
        memories_referenced=(),
        prompt_tokens=None,
        completion_tokens=None,
        latency_ms=0,
        cost_estimate=None,
        prompt_hash=None,
        status="error",
        stance=Stance.SYNTHESIZE,
        deleted=True,
    )


def _template_of(prompt: PromptRecord) -> PromptRecord:
    """Keep the template's name and the prompt's size, which reports use."""
    return PromptRecord(
        prompt_hash="",
        template=prompt.template,
        template_hash="",
        prompt_tokens_estimated=prompt.prompt_tokens_estimated,
    )


def stub_faults(exchange: DialogueExchange) -> Iterator[str]:
    """Yield a message if a deleted session's turn has more than its figures."""
    if exchange != turn_stub(exchange):
        yield messages.text_left(exchange.id)


_ALONE: Final = frozenset({"reach", "extract", "calibrate"})
"""Purposes of calls outside any turn."""


def sessionless_calls(attempts: Sequence[Attempt], facts: TurnFacts) -> DialogueExchange:
    """Return the stub of a call outside any session.

    Args:
        attempts: with purpose `reach`, `extract` or `calibrate`.
        facts: under a new id and a session id of no session.
    """
    usage = total_usage(attempts)
    return turn_stub(
        DialogueExchange(
            id=facts.exchange_id,
            session_id=facts.session_id,
            index=facts.index,
            timestamp=facts.timestamp,
            my_query=facts.question,
            answer="",
            sources=(),
            confidence=0.0,
            coverage_ratio=0.0,
            refused=True,
            memories_referenced=(),
            prompt_tokens=usage.input_tokens,
            completion_tokens=usage.output_tokens,
            cached_tokens=usage.cached_input_tokens,
            latency_ms=sum(attempt.latency_ms for attempt in attempts),
            cost_estimate=total_cost(attempts, facts.price),
            prompt_hash=None,
            status="error",
            stance=facts.stance,
            attempts=tuple(attempts),
            price_source=f"{facts.price.source} {facts.price.as_of}" if facts.price else None,
            price=facts.price,
            provider=facts.provider,
            model=facts.model,
            policy=facts.policy,
        )
    )


def sessionless_turn(exchange: DialogueExchange, *, session_id: str) -> DialogueExchange:
    """Return the stub of a paid turn without a session; `session_id` is a new one, of no session."""
    return turn_stub(replace(exchange, session_id=session_id, index=0))


def is_sessionless_call(exchange: DialogueExchange) -> bool:
    """Return whether a stub is of a call outside any turn."""
    return exchange.deleted and any(attempt.purpose in _ALONE for attempt in exchange.attempts)
