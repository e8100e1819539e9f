"""What a row named then is told from what it names now and from the log of merges."""

from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store_values import NOON, observation, relation
from voice.core.graph.entities.merge import EndedRelation, Merge, RenamedRow
from voice.core.graph.entities.merge_history import MergeHistory
from voice.core.records import Origin

pytestmark = pytest.mark.requirement("ruling:F.6")
DAY = timedelta(days=1)
MERGE = Merge(
    id="m:1",
    kept="e:a",
    absorbed="e:b",
    past="e:past",
    moved=(RenamedRow(row_id="r:1", named=("e:b", "e:x")), RenamedRow(row_id="o:1", named=("e:b", "e:a"))),
    ended=(EndedRelation(row_id="r:2"),),
    at=NOON + DAY,
    by=Origin.HUMAN,
)
UNDONE = replace(MERGE, undone_at=NOON + 3 * DAY)
APART = (relation("1", "e:b", "e:x"), observation("1", entity_ids=("e:b", "e:a")))
ONE = (relation("1", "e:a", "e:x"), observation("1", entity_ids=("e:a",)))


@pytest.mark.parametrize(
    ("merge", "days", "is_one"),
    [(MERGE, 0, False), (MERGE, 1, True), (UNDONE, 0, False), (UNDONE, 1, True), (UNDONE, 2, True), (UNDONE, 3, False)],
)
def test_rows_name_what_they_named_then(merge: Merge, days: int, *, is_one: bool) -> None:
    then = MergeHistory([merge], NOON + days * DAY)
    edge, said = APART if merge.undone_at else ONE
    assert (then.row(edge), then.row(said)) == (ONE if is_one else APART)
    assert then.ended == ({"r:2"} if is_one and merge.undone_at else set())
    assert then.absorbed == {"e:b"}


def test_a_row_that_was_changed_since_is_left_as_it_is() -> None:
    changed = relation("1", "e:c", "e:x")
    assert MergeHistory([MERGE], NOON).row(changed) is changed


def test_whoever_was_ever_one_with_them_is_around_them() -> None:
    then = MergeHistory([MERGE, replace(MERGE, id="m:2", kept="e:c", absorbed="e:a")], NOON)
    assert then.around(["e:b"]) == ["e:a", "e:b", "e:c"]
    assert then.around(["e:x"]) == ["e:x"]


@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=3, unique=True))
def test_merges_are_gone_back_through_one_by_one(order: list[str]) -> None:
    """A row that went from hand to hand comes back to the first."""
    hands = ["z", *order]
    merges = [
        replace(
            MERGE,
            id=f"m:{step}",
            kept=f"e:{kept}",
            absorbed=f"e:{gone}",
            moved=(RenamedRow(row_id="r:1", named=(f"e:{gone}", "e:x")),),
            at=NOON + step * DAY,
        )
        for step, (gone, kept) in enumerate(pairwise(hands), start=1)
    ]
    now = relation("1", f"e:{hands[-1]}", "e:x")
    for step, hand in enumerate(hands):
        assert MergeHistory(merges, NOON + step * DAY).row(now).source_id == f"e:{hand}"
