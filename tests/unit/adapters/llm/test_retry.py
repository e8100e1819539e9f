"""The layers around a provider: trying again, and stopping before it costs too much."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from voice.adapters.llm.retry import LONGEST_WAIT_S, MAX_ATTEMPTS, RetryingClient
from voice.adapters.llm.scripted import Line, ScriptedClient
from voice.core.errors import BudgetExceeded, DeadlineExceeded, ProviderError, ProviderRejected, ProviderUnavailable
from voice.core.grounding.values import Stance
from voice.core.usage import Usage
from voice.ports.llm import LlmReply, LlmRequest

pytestmark = pytest.mark.anyio

_REQUEST = LlmRequest(
    system="sys",
    prompt="prompt",
    question="q",
    evidence=(),
    stance=Stance.SYNTHESIZE,
    schema={},
    temperature=0.2,
    max_output_tokens=1000,
    timeout_s=60.0,
)
_BUSY = ProviderUnavailable("busy")


class FakeTime:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.slept: list[float] = []

    def monotonic_ms(self) -> float:
        return 1000 * self.now_s

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now_s += seconds


def _retrying(
    script: list[Line], time: FakeTime, jitter: Callable[[], float] = lambda: 0.0
) -> tuple[RetryingClient, ScriptedClient]:
    inner = ScriptedClient(script)
    return RetryingClient(inner, monotonic_ms=time.monotonic_ms, sleep=time.sleep, jitter=jitter), inner


@pytest.mark.requirement("ruling:D25")
async def test_an_unavailable_provider_is_asked_again_after_doubling_waits() -> None:
    time = FakeTime()
    client, inner = _retrying([_BUSY, _BUSY, _BUSY, "reply"], time)
    assert (await client.complete(_REQUEST)).text == "reply"
    assert (inner.calls, time.slept) == (4, [0.25, 0.5, 1.0])


async def test_chance_stretches_a_wait_up_to_twice() -> None:
    time = FakeTime()
    client, _ = _retrying([_BUSY, "reply"], time, jitter=lambda: 0.999)
    await client.complete(_REQUEST)
    assert time.slept == [pytest.approx(0.5, rel=0.01)]


@pytest.mark.requirement("ruling:D25")
@pytest.mark.parametrize("error", [ProviderRejected("no"), DeadlineExceeded("late"), BudgetExceeded("dear")])
async def test_what_cannot_get_better_is_not_tried_again(error: ProviderError) -> None:
    time = FakeTime()
    client, inner = _retrying([error], time)
    with pytest.raises(type(error)):
        await client.complete(_REQUEST)
    assert (inner.calls, time.slept) == (1, [])


async def test_an_error_that_is_not_ours_passes_unchanged() -> None:
    def fail(_: LlmRequest) -> Line:
        raise ZeroDivisionError

    client = RetryingClient(ScriptedClient(fail), monotonic_ms=lambda: 0.0, sleep=FakeTime().sleep, jitter=lambda: 0.0)
    with pytest.raises(ZeroDivisionError):
        await client.complete(_REQUEST)


async def test_the_attempts_are_counted_and_the_last_error_is_raised() -> None:
    time = FakeTime()
    last = ProviderUnavailable("the last")
    client, inner = _retrying([*[_BUSY] * (MAX_ATTEMPTS - 1), last, "never"], time)
    with pytest.raises(ProviderUnavailable, match="the last"):
        await client.complete(_REQUEST)
    assert inner.calls == MAX_ATTEMPTS


async def test_a_wait_that_the_provider_asks_for_is_kept() -> None:
    time = FakeTime()
    client, _ = _retrying([ProviderUnavailable("busy", retry_after_s=7.0), "reply"], time)
    await client.complete(_REQUEST)
    assert time.slept == [7.0]


async def test_a_wait_that_is_too_long_is_given_up_at_once() -> None:
    time = FakeTime()
    client, inner = _retrying([ProviderUnavailable("busy", retry_after_s=LONGEST_WAIT_S + 1), "reply"], time)
    with pytest.raises(ProviderUnavailable):
        await client.complete(_REQUEST)
    assert (inner.calls, time.slept) == (1, [])


@pytest.mark.requirement("ruling:D25")
async def test_no_wait_reaches_past_the_deadline() -> None:
    time = FakeTime()
    client, inner = _retrying([ProviderUnavailable("busy", retry_after_s=7.0), "reply"], time)
    with pytest.raises(ProviderUnavailable):
        await client.complete(replace(_REQUEST, timeout_s=7.0))
    assert (inner.calls, time.slept) == (1, [])


@pytest.mark.requirement("ruling:D25")
async def test_each_attempt_is_told_what_is_left_of_the_time() -> None:
    time = FakeTime()
    seen: list[LlmRequest] = []
    inner = ScriptedClient([ProviderUnavailable("busy", retry_after_s=5.0), "reply"], seen=seen)
    client = RetryingClient(inner, monotonic_ms=time.monotonic_ms, sleep=time.sleep, jitter=lambda: 0.0)
    await client.complete(replace(_REQUEST, timeout_s=30.0))
    assert [request.timeout_s for request in seen] == [30.0, 25.0]


async def test_with_no_time_left_nobody_is_asked() -> None:
    client, inner = _retrying(["reply"], FakeTime())
    with pytest.raises(DeadlineExceeded, match="was up before"):
        await client.complete(replace(_REQUEST, timeout_s=0.0))
    assert inner.calls == 0


@pytest.mark.requirement("promise:7", "ruling:D8")
@pytest.mark.parametrize(("most", "calls"), [(1, 1), (2, 2), (MAX_ATTEMPTS + 5, MAX_ATTEMPTS), (None, MAX_ATTEMPTS)])
async def test_no_more_tries_are_made_than_are_asked_for_and_each_is_told_before(most: int | None, calls: int) -> None:
    client, inner = _retrying([_BUSY] * 10, FakeTime())
    told: list[int] = []
    request = replace(_REQUEST, max_tries=most, on_retry=lambda: told.append(inner.calls))
    with pytest.raises(ProviderUnavailable):
        await client.complete(request)
    assert (inner.calls, told) == (calls, list(range(1, calls)))


@pytest.mark.requirement("promise:7", "spending:caps")
async def test_a_try_that_no_cap_pays_for_is_not_made_and_the_last_failure_stands() -> None:
    client, inner = _retrying([_BUSY] * 10, FakeTime())

    def unpaid() -> None:
        if inner.calls == 2:
            raise BudgetExceeded("over")

    with pytest.raises(ProviderUnavailable) as raised:
        await client.complete(replace(_REQUEST, on_retry=unpaid))
    assert inner.calls == 2
    assert (raised.value.__cause__, raised.value.__context__) == (None, None)


async def test_layers_show_the_profile_of_what_they_wrap_and_close_it() -> None:
    retrying, inner = _retrying([], FakeTime())
    assert retrying.profile is inner.profile
    await retrying.aclose()
    assert inner.closed


async def test_a_script_gives_texts_replies_and_errors_in_order() -> None:
    reply = LlmReply(text="whole", usage=Usage(input_tokens=1, output_tokens=2), model="m")
    client = ScriptedClient(["text", reply, _BUSY], usage=Usage(input_tokens=3, output_tokens=4))
    first = await client.complete(_REQUEST)
    assert (first.text, first.usage.input_tokens, first.finish_reason) == ("text", 3, "stop")
    assert await client.complete(_REQUEST) is reply
    with pytest.raises(ProviderUnavailable):
        await client.complete(_REQUEST)
    with pytest.raises(ProviderRejected, match="no line left"):
        await client.complete(_REQUEST)
    assert client.calls == 4


async def test_a_script_may_be_a_function_of_the_request() -> None:
    client = ScriptedClient(lambda request: request.question.upper())
    assert [(await client.complete(_REQUEST)).text for _ in range(2)] == ["Q", "Q"]


@pytest.mark.requirement("promise:6")
async def test_the_scripted_client_keeps_no_prompt_unless_it_is_given_a_list() -> None:
    client = ScriptedClient(["a"])
    await client.complete(replace(_REQUEST, prompt="canary"))
    assert not [name for name, value in vars(client).items() if isinstance(value, list | LlmRequest)]
    seen: list[LlmRequest] = []
    await ScriptedClient(["a"], seen=seen).complete(_REQUEST)
    assert seen == [_REQUEST]
