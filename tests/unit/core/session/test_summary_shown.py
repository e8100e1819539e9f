"""What of a summary is shown where private rows are not asked for."""

from datetime import UTC, datetime

import pytest

from store_values import exchange
from voice.core.session.past import summary_shown
from voice.core.session.values import RollingSummary, SummaryLine

pytestmark = pytest.mark.requirement("sessions:withheld-summary", "promise:6")
NOON = datetime(2026, 3, 20, 12, tzinfo=UTC)
WHOLE = RollingSummary(text="", last_updated=NOON, exchanges_summarized=3, token_savings=0, revision=1).of_lines(
    [
        SummaryLine(text="- withheld alone", grounds=(), turns=(0,)),
        SummaryLine(text="- both said it", grounds=(), turns=(0, 1)),
        SummaryLine(text="- a model put both together", grounds=(), turns=(0, 1), by_model=True),
        SummaryLine(text="- public", grounds=(), turns=(1,)),
    ]
)


def test_what_only_a_withheld_turn_said_or_a_model_made_of_it_is_left_out() -> None:
    shown = summary_shown(WHOLE, [exchange(is_private=True), exchange(index=1)])
    assert shown is not None
    assert shown.text == "- both said it\n- public"


def test_it_is_whole_where_no_turn_is_withheld() -> None:
    assert summary_shown(WHOLE, [exchange(), exchange(index=1)]) == WHOLE
