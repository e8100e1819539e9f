"""What a session and its exchanges hold once they are on disk: every member the specs list, with its true value."""

import asyncio
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from played_turns import FIRED, GROUNDED, KILN, MOVED, NOW, ON_DISK, PAID, WHERE, ask, given, later, memory, scripted
from present import present
from voice.adapters.llm.scripted import Line
from voice.adapters.system.clock_and_ids import CountingIds, FixedClock
from voice.core.context.prompt_templates import prompt_hash
from voice.core.messages.showing import REFUSED
from voice.core.session.values import SESSION_SCHEMA_VERSION, DialogueExchange, InnerVoiceSession
from voice.core.settings.values import SessionSettings
from voice.core.usage import Total
from voice.ports.llm import LlmRequest

SETTINGS = given(store=ON_DISK, session=SessionSettings(window_limit=3, window_keep=2))
DRAGONS = "What did the dragons of Erebor eat in May 1990?"
COST = Decimal("0.002")
"""A thousand tokens in, a hundred out, at the price of `PAID`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A session of four answered turns and a refused one, a minute apart, as another process finds it."""

    session: InnerVoiceSession
    exchanges: list[DialogueExchange]
    hashes: list[str]
    """The keyed hash of each prompt that was sent."""


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    return asyncio.run(played(tmp_path_factory.mktemp("kept")))


async def played(home: Path) -> Kept:
    seen: list[LlmRequest] = []
    clock, ids = FixedClock(NOW), CountingIds()

    def answer(request: LlmRequest) -> Line:
        clock.advance(timedelta(milliseconds=250))
        return GROUNDED(request)

    model = scripted(answer, seen=seen, profile=PAID)
    async with memory(home, model, settings=SETTINGS, clock=clock, ids=ids, told=KILN) as services:
        await ask(services, new_topic="kiln and glaze")
        for question in (WHERE, WHERE, WHERE, DRAGONS):
            clock.advance(timedelta(minutes=1))
            session_id = (await ask(services, question)).session.id
    async with memory(home, settings=SETTINGS, clock=clock, ids=ids) as services:
        session = present(await services.sessions.load(session_id, window=10))
        exchanges = await services.sessions.exchanges(session_id=session_id)
        key = (services.home / "key").read_bytes()
    hashes = [prompt_hash(key, request.system, request.prompt) for request in seen]
    return Kept(session=session, exchanges=exchanges, hashes=hashes)


@pytest.mark.requirement(
    "s2:session:id", "s2:session:version", "s2:session:provider", "s2:session:model", "s2:session:max_prompt_tokens",
    "s2:session:thread_topic", "s2:session:created_at", "s2:session:last_interaction",
)  # fmt: skip
def test_a_session_says_what_it_is_and_when_it_was(kept: Kept) -> None:
    session = kept.session
    assert session.id == kept.exchanges[0].session_id
    assert session.version == SESSION_SCHEMA_VERSION
    assert (session.provider, session.model, session.max_prompt_tokens) == ("vendor", "paid-1", 8000)
    assert (session.thread_topic, session.created_at) == ("kiln and glaze", NOW)
    assert session.last_interaction == kept.exchanges[-1].timestamp == later(minutes=4, milliseconds=1000)


@pytest.mark.requirement(
    "s2:session:total_exchanges", "s2:session:total_tokens", "s2:session:total_cost", "s2:tool:totals", "ruling:D6"
)
def test_a_session_adds_up_what_its_exchanges_used(kept: Kept) -> None:
    session = kept.session
    assert (session.total_exchanges, session.answered, session.refused) == (5, 4, 1)
    assert session.total_tokens == 4 * 1100
    assert session.total_cost == Total(known=4 * COST, unknown_count=0)


@pytest.mark.requirement(
    "s2:session:rolling_summary", "s2:session:context_window", "s2:summary:text", "s2:summary:last_updated",
    "s2:summary:exchanges_summarized", "s2:summary:token_savings", "ruling:D17",
)  # fmt: skip
def test_what_left_the_window_is_in_the_summary_and_the_rest_is_not(kept: Kept) -> None:
    summary, window = present(kept.session.rolling_summary), kept.session.context_window
    assert summary.text == f"- [2026-03-20] {MOVED}\n- [2026-03-20] {FIRED}"
    assert (summary.exchanges_summarized, summary.through_index) == (2, 1)
    assert summary.last_updated == kept.exchanges[3].timestamp
    assert summary.token_savings > 0
    assert [exchange.index for exchange in window] == [2, 3, 4]
    assert list(window) == kept.exchanges[2:]


@pytest.mark.requirement(
    "s2:exchange:timestamp", "s2:exchange:my_query", "s2:exchange:answer", "s2:exchange:sources",
    "s2:exchange:memories_referenced", "s2:exchange:confidence", "s2:exchange:coverage_ratio", "s2:exchange:refused",
    "s2:grounding:coverage_ratio",
)  # fmt: skip
def test_an_answered_exchange_holds_question_answer_and_proof(kept: Kept) -> None:
    exchange = kept.exchanges[1]
    assert exchange.timestamp == later(minutes=1, milliseconds=250)
    assert (exchange.my_query, exchange.answer) == (WHERE, f"{MOVED} {FIRED}")
    assert [source.span for source in exchange.sources] == [MOVED, FIRED]
    assert exchange.memories_referenced == tuple(source.source_id for source in exchange.sources)
    assert (exchange.coverage_ratio, exchange.refused) == (1.0, False)
    assert 0.0 < exchange.confidence <= 1.0


@pytest.mark.requirement(
    "s2:exchange:prompt_tokens", "s2:exchange:completion_tokens", "s2:exchange:latency_ms", "s2:exchange:cost_estimate",
    "s2:exchange:prompt_hash", "ruling:D20", "ruling:D18",
)  # fmt: skip
def test_an_exchange_holds_what_it_used_and_a_hash_that_proves_its_prompt(kept: Kept) -> None:
    answered = kept.exchanges[:4]
    assert [exchange.prompt_hash for exchange in answered] == kept.hashes
    assert len(set(kept.hashes)) == 4
    for exchange in answered:
        assert (exchange.prompt_tokens, exchange.completion_tokens) == (1000, 100)
        assert (exchange.latency_ms, exchange.cost_estimate) == (250, COST)


@pytest.mark.requirement("s2:exchange:refused", "s2:exchange:cost_estimate", "s2:exchange:prompt_hash", "promise:2")
def test_a_refused_exchange_is_kept_too_and_cost_nothing_where_nobody_was_asked(kept: Kept) -> None:
    exchange = kept.exchanges[4]
    assert (exchange.refused, exchange.answer, exchange.sources) == (True, REFUSED, ())
    assert (exchange.confidence, exchange.memories_referenced) == (0.0, ())
    assert (exchange.cost_estimate, exchange.prompt_tokens, exchange.prompt_hash) == (0, 0, None)
    assert exchange.notes
