"""Buckets that fill with time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.entrypoints.web.access import Bucket, Rate, level_of, take_token

_RATE = Rate(burst=3, per_second=0.5)


@pytest.mark.requirement("http:rate")
def test_a_burst_passes_and_then_one_for_each_interval() -> None:
    bucket, waits = None, list[float]()
    for now in (0, 0, 0, 0, 1, 2, 2):
        bucket, wait = take_token(bucket, _RATE, now)
        waits.append(wait)
    assert waits == [0, 0, 0, 2, 1, 0, 2]


def test_who_has_to_wait_takes_nothing() -> None:
    empty = Bucket(level=0.5, at=10)
    assert take_token(empty, _RATE, 10) == (empty, 1.0)


def test_a_bucket_never_holds_more_than_its_burst_and_a_clock_that_went_back_adds_nothing() -> None:
    assert level_of(Bucket(level=1, at=0), _RATE, 1_000) == 3
    assert level_of(Bucket(level=1, at=100), _RATE, 0) == 1


@given(st.lists(st.floats(0, 5), max_size=200))
@pytest.mark.requirement("http:rate")
def test_no_more_pass_than_the_burst_and_what_came_since(gaps: list[float]) -> None:
    bucket, now, passed = None, 0.0, 0
    for gap in gaps:
        now += gap
        bucket, wait = take_token(bucket, _RATE, now)
        passed += not wait
    assert passed <= _RATE.burst + now * _RATE.per_second + 1e-6
