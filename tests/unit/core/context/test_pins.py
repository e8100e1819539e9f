"""Pins in a prompt: first, once, and under a hard cap."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prompt_rows import NOW, evidence, plan_of
from voice.adapters.files.prompts import load_prompts
from voice.core.context.build import ContextInputs
from voice.core.context.prompt_evidence import PINS_SHARE, count_truncated_pins, not_pinned, pinned_part
from voice.core.context.prompt_templates import latest_template
from voice.core.grounding.values import Evidence

TEMPLATE = latest_template(load_prompts(), "answer")


def cost(row: Evidence) -> int:
    return len(row.text)


@pytest.mark.requirement("ruling:A17", "ruling:D10")
@given(
    pinned=st.lists(st.lists(st.integers(0, 60), min_size=1, max_size=3), max_size=8),
    found=st.lists(st.integers(0, 60), max_size=8, unique=True),
    budget=st.integers(min_value=500, max_value=1000),
)
def test_pins_keep_to_their_share_and_the_prompt_to_its_budget(
    pinned: list[list[int]], found: list[int], budget: int
) -> None:
    """Ruling A17: the non-evictable part has a hard cap; ruling D10: so has the whole."""
    pins = tuple(tuple(evidence(size, "word " * size) for size in sizes) for sizes in pinned)
    rows = tuple(evidence(size, "word " * size) for size in found)
    inputs = ContextInputs(question="Where is Anna?", evidence=rows, pinned=pins, now=NOW)
    plan = plan_of(inputs, template=TEMPLATE, budget=budget)
    sections = dict(plan.sections)
    assert sections["pins"] <= (budget - sections["fixed"]) * PINS_SHARE
    assert plan.prompt_tokens <= budget
    shown = [row.row_id for row in plan.evidence]
    assert len(set(shown)) == len(shown)
    whole = sum({row.row_id for row in one} <= set(shown) for one in pins)
    assert plan.pins_truncated == len(pins) - whole


@pytest.mark.requirement("ruling:A17", "ruling:D14")
def test_a_pin_that_does_not_fit_is_passed_over_for_an_older_one_and_named() -> None:
    large, small = evidence(1, "x" * 50), evidence(2, "y" * 5)
    part = pinned_part([(large,), (small,)], (), cost, 20)
    assert ([row.row_id for row in part.rows], part.tokens, part.skipped) == (["o:2"], 5, ("o:1",))
    assert count_truncated_pins([(large,), (small,)], part.rows) == 1


@pytest.mark.requirement("ruling:A17")
def test_a_pinned_row_that_takes_too_much_may_still_be_shown_for_what_it_was_found_by() -> None:
    large = evidence(1, "x" * 50)
    part = pinned_part([(large,)], [large], cost, 20)
    assert (part.rows, part.skipped) == ((), ())
    assert not_pinned([large], part) == [large]


@pytest.mark.requirement("ruling:A17", "ruling:C8")
def test_what_two_pins_say_is_said_once_and_not_again_by_what_was_found() -> None:
    one = evidence(1, "Anna moved.")
    again = replace(evidence(2, "Anna moved."), content_hash=one.content_hash)
    part = pinned_part([(one,), (again,)], [again], cost, 100)
    assert [(row.row_id, row.alias) for row in part.rows] == [("o:1", "S1")]
    assert not_pinned([again], part) == []
    assert count_truncated_pins([(one,), (again,)], part.rows) == 0


@pytest.mark.requirement("ruling:A17", "ruling:H.5")
def test_a_private_pinned_row_makes_the_prompt_private() -> None:
    secret = ((evidence(1, private=True),),)
    inputs = ContextInputs(question="Where is Anna?", evidence=(), pinned=secret, now=NOW, include_private=True)
    assert plan_of(inputs, template=TEMPLATE, budget=2000).is_private
