"""What was asked of recall, cleaned."""

import pytest

from retrieval_doubles import NOW
from tables import tables
from voice.core.errors import InvalidParams
from voice.core.recall.params import RecallRequest, clean_recall
from voice.core.recall.values import RecallParams
from voice.core.records import Scope
from voice.core.retrieval.values import Window

TABLES = tables(__file__)


def cleaned(**members: object) -> RecallParams:
    request = RecallRequest(query="auth", **members)  # pyright: ignore[reportArgumentType]
    return clean_recall(request, now=NOW, scope=Scope.ALL, window=Window())


@pytest.mark.requirement(
    "s4:option:query", "s4:option:scopeIds", "s4:option:tokenBudget", "s4:option:maxCandidates",
    "s4:option:includeRedacted", "ruling:C20",
)  # fmt: skip
def test_what_is_not_said_is_as_the_contract_says() -> None:
    assert cleaned() == RecallParams(query="auth", scope=Scope.ALL, now=NOW)
    assert (cleaned().max_candidates, cleaned().include_redacted) == (50, False)
    assert (cleaned().token_budget, cleaned().provider) == (None, "local-hybrid")


@pytest.mark.requirement("ruling:A15", "ruling:C16")
@pytest.mark.parametrize(("name", "said", "meant"), TABLES["a_number_out_of_range_is_clamped_and_said_so"])
def test_a_number_out_of_range_is_clamped_and_said_so(name: str, said: int, meant: int) -> None:
    params = cleaned(**{name: said})
    assert getattr(params, name) == meant
    assert [warning.startswith(f"{name} {said} ") for warning in params.warnings] == ([True] if said != meant else [])


@pytest.mark.requirement("s3:api:order")
def test_an_order_is_one_of_two() -> None:
    assert cleaned(order="created_at_asc").order == "created_at_asc"
    with pytest.raises(InvalidParams, match="created_at_desc"):
        cleaned(order="newest")


def test_a_moment_without_a_zone_is_refused() -> None:
    with pytest.raises(InvalidParams, match="now has no time zone"):
        clean_recall(RecallRequest(query="x"), now=NOW.replace(tzinfo=None), scope=Scope.ALL, window=Window())


def test_a_query_holds_nothing_that_cannot_be_written() -> None:
    request = RecallRequest(query="auth\x00 \ud800bug")
    assert clean_recall(request, now=NOW, scope=Scope.ALL, window=Window()).query == "auth bug"


@pytest.mark.parametrize("name", ["", " ", "\n"])
def test_a_provider_without_a_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidParams, match="local-hybrid"):
        cleaned(provider=name)
