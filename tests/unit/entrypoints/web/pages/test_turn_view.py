"""What sessions came to, in words."""

from decimal import Decimal

import pytest

from voice.core.usage import Total
from voice.entrypoints.web.pages.turn_view import cost_in_words, totals_in_words
from voice.ports.row_queries import SessionFigures
from voice.services.sessions.report import sum_of

pytestmark = pytest.mark.requirement("web:sessions:totals")


@pytest.mark.parametrize(
    ("cost", "words"),
    [
        (Total(), "no cost"),
        (Total(known=Decimal("0.5")), "$0.5000"),
        (Total(unknown_count=2), "cost unknown"),
        (Total(known=Decimal("0.5"), unknown_count=1), "$0.5000 plus 1 turn of unknown cost"),
    ],
)
def test_an_unknown_cost_is_told_as_unknown(cost: Total, words: str) -> None:
    assert cost_in_words(cost) == words


def test_sums_are_those_of_all_sessions_and_nothing_is_told_of_none() -> None:
    one = SessionFigures(id="s:1", turns=2, refused=1, errors=0, tokens=30, cost=Total(known=Decimal(1)))
    two = SessionFigures(id="s:2", turns=1, refused=0, errors=1, tokens=5, cost=Total(unknown_count=1))
    total = sum_of([one, two])
    cost = Total(known=Decimal(1), unknown_count=1)
    assert total == SessionFigures(id="", turns=3, refused=1, errors=1, tokens=35, cost=cost)
    told = "1 refused, 1 stopped or failed, 35 tokens, $1.0000 plus 1 turn of unknown cost"
    assert ", ".join(totals_in_words(total)) == told
    assert totals_in_words(sum_of(())) == ()
