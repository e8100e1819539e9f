"""What a turn may cost, what it did cost, and providers that fail."""

from decimal import Decimal
from pathlib import Path

import pytest

from held_models import HeldModel
from played_turns import (
    GROUNDED,
    KILN,
    MOVED,
    PAID,
    ask,
    given,
    grounded,
    memory,
    one_turn,
    scripted,
    stored,
)
from voice.adapters.llm.factory import with_retries
from voice.adapters.llm.scripted import Line, ScriptedClient
from voice.core.errors import DeadlineExceeded, ProviderRejected, ProviderUnavailable
from voice.core.grounding.answer_text import with_advice
from voice.core.grounding.values import RefusalReason
from voice.core.settings.providers import LlmSettings
from voice.ports.llm import LlmClient, LlmRequest


@pytest.mark.requirement("promise:7", "ruling:D6", "s2:guarantee:6")
async def test_a_call_that_could_cost_too_much_is_not_made(tmp_path: Path) -> None:
    client = grounded(profile=PAID)
    settings = given(llm=LlmSettings(max_turn_cost=Decimal("0.001")))
    exchange = (await one_turn(tmp_path, client, settings=settings)).exchange
    assert (client.calls, exchange.status, exchange.reason) == (0, "refused", RefusalReason.BUDGET)
    assert (exchange.cost_estimate, exchange.attempts) == (0, ())
    assert exchange.evidence_found
    assert "SURR_INNER_VOICE_MAX_COST" in (exchange.notes or "")


def tried(times: int) -> tuple[ScriptedClient, LlmClient]:
    """Return a vendor that is busy at all tries but the last, and the layers that a real one is asked through."""
    busy = [ProviderUnavailable("busy", retry_after_s=0.0)] * (times - 1)
    vendor = scripted(*busy, GROUNDED, profile=PAID)
    return vendor, with_retries(vendor, monotonic_ms=lambda: 0.0)


@pytest.mark.requirement("promise:7", "ruling:D18", "ruling:D25")
@pytest.mark.parametrize(("cap", "calls", "status"), [("0.05", 2, "error"), ("0.07", 3, "answered")])
async def test_the_cap_pays_for_every_try_at_its_worst(tmp_path: Path, cap: str, calls: int, status: str) -> None:
    vendor, client = tried(3)
    settings = given(llm=LlmSettings(max_turn_cost=Decimal(cap)))
    exchange = (await one_turn(tmp_path, client, settings=settings)).exchange
    assert (vendor.calls, exchange.status) == (calls, status)
    assert len(exchange.attempts) == calls


@pytest.mark.requirement("ruling:D25", "ruling:D6", "ruling:D18")
async def test_a_model_that_does_not_answer_in_time_is_an_error_of_unknown_cost(tmp_path: Path) -> None:
    settings = given(llm=LlmSettings(deadline_s=1.5))
    async with memory(tmp_path, HeldModel(), settings=settings, told=KILN) as services:
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
        (ProviderRejected("vendor does not accept the key"), RefusalReason.PROVIDER_ERROR),
        (DeadlineExceeded("the time for this turn was up"), RefusalReason.DEADLINE),
    ],
)
async def test_a_failing_provider_is_a_kept_turn_with_its_reason(
    tmp_path: Path, fault: Line, reason: RefusalReason
) -> None:
    client = scripted(fault)
    async with memory(tmp_path, client, told=KILN) as services:
        turn = await ask(services)
        (kept,) = await stored(services)
    assert client.calls == 1
    assert (kept.status, kept.reason, kept.notes) == ("error", reason, with_advice(str(fault), reason))
    assert (kept.cost_estimate, turn.session.errors) == (None, 1)
    assert kept.evidence_found == ()


def breaks_its_contract(request: LlmRequest) -> str:
    """Raise an exception that is none of ours and holds what was sent."""
    raise KeyError(request.prompt)


@pytest.mark.requirement("ruling:D6", "promise:6", "ruling:D26")
async def test_a_client_that_breaks_its_contract_is_a_kept_turn_that_says_so(tmp_path: Path) -> None:
    exchange = (await one_turn(tmp_path, scripted(breaks_its_contract))).exchange
    assert (exchange.status, exchange.reason) == ("error", RefusalReason.PROVIDER_ERROR)
    assert "KeyError" in (exchange.notes or "")
    assert MOVED not in repr(exchange)
