"""A summary for a person: each line with the turns it stems from, and what it is where nothing stands."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from voice.core.render.conversation import summary_lines
from voice.core.session.values import RollingSummary

pytestmark = pytest.mark.requirement("sessions:summary")

SUMMARY = RollingSummary(
    text="", last_updated=datetime(2026, 3, 1, tzinfo=UTC), exchanges_summarized=1, token_savings=0, revision=3
)


def test_a_summary_of_which_nothing_stands_says_so() -> None:
    assert list(summary_lines(SUMMARY)) == [
        "Summary of 1 earlier turn (revision 3):",
        "no sentence of these turns still holds",
    ]


def test_a_line_from_before_turns_were_kept_stands_alone() -> None:
    told = list(summary_lines(replace(SUMMARY, text="- [2026-03-01] The kiln is in the shed.")))
    assert told[1:] == ["- [2026-03-01] The kiln is in the shed."]


def test_a_summary_by_a_model_says_which_one() -> None:
    told = list(summary_lines(replace(SUMMARY, text="- The kiln is in the shed.", author="gemini/gemini-2.5-pro")))
    assert told[-1] == "* written by gemini/gemini-2.5-pro, and supported by sentences of those turns"
