"""Laws of forgetting, over random small memories."""

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store_values import entity, observation, relation, span_of, thought
from voice.core.graph.removal.forget_cascade import Act, ForgetRequest, plan_forget, redacted
from voice.core.records import Observation, Relation, Row, RowStatus, Thought

pytestmark = pytest.mark.requirement("ruling:G.2e", "forget:reach")
KEYS = st.sampled_from("1234")
SAID = st.sampled_from(["The kiln is hot.", "Beth has the key.", "Nobody was there today.", "Yes.", ""])
ACTS: "st.SearchStrategy[Act]" = st.sampled_from(["forget", "redact"])


@st.composite
def memories(draw: st.DrawFn) -> Mapping[str, Row]:
    """Return thoughts with a graph over them, some of it hand-made and some of it dangling."""
    rows: list[Row] = [thought(key, draw(SAID)) for key in draw(st.sets(KEYS, min_size=1))]
    for key in draw(st.sets(KEYS)):
        behind = tuple(span for each in sorted(draw(st.sets(KEYS, max_size=2))) for span in span_of(f"t:{each}"))
        nodes = tuple(f"e:{each}" for each in sorted(draw(st.sets(KEYS, max_size=2))))
        rows.append(observation(key, draw(SAID), provenance=behind, entity_ids=nodes))
    for key in draw(st.sets(KEYS)):
        behind = tuple(span for each in sorted(draw(st.sets(KEYS, max_size=2))) for span in span_of(f"t:{each}"))
        rows.append(entity(key, f"name {key}", provenance=behind))
    rows += [
        relation(key, f"e:{draw(KEYS)}", f"e:{draw(KEYS)}", provenance=span_of(f"t:{draw(KEYS)}"))
        for key in draw(st.sets(KEYS, max_size=2))
    ]
    return {row.id: row for row in rows}


def after(rows: Mapping[str, Row], wanted: ForgetRequest, act: Act) -> dict[str, Row]:
    found = plan_forget(rows, wanted, act)
    left = dict(rows) | {row.id: row for row in found.changed}
    for row in found.going:
        if act == "forget":
            del left[row.id]
        else:
            left[row.id] = redacted(row)
    return left


@settings(max_examples=150, deadline=None)
@given(memories(), st.data(), ACTS)
def test_doing_it_again_reaches_nothing(rows: Mapping[str, Row], data: st.DataObject, act: Act) -> None:
    wanted = ForgetRequest(ids=frozenset({data.draw(st.sampled_from(sorted(rows)))}))
    left = after(rows, wanted, act)
    again = plan_forget(left, wanted, act)
    assert (again.going, again.changed) == ((), ())
    assert after(left, wanted, act) == left


@settings(max_examples=150, deadline=None)
@given(memories(), st.data())
def test_nothing_that_stays_points_at_what_went(rows: Mapping[str, Row], data: st.DataObject) -> None:
    wanted = ForgetRequest(ids=frozenset({data.draw(st.sampled_from(sorted(rows)))}))
    left = after(rows, wanted, "forget")
    gone = rows.keys() - left.keys()
    for row in left.values():
        if not isinstance(row, Thought):
            assert not {origin.thought_id for origin in row.provenance} & gone
        if isinstance(row, Observation):
            assert not set(row.entity_ids) & gone
        if isinstance(row, Relation):
            assert not {row.source_id, row.target_id} & gone
    assert gone >= wanted.ids


@settings(max_examples=150, deadline=None)
@given(memories(), st.data())
def test_both_acts_reach_the_same_rows_and_words_go_only_from_them(
    rows: Mapping[str, Row], data: st.DataObject
) -> None:
    wanted = ForgetRequest(ids=frozenset({data.draw(st.sampled_from(sorted(rows)))}))
    going = {row.id for row in plan_forget(rows, wanted, "forget").going}
    assert {row.id for row in plan_forget(rows, wanted, "redact").going} == going
    left = after(rows, wanted, "redact")
    assert left.keys() == rows.keys()
    assert {row_id for row_id, row in left.items() if row.status is RowStatus.REDACTED} == going
    assert all(left[row_id] == row for row_id, row in rows.items() if row_id not in going)
