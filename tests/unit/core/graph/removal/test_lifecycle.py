"""When a marked thought may go, what may be marked, and what comes back."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store_values import LAST_DAY, NOON, observation, there, thought
from voice.core.errors import InvalidParams
from voice.core.graph.removal.lifecycle import (
    Archived,
    RemovalObstacle,
    Retention,
    Return,
    as_archived,
    is_kept,
    is_no_longer_held,
    marked,
    removal_obstacles,
    returning,
    unmarked,
)
from voice.core.records import EmbeddingStatus, RowStatus, Tombstone

LATER = NOON + timedelta(days=7)
MONTH = Retention(days=30, timezone="UTC")
_MOMENTS = st.datetimes(min_value=datetime(1990, 1, 1), max_value=datetime(2090, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001


@pytest.mark.requirement("ruling:F.8", "s1:config:SURR_RETENTION_DAYS")
@pytest.mark.parametrize(
    ("marked_at", "timezone", "due"),
    [
        (datetime(2026, 3, 1, 23, 30, tzinfo=UTC), "UTC", date(2026, 3, 31)),
        (datetime(2026, 3, 1, 23, 30, tzinfo=UTC), "Asia/Tokyo", date(2026, 4, 1)),
        (datetime(2026, 3, 1, 2, 0, tzinfo=UTC), "America/New_York", date(2026, 3, 30)),
        (LAST_DAY, "UTC", date.max),
    ],
)
def test_retention_counts_whole_days_from_the_day_of_marking_where_the_person_lives(
    marked_at: datetime, timezone: str, due: date
) -> None:
    assert Retention(days=30, timezone=timezone).due_on(marked_at) == due


@pytest.mark.requirement("ruling:F.8")
@given(marked_at=_MOMENTS, now=_MOMENTS, days=st.integers(0, 400))
def test_it_is_over_from_the_day_it_falls_due_and_never_before(marked_at: datetime, now: datetime, days: int) -> None:
    retention = Retention(days=days, timezone="Europe/Lisbon")
    row = thought(status=RowStatus.REMOVAL, removal_marked_at=marked_at)
    is_over = retention.is_over(row, now)
    assert is_over == (retention.due_on(now) >= retention.due_on(marked_at) + timedelta(days=days))
    assert not retention.is_over(replace(row, removal_marked_at=None), now)


@pytest.mark.requirement("ruling:F.7a", "ruling:F.9")
@given(age=st.integers(0, 60), undecided=st.integers(0, 3), archived=st.sampled_from(Archived))
def test_a_thought_goes_only_when_all_of_it_holds(age: int, undecided: int, archived: Archived) -> None:
    row = thought(status=RowStatus.REMOVAL, removal_marked_at=NOON)
    now = NOON + timedelta(days=age)
    found = removal_obstacles(row, retention=MONTH, now=now, undecided=undecided, archived=archived)
    assert (found == ()) == (age >= 30 and not undecided and archived is Archived.AS_IT_STANDS)
    assert (RemovalObstacle.NOT_DUE in found) == (age < 30)
    assert (RemovalObstacle.UNDECIDED in found) == bool(undecided)
    assert (RemovalObstacle.NOT_ARCHIVED in found) == (archived is Archived.NO)
    assert (RemovalObstacle.CHANGED in found) == (archived is Archived.CHANGED)


def test_marking_keeps_the_first_day_and_unmarking_undoes_it() -> None:
    row = thought()
    first = there(marked(row, NOON))
    assert (first.status, first.removal_marked_at, first.revision) == (RowStatus.REMOVAL, NOON, 2)
    assert marked(first, NOON + timedelta(days=9)) is None
    back = unmarked(first, LATER)
    assert back == replace(row, removal_marked_at=NOON, revision=3)
    assert unmarked(row, LATER) is None


@pytest.mark.requirement("ruling:I4:gone")
def test_a_thought_whose_note_is_gone_keeps_when_it_went_and_when_it_was_back() -> None:
    gone = there(marked(thought(), NOON, is_gone=True))
    assert (gone.superseded_at, is_no_longer_held(gone)) == (NOON, True)
    back = there(unmarked(gone, LATER))
    assert (back.superseded_at, is_no_longer_held(back), back.away) == (None, False, (NOON, LATER))


@pytest.mark.requirement("ruling:F.7a")
def test_a_mark_that_was_taken_away_is_known_until_a_person_marks_anew() -> None:
    first = there(marked(thought(), NOON))
    back = there(unmarked(first, LATER))
    assert [is_kept(each) for each in (thought(), first, back)] == [False, False, True]
    again = there(marked(back, NOON + timedelta(days=9)))
    assert (again.status, again.removal_marked_at) == (RowStatus.REMOVAL, NOON + timedelta(days=9))


@pytest.mark.parametrize("status", [RowStatus.REDACTED, RowStatus.SUPERSEDED])
def test_only_a_live_thought_can_be_marked(status: RowStatus) -> None:
    with pytest.raises(InvalidParams, match=status.value):
        marked(thought(status=status), NOON)


def test_a_mark_without_a_day_gets_one() -> None:
    assert there(marked(thought(status=RowStatus.REMOVAL), NOON)).removal_marked_at == NOON


def test_what_a_store_assigns_is_no_part_of_what_is_archived() -> None:
    stored = replace(thought(), seq=9, embedding_status=EmbeddingStatus.READY)
    assert as_archived(stored) == thought()
    assert as_archived(thought(content="Another.")) != thought()


def stone(reason: str, keyed_hash: str = "taken") -> Tombstone:
    return Tombstone(row_id="t:1", keyed_hash=keyed_hash, reason=reason, at=NOON)  # pyright: ignore[reportArgumentType]


@pytest.mark.requirement("ruling:F.9", "ruling:H.7")
@pytest.mark.parametrize(
    ("is_stored", "found", "is_forgotten", "expected"),
    [
        (False, stone("finalised"), False, Return.BACK),
        (False, None, False, Return.BACK),
        (True, None, False, Return.THERE),
        (False, stone("finalised", "other words"), False, Return.ALTERED),
        (False, stone("forgotten"), False, Return.FORGOTTEN),
        (False, stone("redacted"), False, Return.FORGOTTEN),
        (False, stone("finalised"), True, Return.FORGOTTEN),
        (False, None, True, Return.FORGOTTEN),
    ],
)
def test_what_went_comes_back_and_what_was_forgotten_does_not(
    *, is_stored: bool, found: Tombstone | None, is_forgotten: bool, expected: Return
) -> None:
    row = thought()
    assert returning(row, is_stored=is_stored, stone=found, taken_hash="taken", is_forgotten=is_forgotten) is expected


def test_a_redacted_row_of_an_archive_does_not_come_back() -> None:
    row = observation(status=RowStatus.REDACTED)
    assert returning(row, is_stored=False, stone=None, taken_hash="", is_forgotten=False) is Return.FORGOTTEN
