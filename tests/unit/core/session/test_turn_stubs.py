"""What stays of a turn whose record could not be read."""

import pytest

from store_values import NOON
from voice.core.session.budgets import AmountSpent, charge_of
from voice.core.session.turn_traces import stub_faults, turn_stub, unreadable_turn_stub


@pytest.mark.requirement("sessions:lifecycle")
def test_of_a_turn_that_could_not_be_read_it_stays_that_it_was_there_at_an_unknown_cost() -> None:
    left = unreadable_turn_stub(exchange_id="x:7", session_id="s:1", index=6, timestamp=NOON)
    assert (left.id, left.session_id, left.index, left.timestamp, left.deleted) == ("x:7", "s:1", 6, NOON, True)
    assert turn_stub(left) == left
    assert list(stub_faults(left)) == []
    assert charge_of(left) == AmountSpent(unknown=1)
