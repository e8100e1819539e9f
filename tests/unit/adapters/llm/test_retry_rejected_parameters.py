"""An endpoint is asked without what it rejects, and that is kept once it was answered."""

import stat
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from llm_clients import REQUEST
from voice.adapters.llm.retry import AdaptiveClient
from voice.adapters.llm.scripted import Line, ScriptedClient
from voice.adapters.system.state_files import ENDPOINTS_NAME, EndpointFile
from voice.core.errors import BudgetExceeded, ProviderRejected, StoreError, StoreUnavailable
from voice.core.model_endpoints import LearnedEndpoint
from voice.ports.llm import LlmRequest

pytestmark = pytest.mark.anyio
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
    client, _ = learning([NO_SCHEMA, "reply"], tmp_path)
    await client.complete(REQUEST)
    seen = list[LlmRequest]()
    again, kept = learning(["reply"], tmp_path, seen)
    await again.complete(REQUEST)
    assert [one.without for one in seen] == [{"schema"}]
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


def _spoil(text: str) -> Callable[[Path], object]:
    return lambda path: path.write_text(text)


@pytest.mark.parametrize(
    "spoil",
    [
        _spoil("{"),
        _spoil('{"endpoints": [{"endpoint": "openai/m", "untaken": ["nothing"], "learned_on": "2026-11-28"}]}'),
        _spoil('{"endpoints": [{"endpoint": "openai/m", "untaken": [], "learned_on": "2026-11-28"}]}'),
        _spoil('{"endpoints": [{"endpoint": "openai/m", "untaken": ["schema"], "learned_on": "today"}]}'),
        _spoil('{"endpoints": [{"endpoint": 1, "untaken": ["schema"], "learned_on": "2026-11-28"}]}'),
        _spoil('{"endpoints": {}, "more": 1}'),
    ],
)
def test_what_is_not_as_it_was_written_is_learned_again(tmp_path: Path, spoil: Callable[[Path], object]) -> None:
    kept = EndpointFile(tmp_path)
    kept.keep(RECORD)
    assert kept.of("openai/m") == RECORD
    spoil(tmp_path / ENDPOINTS_NAME)
    assert kept.of("openai/m") is None
