"""From what was asked for to what is meant."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from voice.core.errors import InvalidParams
from voice.core.records import Scope
from voice.core.retrieval.params import RetrieveDefaults, RetrieveRequest, clean_params, order_meant
from voice.core.retrieval.values import RetrieveParams, Window

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


def test_settings_speak_where_the_caller_does_not_and_the_caller_wins() -> None:
    defaults = RetrieveDefaults(top_k=7, mix=0.2, floor=0.4, min_floor=0.3, provider="local-hybrid")
    silent = _clean(RetrieveRequest(query="x"), defaults)
    assert (silent.top_k, silent.mix, silent.floor) == (7, 0.2, 0.4)
    assert (silent.min_floor, silent.provider) == (0.3, "local-hybrid")
    spoken = _clean(RetrieveRequest(query="x", top_k=3, mix=0.0, floor=0.0, provider="local-fts"), defaults)
    assert (spoken.top_k, spoken.mix, spoken.floor, spoken.provider) == (3, 0.0, 0.0, "local-fts")


@pytest.mark.requirement("s0:param:top_k", "s0:param:mix", "ruling:C16")
@pytest.mark.parametrize(
    ("request_", "field", "value"),
    [
        (RetrieveRequest(query="x", top_k=0), "top_k", 1),
        (RetrieveRequest(query="x", top_k=-(10**400)), "top_k", 1),
        (RetrieveRequest(query="x", top_k=51), "top_k", 50),
        (RetrieveRequest(query="x", mix=1.5), "mix", 1.0),
        (RetrieveRequest(query="x", mix=-0.1), "mix", 0.0),
        (RetrieveRequest(query="x", floor=1.01), "floor", 1.0),
        (RetrieveRequest(query="x", floor=-1), "floor", 0.0),
    ],
)
def test_a_number_out_of_range_is_clamped_and_said_so(request_: RetrieveRequest, field: str, value: float) -> None:
    params = _clean(request_)
    assert getattr(params, field) == value
    assert len(params.warnings) == 1
    assert params.warnings[0].startswith(field)


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
    "request_",
    [
        RetrieveRequest(query="x", mix=float("nan")),
        RetrieveRequest(query="x", mix=float("inf")),
        RetrieveRequest(query="x", floor=float("nan")),
        RetrieveRequest(query="x", floor=True),
        RetrieveRequest(query="x", top_k=True),
        RetrieveRequest(query="x", order="random"),
        RetrieveRequest(query="x", now=datetime(2026, 1, 1)),  # noqa: DTZ001 - a naive time is the fault under test
        RetrieveRequest(query="x", window=Window(start=datetime(2026, 1, 1))),  # noqa: DTZ001
        RetrieveRequest(
            query="x", window=Window(start=datetime(2026, 1, 2, tzinfo=UTC), end=datetime(2026, 1, 1, tzinfo=UTC))
        ),
    ],
)
def test_what_cannot_be_meant_is_refused(request_: RetrieveRequest) -> None:
    with pytest.raises(InvalidParams):
        _clean(request_)


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
    assert "max_candidates_per_source" in params.warnings[0]


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
