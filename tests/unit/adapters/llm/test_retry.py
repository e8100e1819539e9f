"""The layers around a provider: trying again, and stopping before it costs too much.

An endpoint is asked without what it rejects, and that is kept once it was answered.
"""

import stat
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from llm_clients import REQUEST
from tables import tables
from voice.adapters.llm.retry import LONGEST_WAIT_S, MAX_ATTEMPTS, AdaptiveClient, RetryingClient
from voice.adapters.llm.scripted import Line, ScriptedClient
from voice.adapters.system.state_files import ENDPOINTS_NAME, EndpointFile
from voice.core.errors import (
    BudgetExceeded,
    DeadlineExceeded,
    ProviderError,
    ProviderRejected,
    ProviderUnavailable,
    StoreError,
    StoreUnavailable,
)
from voice.core.model_endpoints import LearnedEndpoint
from voice.core.usage import Usage
from voice.ports.llm import LlmReply, LlmRequest

_REQUEST = replace(REQUEST, timeout_s=60.0)
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
    script: Sequence[Line] | Callable[[LlmRequest], Line], *, jitter: float = 0.0, seen: list[LlmRequest] | None = None
) -> tuple[RetryingClient, ScriptedClient, FakeTime]:
    inner, time = ScriptedClient(script, seen=seen), FakeTime()
    client = RetryingClient(inner, monotonic_ms=time.monotonic_ms, sleep=time.sleep, jitter=lambda: jitter)
    return client, inner, time


@pytest.mark.requirement("ruling:D25")
async def test_an_unavailable_provider_is_asked_again_after_doubling_waits() -> None:
    client, inner, time = _retrying([_BUSY, _BUSY, _BUSY, "reply"])
    assert (await client.complete(_REQUEST)).text == "reply"
    assert (inner.calls, time.slept) == (4, [0.25, 0.5, 1.0])


async def test_chance_stretches_a_wait_up_to_twice() -> None:
    client, _, time = _retrying([_BUSY, "reply"], jitter=0.999)
    await client.complete(_REQUEST)
    assert time.slept == [pytest.approx(0.5, rel=0.01)]


@pytest.mark.requirement("ruling:D25")
@pytest.mark.parametrize("error", [ProviderRejected("no"), DeadlineExceeded("late"), BudgetExceeded("dear")])
async def test_what_cannot_get_better_is_not_tried_again(error: ProviderError) -> None:
    client, inner, time = _retrying([error])
    with pytest.raises(type(error)):
        await client.complete(_REQUEST)
    assert (inner.calls, time.slept) == (1, [])


async def test_an_error_that_is_not_ours_passes_unchanged() -> None:
    def fail(_: LlmRequest) -> Line:
        raise ZeroDivisionError

    client, _, _ = _retrying(fail)
    with pytest.raises(ZeroDivisionError):
        await client.complete(_REQUEST)


async def test_the_attempts_are_counted_and_the_last_error_is_raised() -> None:
    last = ProviderUnavailable("the last")
    client, inner, _ = _retrying([*[_BUSY] * (MAX_ATTEMPTS - 1), last, "never"])
    with pytest.raises(ProviderUnavailable, match="the last"):
        await client.complete(_REQUEST)
    assert inner.calls == MAX_ATTEMPTS


async def test_a_wait_that_the_provider_asks_for_is_kept() -> None:
    client, _, time = _retrying([ProviderUnavailable("busy", retry_after_s=7.0), "reply"])
    await client.complete(_REQUEST)
    assert time.slept == [7.0]


@pytest.mark.requirement("ruling:D25")
@pytest.mark.parametrize(("wait_s", "timeout_s"), [(LONGEST_WAIT_S + 1, 60.0), (7.0, 7.0)])
async def test_a_wait_that_is_too_long_or_reaches_past_the_deadline_is_given_up_at_once(
    wait_s: float, timeout_s: float
) -> None:
    client, inner, time = _retrying([ProviderUnavailable("busy", retry_after_s=wait_s), "reply"])
    with pytest.raises(ProviderUnavailable):
        await client.complete(replace(_REQUEST, timeout_s=timeout_s))
    assert (inner.calls, time.slept) == (1, [])


@pytest.mark.requirement("ruling:D25")
async def test_each_attempt_is_told_what_is_left_of_the_time() -> None:
    seen: list[LlmRequest] = []
    client, _, _ = _retrying([ProviderUnavailable("busy", retry_after_s=5.0), "reply"], seen=seen)
    await client.complete(replace(_REQUEST, timeout_s=30.0))
    assert [request.timeout_s for request in seen] == [30.0, 25.0]


async def test_with_no_time_left_nobody_is_asked() -> None:
    client, inner, _ = _retrying(["reply"])
    with pytest.raises(DeadlineExceeded, match="was up before"):
        await client.complete(replace(_REQUEST, timeout_s=0.0))
    assert inner.calls == 0


@pytest.mark.requirement("promise:7", "ruling:D8")
@pytest.mark.parametrize(("most", "calls"), [(1, 1), (2, 2), (MAX_ATTEMPTS + 5, MAX_ATTEMPTS), (None, MAX_ATTEMPTS)])
async def test_no_more_tries_are_made_than_are_asked_for_and_each_is_told_before(most: int | None, calls: int) -> None:
    client, inner, _ = _retrying([_BUSY] * 10)
    told: list[int] = []
    request = replace(_REQUEST, max_tries=most, on_retry=lambda: told.append(inner.calls))
    with pytest.raises(ProviderUnavailable):
        await client.complete(request)
    assert (inner.calls, told) == (calls, list(range(1, calls)))


@pytest.mark.requirement("promise:7", "spending:caps")
async def test_a_try_that_no_cap_pays_for_is_not_made_and_the_last_failure_stands() -> None:
    client, inner, _ = _retrying([_BUSY] * 10)

    def unpaid() -> None:
        if inner.calls == 2:
            raise BudgetExceeded("over")

    with pytest.raises(ProviderUnavailable) as raised:
        await client.complete(replace(_REQUEST, on_retry=unpaid))
    assert inner.calls == 2
    assert (raised.value.__cause__, raised.value.__context__) == (None, None)


async def test_layers_show_the_profile_of_what_they_wrap_and_close_it() -> None:
    retrying, inner, _ = _retrying([])
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
    assert [(await client.complete(_REQUEST)).text for _ in range(2)] == ["WHAT DO I LIKE?"] * 2


@pytest.mark.requirement("promise:6")
async def test_the_scripted_client_keeps_no_prompt_unless_it_is_given_a_list() -> None:
    client = ScriptedClient(["a"])
    await client.complete(replace(_REQUEST, prompt="canary"))
    assert not [name for name, value in vars(client).items() if isinstance(value, list | LlmRequest)]
    seen: list[LlmRequest] = []
    await ScriptedClient(["a"], seen=seen).complete(_REQUEST)
    assert seen == [_REQUEST]


TODAY = date(2026, 11, 28)
NO_SCHEMA = ProviderRejected("no", untaken="schema")
NO_STREAM = ProviderRejected("no", untaken="stream")


def learning(
    script: list[Line], home: Path, seen: list[LlmRequest] | None = None
) -> tuple[AdaptiveClient, EndpointFile]:
    kept = EndpointFile(home)
    inner = ScriptedClient(script, seen=seen)
    return AdaptiveClient(inner, endpoint="openai/m", today=TODAY, kept=kept), kept


@pytest.mark.requirement("ruling:J3", "ruling:D8")
async def test_what_is_rejected_by_name_is_left_out_and_each_further_request_is_told(tmp_path: Path) -> None:
    seen, told = list[LlmRequest](), list[int]()
    client, kept = learning([NO_SCHEMA, NO_STREAM, "reply", "again"], tmp_path, seen)
    request = replace(REQUEST, on_retry=lambda: told.append(len(seen)))
    assert (await client.complete(request)).text == "reply"
    assert [one.without for one in seen] == [frozenset(), {"schema"}, {"schema", "stream"}]
    assert told == [1, 2]
    assert kept.of("openai/m") == LearnedEndpoint(endpoint="openai/m", untaken=("schema", "stream"), learned_on=TODAY)
    assert (await client.complete(request)).text == "again"
    assert seen[-1].without == {"schema", "stream"}


@pytest.mark.requirement("ruling:J3")
async def test_what_was_learned_holds_for_the_next_program_and_for_nobody_else(tmp_path: Path) -> None:
    client, _ = learning([NO_SCHEMA, NO_STREAM, "other", "reply"], tmp_path)

    async def meanwhile() -> None:
        await client.complete(REQUEST)

    await client.complete(replace(REQUEST, on_retry=meanwhile))
    seen = list[LlmRequest]()
    again, kept = learning(["reply"], tmp_path, seen)
    await again.complete(REQUEST)
    assert [one.without for one in seen] == [{"schema", "stream"}]
    assert kept.of("openai/other") is None


@pytest.mark.requirement("ruling:J3")
async def test_what_does_not_help_is_not_kept(tmp_path: Path) -> None:
    client, kept = learning([NO_SCHEMA, ProviderRejected("still no")], tmp_path)
    with pytest.raises(ProviderRejected, match="still no"):
        await client.complete(REQUEST)
    again, _ = learning([NO_SCHEMA, NO_SCHEMA], tmp_path)
    with pytest.raises(ProviderRejected):
        await again.complete(REQUEST)
    assert kept.of("openai/m") is None


@pytest.mark.requirement("ruling:J3", "promise:7")
@pytest.mark.parametrize("fault", [BudgetExceeded("over"), StoreError("gone")])
async def test_where_no_further_request_may_be_made_the_rejection_stands(tmp_path: Path, fault: Exception) -> None:
    seen = list[LlmRequest]()
    client, _ = learning([NO_SCHEMA, "reply"], tmp_path, seen)

    def unpaid() -> None:
        raise fault

    with pytest.raises(ProviderRejected):
        await client.complete(replace(REQUEST, on_retry=unpaid))
    assert len(seen) == 1


@pytest.mark.requirement("ruling:J3")
async def test_what_cannot_be_kept_is_known_as_long_as_the_client_is(tmp_path: Path) -> None:
    class Full(EndpointFile):
        def keep(self, record: LearnedEndpoint) -> None:
            raise StoreUnavailable("the disk is full")

    seen = list[LlmRequest]()
    inner = ScriptedClient([NO_SCHEMA, "reply", "again"], seen=seen)
    client = AdaptiveClient(inner, endpoint="openai/m", today=TODAY, kept=Full(tmp_path))
    assert [(await client.complete(REQUEST)).text for _ in range(2)] == ["reply", "again"]
    assert seen[-1].without == {"schema"}
    assert client.profile is inner.profile
    await client.aclose()
    assert inner.closed


async def test_without_a_place_to_keep_it_it_is_learned_all_the_same() -> None:
    client = AdaptiveClient(ScriptedClient([NO_SCHEMA, "reply"]), endpoint="openai/m", today=TODAY)
    assert (await client.complete(REQUEST)).text == "reply"


RECORD = LearnedEndpoint(endpoint="openai/m", untaken=("schema",), learned_on=TODAY)


@pytest.mark.requirement("ruling:J3", "ruling:H.1")
def test_what_is_kept_is_the_owners_alone_one_record_an_endpoint_and_can_be_forgotten(tmp_path: Path) -> None:
    kept, other = EndpointFile(tmp_path), replace(RECORD, endpoint="a/b")
    for record in (RECORD, other, replace(RECORD, untaken=("stream",))):
        kept.keep(record)
    assert stat.S_IMODE((tmp_path / ENDPOINTS_NAME).stat().st_mode) == 0o600
    assert kept.of("openai/m") == replace(RECORD, untaken=("stream",))
    kept.forget("openai/m")
    kept.forget("openai/m")
    assert (kept.of("openai/m"), kept.of("a/b")) == (None, other)


@pytest.mark.parametrize("spoilt", tables(__file__)["what_is_not_as_it_was_written_is_learned_again"])
def test_what_is_not_as_it_was_written_is_learned_again(tmp_path: Path, spoilt: str) -> None:
    kept = EndpointFile(tmp_path)
    kept.keep(RECORD)
    assert kept.of("openai/m") == RECORD
    (tmp_path / ENDPOINTS_NAME).write_text(spoilt)
    assert kept.of("openai/m") is None
