"""That a verifier is tried, and how it did, in words."""

from decimal import Decimal

import pytest

from told_events import require_schema
from voice.core.grounding.verifier_values import Verification, VerifierInfo
from voice.core.render.turn_json import event_json, event_line
from voice.core.render.verification import lapse_note
from voice.core.session.turn_events import Calibrating

WHO = VerifierInfo(name="llm", version="gemini/gemini-2.5-pro 7f3c9a10b2de")


@pytest.mark.requirement("grounding:verifier:calibration")
@pytest.mark.parametrize(
    ("cost", "told"),
    [(None, "at an unknown price"), (Decimal("0.004"), "for less than $0.01"), (Decimal("0.126"), "about $0.13")],
)
def test_before_a_verifier_is_tried_you_are_told_what_it_costs(cost: Decimal | None, told: str) -> None:
    event = Calibrating(verifier="llm", calls=8, expected_cost=cost)
    assert event_line(event) == f"trying llm on claims whose truth is known: 8 calls, {told}, once"
    form = event_json(event)
    require_schema(form)
    assert (form["event"], form["verifier"], form["calls"]) == ("calibrating", "llm", 8)
    assert (form["expected_cost_usd"] is None) is (cost is None)


@pytest.mark.requirement("grounding:verifier:belief")
@pytest.mark.parametrize(
    ("false_support", "why"),
    [(0.88, "it let 88% of false claims pass"), (0.02, "no usable answer to too much"), (None, "no usable answer")],
)
def test_why_a_verifier_is_not_believed_is_told(false_support: float | None, why: str) -> None:
    lapsed = Verification(verifier=WHO, asked=2, lapse="not_believed", false_support=false_support)
    assert why in (lapse_note(lapsed) or "")
    assert lapse_note(Verification(verifier=WHO, asked=2)) is None
