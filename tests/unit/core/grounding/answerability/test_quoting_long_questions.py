"""A long question tells a story before it asks: much of it is enough, although it is a small share."""

from collections.abc import Sequence
from datetime import UTC, datetime

from voice.core.grounding.answerability.fit import Reading
from voice.core.grounding.answerability.quoting import Question, Quote, rank_quotes, weigh_quotes
from voice.core.grounding.values import Evidence
from voice.core.records import TrustTier
from voice.core.text.normalise import content_hash

LONG = (
    "After the insurance clerk had called about the dented fender and the garage had sent its estimate, which two "
    "papers did I post to the lawyer together with the photographs of the crossing?"
)


def _row(text: str) -> Evidence:
    return Evidence(
        alias="S1",
        row_id="o:1",
        source_type="kg_observation",
        text=text,
        shown=text,
        content_hash=content_hash(text),
        trust=TrustTier.GREEN,
        created_at=datetime(2026, 3, 5, tzinfo=UTC),
    )


def _ranked(question: str, rows: Sequence[Evidence]) -> list[Quote]:
    asked = Question.of(question)
    return rank_quotes(asked, weigh_quotes(asked, rows), Reading.of(question, rows))


def test_a_sentence_with_much_of_a_long_question_speaks_to_it() -> None:
    row = _row("Posted the estimate and the police report to the lawyer, with the photographs.")
    assert [quote.text for quote in _ranked(LONG, [row])] == [row.text]


def test_a_sentence_with_little_of_it_does_not() -> None:
    row = _row("The lawyer has a new office near the station.")
    assert _ranked(LONG, [row]) == []
    assert _ranked("Where does the lawyer have an office?", [row]) != []


def test_much_of_a_short_question_is_a_share_of_it() -> None:
    row = _row("The garage was closed.")
    assert _ranked("Which garage repaired the dented fender of the trailer?", [row]) == []
    assert _ranked("When was the garage closed?", [row]) != []
