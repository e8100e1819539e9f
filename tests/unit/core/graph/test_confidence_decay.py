"""Confidence is halved with time for the classes that age, is shown beside what was recorded and is written nowhere."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store_values import NOON, entity, observation, relation
from tables import tables
from voice.core.graph.row_display import (
    MAX_DAYS,
    NEVER,
    Confidence,
    aged,
    confidence_of,
    half_life,
    parse_half_lives,
    render_half_lives,
)
from voice.core.text.instants import UNDATED

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("ruling:F.6")
AGES = parse_half_lives("works_at=365, relation=730, born in=never, observation=1460, Person=3650")
WORKS = replace(relation("1", "e:a", "e:b", rel_type="works_at"), confidence=0.8, created_at=NOON)
shares = st.floats(0, 1)
days = st.integers(1, MAX_DAYS)
ages = st.timedeltas(min_value=timedelta(0), max_value=timedelta(days=90_000))


@given(recorded=shares, age=ages, more=ages, half=days)
def test_it_never_rises_with_age_and_is_never_above_what_was_recorded(
    recorded: float, age: timedelta, more: timedelta, half: int
) -> None:
    assert 0.0 <= aged(recorded, age + more, half) <= aged(recorded, age, half) <= recorded


@given(recorded=shares, age=ages, half=days)
def test_what_does_not_age_or_is_of_today_is_as_it_was_recorded(recorded: float, age: timedelta, half: int) -> None:
    assert aged(recorded, age, None) == recorded == aged(recorded, -age, half)
    assert confidence_of(replace(WORKS, confidence=recorded), NEVER, NOON + age) is None


@given(recorded=shares, half=days)
def test_after_one_half_life_half_is_left(recorded: float, half: int) -> None:
    assert aged(recorded, timedelta(days=half), half) == pytest.approx(recorded / 2)


@given(st.dictionaries(st.sampled_from(["works at", "born in", "entity", "event"]), st.none() | days))
def test_what_ages_is_read_as_it_is_written(told: dict[str, int | None]) -> None:
    assert parse_half_lives(render_half_lives(told)) == told


def test_the_narrowest_class_that_is_named_decides() -> None:
    now = NOON + timedelta(days=730)
    assert confidence_of(WORKS, AGES, now) == Confidence(recorded=0.8, now=0.2)
    assert confidence_of(replace(WORKS, rel_type="knows"), AGES, now) == Confidence(recorded=0.8, now=0.4)
    assert confidence_of(replace(WORKS, rel_type="born_in"), AGES, now) is None
    assert confidence_of(entity("a", "Ada", entity_type="person"), AGES, now) is not None
    assert confidence_of(entity("b", "Kiln", entity_type="tool"), AGES, now) is None
    assert confidence_of(observation("1", "Ada fires."), AGES, now) is not None
    assert half_life((), AGES) is None


def test_what_has_ended_grows_no_older_and_what_will_end_does() -> None:
    ended = replace(WORKS, valid_until=NOON + timedelta(days=365))
    year, decade = (confidence_of(ended, AGES, NOON + timedelta(days=count)) for count in (365, 3650))
    assert year == decade == Confidence(recorded=0.8, now=0.4)
    before = confidence_of(replace(WORKS, valid_until=NOON - timedelta(days=9)), AGES, NOON + timedelta(days=99))
    assert before == Confidence(recorded=0.8, now=0.8)
    running = replace(WORKS, valid_until=NOON + timedelta(days=3650))
    assert confidence_of(running, AGES, NOON + timedelta(days=365)) == year


@pytest.mark.requirement("ruling:I2")
def test_what_is_undated_is_at_least_as_old_as_it_has_been_here() -> None:
    undated = replace(WORKS, created_at=UNDATED, recorded_at=NOON)
    assert confidence_of(undated, AGES, NOON + timedelta(days=365)) == Confidence(recorded=0.8, now=0.4)


def test_it_is_told_only_where_a_reader_sees_a_difference() -> None:
    assert Confidence(recorded=0.9, now=0.45).message == "45 % sure now, 90 % when recorded"
    assert Confidence(recorded=0.9, now=0.899).message is None


@pytest.mark.parametrize("text", ["", " NONE "])
def test_nothing_ages_unless_it_is_named(text: str) -> None:
    assert parse_half_lives(text) is NEVER
    assert render_half_lives(NEVER) == "none"


@pytest.mark.parametrize(("text", "told"), TABLES["what_is_not_understood_is_named"])
def test_what_is_not_understood_is_named(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        parse_half_lives(text)
