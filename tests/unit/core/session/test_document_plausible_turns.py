"""What no turn can say of itself is found, by its place."""

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

import pytest

from store_values import citation, exchange, full_exchange
from voice.core.grounding.values import LocatedSpan, Receipt
from voice.core.grounding.verifier_values import LexicalDetail, LexicalPart
from voice.core.session.document import MOST_MONEY, implausible_member
from voice.core.session.values import DialogueExchange

pytestmark = pytest.mark.requirement("sessions:portable")
FULL = full_exchange()
ANSWERED = replace(FULL, status="answered", refused=False, reason=None)
FIRST = ANSWERED.sentences[0]
PART = LexicalPart(start=0, end=9, verdict="supported")


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


WRONG: dict[str, Callable[[], DialogueExchange]] = {
    "refused": lambda: replace(FULL, status="answered"),
    "sentences[1]": lambda: with_sentence(start=3, end=2),
    "sentences[1].missing": lambda: with_sentence(missing=((3, 10),)),
    "sentences[1].parts": lambda: with_sentence(lexical=LexicalDetail(kind="claim", parts=(replace(PART, end=10),))),
    "sentences[1].receipts": lambda: with_sentence(
        receipts=(Receipt(row_id="o:1", content_hash="h", start=-1, end=0),)
    ),
    "sources[0]": lambda: replace(FULL, sources=(replace(citation(), span_start=10),)),
    "evidence_found[0]": lambda: replace(FULL, evidence_found=(replace(citation(), span_start=-5),)),
    "rejected_citations[0]": lambda: replace(
        FULL, rejected_citations=(LocatedSpan(alias="S9", status="unknown_source", start=2, end=1),)
    ),
    "cost_estimate": lambda: replace(FULL, cost_estimate=Decimal(-5)),
    "attempts[1].worst": lambda: replace(
        FULL, attempts=(FULL.attempts[0], replace(FULL.attempts[1], worst=Decimal("1E+99")))
    ),
    "price": lambda: replace(FULL, price=FULL.price and replace(FULL.price, output_per_million=Decimal("Infinity"))),
}


@pytest.mark.parametrize("place", WRONG)
def test_what_no_turn_can_be_is_named(place: str) -> None:
    assert implausible_member(WRONG[place]()) == place


def test_an_answered_turn_is_not_refused_and_another_one_is() -> None:
    assert implausible_member(replace(ANSWERED, refused=True)) == "refused"
    assert implausible_member(exchange(status="error", refused=False)) == "refused"


def test_a_sentence_lies_inside_its_answer() -> None:
    assert implausible_member(with_sentence(end=10)) == "sentences[1]"
    assert implausible_member(replace(ANSWERED, answer="In")) == "sentences[0]"


def test_money_has_an_end() -> None:
    assert implausible_member(exchange(cost_estimate=MOST_MONEY + 1)) == "cost_estimate"
    assert implausible_member(exchange(cost_estimate=Decimal("NaN"))) == "cost_estimate"
