"""A sentence's verdict as programs read it."""

from store_values import full_exchange
from voice.core.render.answer import exchange_json, sentence_json


def test_a_verdict_is_read_with_its_place_reasons_flags_and_receipts() -> None:
    verdict = full_exchange().sentences[0]
    form = sentence_json(verdict)
    assert (form["start"], form["end"], form["text"]) == (0, 9, "In Porto.")
    assert (form["kind"], form["verdict"], form["score"]) == ("claim", "supported", 0.3)
    assert form["reasons"] == ["the source says so"]
    assert form["flags"] == ["name"]
    assert sentence_json(full_exchange().sentences[1])["score"] is None


def test_the_sentences_of_a_refused_draft_are_not_read_at_all() -> None:
    assert exchange_json(full_exchange())["sentences"] == []
