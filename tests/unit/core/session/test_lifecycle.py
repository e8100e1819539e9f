"""Who holds which turn of a fork, and what is wrong with one that nobody holds.

The topic of a session that was given none: the beginning of its first question, in whole words.
What a session's row says is counted again from its exchanges.
"""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store_values import NOON, exchange, session
from voice.core.errors import InvalidParams
from voice.core.session.lifecycle import (
    Part,
    SessionTally,
    append,
    clean_topic,
    fork_of,
    lineage_at,
    lineage_faults,
    parts,
    shared,
    shown_status,
    topic_of,
)
from voice.core.session.turn_stubs import stub_faults, turn_stub
from voice.core.session.values import DialogueExchange, ForkPoint, InnerVoiceSession, SessionStatus
from voice.core.usage import Total


def point(name: str, through: int) -> ForkPoint:
    return ForkPoint(session_id=name, through_index=through)


FORK = session("s:c", total_exchanges=9, lineage=(point("s:a", 2), point("s:b", 5)))


@pytest.mark.requirement("sessions:fork")
@pytest.mark.parametrize(
    ("first", "held"),
    [
        (0, [("s:a", 0, 2), ("s:b", 3, 5), ("s:c", 6, None)]),
        (2, [("s:a", 2, 2), ("s:b", 3, 5), ("s:c", 6, None)]),
        (4, [("s:b", 4, 5), ("s:c", 6, None)]),
        (6, [("s:c", 6, None)]),
        (20, [("s:c", 20, None)]),
    ],
)
def test_each_turn_is_held_by_one(first: int, held: list[tuple[str, int, int | None]]) -> None:
    found = [(part.session_id, part.first, part.last) for part in parts(FORK.id, FORK.lineage, first=first)]
    assert found == held
    assert list(parts("s:x", ())) == [Part(session_id="s:x", first=0, last=None)]


@pytest.mark.requirement("sessions:fork")
@pytest.mark.parametrize(
    ("index", "lineage"),
    [
        (0, (point("s:a", 0),)),
        (2, (point("s:a", 2),)),
        (3, (point("s:a", 2), point("s:b", 3))),
        (5, (point("s:a", 2), point("s:b", 5))),
        (6, (point("s:a", 2), point("s:b", 5), point("s:c", 6))),
    ],
)
def test_a_fork_of_a_fork_names_those_alone_whose_turns_it_shares(index: int, lineage: tuple[ForkPoint, ...]) -> None:
    assert lineage_at(FORK, index) == lineage


@pytest.mark.requirement("sessions:fork")
def test_what_two_share_ends_where_they_part() -> None:
    parent = session("s:a", total_exchanges=4)
    sibling = session("s:d", total_exchanges=8, lineage=(point("s:a", 2), point("s:b", 4)))
    assert [shared(FORK, other) for other in (FORK, parent, sibling, session("s:e", total_exchanges=3))] == [9, 3, 5, 0]
    assert shared(parent, FORK) == 3
    assert shared(session("s:b", total_exchanges=0), session("s:b", total_exchanges=0)) == 0


@pytest.mark.requirement("sessions:fork")
def test_a_fork_begins_as_the_turn_it_left_from() -> None:
    held = session(total_exchanges=3, model_changes=((1, "a/b"), (2, "c/d")))
    made = fork_of(
        held, exchange(index=1, provider="a", model="b", link="f" * 64), session_id="s:2", topic=None, now=NOON
    )
    assert (made.provider, made.model, made.model_changes, made.last_link) == ("a", "b", ((1, "a/b"),), "f" * 64)
    assert (made.total_exchanges, made.own_from, made.answered, made.total_tokens) == (2, 2, 0, 0)
    assert made.thread_topic == "turn 2 of: moving house"
    with pytest.raises(InvalidParams):
        fork_of(held, exchange(), session_id="s:2", topic=" ", now=NOON)


@pytest.mark.requirement("sessions:fork")
def test_turns_that_nobody_holds_are_told() -> None:
    assert list(lineage_faults(FORK, {"s:a": 3, "s:b": 6})) == []
    assert list(lineage_faults(FORK, {"s:b": 5})) == [
        "s:c: it shares turns of s:a, which is not stored",
        "s:c: it shares 6 turns of s:b, which has 5",
    ]


@pytest.mark.requirement("sessions:fork")
def test_a_fork_counts_its_own_turns() -> None:
    tally = SessionTally()
    for index in (6, 7):
        tally.add(exchange("s:c", index, cost_estimate=None, prompt_tokens=None, completion_tokens=None))
    told = list(tally.faults(FORK))
    assert "s:c: 3 exchanges are counted but 2 are stored" in told
    right = replace(FORK, total_exchanges=8, answered=2)
    assert not [fault for fault in tally.faults(right) if "exchange" in fault and "cost" not in fault]


@pytest.mark.requirement("sessions:fork")
def test_more_than_figures_left_of_a_deleted_turn_is_a_fault() -> None:
    left = turn_stub(exchange())
    assert list(stub_faults(left)) == []
    assert list(stub_faults(replace(left, answer="In Porto."))) == [
        f"{left.id}: its session was deleted, but more than figures is left of it"
    ]
    assert turn_stub(exchange(prompt=None)).prompt is None


@pytest.mark.requirement("sessions:fork")
@pytest.mark.parametrize(
    ("status", "idle", "shown"),
    [("open", 1.99, "open"), ("open", 2, "expired"), ("closed", 99, "closed"), ("expired", 0, "expired")],
)
def test_only_an_open_session_expires(status: SessionStatus, idle: float, shown: SessionStatus) -> None:
    assert shown_status(status, NOON, now=NOON + timedelta(hours=idle), timeout_hours=2) == shown


_LONG = "What does the restoration of the Bechstein cost and why did the price change?"


@pytest.mark.requirement("sessions:topic-in-words")
@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("When is the kiln fired?", "When is the kiln fired?"),
        (_LONG, "What does the restoration of the Bechstein cost and why did…"),
        ("one\n two\tthree", "one two three"),
        ("x" * 60, "x" * 60),
        ("x" * 61, "x" * 59 + "…"),
        ("a" * 40 + ", " + "b" * 40, "a" * 40 + "…"),
        ("a" * 59 + " b", "a" * 59 + "…"),
    ],
)
def test_a_long_question_is_cut_at_a_word(question: str, topic: str) -> None:
    assert topic_of(question, include_private=False) == topic


@pytest.mark.requirement("sessions:topic-in-words")
@given(st.text(alphabet="ab ,\n", min_size=1, max_size=200).filter(str.strip))
def test_a_topic_is_short_stored_as_it_is_and_the_beginning_of_its_question(question: str) -> None:
    topic = topic_of(question, include_private=False)
    assert len(topic) <= 60
    assert clean_topic(topic) == topic
    assert " ".join(question.split()).startswith(topic.removesuffix("…"))


@pytest.mark.requirement("sessions:topic-in-words", "promise:6")
def test_a_question_to_private_rows_is_no_topic() -> None:
    assert _LONG[:10] not in topic_of(_LONG, include_private=True)
    assert _LONG[:10] in topic_of(_LONG, include_private=False)


FIRST, SECOND = exchange(), exchange(index=1, status="refused", prompt_tokens=None, cost_estimate=None)
SPOKEN = append(append(session(), FIRST), SECOND)


def faults(told: InnerVoiceSession, *exchanges: DialogueExchange) -> list[str]:
    tally = SessionTally()
    for each in exchanges:
        tally.add(each)
    return list(tally.faults(told))


@pytest.mark.requirement("ruling:D17", "ruling:D18")
def test_a_session_that_was_only_appended_to_adds_up() -> None:
    assert faults(SPOKEN, FIRST, SECOND) == []
    assert faults(SPOKEN, SECOND, FIRST) == []
    assert faults(session()) == []
    assert faults(SPOKEN, FIRST) != []


@pytest.mark.requirement("ruling:D17", "ruling:D18")
@pytest.mark.parametrize(
    ("told", "said"),
    [
        (replace(SPOKEN, total_exchanges=3), "3 exchanges are counted but 2 are stored"),
        (replace(SPOKEN, answered=2), "its counts of answers, refusals and errors"),
        (replace(SPOKEN, refused=0), "its counts of answers, refusals and errors"),
        (replace(SPOKEN, errors=1), "its counts of answers, refusals and errors"),
        (replace(SPOKEN, total_tokens=15), "its total of tokens"),
        (replace(SPOKEN, total_cost=Total(known=Decimal(1), unknown_count=1)), "its total cost"),
        (replace(SPOKEN, total_cost=replace(SPOKEN.total_cost, unknown_count=0)), "its total cost"),
    ],
)
def test_each_total_that_is_not_true_is_told_once(told: InnerVoiceSession, said: str) -> None:
    (fault,) = faults(told, FIRST, SECOND)
    assert fault.startswith(f"{told.id}: ")
    assert said in fault


@pytest.mark.parametrize("held", [(SECOND,), (FIRST, FIRST)])
def test_a_hole_and_a_repetition_are_told(held: tuple[DialogueExchange, ...]) -> None:
    assert faults(SPOKEN, *held)[0] == f"{SPOKEN.id}: its exchanges have a hole or a repeated index"
