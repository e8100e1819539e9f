"""Two answers word by word, and turns that stand beside one another."""

import pytest

from store_values import exchange, session
from tables import tables
from voice.core.session.compare import TurnPair, compare_sessions

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("sessions:fork")


def runs(left: str, right: str) -> str:
    pair = TurnPair(index=0, left=exchange(answer=left), right=exchange(answer=right))
    return "; ".join(f"{run.side}: {run.text}" for run in pair.runs())


@pytest.mark.parametrize(("left", "right", "told"), TABLES["the_words_that_differ_are_told_in_the_order_of_reading"])
def test_the_words_that_differ_are_told_in_the_order_of_reading(left: str, right: str, told: str) -> None:
    assert runs(left, right) == told
    assert TurnPair(index=0, left=exchange(), right=None).runs() == ()


def test_a_pair_is_private_where_either_is() -> None:
    public, private = exchange(), exchange(is_private=True)
    pairs = [(public, public), (public, private), (None, private), (public, None)]
    assert [TurnPair(index=0, left=left, right=right).is_private for left, right in pairs] == [
        False, True, True, False,
    ]  # fmt: skip


def test_turns_are_numbered_from_behind_what_is_shared() -> None:
    turns = [exchange(index=index) for index in range(2, 5)]
    diff = compare_sessions(session(), session("s:2"), shared=2, turns=(turns, turns[:1]))
    assert [(pair.index, pair.left is not None, pair.right is not None) for pair in diff.pairs] == [
        (2, True, True),
        (3, True, False),
        (4, True, False),
    ]
    assert (diff.pairs[0].is_same_question, diff.pairs[1].is_same_question) == (True, False)
    assert (diff.pairs[0].is_same_answer, diff.pairs[1].is_same_answer) == (True, False)
