"""Stubs of turns: figures alone, of deleted sessions and of calls outside any session.

Law: figures and nothing else: when, by which model and template, how it ended, what it took. No word that was said, no
row it rested on, no hash of anything, not where it came from, only whether it did. So what was spent stays spent, in
reports and for spending caps, and nothing tells what about.

What was paid for outside of any session: a model reached, notes read, a verifier tried, turns without a session. What
it took is kept as what stays of the turn of a deleted session is, figures and nothing else, so that reports and
spending caps count it like any other call. It is in no session; a call that was no part of a turn counts as none.

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
"""`imported_from` is a hash of what was said; that it is one, which spending goes by, stays as an empty text."""


def turn_stub(exchange: DialogueExchange) -> DialogueExchange:
    """Return what stays of a turn; of what stays, the same again."""
    names = frozenset(each.name for each in fields(exchange)) - _KEPT
    return replace(
        without_fields(exchange, names),
        prompt=None if exchange.prompt is None else _template_of(exchange.prompt),
        imported_from=None if exchange.imported_from is None else "",
        attempts=tuple(replace(each, draft_hash=None) for each in exchange.attempts),
        deleted=True,
    )


def unreadable_turn_stub(*, exchange_id: str, session_id: str, index: int, timestamp: datetime) -> DialogueExchange:
    """Return what stays of a turn whose record could not be read: that it was there. What it cost is not known."""
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
    """Return the template's name and the prompt's size: reports group by the one and compare the other."""
    return PromptRecord(
        prompt_hash="",
        template=prompt.template,
        template_hash="",
        prompt_tokens_estimated=prompt.prompt_tokens_estimated,
    )


def stub_faults(exchange: DialogueExchange) -> Iterator[str]:
    """Yield a sentence if more than its figures is left of a turn whose session was deleted."""
    if exchange != turn_stub(exchange):
        yield messages.text_left(exchange.id)


_ALONE: Final = frozenset({"reach", "extract", "calibrate"})
"""What calls that are no part of a turn are made for."""


def sessionless_calls(attempts: Sequence[Attempt], facts: TurnFacts) -> DialogueExchange:
    """Return what is kept of a call.

    Args:
        attempts: the call's tries, with purpose `reach`, `extract` or `calibrate`.
        facts: when it was made and of whom, under a new id and the id of no session.
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
    """Return what is kept of a turn that was paid for and has no session to go to.

    Args:
        session_id: a new one, of no session.
    """
    return turn_stub(replace(exchange, session_id=session_id, index=0))


def is_sessionless_call(exchange: DialogueExchange) -> bool:
    """Return whether what is kept is of a call that belongs to no turn."""
    return exchange.deleted and any(attempt.purpose in _ALONE for attempt in exchange.attempts)
