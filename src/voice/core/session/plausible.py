"""What no turn can say of itself, whatever it was about.

Law: a turn that came from elsewhere is kept only if this program could have made it: it ended one way, a place in a
text lies inside that text, and money is money. What is found is told by its place alone. Bounds that need no other
value stand in the published schema.

Source: docs/sessions.md; ruling H.
"""

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from voice.core.grounding.values import SentenceVerdict
from voice.core.session.values import DialogueExchange

MOST_MONEY: Final = Decimal(10**9)
"""In US dollars, of one turn or of a million tokens."""


def implausible(exchange: DialogueExchange) -> str | None:
    """Return the first member of a turn that cannot be, by its place; None where there is none."""
    if exchange.refused == (exchange.status == "answered"):
        return "refused"
    return next((place for place, is_fine in (*_spans(exchange), *_money(exchange)) if not is_fine), None)


def _spans(exchange: DialogueExchange) -> Iterator[tuple[str, bool]]:
    """Yield where a place in a text is named, and whether it can be one.

    Sentences of a refused turn are those of a draft that nobody keeps, and so are those of an answer that was redacted.
    """
    is_there = exchange.status == "answered" and "answer" not in dict(exchange.redacted)
    end_of_answer = len(exchange.answer) if is_there else None
    for at, sentence in enumerate(exchange.sentences):
        yield from _spans_of(sentence, f"sentences[{at}]", end_of_answer)
    for name, sources in (("sources", exchange.sources), ("evidence_found", exchange.evidence_found)):
        yield from (
            (f"{name}[{at}]", _is_span(source.span_start, source.span_end)) for at, source in enumerate(sources)
        )
    yield from (
        (f"rejected_citations[{at}]", _is_span(span.start, span.end))
        for at, span in enumerate(exchange.rejected_citations)
    )


def _spans_of(sentence: SentenceVerdict, place: str, end_of_answer: int | None) -> Iterator[tuple[str, bool]]:
    length = len(sentence.text) if sentence.text else None
    parts = sentence.lexical.parts if sentence.lexical else ()
    yield place, _is_span(sentence.start, sentence.end, end_of_answer)
    yield from ((f"{place}.receipts", _is_span(each.start, each.end)) for each in sentence.receipts)
    yield from ((f"{place}.missing", _is_span(start, end, length)) for start, end in sentence.missing)
    yield from ((f"{place}.parts", _is_span(each.start, each.end, end_of_answer)) for each in parts)


def _is_span(start: int, end: int, within: int | None = None) -> bool:
    return 0 <= start <= end and (within is None or end <= within)


def _money(exchange: DialogueExchange) -> Iterator[tuple[str, bool]]:
    yield "cost_estimate", _is_money(exchange.cost_estimate)
    yield from ((f"attempts[{at}].worst", _is_money(each.worst)) for at, each in enumerate(exchange.attempts))
    price = exchange.price
    if price is not None:
        rates = (price.input_per_million, price.output_per_million, price.cached_input_per_million)
        yield "price", all(map(_is_money, rates))


def _is_money(amount: Decimal | None) -> bool:
    return amount is None or (amount.is_finite() and 0 <= amount <= MOST_MONEY)
