"""Every refusal says in plain words what was missing and what the person could do."""

import pytest

from grounding_rows import judged
from voice.core.grounding.refusal import advised, missing_then
from voice.core.grounding.values import GroundedResponse, GroundingPolicy, RefusalReason

ANSWER = "You moved to Stockholm in March 2021."
CITED = ("S1", "I moved to Stockholm in March 2021")
REFUSED = {
    "coverage": judged("You keep nine bees and a boat in Oslo.", CITED),
    "citation": judged(ANSWER, ("S1", "I moved to Oslo in May")),
    "contradiction": judged("You moved to Stockholm in May 2021.", CITED),
    "nothing cited": judged(ANSWER),
    "alone": judged(ANSWER, CITED),
    "strict": judged(
        f"{ANSWER} The flat costs 1,400 euros a month. You keep bees.",
        CITED,
        ("S2", "The flat in Stockholm costs 1,400 euros a month."),
        policy=GroundingPolicy(min_coverage=0.1, on_unsupported="refuse"),
    ),
}
ACTIONS = ("ask ", "other words", "SURR_INNER_VOICE_", "name whom")


@pytest.mark.requirement("grounding:refusal-wording")
@pytest.mark.parametrize("response", REFUSED.values(), ids=REFUSED)
def test_a_refused_draft_says_what_was_missing_and_what_to_do(response: GroundedResponse) -> None:
    assert response.refused
    assert response.notes is not None
    assert any(action in response.notes for action in ACTIONS)
    assert not any(twice in response.notes for twice in (";;", "..", "; ;", "““", "in in ", "in on "))
    assert "coverage" not in response.notes


@pytest.mark.requirement("grounding:refusal-wording")
def test_what_is_missing_in_a_time_is_missing_in_that_time() -> None:
    here = missing_then("no source mentions Lighthouse", time="in\nMay 2026", is_elsewhere=True)
    nowhere = missing_then("no source mentions Lighthouse", time="on 1 June", is_elsewhere=False)

    assert here == (
        "in the time you asked about (in May 2026), no source mentions Lighthouse; notes of other times may answer it: "
        "ask without the time"
    )
    assert nowhere == (
        "in the time you asked about (on 1 June), no source mentions Lighthouse; other words may find it; what was "
        "never told can be remembered first"
    )


def test_where_nothing_can_be_done_nothing_is_advised() -> None:
    assert advised("the provider failed", RefusalReason.PROVIDER_ERROR) == "the provider failed"
