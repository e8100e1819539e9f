"""What the judge before this one wrote, whatever it was about.

Law: "Nothing it said is lost, so the form in which a turn was stored, and to which the chain of its conversation
commits, is made again exactly" (core/session/exchange.py).
"""

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store_values import exchange
from tables import tables
from voice.adapters.disk.values_json import from_json, to_json
from voice.core.grounding.values import LEXICAL_JUDGE, PROVEN, Receipt
from voice.core.grounding.verifier_values import (
    LexicalKind,
    LexicalPart,
    LexicalThresholds,
    LexicalVerdict,
    LexicalVerifier,
)
from voice.core.session.exchange import LexicalSentence, LexicalVerification
from voice.core.session.turn_traces import plain_json, values_of
from voice.core.session.values import DialogueExchange

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("sessions:earlier-judge")
_texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=20)
_places = st.integers(0, 10**6)
_numbers = st.floats(0, 1000, allow_nan=False)
_verdicts = st.sampled_from(get_args(LexicalVerdict))
_reasons = st.lists(_texts, max_size=2).map(tuple)
_parts = st.builds(LexicalPart, start=_places, end=_places, verdict=_verdicts, reasons=_reasons)
_receipts = st.builds(Receipt, row_id=_texts, content_hash=_texts, start=_places, end=_places)
_sentences = st.builds(
    LexicalSentence,
    start=_places,
    end=_places,
    text=_texts,
    kind=st.sampled_from(get_args(LexicalKind)),
    verdict=_verdicts,
    score=st.none() | _numbers,
    weight=_numbers,
    receipts=st.lists(_receipts, max_size=2).map(tuple),
    reasons=_reasons,
    flags=_reasons,
    parts=st.lists(_parts, max_size=2).map(tuple),
)
_thresholds = st.builds(
    LexicalThresholds, support=st.none() | _numbers, doubt=st.none() | _numbers, contradiction=st.none() | _numbers
)
_verifiers = st.builds(LexicalVerifier, name=_texts, version=_texts, thresholds=_thresholds)
_records = st.builds(
    LexicalVerification,
    verifiers=st.lists(_verifiers, max_size=3).map(tuple),
    ensemble=st.sampled_from(["all", "majority"]),
    asked=_places,
    lapses=st.lists(st.tuples(_texts, st.sampled_from(["late", "failed", "malformed", "budget"])), max_size=2).map(
        tuple
    ),
)


def read(members: dict[str, object]) -> DialogueExchange:
    """Return a turn with these members as it is read from a store or a file."""
    return from_json(DialogueExchange, to_json(DialogueExchange, exchange()) | members)


@given(_sentences)
def test_a_verdict_is_committed_to_as_it_was_written_however_often_it_was_read(sentence: LexicalSentence) -> None:
    written = plain_json((sentence,))
    once = read({"sentences": written})
    again = from_json(DialogueExchange, to_json(DialogueExchange, once))
    assert again == once
    assert values_of(again)["sentences"] == written


@given(_records)
def test_a_record_of_verifiers_is_committed_to_as_it_was_written(record: LexicalVerification) -> None:
    written = plain_json(record)
    once = read({"verification": written})
    assert from_json(DialogueExchange, to_json(DialogueExchange, once)) == once
    assert values_of(once)["verification"] == written
    assert once.verification is not None
    assert once.verification.is_degraded == bool(record.lapses)


@given(_sentences)
def test_what_it_called_supported_is_proven_by_its_name_and_nothing_else_is(sentence: LexicalSentence) -> None:
    (found,) = read({"sentences": plain_json((sentence,))}).sentences
    assert found.judge == LEXICAL_JUDGE
    assert found.is_proven == (sentence.verdict == "supported")
    assert (found.rung in PROVEN) == (sentence.verdict == "supported")
    assert (found.verifier == LEXICAL_JUDGE) == (sentence.verdict != "not_a_claim")
    assert (found.kind == "question") == (sentence.kind == "question")


def test_a_policy_is_recorded_with_the_threshold_it_was_judged_by() -> None:
    turn = exchange()
    earlier = replace(turn.policy, support_threshold=1.65, on_unsupported="mark")
    assert "support_threshold" not in str(values_of(turn)["policy"])
    assert "'support_threshold': 1.65" in str(values_of(replace(turn, policy=earlier))["policy"])


@pytest.mark.parametrize("members", TABLES["what_nobody_wrote_is_no_turn"])
def test_what_nobody_wrote_is_no_turn(members: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="not a valid DialogueExchange"):
        read(members)
