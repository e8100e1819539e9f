"""A reply without a draft is called by how it ended, and nothing is said of the memory."""

import pytest

from tables import by_law, tables
from voice.core.grounding.answer_text import incomplete_reply
from voice.core.grounding.draft import DraftFault, FaultCode
from voice.core.grounding.values import Ending

TABLES = tables(__file__)
pytestmark = pytest.mark.requirement("ruling:J3")


def told(ending: Ending, fault: FaultCode, why: str | None = None) -> tuple[str, str] | None:
    return incomplete_reply(ending, DraftFault(code=fault, message="so"), provider="openai", why=why, limit=300)


@pytest.mark.requirement("promise:6", "ruling:D8")
@pytest.mark.parametrize(
    ("ending", "fault", "why", "reason", "notes"), by_law(TABLES["a_reply_without_a_draft_is_called_by_how_it_ended"])
)
def test_a_reply_without_a_draft_is_called_by_how_it_ended(
    ending: Ending, fault: FaultCode, why: str | None, reason: str, notes: str
) -> None:
    assert told(ending, fault, why) == (reason, notes)


def test_a_whole_reply_of_another_shape_may_be_mended() -> None:
    assert told("complete", "cut_off") is None
    assert told("complete", "empty") is not None
