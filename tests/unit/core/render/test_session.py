"""A summary for a person: each line with the turns it stems from, and what it is where nothing stands."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from store_values import exchange, session
from voice.core.render.conversation import diff_json, summary_lines
from voice.core.session.compare import compare_sessions
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


@pytest.mark.requirement("ruling:H.5")
@pytest.mark.parametrize("include_private", [False, True])
def test_of_a_private_turn_a_comparison_says_that_it_is_one(*, include_private: bool) -> None:
    private, other = replace(exchange(), is_private=True), exchange("s:2")
    diff = compare_sessions(session(), session("s:2"), shared=0, turns=([private, exchange(index=1)], [other]))
    turn, alone = json.loads(json.dumps(diff_json(diff, include_private=include_private)["turns"]))
    assert ("my_query" in turn["left"], "my_query" in turn["right"]) == (include_private, True)
    assert (turn["left"]["id"], alone["right"], alone["same_answer"]) == (private.id, None, None)
    assert (turn["same_question"] is None) is not include_private
