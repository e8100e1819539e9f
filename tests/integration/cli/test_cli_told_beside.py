"""What is to be known beside an answer: in the document as beside a printed one."""

import pytest

from cli_runner import Documented, Voice
from voice.services.runtime.spending import TurnBudget

QUESTION = "Where is the kiln?"


def test_what_is_to_be_known_of_a_search_is_in_the_document_as_beside_a_printed_answer(
    told: Voice, is_as_documented: Documented
) -> None:
    ran = told.ok("ask", QUESTION, "--json", "--limit", "9999")
    is_as_documented("cli/ask", ran)
    (warning,) = ran.json["warnings"]
    assert "9999" in warning
    assert warning in " ".join(told.ok("ask", QUESTION, "--limit", "9999").err.split())


@pytest.mark.requirement("spending:unknown")
def test_that_the_known_cost_is_a_lower_bound_is_in_the_document_too(
    told: Voice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TurnBudget, "warnings", property(lambda _: ("the known sum is a lower bound",)))
    assert told.ok("ask", QUESTION, "--json").json["warnings"] == ["the known sum is a lower bound"]
