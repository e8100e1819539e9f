"""From what was asked for to what is meant."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from retrieval_rows import AT, HOME
from tables import tables
from voice.core.errors import InvalidParams
from voice.core.messages.asking import WINDOW_REVERSED
from voice.core.messages.memory import no_time_zone
from voice.core.records import Scope
from voice.core.retrieval.params import RetrieveDefaults, RetrieveRequest, clean_params, order_meant
from voice.core.retrieval.values import RetrieveParams, Window

TABLES = tables(__file__)
DEFAULTS = RetrieveDefaults()


def _clean(request: RetrieveRequest, defaults: RetrieveDefaults = DEFAULTS) -> RetrieveParams:
    return clean_params(request, defaults)


@pytest.mark.requirement(
    "s0:param:query", "s0:param:top_k", "s0:param:mix", "s0:param:floor", "s0:param:include_private",
    "s0:param:include_tags", "s0:param:exclude_tags", "ruling:C3", "ruling:C20", "ruling:A24",
)  # fmt: skip
def test_what_is_not_said_is_what_the_specs_say() -> None:
    params = _clean(RetrieveRequest(query="auth bug"))
    assert params == RetrieveParams(
        query="auth bug", top_k=10, floor=0.25, min_floor=0.15, mix=0.6, include_private=False, include_tags=(),
        exclude_tags=(), provider="local-vector", scope=Scope(), max_candidates_per_source=150, warnings=(),
    )  # fmt: skip


def test_all_that_is_said_is_meant() -> None:
    same: dict[str, Any] = {
        "top_k": 3, "floor": 0.3, "mix": 0.2, "include_private": True, "include_tags": ("a",), "exclude_tags": ("b",),
        "provider": "local-fts", "scope": HOME, "when": "May", "window": Window(start=AT, end=AT), "now": AT,
        "order": "created_at_asc", "speaker": "Bo", "lexical_only": True, "superseded": True, "explain": True,
        "rerank": True,
    }  # fmt: skip
    assert _clean(RetrieveRequest(query="x", **same)) == RetrieveParams(query="x", **same)


def test_settings_speak_where_the_caller_does_not_and_the_caller_wins() -> None:
    defaults = RetrieveDefaults(top_k=7, mix=0.2, floor=0.4, min_floor=0.3, provider="local-hybrid")
    silent = _clean(RetrieveRequest(query="x"), defaults)
    assert (silent.top_k, silent.mix, silent.floor) == (7, 0.2, 0.4)
    assert (silent.min_floor, silent.provider) == (0.3, "local-hybrid")
    spoken = _clean(RetrieveRequest(query="x", mix=0.0, floor=0.0), defaults)
    assert (spoken.mix, spoken.floor, spoken.provider) == (0.0, 0.0, "local-hybrid")


@pytest.mark.requirement("s0:param:top_k", "s0:param:mix", "ruling:C16")
@pytest.mark.parametrize(
    ("field", "said", "value"), [*TABLES["a_number_out_of_range_is_clamped_and_said_so"], ("top_k", -(10**400), 1)]
)
def test_a_number_out_of_range_is_clamped_and_said_so(field: str, said: float, value: float) -> None:
    params = _clean(RetrieveRequest(query="x", **{field: said}))  # pyright: ignore[reportArgumentType]
    assert getattr(params, field) == value
    assert params.warnings == (f"{field} {said} is out of range; using {value}",)


@pytest.mark.requirement("s0:error:invalid_params")
@pytest.mark.parametrize("query", ["", "   ", "\n\t", "\u200b\u200d", "\x00", "\ud800"])
def test_an_empty_query_is_refused(query: str) -> None:
    with pytest.raises(InvalidParams, match="query is empty"):
        _clean(RetrieveRequest(query=query))


@pytest.mark.requirement("ruling:G.2a")
@pytest.mark.parametrize("query", ["?", "C++", "(excited)+?", "auth-bug", "日本", "'; DROP TABLE", "x" * 100_000])
def test_any_other_string_is_a_query(query: str) -> None:
    assert _clean(RetrieveRequest(query=f" {query}\x00 ")).query == query


@pytest.mark.requirement("s0:error:invalid_params")
@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"mix": float("nan")}, "mix must be a number from 0.0 to 1.0"),
        ({"mix": float("inf")}, "mix must be a number from 0.0 to 1.0"),
        ({"floor": float("nan")}, "floor must be a number from 0.0 to 1.0"),
        ({"floor": True}, "floor must be a number from 0.0 to 1.0"),
        ({"top_k": True}, "top_k must be a number from 1 to 50"),
        ({"order": "random"}, "unknown order; use one of created_at_desc, created_at_asc"),
        ({"now": AT.replace(tzinfo=None)}, no_time_zone("now")),
        ({"window": Window(start=AT.replace(tzinfo=None))}, no_time_zone("the window")),
        ({"window": Window(start=AT, end=AT - timedelta(days=1))}, WINDOW_REVERSED),
    ],
)
def test_what_cannot_be_meant_is_refused(said: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidParams, match=f"^{re.escape(told)}$"):
        _clean(RetrieveRequest(query="x", **said))


@pytest.mark.requirement("ruling:C3")
def test_the_floor_can_never_be_adapted_upwards() -> None:
    params = _clean(RetrieveRequest(query="x", floor=0.05))
    assert params.min_floor == params.floor == 0.05


def test_tags_are_trimmed_and_named_once() -> None:
    params = _clean(RetrieveRequest(query="x", include_tags=(" b", "a", "b ", " "), exclude_tags=("", "c")))
    assert (params.include_tags, params.exclude_tags) == (("a", "b"), ("c",))


@pytest.mark.requirement("s0:validation:max_candidates")
def test_fewer_candidates_than_places_are_raised_with_a_warning() -> None:
    params = _clean(RetrieveRequest(query="x", top_k=50), replace(DEFAULTS, max_candidates_per_source=20))
    assert params.max_candidates_per_source == 150
    assert params.warnings == ("max_candidates_per_source 20 is less than top_k; using 150",)
    assert _clean(RetrieveRequest(query="x"), replace(DEFAULTS, max_candidates_per_source=10)).warnings == ()


def test_instants_are_in_utc() -> None:
    local = datetime(2026, 3, 1, 1, tzinfo=timezone(timedelta(hours=2)))
    params = _clean(RetrieveRequest(query="x", now=local, window=Window(start=local), order="created_at_asc"))
    assert params.now == params.window.start == datetime(2026, 2, 28, 23, tzinfo=UTC)
    assert params.now is not None
    assert params.now.tzinfo is UTC
    assert params.order == "created_at_asc"


@pytest.mark.requirement("s3:sql:order", "s3:api:order")
@pytest.mark.parametrize("order", ["created_at_desc", "created_at_asc"])
def test_there_are_two_orders(order: str) -> None:
    assert order_meant(order) == order
    assert order_meant(None) is None


@pytest.mark.requirement("s3:api:order", "s3:rule:2")
@pytest.mark.parametrize("order", ["", "created_at", "CREATED_AT_DESC", "id; DELETE thoughts"])
def test_another_order_is_refused(order: str) -> None:
    with pytest.raises(InvalidParams, match="created_at_desc"):
        order_meant(order)


@pytest.mark.requirement("ruling:C16")
def test_what_was_put_right_of_the_settings_is_said_before_what_was_of_the_request() -> None:
    params = _clean(RetrieveRequest(query="q", top_k=99), RetrieveDefaults(warnings=("SURR_INNER_VOICE_MIX is 3",)))
    assert params.warnings == ("SURR_INNER_VOICE_MIX is 3", "top_k 99 is out of range; using 50")
