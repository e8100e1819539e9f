"""What stays of the turns of a session that is deleted.

Law: figures and nothing else: when, by which model and template, how it ended, what it took. No word that was said, no
row it rested on, no hash of anything, not where it came from, only whether it did. So what was spent stays spent, in
reports and for spending caps, and nothing tells what about.

Source: rulings D6, D18, H; docs/sessions.md.
"""

from collections.abc import Iterator
from dataclasses import fields, replace
from datetime import datetime
from typing import Final

from voice.core.grounding.values import Stance
from voice.core.session.chain import FIGURES, without
from voice.core.session.values import DialogueExchange, PromptRecord

_KEPT: Final = (FIGURES - {"imported_from"}) | {"session_id", "seq"}
"""`imported_from` is a hash of what was said; that it is one, which spending goes by, stays as an empty text."""


def stub(exchange: DialogueExchange) -> DialogueExchange:
    """Return what stays of a turn; of what stays, the same again."""
    names = frozenset(each.name for each in fields(exchange)) - _KEPT
    return replace(
        without(exchange, names),
        prompt=None if exchange.prompt is None else _template_of(exchange.prompt),
        imported_from=None if exchange.imported_from is None else "",
        attempts=tuple(replace(each, draft_hash=None) for each in exchange.attempts),
        deleted=True,
    )


def lost(*, exchange_id: str, session_id: str, index: int, timestamp: datetime) -> DialogueExchange:
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
    if exchange != stub(exchange):
        yield f"{exchange.id}: its session was deleted, but more than figures is left of it"
