"""What sessions came to, in words."""

from dataclasses import replace
from decimal import Decimal

import pytest
from bench.reports import NOW, made_turn

from voice.core.messages.showing import ALL_PROVEN
from voice.core.records import TrustTier
from voice.core.usage import Total
from voice.entrypoints.web.pages.turn_view import TurnView, cost_in_words, source_views, totals_in_words
from voice.ports.row_queries import SessionFigures
from voice.services.sessions.report import sum_of

pytestmark = pytest.mark.requirement("web:sessions:totals")


@pytest.mark.requirement("web:chat")
@pytest.mark.parametrize(("tiers", "told"), [("green red", None), ("red amber", "amber"), ("red", "red"), ("", None)])
def test_a_sentence_says_where_it_rests_on_the_word_of_others_alone(tiers: str, told: str | None) -> None:
    turn = made_turn(0, NOW)
    cited = [[replace(turn.sources[0], trust_tier=TrustTier(each))] for each in tiers.split()]
    sentence = TurnView(exchange=turn).sentences[0]
    assert replace(sentence, sources=source_views(cited)).others_word == told


@pytest.mark.requirement("web:chat")
def test_one_line_stands_under_an_answer_that_is_all_proven() -> None:
    turn = made_turn(0, NOW)
    doubted = replace(turn, sentences=(replace(turn.sentences[0], rung="unverified"), *turn.sentences[1:]))
    assert [TurnView(exchange=each).proven for each in (turn, doubted, replace(turn, sentences=()))] == [
        ALL_PROVEN,
        None,
        None,
    ]


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
