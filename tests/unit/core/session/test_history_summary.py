"""What of a summary is shown where private rows are not asked for."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from store_values import exchange
from voice.core.session.history import summary_shown
from voice.core.session.values import RollingSummary, SummaryLine

pytestmark = pytest.mark.requirement("sessions:withheld-summary", "promise:6")
NOON = datetime(2026, 3, 20, 12, tzinfo=UTC)
WHOLE = RollingSummary(text="", last_updated=NOON, exchanges_summarized=3, token_savings=0, through_index=1).with_lines(
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


OF_OLD = WHOLE.with_lines([*WHOLE.lines, SummaryLine(text="- from before turns were kept", grounds=(), turns=())])


def test_of_a_line_that_does_not_say_whose_it_is_nothing_is_shown_where_a_folded_turn_is_withheld() -> None:
    for left in (OF_OLD, replace(WHOLE, line_turns=())):
        shown = summary_shown(left, [exchange(is_private=True), exchange(index=1)])
        assert shown is not None
        assert shown.text == ("- both said it\n- public" if left is OF_OLD else "")
        assert summary_shown(left, [exchange(), exchange(index=1), exchange(index=2, is_private=True)]) == left


def test_the_rows_behind_what_is_left_out_are_not_told() -> None:
    lines = [
        SummaryLine(text="- withheld", grounds=(("o:hiv", ""), ("o:kiln", "")), turns=(0,)),
        SummaryLine(text="- public", grounds=(("o:kiln", ""),), turns=(1,)),
    ]
    whole = replace(WHOLE.with_lines(lines), source_ids=("o:hiv", "o:kiln"))
    shown = summary_shown(whole, [exchange(is_private=True), exchange(index=1)])
    assert shown is not None
    assert (shown.source_ids, shown.line_turns) == (("o:kiln",), ((1,),))
