"""What is to be known beside an answer: in the document as beside a printed one."""

from collections.abc import Callable
from typing import cast

import pytest

from cli_runner import Ran, Voice
from voice.services.runtime.spending import TurnBudget

Documented = Callable[[str, Ran], None]
QUESTION = "Where is the kiln?"


@pytest.fixture
def told(voice: Voice) -> Voice:
    voice.ok("remember", "Moved the kiln to the shed. Anna Lund fired the kiln at cone 6 on Friday.")
    return voice


def answer_of(ran: Ran) -> dict[str, object]:
    return cast("dict[str, object]", ran.json)


def test_what_is_to_be_known_of_a_search_is_in_the_document_as_beside_a_printed_answer(
    told: Voice, is_as_documented: Documented
) -> None:
    ran = told.ok("ask", QUESTION, "--json", "--limit", "9999")
    is_as_documented("cli/ask", ran)
    (warning,) = cast("list[str]", answer_of(ran)["warnings"])
    assert "9999" in warning
    assert warning in " ".join(told.ok("ask", QUESTION, "--limit", "9999").err.split())


@pytest.mark.requirement("spending:unknown")
def test_that_the_known_cost_is_a_lower_bound_is_in_the_document_too(
    told: Voice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TurnBudget, "warnings", property(lambda _: ("the known sum is a lower bound",)))
    assert answer_of(told.ok("ask", QUESTION, "--json"))["warnings"] == ["the known sum is a lower bound"]
