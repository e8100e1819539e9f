"""What no turn can say of itself is found, by its place."""

from dataclasses import replace
from decimal import Decimal

import pytest

from store_values import citation, exchange, full_exchange
from voice.core.grounding.values import LocatedSpan
from voice.core.grounding.verifier_values import LexicalDetail, LexicalPart
from voice.core.session.document import MOST_MONEY, implausible_member
from voice.core.session.values import DialogueExchange

pytestmark = pytest.mark.requirement("sessions:portable")
FULL = full_exchange()
ANSWERED = replace(FULL, status="answered", refused=False, reason=None)
FIRST = ANSWERED.sentences[0]
PART = LexicalPart(start=0, end=9, verdict="supported")
UNKNOWN = LocatedSpan(alias="S9", status="unknown_source", start=2, end=1)
CALL = FULL.attempts[0]


def with_sentence(**members: object) -> DialogueExchange:
    return replace(ANSWERED, sentences=(FIRST, replace(FIRST, **members)))  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    "turn",
    [
        exchange(),
        FULL,
        ANSWERED,
        with_sentence(start=3, end=3),
        with_sentence(lexical=LexicalDetail(kind="claim", parts=(PART,))),
        replace(FULL, answer="", sentences=(replace(FIRST, end=5000),)),
        replace(ANSWERED, answer="", redacted=(("answer", "c" * 64),)),
        replace(ANSWERED, price=None, cost_estimate=MOST_MONEY),
        exchange(status="error", refused=True),
    ],
)
def test_what_a_turn_can_be_is_let_in(turn: DialogueExchange) -> None:
    assert implausible_member(turn) is None
    assert implausible_member(replace(turn, cost_estimate=MOST_MONEY * 2)) is not None


@pytest.mark.parametrize(
    ("place", "turn"),
    [
        ("refused", replace(FULL, status="answered")),
        ("refused", replace(ANSWERED, refused=True)),
        ("refused", exchange(status="error", refused=False)),
        ("sentences[0]", replace(ANSWERED, answer="In")),
        ("sentences[1]", with_sentence(end=10)),
        ("sentences[1]", with_sentence(start=3, end=2)),
        ("sentences[1].missing", with_sentence(missing=((3, 10),))),
        ("sentences[1].parts", with_sentence(lexical=LexicalDetail(kind="claim", parts=(replace(PART, end=10),)))),
        ("sentences[1].receipts", with_sentence(receipts=(replace(FIRST.receipts[0], start=-1, end=0),))),
        ("sources[0]", replace(FULL, sources=(replace(citation(), span_start=10),))),
        ("evidence_found[0]", replace(FULL, evidence_found=(replace(citation(), span_start=-5),))),
        ("rejected_citations[0]", replace(FULL, rejected_citations=(UNKNOWN,))),
        ("cost_estimate", replace(FULL, cost_estimate=Decimal(-5))),
        ("cost_estimate", exchange(cost_estimate=MOST_MONEY + 1)),
        ("cost_estimate", exchange(cost_estimate=Decimal("NaN"))),
        ("attempts[1].worst", replace(FULL, attempts=(CALL, replace(CALL, worst=Decimal("1E+99"))))),
        ("price", replace(FULL, price=FULL.price and replace(FULL.price, output_per_million=Decimal("Infinity")))),
    ],
)
def test_what_no_turn_can_be_is_named(place: str, turn: DialogueExchange) -> None:
    assert implausible_member(turn) == place
