"""A reply without a draft is called by how it ended, and nothing is said of the memory."""

import pytest

from voice.core.grounding.answer_text import incomplete_reply
from voice.core.grounding.draft import DraftFault
from voice.core.grounding.values import Ending, RefusalReason

pytestmark = pytest.mark.requirement("ruling:J3")
CUT_OFF = DraftFault(code="cut_off", message="the reply ends too soon")
EMPTY = DraftFault(code="empty", message="the reply is empty")


def told(ending: Ending, fault: DraftFault = CUT_OFF, why: str | None = None) -> tuple[RefusalReason, str] | None:
    return incomplete_reply(ending, fault, provider="vendor", why=why, limit=300)


def test_a_reply_at_its_limit_is_cut_and_names_the_limit_to_raise() -> None:
    assert told("cut") == (
        RefusalReason.CUT,
        (
            "the answer needs more than the 300 tokens that a reply may take, reasoning included; raise "
            "SURR_INNER_VOICE_MAX_OUTPUT_TOKENS (llm.max_output_tokens), then ask again"
        ),
    )


@pytest.mark.parametrize("fault", [CUT_OFF, EMPTY])
def test_a_reply_that_the_provider_ended_is_declined_by_the_provider(fault: DraftFault) -> None:
    assert told("declined", fault, "SAFETY") == (
        RefusalReason.DECLINED,
        (
            "vendor ended the reply itself (SAFETY); ask in other words, or choose another model with "
            "SURR_INNER_VOICE_MODEL"
        ),
    )


@pytest.mark.requirement("promise:6")
@pytest.mark.parametrize("why", [None, "the kiln is in the shed", "NEW_REASON"])
def test_only_a_known_name_for_the_end_of_a_reply_is_told(why: str | None) -> None:
    found = told("declined", why=why)
    assert found is not None
    assert found[1].startswith("vendor ended the reply itself; ")


def test_the_models_own_refusal_is_the_models() -> None:
    found = told("model_refused", EMPTY)
    assert found is not None
    assert (found[0], found[1].split(";")[0]) == (RefusalReason.MODEL_REFUSED, "it refused to write about this")


@pytest.mark.requirement("ruling:D8")
def test_an_empty_reply_is_the_providers_and_one_of_another_shape_may_be_mended() -> None:
    found = told("complete", EMPTY, "tool_calls")
    assert found is not None
    assert (found[0], found[1].split(";")[0]) == (RefusalReason.DECLINED, "vendor sent an empty reply (tool_calls)")
    assert told("complete") is None
