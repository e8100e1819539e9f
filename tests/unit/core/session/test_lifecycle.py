"""Who holds which turn of a fork, and what is wrong with one that nobody holds."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from store_values import NOON, exchange, full_session, session
from tables import tables
from voice.core.errors import InvalidParams
from voice.core.session.lifecycle import (
    Part,
    SessionTally,
    fork_of,
    lineage_at,
    lineage_faults,
    parts,
    shared,
    shown_status,
)
from voice.core.session.turn_traces import stub_faults, turn_stub
from voice.core.session.values import ForkPoint, SessionStatus

TABLES = tables(__file__)
pytestmark = pytest.mark.requirement("sessions:fork")


def point(name: str, through: int) -> ForkPoint:
    return ForkPoint(session_id=name, through_index=through)


FORK = session("s:c", total_exchanges=9, lineage=(point("s:a", 2), point("s:b", 5)))


@pytest.mark.parametrize(("first", "held"), TABLES["each_turn_is_held_by_one"])
def test_each_turn_is_held_by_one(first: int, held: tuple[object, ...]) -> None:
    found = parts(FORK.id, FORK.lineage, first=first)
    assert tuple((part.session_id, part.first, part.last) for part in found) == held
    assert list(parts("s:x", ())) == [Part(session_id="s:x", first=0, last=None)]


@pytest.mark.parametrize(("index", "lineage"), TABLES["a_fork_of_a_fork_names_those_alone_whose_turns_it_shares"])
def test_a_fork_of_a_fork_names_those_alone_whose_turns_it_shares(
    index: int, lineage: Sequence[tuple[str, int]]
) -> None:
    assert lineage_at(FORK, index) == tuple(point(*each) for each in lineage)


def test_what_two_share_ends_where_they_part() -> None:
    parent = session("s:a", total_exchanges=4)
    sibling = session("s:d", total_exchanges=8, lineage=(point("s:a", 2), point("s:b", 4)))
    assert [shared(FORK, other) for other in (FORK, parent, sibling, session("s:e", total_exchanges=3))] == [9, 3, 5, 0]
    assert shared(parent, FORK) == 3
    assert shared(session("s:b", total_exchanges=0), session("s:b", total_exchanges=0)) == 0


def test_a_fork_begins_as_the_turn_it_left_from() -> None:
    held = session(total_exchanges=3, model_changes=((1, "a/b"), (2, "c/d")))
    made = fork_of(
        held, exchange(index=1, provider="a", model="b", link="f" * 64), session_id="s:2", topic=None, now=NOON
    )
    assert made == session(
        "s:2", provider="a", model="b", model_changes=((1, "a/b"),), last_link="f" * 64, total_exchanges=2,
        thread_topic="from turn 2: moving house", lineage=(point("s:1", 1),),
    )  # fmt: skip
    assert made.own_from == 2
    assert fork_of(made, exchange(), session_id="s:3", topic=None, now=NOON).thread_topic == "from turn 1: moving house"
    summed = replace(held, rolling_summary=full_session().rolling_summary)
    for index, is_kept in ((0, False), (1, True)):
        left = fork_of(summed, exchange(index=index), session_id="s:2", topic="t", now=NOON)
        assert (left.rolling_summary == summed.rolling_summary, left.thread_topic) == (is_kept, "t")
    with pytest.raises(InvalidParams):
        fork_of(held, exchange(), session_id="s:2", topic=" ", now=NOON)


def test_turns_that_nobody_holds_are_told() -> None:
    assert list(lineage_faults(FORK, {"s:a": 3, "s:b": 6})) == []
    assert list(lineage_faults(FORK, {"s:b": 5})) == [
        "s:c: it shares turns of s:a, which is not stored",
        "s:c: it shares 6 turns of s:b, which has 5",
    ]


def test_a_fork_counts_its_own_turns() -> None:
    tally = SessionTally()
    for index in (6, 7):
        tally.add(exchange("s:c", index, cost_estimate=None, prompt_tokens=None, completion_tokens=None))
    told = list(tally.faults(FORK))
    assert "s:c: 3 exchanges are counted but 2 are stored" in told
    right = replace(FORK, total_exchanges=8, answered=2)
    assert not [fault for fault in tally.faults(right) if "exchange" in fault and "cost" not in fault]


def test_more_than_figures_left_of_a_deleted_turn_is_a_fault() -> None:
    left = turn_stub(exchange())
    assert list(stub_faults(left)) == []
    assert list(stub_faults(replace(left, answer="In Porto."))) == [
        f"{left.id}: its session was deleted, but more than its figures remains"
    ]
    assert turn_stub(exchange(prompt=None)).prompt is None


@pytest.mark.parametrize(("status", "idle", "shown"), TABLES["only_an_open_session_expires"])
def test_only_an_open_session_expires(status: SessionStatus, idle: float, shown: SessionStatus) -> None:
    assert shown_status(status, NOON, now=NOON + timedelta(hours=idle), timeout_hours=2) == shown
