"""What a session's row says is counted again from its exchanges."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from store_values import NOON, exchange, full_session, session
from voice.core.session.lifecycle import SessionTally, append, closed, new_session, renamed, reopened
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.core.usage import Total

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
    assert faults(SPOKEN, *held)[0] == f"{SPOKEN.id}: the numbers of its exchanges have a gap or a repetition"


def test_a_turn_adds_to_each_total_once() -> None:
    held = full_session()
    turn = exchange(provider="p", model="m", link="f" * 64)
    assert append(held, turn) == replace(
        held, context_window=(turn,), last_interaction=NOON, total_exchanges=1, total_tokens=held.total_tokens + 14,
        total_cost=Total(known=Decimal("0.100123"), unknown_count=2), answered=2, last_link="f" * 64, revision=2,
        model_changes=(*held.model_changes, (0, "p/m")), provider="p", model="m",
    )  # fmt: skip
    assert append(replace(held, last_link="e" * 64), replace(turn, link="")).last_link == "e" * 64


def test_a_new_session_is_empty_and_each_change_of_one_changes_nothing_else() -> None:
    held = full_session()
    same: dict[str, Any] = {"provider": "p", "model": "m", "max_prompt_tokens": 7, "begun_by": "an agent"}
    assert new_session(session_id="s:9", topic="t", now=NOON, **same) == InnerVoiceSession(
        id="s:9", thread_topic="t", created_at=NOON, last_interaction=NOON, **same
    )
    assert renamed(held, " new \n topic") == replace(held, thread_topic="new topic")
    assert closed(held) == replace(held, status="closed")
    assert reopened(held, now=NOON) == replace(held, status="open", last_interaction=NOON)
