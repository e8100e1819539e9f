"""When a draft is accepted and when it is refused: the order of reasons, the policy, what a refusal says and hides.

Whether there is anything to ask a model about, and what a person is told where there is not.
"""

import pytest

from grounding_rows import (
    CITED,
    FIRST,
    GREEN_ALONE,
    INVENTED,
    MEMORY,
    MOVE,
    PARAPHRASE,
    QUOTED,
    RENT,
    judged,
    opinion,
    replied,
    row,
    says,
)
from voice.core.grounding.judge import judge
from voice.core.grounding.proof import ProofContext, prove
from voice.core.grounding.refusal_reasons import Answerability, check_evidence
from voice.core.grounding.values import Draft, GroundingPolicy, RefusalReason
from voice.core.messages.showing import ALL_KEPT_OUT, NOTHING_FITS, NOTHING_FOUND, REFUSED
from voice.core.records import TrustTier


@pytest.mark.requirement("s2:provider:gate", "s2:grounding:min_coverage_ratio", "s2:test:refuse-ungrounded")
def test_too_little_coverage_is_refused_with_the_figures() -> None:
    response = judged(f"{QUOTED} Your flat has a sauna, a garden, a cellar, a lift and a balcony.", *CITED)
    assert response.reason is RefusalReason.COVERAGE_LOW
    assert 0 < response.coverage_ratio < 0.6
    assert "60%" in (response.notes or "")


@pytest.mark.requirement("ruling:D6")
def test_a_contradiction_is_the_reason_where_too_little_is_left() -> None:
    response = judged((PARAPHRASE,), policy=GREEN_ALONE, reply=replied(opinion(1, "contradicted")))
    assert response.reason is RefusalReason.CONTRADICTION


@pytest.mark.requirement("ruling:D3", "s2:grounding:min_sources")
def test_one_source_is_too_few_and_its_evidence_is_shown() -> None:
    response = judged(QUOTED, CITED[0])
    assert response.reason is RefusalReason.TOO_FEW_SOURCES
    assert response.coverage_ratio == 1.0
    assert [shown.span for shown in response.evidence_found] == [CITED[0][1]]
    assert response.notes == (
        "only 1 distinct source supports the answer, and your settings require 2; "
        "SURR_INNER_VOICE_SINGLE_SOURCE=green accepts one trusted source that covers everything"
    )


@pytest.mark.requirement("ruling:D3")
def test_one_source_alone_passes_where_it_is_green_and_covers_all_and_the_policy_says_so() -> None:
    assert not judged(QUOTED, CITED[0], policy=GREEN_ALONE).refused
    partly = judged(f"{QUOTED} You have a balcony.", CITED[0], policy=GREEN_ALONE)
    rows = [row("S1", MOVE.text, trust=trust) for trust in (TrustTier.AMBER, TrustTier.RED)]
    others = [judged(QUOTED, CITED[0], memory=(each,), policy=GREEN_ALONE) for each in rows]
    assert {each.reason for each in (partly, *others)} == {RefusalReason.TOO_FEW_SOURCES}


def test_the_policy_may_refuse_any_sentence_that_is_not_proven() -> None:
    refusing = GroundingPolicy(on_unsupported="refuse")
    unproven = judged((FIRST, says(RENT.text, CITED[1]), INVENTED), policy=refusing)
    contradicted = judged(
        (FIRST, says(RENT.text, CITED[1]), INVENTED), policy=refusing, reply=replied(opinion(1, "contradicted"))
    )
    assert unproven.reason is RefusalReason.UNSUPPORTED_CLAIM
    assert contradicted.reason is RefusalReason.CONTRADICTION


@pytest.mark.requirement(
    "promise:2", "s2:provider:refusal-text", "s2:grounding:refused", "s2:grounding:notes", "s2:tool:refusal"
)
def test_a_refusal_says_so_cites_nothing_and_explains_itself() -> None:
    response = judged("You moved to Berlin.", ("S1", "I moved to Berlin in March 2021"))
    assert response.refused
    assert response.answer == REFUSED
    assert response.sources == ()
    assert response.confidence == 0.0
    assert (response.notes or "").startswith("a citation is not real: the quotation is not in the source")
    assert response.evidence_found


@pytest.mark.requirement("ruling:D5")
def test_an_answer_to_another_question_is_refused_as_off_topic() -> None:
    reply = replied(opinion(1, "supported", ("S2", "costs 1,400 euros")), answers=False)
    response = judged((FIRST, PARAPHRASE), reply=reply)
    assert response.reason is RefusalReason.OFF_TOPIC
    assert response.evidence_found
    assert (response.notes or "").startswith("the answer is not about your question")


@pytest.mark.parametrize("text", ["", "…", "the of and"])
def test_a_draft_that_states_nothing_is_refused(text: str) -> None:
    assert judged((says(text, CITED[0]),)).reason is RefusalReason.COVERAGE_LOW


@pytest.mark.requirement("ruling:D6")
def test_a_refusal_of_the_models_own_is_one() -> None:
    proof = prove(Draft(refused=True, self_reported=(("confidence", "1.0"),)), MEMORY, ProofContext())
    response = judge(proof, GroundingPolicy())
    assert response.reason is RefusalReason.MODEL_REFUSED
    assert response.self_reported == (("confidence", "1.0"),)


def test_a_sentence_without_sources_of_its_own_is_held_against_those_of_the_draft() -> None:
    response = judged((FIRST, says(RENT.text, CITED[1]), says(MOVE.text)))
    assert [one.rung for one in response.sentences] == ["quoted"] * 3


def test_a_prompt_without_rows_says_why_it_has_none() -> None:
    assert check_evidence(MEMORY, unshown=1, unfit=1) == Answerability(ok=True)
    for unshown, unfit, told in ((0, 0, NOTHING_FOUND), (1, 0, ALL_KEPT_OUT), (1, 1, NOTHING_FITS)):
        assert check_evidence((), unshown=unshown, unfit=unfit) == Answerability(ok=False, missing=told)
