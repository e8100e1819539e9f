"""Values as JSON: what is refused, and what a refusal says."""

import math
from dataclasses import replace

import pytest

from store_values import NOON, thought, vector
from voice.adapters.disk.values_json import (
    Metric,
    from_json,
    row_from_json,
    row_to_json,
    to_json,
    to_text,
    vector_from_json,
    vector_to_json,
)
from voice.core.errors import InvalidParams
from voice.core.records import Table, Thought

SECRET = "the secret diary"


@pytest.mark.parametrize("members", [None, [], {}, {"id": "t:1", "content": SECRET}, {"id": SECRET, "created_at": "x"}])
def test_what_is_no_value_is_refused_without_being_quoted(members: object) -> None:
    with pytest.raises(ValueError, match="not a valid Thought") as caught:
        row_from_json(Table.THOUGHTS, members)
    assert SECRET not in str(caught.value)
    assert caught.value.__suppress_context__


def test_a_rule_of_the_value_itself_is_kept() -> None:
    members = row_to_json(thought()) | {"id": "no-colon"}
    with pytest.raises(ValueError, match="not a valid Thought"):
        from_json(Thought, members)


@pytest.mark.parametrize(
    "members",
    [
        {"row_id": "t:1", "model": "m", "dim": 1, "data": "!!!"},
        {"row_id": "t:1", "model": "m", "dim": 2, "data": "AAAA"},
        {"row_id": "t:1"},
    ],
)
def test_a_vector_that_does_not_add_up_is_refused(members: object) -> None:
    with pytest.raises(ValueError, match="not a valid"):
        vector_from_json(members)


def test_a_vector_keeps_its_bytes() -> None:
    assert vector_from_json(vector_to_json(vector("t:1"))) == vector("t:1")


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, math.inf, math.nan])
def test_a_number_that_does_not_fit_is_refused(value: float) -> None:
    with pytest.raises(InvalidParams):
        to_json(Metric, Metric(name="x", at=NOON, values={"n": value}))


def test_text_is_canonical_and_holds_no_nul_and_no_lone_surrogate() -> None:
    row = replace(thought(), content="a\x00b\udc80c", tags=("\x00",))
    text = to_text(row_to_json(row))
    assert '"content":"abc"' in text
    assert text.encode() == to_text(row_to_json(row)).encode()
    assert text.startswith('{"access_count":0,"away":[],"content":')
