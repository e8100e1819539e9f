"""What rests on thoughts that leave, and on nothing else."""

from datetime import timedelta

import pytest

from store_values import NOON, entity, observation, relation, span_of, thought
from voice.core.graph.consequences import rests_on, rests_only_on, rows_after_removal, rows_resting_only_on
from voice.core.graph.removal.lifecycle import unmarked
from voice.core.records import RowStatus

pytestmark = pytest.mark.requirement("ruling:F.7c")
BOTH = (*span_of("t:1"), *span_of("t:2"))
LATER = NOON + timedelta(days=7)


def test_a_thought_rests_on_nothing_and_what_the_inner_voice_summed_up_on_what_it_sums_up() -> None:
    assert rests_on(thought("1", summary_of=("t:2",))) == frozenset()
    assert rests_on(thought("1", is_summary=True, summary_of=("t:2",))) == {"t:2"}
    assert rests_only_on(thought("1", is_summary=True, summary_of=("t:2",)), {"t:2"})


def test_what_a_person_entered_without_a_thought_rests_on_none() -> None:
    assert not rests_only_on(entity("1"), {"t:1"})
    assert rests_only_on(entity("1", provenance=span_of("t:1")), {"t:1"})


def test_what_is_redacted_does_not_leave() -> None:
    assert not rests_only_on(observation("1", provenance=span_of("t:1"), status=RowStatus.REDACTED), {"t:1"})
    assert rests_only_on(observation("1", provenance=span_of("t:1")), {"t:1"})


def test_what_rests_on_another_thought_as_well_stays() -> None:
    rows = [observation("1", provenance=span_of("t:1")), observation("2", provenance=BOTH)]
    assert rows_resting_only_on(rows, {"t:1"}) == {"o:1"}
    assert rows_resting_only_on(rows, {"t:1", "t:2"}) == {"o:1", "o:2"}


def test_an_entity_stays_as_long_as_something_that_stays_names_it() -> None:
    node = entity("1", provenance=span_of("t:1"))
    other = entity("2", provenance=span_of("t:1"))
    edge = relation("1", "e:1", "e:3", provenance=span_of("t:2"))
    note = observation("1", provenance=span_of("t:1"), entity_ids=("e:2",))
    assert rows_resting_only_on([node, other, edge, note], {"t:1"}) == {"e:2", "o:1"}
    assert rows_resting_only_on([node, other, edge, note], {"t:1", "t:2"}) == {"e:1", "e:2", "o:1", "r:1"}


def test_rows_follow_marks_there_and_back_and_others_are_left_alone() -> None:
    live, stays = observation("1", provenance=span_of("t:1")), observation("2", provenance=BOTH)
    past = observation("3", provenance=span_of("t:1"), status=RowStatus.SUPERSEDED)
    (left,) = rows_after_removal([thought("1"), live, stays, past], {"t:1"}, NOON)
    assert (left.id, left.status, left.revision) == ("o:1", RowStatus.REMOVAL, live.revision + 1)
    (back,) = rows_after_removal([left, stays], (), LATER)
    assert (back.status, back.revision) == (RowStatus.ACTIVE, live.revision + 2)
    assert rows_after_removal([left], {"t:1"}, LATER) == ()
    assert (back.away, unmarked(left, LATER)) == ((), back)


@pytest.mark.requirement("ruling:I4:gone")
def test_a_row_whose_note_is_gone_keeps_when_it_went_and_when_it_was_back() -> None:
    (gone,) = rows_after_removal([observation("1", provenance=span_of("t:1"))], {"t:1"}, NOON, are_gone=True)
    back = unmarked(gone, LATER)
    assert back is not None
    assert (gone.superseded_at, back.superseded_at, back.away) == (NOON, None, (NOON, LATER))
