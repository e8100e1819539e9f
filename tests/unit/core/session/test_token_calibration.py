"""What a model's reports make of the estimate of tokens."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store_values import exchange, full_exchange
from voice.core.session.budgets import (
    AS_ESTIMATED,
    LEAST,
    MOST,
    CalibrationKey,
    TokenCalibration,
    calibrate_tokens,
    ratios_of,
)
from voice.core.session.values import Attempt, DialogueExchange
from voice.core.usage import Usage

pytestmark = pytest.mark.requirement("tokens:trued-up")
RATIOS = st.lists(st.floats(min_value=0.1, max_value=6), min_size=1, max_size=10)


def turn(reported: int | None, estimate: int = 1000, **members: object) -> DialogueExchange:
    prompt = full_exchange().prompt
    assert prompt is not None
    call = Attempt(usage=Usage(input_tokens=reported), latency_ms=1, outcome="draft")
    fitted = replace(prompt, prompt_tokens_estimated=estimate, rendering=(("estimate", "3"),))
    made = exchange(attempts=(call,), prompt=fitted, provider="v", model="m")
    return replace(made, **members)  # pyright: ignore[reportArgumentType]


def trued(*turns: DialogueExchange) -> TokenCalibration:
    each = [replace(turn, id=f"x:{place}") for place, turn in enumerate(turns)]
    return calibrate_tokens(ratios_of(each, CalibrationKey(provider="v", model="m", counter="3")).values())


@pytest.mark.requirement("ruling:D15")
@given(RATIOS, st.integers(min_value=0, max_value=100_000))
def test_no_recent_ratio_is_larger_than_what_is_reckoned_with(ratios: list[float], estimate: int) -> None:
    found = trued(*(turn(round(1000 * ratio)) for ratio in ratios))
    assert found.turns == len(ratios)
    assert 1 <= found.factor <= MOST
    assert LEAST <= found.mean <= found.largest + 1e-9
    assert found.upper(estimate) >= estimate
    assert found.upper(estimate) >= min(MOST, round(1000 * max(ratios)) / 1000) * estimate - 1
    assert found.upper(found.room(estimate)) <= estimate + 1


def test_a_model_that_finds_less_narrows_nothing_and_is_expected_to_cost_less() -> None:
    found = trued(turn(600), turn(800))
    assert (found.factor, found.room(8000), found.expected(1000)) == (1.0, 8000, 700)


def test_a_model_that_finds_more_leaves_less_room() -> None:
    found = trued(turn(600), turn(1250))
    assert (found.factor, found.room(8000), found.upper(1000)) == (1.25, 6400, 1250)


def test_only_turns_of_the_model_with_both_counts_tell() -> None:
    others = [turn(None), turn(0), turn(9000, estimate=0), turn(3000, model="other"), exchange(provider="v", model="m")]
    without = replace(turn(3000), prompt=None)
    others += [without, turn(3000, imported_from="elsewhere"), turn(3000, attempts=())]
    verified = Attempt(usage=Usage(input_tokens=9000), latency_ms=1, outcome="draft", purpose="verify")
    assert trued(*others, turn(1, attempts=(verified,))) == AS_ESTIMATED


def test_of_a_repaired_turn_the_last_draft_is_compared() -> None:
    first = Attempt(usage=Usage(input_tokens=100), latency_ms=1, outcome="malformed")
    last = Attempt(usage=Usage(input_tokens=1100), latency_ms=1, outcome="draft")
    assert trued(turn(0, attempts=(first, last))).largest == 1.1


def test_turns_that_were_counted_by_something_else_tell_nothing() -> None:
    prompt = turn(3900).prompt
    assert prompt is not None
    before = [turn(3900, prompt=replace(prompt, rendering=made)) for made in ((), (("estimate", "2"),))]
    assert trued(*before) == AS_ESTIMATED
    assert trued(*before, turn(1100)).largest == 1.1
