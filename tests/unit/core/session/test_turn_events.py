"""Events as values, as JSON, and as a line for who waits."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from full_verdicts import verdict
from store_values import citation, exchange, full_exchange
from told_events import SCHEMAS, require_schema
from voice.core.grounding.values import GroundedResponse, Receipt, RefusalReason
from voice.core.render.turn_json import error_json, event_json, event_line
from voice.core.session.turn_events import (
    Asked,
    Done,
    Drafting,
    Event,
    Judged,
    Refused,
    Retrieved,
    Sentence,
    Understood,
    events_of,
    ignore_event,
    judged_event,
)
from voice.core.session.values import Attempt
from voice.core.usage import Price, Usage

NOW = datetime(2026, 3, 20, 18, tzinfo=UTC)
EVENTS: tuple[tuple[Event, str], ...] = (
    (Understood(terms=("kiln",), entity_ids=("e:1",)), "looking"),
    (Understood(terms=(), time="last month: 2026-02", start=NOW, end=None), "looking; last month: 2026-02"),
    (Retrieved(ids=("o:1", "o:2"), shown=("o:1",)), "found 2 sentences, 1 for the prompt"),
    (Asked(provider="gemini", model="g-1", prompt_tokens=900), "asking gemini/g-1"),
    (Asked(provider="gemini", model="g-1", prompt_tokens=900, attempt=2), "asking gemini/g-1, try 2"),
    (Drafting(tokens=1), "drafting, 1 token so far; you see it when it is checked"),
    (Judged(refused=True, reason=RefusalReason.CONTRADICTION), "checked; storing it"),
    (Refused(reason=None, message="No.", notes=None, evidence=()), "done"),
)


@pytest.mark.requirement("stream:schema")
@pytest.mark.parametrize(("event", "line"), EVENTS)
def test_each_event_has_a_json_form_of_the_schema_and_a_line(event: Event, line: str) -> None:
    told = event_json(event)
    require_schema(told)
    assert told["event"] == type(event).__name__.lower()
    assert event_line(event) == line


@pytest.mark.requirement("stream:schema")
def test_a_stream_that_fails_ends_with_an_event_of_the_schema() -> None:
    require_schema(error_json("no_session", "there is no session"))


@pytest.mark.requirement("stream:schema")
def test_the_turn_and_its_parts_are_those_that_ask_prints() -> None:
    events, ask = (json.loads((SCHEMAS / f"{name}.schema.json").read_text("utf-8")) for name in ("events", "cli/ask"))
    beside = {"replayed", "skipped", "warnings"}
    assert {name: events["$defs"][name] for name in ask["$defs"]} == ask["$defs"]
    turn = events["$defs"]["turn"]
    assert turn["properties"] == {name: each for name, each in ask["properties"].items() if name not in beside}
    assert turn["required"] == [name for name in ask["required"] if name not in beside]
    told = events["$defs"]["sentence_told"]["properties"]
    assert {name: told[name] for name in ask["$defs"]["sentence"]["properties"]} == (
        ask["$defs"]["sentence"]["properties"]
    )


@pytest.mark.requirement("stream:kept")
def test_a_sentence_shows_the_citations_that_its_receipts_name() -> None:
    source = citation()
    receipt = Receipt(
        row_id=source.source_id, content_hash=source.content_hash, start=source.span_start, end=source.span_end
    )
    lost = Receipt(row_id="o:redacted", content_hash="", start=0, end=1)
    told = events_of(
        exchange(sources=(source,), sentences=(verdict("One.", receipts=(receipt, lost)), verdict("Two.")))
    )
    first, second, done = told
    assert isinstance(first, Sentence)
    assert (first.text, first.rung, first.spans) == ("One.", "quoted", (source,))
    assert isinstance(second, Sentence)
    assert (second.index, second.spans) == (1, ())
    assert isinstance(done, Done)
    for event in told:
        require_schema(event_json(event))
        assert event_line(event) == "done"


@given(answer=st.text(min_size=1), reason=st.sampled_from(RefusalReason))
def test_a_refusal_tells_its_message_and_no_sentence(answer: str, reason: RefusalReason) -> None:
    kept = exchange(answer=answer, refused=True, status="refused", reason=reason, sentences=(verdict(""),))
    assert events_of(kept) == (
        Refused(reason=reason, message=answer, notes=kept.notes, evidence=kept.evidence_found),
        Done(exchange=kept),
    )


def test_what_is_unknown_is_null() -> None:
    done = event_json(
        Done(exchange=exchange(prompt_tokens=None, completion_tokens=None, cached_tokens=None, cost_estimate=None))
    )
    assert done["usage"] == {"input_tokens": None, "output_tokens": None, "cached_input_tokens": None}
    assert done["cost_estimate"] is None
    assert (done["reckoned"], done["reckoned_cost_estimate"]) == (None, None)


@pytest.mark.requirement("stream:saved")
def test_what_was_not_reported_is_reckoned_beside_it() -> None:
    heard = Attempt(usage=Usage(input_tokens=100, output_tokens=10), latency_ms=1, outcome="malformed")
    stopped = Attempt(
        usage=Usage(), latency_ms=1, outcome="stopped", reckoned=Usage(input_tokens=120, output_tokens=20)
    )
    price = Price(input_per_million=Decimal(1), output_per_million=Decimal(10), source="table", as_of="2026-01-01")
    event = Done(exchange=exchange(attempts=(heard, stopped), cost_estimate=None, price=price))
    assert event.reckoned == Usage(input_tokens=220, output_tokens=30)
    assert Done(exchange=exchange(attempts=(heard,))).reckoned is None
    assert Done(exchange=exchange(cached_tokens=3)).usage == Usage(
        input_tokens=10, output_tokens=4, cached_input_tokens=3
    )
    told = event_json(event)
    require_schema(told)
    assert told["reckoned_cost_estimate"] == "0.00052"
    assert Done(exchange=exchange(attempts=(stopped,), price=None)).reckoned_cost is None


@pytest.mark.requirement("stream:unseen")
def test_a_verdict_holds_no_word_of_what_was_judged() -> None:
    response = GroundedResponse(
        answer="canary", sources=(), confidence=0.5, coverage_ratio=0.5, refused=False, notes="canary",
        sentences=(verdict("canary"),), source_count=2,
    )  # fmt: skip
    event = judged_event(response)
    ignore_event(event)
    assert "canary" not in repr(event)
    assert event == Judged(refused=False, coverage_ratio=0.5, rungs=("quoted",), source_count=2)
    refused = replace(response, refused=True, reason=RefusalReason.COVERAGE_LOW, cut=full_exchange().cut)
    assert judged_event(refused, stopped=True) == replace(
        event, refused=True, reason=RefusalReason.COVERAGE_LOW, sentences_cut=1, stopped=True
    )
