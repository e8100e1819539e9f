"""Reports add up what stored exchanges say."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from report_turns import NEW, PRICE, REFUSED, call, exchange, report_of
from voice.core.grounding.values import SentenceVerdict, Stance
from voice.core.render.reports import report_json, report_rows
from voice.core.report.values import DELETED, NO_PROMPT, REMOVED, Dimension, PriceUsed, money
from voice.core.session.values import PromptRecord
from voice.core.usage import FREE, Total


@pytest.mark.requirement("ruling:D18", "ruling:D6")
def test_refused_turns_count_and_unknown_costs_are_counted_not_added() -> None:
    total = report_of([exchange(1), exchange(2, **REFUSED), exchange(3)]).total
    assert (total.turns, total.answered, total.refused, total.errors) == (3, 2, 1, 0)
    assert total.cost == Total(known=Decimal("0.02"), unknown_count=1)
    assert total.unknown_token_turns == 1
    assert (total.prompt_tokens, total.completion_tokens, total.estimated_prompt_tokens) == (200, 20, 240)
    assert total.mean_coverage == pytest.approx(0.8)
    remark = SentenceVerdict(text="Hello.", start=0, end=6, kind="remark", rung="remark")
    assert report_of([exchange(1), exchange(2, sentences=(remark,))]).total.mean_coverage == pytest.approx(0.8)
    assert total.mean_cost == Decimal("0.01")
    assert total.refusal_rate == pytest.approx(1 / 3)
    assert total.reasons == (("coverage_low", 1),)


@pytest.mark.requirement("report:dimensions")
def test_groups_by_what_is_asked_for_with_days_and_months_where_the_person_lives() -> None:
    turns = [
        exchange(1),
        exchange(2, model="flash", stance=Stance.CHALLENGE, session_id="s:2"),
        exchange(3, timestamp=datetime(2026, 3, 31, 22, 30, tzinfo=UTC), prompt=None, attempts=()),
    ]

    def groups(by: Dimension) -> list[tuple[str, int]]:
        return [(row.key, row.turns) for row in report_of(turns, by=by, timezone="Europe/Berlin").rows]

    assert groups("session") == [("s:1", 2), ("s:2", 1)]
    assert groups("model") == [("gemini/flash", 1), ("gemini/pro", 2)]
    assert groups("day") == [("2026-03-21", 2), ("2026-04-01", 1)]
    assert groups("month") == [("2026-03", 2), ("2026-04", 1)]
    assert groups("stance") == [("challenge", 1), ("synthesize", 2)]
    assert groups("prompt") == [(NO_PROMPT, 1), ("answer.v1", 2)]


@pytest.mark.requirement("report:dimensions")
def test_turns_of_a_deleted_session_count_under_a_key_of_their_own_at_the_end() -> None:
    rows = report_of([exchange(1, session_id=""), exchange(2, session_id="s:9")]).rows
    assert [(row.key, row.cost.known) for row in rows] == [("s:9", Decimal("0.01")), (DELETED, Decimal("0.01"))]
    assert [row.key for row in report_of([exchange(1, prompt=None)], by="prompt").rows] == [REMOVED]


@pytest.mark.requirement("spending:imported")
def test_turns_that_were_imported_are_told_and_counted_nowhere_else() -> None:
    own, imported = exchange(1), exchange(2, imported_from="ab")
    made, alone = report_of([own, imported]), report_of([own])
    assert made == replace(alone, imported=1)
    assert report_json(made)["imported_turns"] == 1


def test_a_report_of_nothing_has_no_rates() -> None:
    made = report_of([])
    assert (made.rows, made.prices) == ((), ())
    total = report_json(made)["total"]
    assert isinstance(total, dict)
    rates = (
        "refusal_rate", "repair_rate", "cached_share", "estimate_ratio", "mean_coverage", "mean_cost_usd",
        "median_latency_ms", "p95_latency_ms",
    )  # fmt: skip
    assert [total[name] for name in rates] == [None] * len(rates)


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=60))
def test_the_median_splits_the_latencies_and_19_of_20_do_not_exceed_the_p95(latencies: list[int]) -> None:
    total = report_of([exchange(number, latency_ms=each) for number, each in enumerate(latencies)]).total
    median, p95 = total.median_latency_ms, total.p95_latency_ms
    assert median is not None
    assert p95 is not None
    assert 2 * sum(each < median for each in latencies) <= len(latencies)
    assert 2 * sum(each > median for each in latencies) <= len(latencies)
    assert 20 * sum(each <= p95 for each in latencies) >= 19 * len(latencies)
    assert 20 * sum(each < p95 for each in latencies) < 19 * len(latencies)


@pytest.mark.requirement("report:rates")
def test_coverage_is_told_by_tenths_apart_for_answers_and_for_judged_drafts_that_were_refused() -> None:
    judged = {**REFUSED, "attempts": (call(1, 1),)}
    turns = [
        exchange(1, coverage_ratio=1.0),
        exchange(2, coverage_ratio=0.95),
        exchange(3, coverage_ratio=0.0),
        exchange(4, **{**judged, "coverage_ratio": 0.3}),
        exchange(5, **REFUSED),
        exchange(6, **{**judged, "status": "error"}),
    ]
    total = report_of(turns).total
    assert total.coverage == (1, 0, 0, 0, 0, 0, 0, 0, 0, 2)
    assert total.coverage_refused == (0, 0, 0, 1, 0, 0, 0, 0, 0, 0)


@pytest.mark.requirement("report:rates", "ruling:D8")
def test_repairs_cached_tokens_and_estimates_are_told_of_the_turns_they_are_known_of() -> None:
    repaired = (call(100, 5, outcome="malformed"), call(140, 5))
    turns = [
        exchange(1, prompt_tokens=240, cached_tokens=60, attempts=repaired),
        exchange(2, prompt_tokens=100, attempts=(call(None, 3, outcome="error"), call(None, None))),
        exchange(3, **{**REFUSED, "prompt_tokens": 0, "completion_tokens": 0, "cached_tokens": 0}),
    ]
    total = report_of(turns).total
    assert (total.asked, total.repairs, total.repair_rate) == (2, 1, 0.5)
    assert total.cached_share == 60 / 240
    assert (total.estimated_prompt_tokens, total.compared_estimated, total.compared_reported) == (480, 240, 240)
    assert total.estimate_ratio == 1.0
    assert (total.drafts.count, total.repairs_made.count, total.repairs_made.input_tokens) == (3, 1, 140)
    assert total.drafts.unknown_tokens == 2


@pytest.mark.requirement("report:rates")
def test_that_nothing_came_from_a_cache_is_known_and_that_nobody_says_so_is_not() -> None:
    missed, silent = exchange(1, prompt_tokens=100, cached_tokens=0), exchange(2, prompt_tokens=900)
    half = exchange(3, prompt_tokens=300, cached_tokens=200)
    assert report_of([missed]).total.cached_share == 0.0
    assert report_of([silent]).total.cached_share is None
    assert report_of([missed, silent, half]).total.cached_share == 200 / 400


@pytest.mark.requirement("report:rates")
def test_what_was_reported_of_a_prompt_that_nobody_estimated_is_compared_with_nothing() -> None:
    attempts = (call(500, 5),)
    nothing = PromptRecord(prompt_hash="h", template="answer.v1", template_hash="t")
    unknown = [exchange(1, prompt=None, attempts=attempts), exchange(2, prompt=nothing, attempts=attempts)]
    assert report_of(unknown).total.estimate_ratio is None
    total = report_of([*unknown, exchange(3, attempts=(call(240, 5),))]).total
    assert (total.compared_estimated, total.compared_reported, total.estimate_ratio) == (120, 240, 0.5)


@pytest.mark.requirement("report:prices")
def test_prices_are_told_with_source_and_the_dates_they_were_taken_on() -> None:
    turns = [
        exchange(1, price=PRICE, price_source="table 2026-03-01"),
        exchange(2, price=replace(PRICE, as_of="2026-03-09"), price_source="table 2026-03-09"),
        exchange(3, price_source="older table 2025-01-01"),
        exchange(4, cost_estimate=None),
        exchange(5, **REFUSED),
    ]
    dated = replace(PRICE, as_of="2026-03-09")
    assert report_of(turns).prices == (
        PriceUsed(model="gemini/pro", price=None, source=None, first_as_of="", last_as_of="", turns=1),
        PriceUsed(
            model="gemini/pro",
            price=None,
            source="older table",
            first_as_of="2025-01-01",
            last_as_of="2025-01-01",
            turns=1,
        ),
        PriceUsed(
            model="gemini/pro", price=dated, source="table", first_as_of="2026-03-01", last_as_of="2026-03-09", turns=2
        ),
    )
    assert report_of(reversed(turns)).prices == report_of(turns).prices


@pytest.mark.requirement("report:repricing", "ruling:D18")
def test_a_new_table_reckons_every_call_anew_and_what_it_does_not_name_is_unknown() -> None:
    attempts = (call(1000, 100, cached=500), call(2000, 10, purpose="verify"))
    turns = [
        exchange(1, price=PRICE, price_source="table 2026-03-01", attempts=attempts),
        exchange(2, model="flash", attempts=attempts),
        exchange(3, attempts=(call(1000, None),)),
        exchange(4, **{**REFUSED, "model": "flash", "prompt_tokens": 0, "completion_tokens": 0}),
    ]
    made = report_of(turns, by="model", prices=NEW)
    assert made.repriced_with == NEW
    assert made.total.cost == Total(known=Decimal("0.0082"), unknown_count=2)
    assert made.total.drafts.cost == Total(known=Decimal("0.004"), unknown_count=2)
    assert made.total.verifiers.cost == Total(known=Decimal("0.0042"), unknown_count=1)
    assert {(used.model, used.source) for used in made.prices} == {("gemini/pro", "contract"), ("gemini/flash", None)}
    assert turns[0].cost_estimate == Decimal("0.01")


@pytest.mark.requirement("report:repricing")
def test_what_is_free_by_nature_stays_free_and_a_turn_of_which_only_sums_are_left_is_reckoned_by_them() -> None:
    offline = exchange(
        1, provider="offline", model="quoting", cost_estimate=Decimal(0), price=FREE, price_source="offline always"
    )
    assert report_of([offline], prices=NEW).total.cost == Total()
    stub = exchange(2, attempts=(), prompt_tokens=1_000_000, completion_tokens=0)
    assert report_of([stub], prices=NEW).total.cost == Total(known=Decimal(2))


@pytest.mark.requirement("report:repricing", "report:prices")
def test_every_form_says_what_turns_were_reckoned_with() -> None:
    made = report_of([exchange(1)], prices=NEW)
    label = "re-priced with contract, as of 2026-11-01 (file 0123456789ab)"
    assert report_json(made)["repriced_with"] == {
        "source": "contract",
        "as_of": "2026-11-01",
        "file_sha256": "0123456789ab",
    }
    assert [row[-1] for row in report_rows(made, "cost")] == ["prices", label, label]
    stored = report_of([exchange(1)])
    assert report_json(stored)["repriced_with"] is None
    assert [row[-1] for row in report_rows(stored, "all")] == ["prices", "as stored", "as stored"]


def test_rows_hold_what_was_asked_for() -> None:
    made = report_of([exchange(1), exchange(2, **REFUSED)])
    cost = report_rows(made, "cost")
    assert cost[0][:5] == ["session", "thread_topic", "turns", "cost_usd", "turns_of_unknown_cost"]
    assert cost[1][:5] == ["s:1", "", "2", "0.01", "1"]
    assert cost[2][0] == "total"
    grounding = report_rows(made, "grounding")
    told = dict(zip(grounding[0], grounding[1], strict=True))
    assert (told["mean_coverage"], told["refusal_rate"], told["reason_coverage_low"]) == ("0.8", "0.5", "1")
    assert (told["answered_coverage_80"], told["refused_coverage_10"], told["repair_rate"]) == ("1", "0", "0.0")
    assert {len(row) for row in report_rows(made, "all")} == {len(report_rows(made, "all")[0])}
    assert not any(name.startswith("reason_") for name in report_rows(made, "tokens")[0])
    empty = dict(zip(*report_rows(report_of([]), "grounding"), strict=True))
    assert (empty["mean_coverage"], empty["median_latency_ms"]) == ("", "")


def test_small_sums_keep_their_digits() -> None:
    assert money(Decimal("1.5")) == "$1.5000"
    assert money(Decimal("0.00018")) == "$0.000180"
    assert money(Decimal(0)) == "$0.0000"
