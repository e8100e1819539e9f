"""Reports as a page shows them: unknown is not zero, and every figure of a chart stands in its table."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from report_turns import PRICE, REFUSED, call, exchange, priced, report_of
from tables import tables
from voice.core.usage import Total
from voice.entrypoints.web.pages.charts import MOST_DAYS, Chart, charts_of, cost_in_words, is_long
from voice.entrypoints.web.pages.reports import ReportQuery, figures_of, prices_of, rows_of

TABLES = tables(__file__)


def day(number: int, *, month: int = 3) -> datetime:
    return datetime(2026, month, number, 12, tzinfo=UTC)


def chart(charts: tuple[Chart, ...], title: str) -> Chart:
    return next(each for each in charts if each.title.startswith(title))


@pytest.mark.requirement("web:reports", "ruling:D18")
def test_a_day_of_which_no_cost_is_known_is_a_gap_and_never_a_zero() -> None:
    unknown = {"cost_estimate": None, "prompt_tokens": None, "completion_tokens": None}
    turns = [
        exchange(1, timestamp=day(1)),
        exchange(2, timestamp=day(3), **unknown),
        exchange(3, timestamp=day(4), cost_estimate=Decimal(0)),
        exchange(4, timestamp=day(5)),
        exchange(5, timestamp=day(5), **unknown),
    ]
    charts = charts_of(report_of(turns, by="day"))
    cost = chart(charts, "Cost")
    assert cost.data["lines"] == [{"name": "cost", "looks": "one", "points": [0.01, None, None, 0.0, 0.01]}]
    assert cost.table == (
        ("1 Mar 2026", ["$0.0100"]),
        ("3 Mar 2026", ["unknown"]),
        ("4 Mar 2026", ["$0.0000"]),
        ("5 Mar 2026", ["$0.0100 and 1 unknown"]),
    )
    assert chart(charts, "Tokens").table[1] == ("3 Mar 2026", ["unknown", "unknown"])
    assert chart(charts, "Tokens").table[3] == ("5 Mar 2026", ["100 and 1 unknown", "10 and 1 unknown"])


@pytest.mark.requirement("web:reports")
def test_refusals_and_coverage_are_told_day_by_day() -> None:
    turns = [
        exchange(1, timestamp=day(1), coverage_ratio=0.8),
        exchange(2, timestamp=day(2), **REFUSED),
        exchange(3, timestamp=day(2), coverage_ratio=1.0),
        exchange(4, timestamp=day(3), **REFUSED),
    ]
    report = report_of(turns, by="day")
    charts = charts_of(report)
    assert chart(charts, "Answers and refusals").table[1] == ("2 Mar 2026", ["1", "1", "0"])
    assert [each[1][0] for each in chart(charts, "Mean coverage").table] == ["80%", "100%", "no answers"]
    assert [*figures_of(report.total)][3] == ("Refused", "50%", "2 of 4")


def test_a_long_time_is_drawn_by_months_and_no_month_is_left_out() -> None:
    turns = [exchange(1, timestamp=day(1)), exchange(2, timestamp=datetime(2027, 6, 2, tzinfo=UTC))]
    assert is_long(report_of(turns, by="day"))
    assert not is_long(report_of(turns[:1], by="day"))
    assert not is_long(report_of([], by="day"))
    drawn = chart(charts_of(report_of(turns, by="month")), "Cost")
    assert (len(drawn.days), drawn.title) == (16, "Cost per month")
    assert MOST_DAYS < 458


def test_nothing_to_draw_is_no_chart() -> None:
    assert all(each.is_empty and not each.days for each in charts_of(report_of([], by="day")))
    free = charts_of(report_of([exchange(1, cost_estimate=Decimal(0))], by="day"))
    assert (chart(free, "Cost").is_empty, chart(free, "Answers").is_empty) == (True, False)


@pytest.mark.requirement("web:reports", "ruling:D18")
@pytest.mark.parametrize(
    ("total", "words"),
    [
        (Total(known=Decimal("0.5")), "$0.5000"),
        (Total(known=Decimal("0.5"), unknown_count=1), "$0.5000 and 1 unknown"),
        (Total(unknown_count=2), "unknown"),
        (Total(), "$0.0000"),
    ],
)
def test_a_cost_in_words_never_hides_what_it_does_not_know(total: Total, words: str) -> None:
    assert cost_in_words(total) == words


@pytest.mark.requirement("web:reports", "ruling:D18")
@pytest.mark.parametrize(
    ("costs", "value", "note"), TABLES["the_cost_at_the_head_is_read_at_a_glance_and_hides_nothing"]
)
def test_the_cost_at_the_head_is_read_at_a_glance_and_hides_nothing(
    costs: tuple[str | None, ...], value: str, note: str
) -> None:
    turns = [exchange(at, cost_estimate=None if each is None else Decimal(each)) for at, each in enumerate(costs)]
    report = report_of(turns, by="day")
    _, (name, *told), *_ = figures_of(report.total)
    assert (name, told[0]) == ("Cost", value)
    assert note in told[1]


@pytest.mark.requirement("web:reports")
def test_days_and_months_stand_newest_first_in_the_table() -> None:
    turns = [exchange(1, timestamp=day(1)), exchange(2, timestamp=day(4))]
    by_day, by_model = report_of(turns, by="day"), report_of(turns, by="model")
    assert [name for name, *_ in rows_of(by_day)] == ["4 Mar 2026", "1 Mar 2026"]
    assert [name for name, *_ in rows_of(by_model)] == [row.key for row in by_model.rows]


def test_prices_are_told_with_their_source_or_that_they_are_unknown() -> None:
    turns = [priced(1, (call(10, 5),)), exchange(2, price=None, price_source=None)]
    prices = [*prices_of(report_of(turns, by="model"))]
    assert any("price unknown" in each for each in prices)
    assert any(f"${PRICE.input_per_million} read" in each for each in prices)


def test_groups_by_conversation_lead_there() -> None:
    report = report_of([exchange(1)], by="session")
    named = replace(report, rows=(replace(report.rows[0], topic="kiln"),))
    assert [url for one in (report, named) for _, url, _ in rows_of(one)] == [None, "/sessions/s%3A1"]


@pytest.mark.parametrize(("params", "url"), TABLES["an_address_says_what_was_asked_for"])
def test_an_address_says_what_was_asked_for(params: dict[str, str], url: str) -> None:
    assert ReportQuery.of(params).url == url
