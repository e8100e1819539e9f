"""A refusal that a setting alone decided names that setting, and no other that changes nothing."""

import pytest

from grounding_rows import draft, judge_composed, row
from voice.core.grounding.values import GroundingPolicy, PolicyOverrides, Stance

KILN = row("S1", "The kiln is in the shed behind the house.")
GENERAL = GroundingPolicy(single_source="green")


@pytest.mark.parametrize(
    ("policy", "setting"),
    [
        (GroundingPolicy(), "SURR_INNER_VOICE_SINGLE_SOURCE=green"),
        (GroundingPolicy().under(PolicyOverrides(), Stance.CHALLENGE), "SURR_INNER_VOICE_SINGLE_SOURCE=green"),
        (
            GENERAL.under(PolicyOverrides(single_source="off"), Stance.CHALLENGE),
            "SURR_INNER_VOICE_CHALLENGE_SINGLE_SOURCE=green",
        ),
    ],
)
def test_the_advice_of_a_refusal_names_the_setting_that_decides(policy: GroundingPolicy, setting: str) -> None:
    answer = judge_composed(draft(KILN.text, ("S1", KILN.text)), (KILN,), policy, question="Where is the kiln?")

    assert answer.notes is not None
    assert f"; {setting} accepts one trusted source" in answer.notes
