"""A sentence's verdict as programs read it."""

from dataclasses import replace

import pytest

from store_values import exchange, full_exchange
from voice.core.grounding.values import CutSentence, Receipt, SentenceVerdict
from voice.core.render.turn_json import exchange_json, nlq_json, sentence_json

PROVEN = SentenceVerdict(
    start=0,
    end=9,
    text="In Porto.",
    kind="claim",
    rung="verified",
    score=0.3,
    receipts=(Receipt(row_id="o:1", content_hash="h", start=0, end=9),),
    verifier="llm gemini-2.5-pro",
)
CUT = CutSentence(
    rung="contradicted", kind="claim", weight=2.0, digest="d" * 64, reasons=("the note says 14",), flags=("number",)
)


def test_a_verdict_is_read_with_its_place_rung_verifier_and_receipts() -> None:
    form = sentence_json(PROVEN)
    assert (form["start"], form["end"], form["text"], form["shown"]) == (0, 9, "In Porto.", "In Porto.")
    assert (form["kind"], form["rung"], form["score"]) == ("claim", "verified", 0.3)
    assert (form["verifier"], form["judge"], form["sources"]) == ("llm gemini-2.5-pro", "ladder-1", ["o:1"])


@pytest.mark.requirement("grounding:marked-everywhere")
def test_a_sentence_that_is_not_proven_is_read_with_its_mark_and_with_what_nothing_gives() -> None:
    doubtful = replace(PROVEN, rung="unsupported", reasons=("the cited sources do not give Porto",), missing=((3, 8),))
    form = sentence_json(doubtful)
    assert form["shown"] == "[✗ not supported: In Porto.]"
    assert form["reasons"] == ["the cited sources do not give Porto"]
    assert form["missing"] == [{"start": 3, "end": 8}]


def test_the_sentences_of_a_refused_draft_are_not_read_at_all() -> None:
    assert exchange_json(full_exchange())["sentences"] == []
    assert exchange_json(exchange(sentences=(PROVEN,)))["sentences"] == [sentence_json(PROVEN)]


@pytest.mark.requirement("grounding:cut")
def test_what_was_left_out_is_told_by_number_rung_and_reason_in_both_shapes() -> None:
    turn = exchange(sentences=(PROVEN,), cut=(CUT, replace(CUT, rung="unverified", reasons=(), flags=())))
    told: dict[str, object] = {
        "sentences_cut": 2,
        "told": "2 sentences left out: 1 contradicted by the cited sources, 1 not checked",
        "cut": [
            {"rung": "contradicted", "kind": "claim", "reasons": ["the note says 14"], "flags": ["number"]},
            {"rung": "unverified", "kind": "claim", "reasons": [], "flags": []},
        ],
    }
    assert exchange_json(turn)["left_out"] == told
    assert nlq_json(turn)["left_out"] == told


def test_where_nothing_was_left_out_nothing_is_told_of_it() -> None:
    turn = exchange(sentences=(PROVEN,))
    assert exchange_json(turn)["left_out"] is None
    assert nlq_json(turn).keys() == {"answer", "sources"}
