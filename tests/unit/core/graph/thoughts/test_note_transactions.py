"""What stands in one transaction: a thought, and all that rests on it."""

from dataclasses import replace

import pytest

from store_values import entity, observation, relation, span_of, thought
from voice.core.graph.thoughts.distillation import by_thought, packed
from voice.core.records import GraphRow, Thought

pytestmark = pytest.mark.requirement("ruling:I8")
FIRST, SECOND, THIRD = thought("1"), thought("2"), thought("3")
THOUGHTS = (FIRST, SECOND, THIRD)


def ids(*rows: GraphRow) -> dict[str, list[str]]:
    """Return which of the rows stand with which of three thoughts."""
    return {thought_id: [row.id for row in found] for thought_id, found in by_thought(THOUGHTS, rows).items()}


def resting(row: GraphRow, *keys: str) -> GraphRow:
    """Return the row as it rests on those thoughts."""
    return replace(row, provenance=tuple(span for key in keys for span in span_of(f"t:{key}")))


def test_a_row_stands_with_the_first_thought_that_it_rests_on() -> None:
    assert ids(resting(observation("a"), "2"), resting(observation("b"), "3", "2"), resting(entity("c"), "1")) == {
        "t:1": ["e:c"],
        "t:2": ["o:a", "o:b"],
    }


def test_a_relation_stands_no_earlier_than_the_entities_that_it_joins() -> None:
    early, late = resting(entity("early"), "1"), resting(entity("late"), "3")
    joined = resting(relation("ab", early.id, late.id), "2")
    assert ids(joined, late, early) == {"t:3": ["r:ab", "e:late"], "t:1": ["e:early"]}


def test_what_rests_on_none_of_the_thoughts_stands_with_none() -> None:
    assert ids(resting(observation("a"), "elsewhere"), resting(entity("b"))) == {}


@pytest.mark.requirement("ruling:H.10")
def test_groups_share_a_transaction_while_they_fit_and_none_is_divided() -> None:
    def sizes(*lengths: int, row: Thought = FIRST) -> list[int]:
        return [len(pack) for pack in packed([[row] * length for length in lengths], size=500)]

    assert sizes() == []
    assert sizes(0) == []
    assert sizes(3, 499) == [3, 499]
    assert sizes(250, 250, 1) == [500, 1]
    assert sizes(3, 1200, 1) == [3, 1200, 1]
    assert sizes(3, 1, 2, row=thought(content="x" * 1_500_000)) == [3, 3]
