"""Answers from before marks stood in them, as they are shown."""

from dataclasses import replace

import pytest

from full_verdicts import verdict
from store_values import exchange, full_exchange
from voice.core.grounding.values import GroundedResponse, Rung, SentenceVerdict
from voice.core.session.exchange import (
    TurnFacts,
    TurnSpent,
    build_exchange,
    figures_of,
    read_today,
    total_cost,
    total_usage,
    with_marks,
)
from voice.core.session.turn_traces import sessionless_calls, sessionless_turn, turn_stub
from voice.core.usage import NO_USAGE

ANSWER = "Ada moved.\n\nShe sold it. Why?"


def said(text: str, rung: Rung) -> SentenceVerdict:
    return verdict(text, rung=rung, start=ANSWER.index(text), end=ANSWER.index(text) + len(text))


BARE = exchange(
    answer=ANSWER,
    sentences=(said("Ada moved.", "verified"), said("She sold it.", "contradicted"), said("Why?", "unverified")),
)


@pytest.mark.requirement("grounding:marked-everywhere")
def test_a_bare_answer_of_an_earlier_judge_gets_its_marks_and_offsets_stay_those_of_the_bare_words() -> None:
    shown = with_marks(BARE)
    assert shown.answer == "Ada moved.\n\n[✗ contradicted: She sold it.] [~ not checked: Why?]"
    assert [shown.answer[one.start : one.end] for one in shown.sentences] == ["Ada moved.", "She sold it.", "Why?"]


def test_an_answer_that_has_its_marks_stays_as_it_is() -> None:
    shown = with_marks(BARE)
    assert with_marks(shown) is shown
    assert with_marks(replace(BARE, refused=True)).answer == ANSWER
    assert with_marks(replace(BARE, answer="")).answer == ""


def test_of_an_answer_that_has_some_marks_the_others_are_added() -> None:
    first = with_marks(replace(BARE, sentences=BARE.sentences[:2]))
    rest = said("Why?", "unverified")
    moved = replace(rest, start=first.answer.index("Why?"), end=len(first.answer))
    assert with_marks(replace(first, sentences=(*first.sentences, moved))).answer == with_marks(BARE).answer


FULL = full_exchange()
FACTS = TurnFacts(
    exchange_id=FULL.id, session_id=FULL.session_id, index=FULL.index, timestamp=FULL.timestamp, question=FULL.my_query,
    stance=FULL.stance, provider=FULL.provider, model=FULL.model, price=FULL.price, policy=FULL.policy,
)  # fmt: skip
JUDGED = GroundedResponse(
    answer=FULL.answer, sources=FULL.sources, confidence=FULL.confidence, coverage_ratio=0.25, refused=True,
    notes=FULL.notes, reason=FULL.reason, sentences=FULL.sentences, cut=FULL.cut, verification=FULL.verification,
    rejected_citations=FULL.rejected_citations, evidence_found=FULL.evidence_found, self_reported=FULL.self_reported,
)  # fmt: skip
CALLS = FULL.attempts[1:]


@pytest.mark.requirement("ruling:D9")
def test_a_turn_is_kept_with_all_that_was_asked_judged_and_spent() -> None:
    spent = TurnSpent(prompt=FULL.prompt, attempts=CALLS, latency_ms=15, is_private=True)
    kept = replace(
        FULL, coverage_ratio=0.25, memories_referenced=("o:1",), premise=(), attempts=CALLS, latency_ms=15,
        prompt_tokens=5, completion_tokens=6, cached_tokens=1, cost_estimate=total_cost(CALLS, FULL.price),
        sentences=tuple(replace(each, text="", reasons=(), receipts=()) for each in FULL.sentences),
    )  # fmt: skip
    assert build_exchange(FACTS, JUDGED, spent) == kept
    told = build_exchange(FACTS, replace(JUDGED, refused=False, reason=None), spent)
    assert told == replace(kept, refused=False, reason=None, status="answered", sentences=FULL.sentences)
    bare = build_exchange(replace(FACTS, price=None), JUDGED, TurnSpent(latency_ms=1))
    assert (bare.prompt, bare.prompt_hash, bare.price, bare.price_source, bare.is_private) == (*[None] * 4, False)
    assert total_usage(()) == NO_USAGE
    odd: dict[str, object] = {"sentences": [3, {"rung": "quoted", "verdict": 1}, {"text": ""}], "verification": 4}
    assert read_today(odd) == odd


def test_the_figures_of_a_turn_are_those_that_are_known() -> None:
    known = {"latency_ms": FULL.latency_ms, "coverage_ratio": FULL.coverage_ratio, "refused": True, "status": "refused"}
    assert figures_of(replace(FULL, completion_tokens=None)) == known
    whole = figures_of(exchange(latency_ms=3, coverage_ratio=0.5))
    assert whole == {
        "latency_ms": 3, "coverage_ratio": 0.5, "refused": False, "status": "answered", "prompt_tokens": 10,
        "completion_tokens": 4, "cost_estimate": "0.000123",
    }  # fmt: skip


def test_what_was_called_outside_any_session_leaves_its_figures() -> None:
    figures = {
        "provider": FULL.provider, "model": FULL.model, "policy": FULL.policy, "price": FULL.price,
        "price_source": "genai-prices 2026-11-01", "stance": FULL.stance, "prompt_tokens": 5, "completion_tokens": 6,
        "cached_tokens": 1, "latency_ms": 8, "cost_estimate": total_cost(CALLS, FULL.price),
    }  # fmt: skip
    kept = sessionless_calls(CALLS, FACTS)
    assert kept == exchange(
        FULL.session_id, FULL.index, timestamp=FULL.timestamp, my_query="", answer="", confidence=0.0,
        coverage_ratio=0.0, refused=True, status="error", attempts=CALLS, deleted=True, **figures,
    )  # fmt: skip
    assert sessionless_turn(FULL, session_id="s:9") == replace(turn_stub(FULL), session_id="s:9", index=0)
