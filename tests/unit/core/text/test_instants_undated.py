"""Dates that nobody told: shown as none, counted in no window, last in every order."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from voice.core.retrieval.ranking import recency
from voice.core.retrieval.values import Window
from voice.core.text.instants import UNDATED, date_sort_key, earliest_date, has_date, render_if_dated

pytestmark = pytest.mark.requirement("ruling:I2")
MAY, JUNE = datetime(2024, 5, 1, tzinfo=UTC), datetime(2024, 6, 1, tzinfo=UTC)


def test_what_is_undated_is_so_in_every_zone_and_read_by_programs_as_null() -> None:
    assert not has_date(UNDATED)
    assert not has_date(UNDATED.astimezone(timezone(timedelta(hours=14))))
    assert render_if_dated(UNDATED) is None
    assert render_if_dated(MAY) == "2024-05-01T00:00:00Z"


def test_what_is_undated_comes_last_in_either_order() -> None:
    moments = [UNDATED, JUNE, MAY]
    assert sorted(moments, key=date_sort_key) == [MAY, JUNE, UNDATED]
    assert sorted(moments, key=lambda each: date_sort_key(each, latest_first=True)) == [JUNE, MAY, UNDATED]


def test_what_several_were_told_of_was_first_told_when_the_earliest_dated_one_was() -> None:
    assert earliest_date([UNDATED, JUNE, MAY]) == MAY
    assert earliest_date([UNDATED]) == earliest_date([]) == UNDATED


@pytest.mark.parametrize("window", [Window(start=MAY), Window(end=JUNE), Window(start=MAY, end=JUNE)])
def test_what_is_undated_lies_in_no_window(window: Window) -> None:
    assert not window.admits(UNDATED)
    assert Window().admits(UNDATED)


def test_what_is_undated_is_never_new() -> None:
    assert recency(UNDATED, MAY, half_life_days=365) == 0.0
