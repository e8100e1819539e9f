"""A turn with figures and hardly a word, for benchmarks that need turns and not what was said in them."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final

from voice.core.grounding.values import Stance
from voice.core.session.values import DialogueExchange

_PLAIN: Final = DialogueExchange(
    id="x:1",
    session_id="s:1",
    index=0,
    timestamp=datetime(2026, 1, 1, tzinfo=UTC),
    my_query="",
    answer="",
    sources=(),
    confidence=1.0,
    coverage_ratio=1.0,
    refused=False,
    memories_referenced=(),
    prompt_tokens=1000,
    completion_tokens=100,
    latency_ms=12,
    cost_estimate=Decimal("0.002"),
    prompt_hash=None,
    status="answered",
    stance=Stance.SYNTHESIZE,
)


def plain_turn(**members: object) -> DialogueExchange:
    """Return an answered turn, whatever is named of it otherwise."""
    return replace(_PLAIN, **members)  # pyright: ignore[reportArgumentType]
