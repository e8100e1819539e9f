"""What of a result fits as a door renders it."""

from dataclasses import replace

import pytest

from recall_doubles import recall_over, recalled
from recall_rows import BUG, KILN, pinned, said
from voice.core.recall.candidates import DISTRUST, ShownRows, ranked
from voice.core.recall.params import fit_rendered
from voice.core.recall.values import CandidateResult, RecallResult
from voice.core.records import Origin, TrustTier

LONG = said("long", "The authentication bug, told at length. " * 30)
SHORT = said("short", "An authentication bug.")
PINNED = [pinned("1", "t:kiln")]


def length(result: RecallResult) -> int:
    """Return ten tokens for each pin and candidate, one for each ten characters, and what the counts in it take."""
    shown = [*(pin.target for pin in result.pins), *(one.entity for one in result.candidates)]
    return sum(10 + len(each.content) // 10 for each in shown) + len(str(result.provenance.tokens_used))


def found() -> RecallResult:
    return recalled(recall_over([BUG, KILN, LONG, SHORT], pins=PINNED), "authentication bug")


@pytest.mark.requirement("ruling:J1")
def test_everything_fits_into_enough() -> None:
    whole = found()
    made = fit_rendered(whole, budget=10_000, measure=length)
    assert made.candidates == whole.candidates
    assert made.provenance.tokens_used == length(replace(made, provenance=replace(made.provenance, tokens_used=10_000)))
    assert (made.provenance.returned_candidates, made.provenance.dropped_by_budget) == (3, 0)
    assert not made.provenance.truncated_due_to_token_budget


@pytest.mark.requirement("ruling:J1", "ruling:D14")
def test_what_does_not_fit_is_skipped_and_the_next_smaller_one_tried() -> None:
    made = fit_rendered(found(), budget=50, measure=length)
    assert {one.entity.id for one in made.candidates} == {"t:bug", "t:short"}
    assert length(made) <= made.provenance.tokens_used <= 50
    told = made.provenance
    assert (told.returned_candidates, told.dropped_by_budget, told.token_budget) == (2, 1, 50)
    assert told.truncated_due_to_token_budget


@pytest.mark.requirement("ruling:J1", "ruling:A17")
def test_pins_are_never_cut_and_by_how_much_they_are_over_is_said() -> None:
    made = fit_rendered(found(), budget=5, measure=length)
    assert ([pin.target.id for pin in made.pins], made.candidates) == (["t:kiln"], ())
    assert made.provenance.over_budget_by == made.provenance.tokens_used - 5
    assert made.provenance.tokens_used > 5


@pytest.mark.requirement("ruling:J1", "s4:result:candidates")
def test_a_service_that_is_told_how_a_result_is_rendered_bounds_that() -> None:
    service = recall_over([BUG, KILN, LONG, SHORT], pins=PINNED)
    bounded = recalled(service, "authentication bug", token_budget=50, measure=length)
    assert {one.entity.id for one in bounded.candidates} == {"t:bug", "t:short"}
    assert bounded.provenance.dropped_by_budget == 1
    unbounded = recalled(service, "authentication bug", measure=length)
    assert len(unbounded.candidates) == 3


def candidate(key: str, score: float, trust: TrustTier) -> CandidateResult:
    origin = {TrustTier.GREEN: Origin.HUMAN, TrustTier.AMBER: Origin.TOOL, TrustTier.RED: Origin.MODEL}[trust]
    row = said(key, f"What {key} says.", origin=origin)
    (one,) = recalled(recall_over([row]), f"What {key} says").candidates
    assert one.entity.trust is trust
    return replace(one, score=score)


@pytest.mark.requirement("ruling:J1:trust")
def test_among_equals_trust_goes_before_nearness() -> None:
    near = DISTRUST[TrustTier.AMBER]
    tool, person = candidate("a", 0.7, TrustTier.AMBER), candidate("b", 0.7 - near / 2, TrustTier.GREEN)
    model = candidate("c", 0.7 + near, TrustTier.RED)
    assert [one.entity.id for one in ranked([tool, model, person], ShownRows.by(()))] == ["t:b", "t:a", "t:c"]
    better = replace(tool, score=0.7 + near)
    assert [one.entity.id for one in ranked([person, better], ShownRows.by(()))] == ["t:a", "t:b"], (
        "what is nearer is first"
    )
