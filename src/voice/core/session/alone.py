"""What was paid for outside of any session: a model reached, notes read, a verifier tried, turns without a session.

Law: what it took is kept as what stays of the turn of a deleted session is, figures and nothing else, so that reports
and spending caps count it like any other call. It is in no session; a call that was no part of a turn counts as none.

Source: promise 7; docs/budgets.md.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from voice.core.session.deletion import stub
from voice.core.session.exchange import TurnFacts, total_cost, total_usage
from voice.core.session.values import Attempt, DialogueExchange

_ALONE: Final = frozenset({"reach", "extract", "calibrate"})
"""What calls that are no part of a turn are made for."""


def call_alone(attempt: Attempt, facts: TurnFacts) -> DialogueExchange:
    """Return what is kept of a call that was tried once; see `calls_alone`."""
    return calls_alone((attempt,), facts)


def calls_alone(attempts: Sequence[Attempt], facts: TurnFacts) -> DialogueExchange:
    """Return what is kept of a call.

    Args:
        attempts: the call's tries, with purpose `reach`, `extract` or `calibrate`.
        facts: when it was made and of whom, under a new id and the id of no session.
    """
    usage = total_usage(attempts)
    return stub(
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


def turn_alone(exchange: DialogueExchange, *, session_id: str) -> DialogueExchange:
    """Return what is kept of a turn that was paid for and has no session to go to.

    Args:
        exchange: the turn.
        session_id: a new one, of no session.
    """
    return stub(replace(exchange, session_id=session_id, index=0))


def is_call_alone(exchange: DialogueExchange) -> bool:
    """Return whether what is kept is of a call that belongs to no turn."""
    return exchange.deleted and any(attempt.purpose in _ALONE for attempt in exchange.attempts)
