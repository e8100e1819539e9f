"""What a turn may cost, what it did cost, and providers that fail."""

from decimal import Decimal
from pathlib import Path

import anyio
import pytest

from played_turns import (
    FIRED,
    KILN,
    MOVED,
    PAID,
    PRICE,
    USAGE,
    ask,
    given,
    grounded,
    memory,
    quoting,
    scripted,
    stored,
    tell,
)
from voice.adapters.llm.factory import with_retries
from voice.adapters.llm.scripted import Line, ScriptedClient
from voice.core.errors import DeadlineExceeded, ProviderRejected, ProviderUnavailable
from voice.core.grounding.answer_text import with_advice
from voice.core.grounding.values import RefusalReason
from voice.core.settings.values import LlmSettings
from voice.core.usage import Total, Usage
from voice.ports.llm import LlmClient, LlmReply, LlmRequest


def retried(client: LlmClient) -> LlmClient:
    return with_retries(client, monotonic_ms=lambda: 0.0)


@pytest.mark.requirement("promise:7", "ruling:D6", "s2:guarantee:6")
async def test_a_call_that_could_cost_too_much_is_not_made(tmp_path: Path) -> None:
    client = grounded(profile=PAID)
    settings = given(llm=LlmSettings(max_turn_cost=Decimal("0.001")))
    async with memory(tmp_path, client, settings=settings) as services:
        await tell(services, *KILN)
        turn = await ask(services)
    exchange = turn.exchange
    assert (client.calls, exchange.status, exchange.reason) == (0, "refused", RefusalReason.BUDGET)
    assert (exchange.cost_estimate, exchange.attempts) == (0, ())
    assert exchange.evidence_found
    assert "SURR_INNER_VOICE_MAX_COST" in (exchange.notes or "")


@pytest.mark.requirement("promise:7", "ruling:D18")
async def test_the_cap_is_the_whole_turns_a_repair_included(tmp_path: Path) -> None:
    cap = "0.0225"  # the worst case of one call is about 0.0212
    client = scripted("not JSON", quoting(MOVED, FIRED), profile=PAID)
    settings = given(llm=LlmSettings(max_turn_cost=Decimal(cap)))
    async with memory(tmp_path, client, settings=settings) as services:
        await tell(services, *KILN)
        exchange = (await ask(services)).exchange
    assert (client.calls, exchange.reason) == (1, RefusalReason.BUDGET)
    assert [attempt.outcome for attempt in exchange.attempts] == ["malformed"]
    assert exchange.cost_estimate == Decimal("0.002")


class Tried(ScriptedClient):
    """A vendor that is busy so many times before it answers; asked through the layers of a real one."""

    def __init__(self, busy: int) -> None:
        lines: list[Line] = [ProviderUnavailable("busy", retry_after_s=0.0)] * busy
        super().__init__(lambda request: lines.pop() if lines else str(answer(request)), usage=USAGE, profile=PAID)


answer = quoting(MOVED, FIRED)


@pytest.mark.requirement("promise:7", "ruling:D18", "ruling:D25")
@pytest.mark.parametrize(
    ("cap", "calls", "status"), [("0.03", 1, "error"), ("0.05", 2, "error"), ("0.07", 3, "answered")]
)
async def test_the_cap_pays_for_every_try_at_its_worst(tmp_path: Path, cap: str, calls: int, status: str) -> None:
    client = Tried(busy=2)
    settings = given(llm=LlmSettings(max_turn_cost=Decimal(cap)))
    async with memory(tmp_path, retried(client), settings=settings) as services:
        await tell(services, *KILN)
        exchange = (await ask(services)).exchange
    assert (client.calls, exchange.status) == (calls, status)
    assert len(exchange.attempts) == calls


@pytest.mark.requirement("ruling:D8", "ruling:D18")
async def test_every_try_is_metered_and_a_repeated_one_is_no_repair(tmp_path: Path) -> None:
    async with memory(tmp_path, retried(Tried(busy=1))) as services:
        await tell(services, *KILN)
        exchange = (await ask(services)).exchange
        report = await services.report(since=None, by="session")
    assert [attempt.outcome for attempt in exchange.attempts] == ["error", "draft"]
    assert [attempt.usage for attempt in exchange.attempts] == [Usage(), USAGE]
    assert (exchange.prompt_tokens, exchange.cost_estimate) == (None, None)
    assert report.total.repairs == 0


@pytest.mark.requirement("ruling:D18", "s2:guarantee:6")
@pytest.mark.parametrize(("tracked", "cost"), [(True, Decimal("0.002")), (False, None)])
async def test_the_cost_of_an_exchange_is_kept_unless_that_is_switched_off(
    tmp_path: Path, *, tracked: bool, cost: Decimal | None
) -> None:
    settings = given(llm=LlmSettings(cost_tracking=tracked))
    async with memory(tmp_path, grounded(profile=PAID), settings=settings) as services:
        await tell(services, *KILN)
        turn = await ask(services)
    assert turn.exchange.cost_estimate == cost
    assert turn.exchange.price_source == (f"{PRICE.source} {PRICE.as_of}" if tracked else None)
    assert turn.exchange.price == (PRICE if tracked else None)
    assert turn.session.total_cost == Total().plus(cost)


class Hanging(ScriptedClient):
    """A model that never answers."""

    def __init__(self) -> None:
        super().__init__([])

    async def complete(self, request: LlmRequest) -> LlmReply:
        self.calls += 1
        await anyio.sleep_forever()
        raise AssertionError


@pytest.mark.requirement("ruling:D25", "ruling:D6", "ruling:D18")
async def test_a_model_that_does_not_answer_in_time_is_an_error_of_unknown_cost(tmp_path: Path) -> None:
    settings = given(llm=LlmSettings(deadline_s=1.5))
    async with memory(tmp_path, Hanging(), settings=settings) as services:
        await tell(services, *KILN)
        turn = await ask(services)
        assert len(await stored(services)) == 1
    exchange = turn.exchange
    assert (exchange.status, exchange.reason) == ("error", RefusalReason.DEADLINE)
    assert [attempt.outcome for attempt in exchange.attempts] == ["error"]
    assert (exchange.prompt_tokens, exchange.cost_estimate) == (None, None)
    assert exchange.prompt_hash is not None
    assert "1.5 seconds" in (exchange.notes or "")
    assert (turn.session.errors, turn.session.total_cost.unknown_count) == (1, 1)


@pytest.mark.requirement("ruling:D6", "ruling:D24", "ruling:D18", "ruling:D25")
@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (ProviderUnavailable("vendor limits the rate of requests; try again"), RefusalReason.PROVIDER_ERROR),
        (ProviderRejected("vendor does not accept the key"), RefusalReason.PROVIDER_ERROR),
        (DeadlineExceeded("the time for this turn was up"), RefusalReason.DEADLINE),
    ],
)
async def test_a_failing_provider_is_a_kept_turn_with_its_reason(
    tmp_path: Path, fault: Line, reason: RefusalReason
) -> None:
    client = scripted(fault)
    async with memory(tmp_path, client) as services:
        await tell(services, *KILN)
        turn = await ask(services)
        (kept,) = await stored(services)
    assert client.calls == 1
    assert (kept.status, kept.reason, kept.notes) == ("error", reason, with_advice(str(fault), reason))
    assert (kept.cost_estimate, turn.session.errors) == (None, 1)
    assert kept.evidence_found == ()


class Broken(ScriptedClient):
    """A client that breaks its contract: its exception is none of ours and holds what it was sent."""

    def __init__(self) -> None:
        super().__init__([])

    async def complete(self, request: LlmRequest) -> LlmReply:
        raise KeyError(request.prompt)


@pytest.mark.requirement("ruling:D6", "promise:6", "ruling:D26")
async def test_a_client_that_breaks_its_contract_is_a_kept_turn_that_says_so(tmp_path: Path) -> None:
    async with memory(tmp_path, Broken()) as services:
        await tell(services, *KILN)
        exchange = (await ask(services)).exchange
    assert (exchange.status, exchange.reason) == ("error", RefusalReason.PROVIDER_ERROR)
    assert "KeyError" in (exchange.notes or "")
    assert MOVED not in repr(exchange)


@pytest.mark.requirement("promise:6", "ruling:D6")
async def test_an_error_that_quotes_the_prompt_is_told_without_its_words(tmp_path: Path) -> None:
    client = ScriptedClient(lambda request: ProviderRejected(f"bad request: {request.prompt}"))
    async with memory(tmp_path, client) as services:
        await tell(services, *KILN)
        exchange = (await ask(services)).exchange
    assert exchange.notes == "the provider failed (provider_rejected)"
