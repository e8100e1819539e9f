"""What a turn tells whoever watches: spans, measurements and lines of figures, and never a word of anybody's."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import SpanKind, StatusCode

from held_models import trying_again
from llm_clients import REQUEST
from played_turns import (
    GROUNDED,
    NOW,
    PAID,
    USAGE,
    given,
    grounded,
    one_turn,
    reply,
    scripted,
)
from present import present
from told_telemetry import Told, labels
from voice.core.errors import ProviderUnavailable
from voice.core.settings.values import PrivacySettings
from voice.core.text.instants import render_instant
from voice.ports.llm import LlmReply, LlmRequest
from voice.services.runtime.telemetry import ObservedLlm

TURN = "invoke_agent inner-voice"
CALL = "chat scripted-1"
REFUSES = PrivacySettings(allow_private_remote=True)
Line = dict[str, object]


def parents(spans: Sequence[ReadableSpan]) -> set[tuple[str, str | None]]:
    names = {span.context.span_id: span.name for span in spans if span.context}
    return {(span.name, names[span.parent.span_id] if span.parent else None) for span in spans}


@pytest.mark.requirement("observe:spans")
async def test_a_turn_is_one_span_and_its_search_its_call_and_its_save_are_spans_inside(tmp_path: Path) -> None:
    told = Told()
    turn = await one_turn(tmp_path, grounded(), telemetry=told.telemetry())
    assert parents(told.spans()) == {(TURN, None), ("retrieval", TURN), (CALL, TURN), ("save", TURN)}
    whole, kept = labels(told.span(TURN)), turn.exchange
    record = present(kept.prompt)
    assert whole == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "inner-voice",
        "gen_ai.conversation.id": turn.session.id,
        "gen_ai.provider.name": "scripted",
        "gen_ai.request.model": "scripted-1",
        "gen_ai.usage.input_tokens": 1000,
        "gen_ai.usage.output_tokens": 100,
        "gen_ai.usage.cache_read.input_tokens": 0,
        "voice.exchange.id": kept.id,
        "voice.status": "answered",
        "voice.stance": "synthesize",
        "voice.refused": False,
        "voice.coverage_ratio": 1.0,
        "voice.evidence.count": len(present(turn.plan).evidence),
        "voice.sources.count": 2,
        "voice.prompt.template": record.template,
        "voice.prompt.template_hash": record.template_hash,
        "voice.prompt.tokens_estimated": record.prompt_tokens_estimated,
        "voice.calls": 1,
        "voice.cost_usd": 0.0,
        "voice.latency_ms": 0,
    }
    assert all(span.status.status_code is StatusCode.UNSET for span in told.spans())


@pytest.mark.requirement("observe:spans", "observe:metrics")
async def test_a_call_is_told_as_the_conventions_for_generative_models_want_it(tmp_path: Path) -> None:
    def speak(request: LlmRequest) -> LlmReply:
        return replace(reply(str(GROUNDED(request)), USAGE), finish_reason="STOP")

    told, client = Told(), scripted(speak, profile=replace(PAID, remote=True))
    settings = given(privacy=REFUSES)
    await one_turn(tmp_path, client, telemetry=told.telemetry(), settings=settings)
    call = told.span("chat paid-1")
    assert call.kind is SpanKind.CLIENT
    assert labels(call) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "vendor",
        "gen_ai.request.model": "paid-1",
        "gen_ai.request.max_tokens": settings.llm.max_output_tokens,
        "gen_ai.request.temperature": labels(call)["gen_ai.request.temperature"],
        "gen_ai.output.type": "json",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 1000,
        "gen_ai.usage.output_tokens": 100,
        "gen_ai.usage.cache_read.input_tokens": 0,
        "voice.tries": 1,
    }
    points = told.points()
    of_call = {"gen_ai.operation.name": "chat", "gen_ai.provider.name": "vendor", "gen_ai.request.model": "paid-1"}
    assert sorted((str(of["gen_ai.token.type"]), total) for of, total, _ in points["gen_ai.client.token.usage"]) == [
        ("input", 1000),
        ("output", 100),
    ]
    assert [(of, count) for of, _, count in points["gen_ai.client.operation.duration"]] == [(of_call, 1)]
    ended = {"voice.status": "answered", "voice.stance": "synthesize"}
    assert points["voice.turns"] == [(ended, 1, 1)]
    assert points["voice.turn.duration"] == [(ended, 0.0, 1)]
    assert points["voice.turn.coverage"] == [({"voice.stance": "synthesize"}, 1.0, 1)]
    assert points["voice.turn.cost"] == [({"voice.status": "answered"}, 0.002, 1)]


@pytest.mark.requirement("observe:spans")
async def test_a_call_that_was_tried_again_is_one_span_with_the_number_of_its_tries() -> None:
    told, metered = Told(), list[str]()

    tries = scripted(ProviderUnavailable("busy"), ProviderUnavailable("busy"), "x")
    client = ObservedLlm(inner=trying_again(tries), telemetry=told.telemetry())
    await client.complete(replace(REQUEST, on_retry=lambda: metered.append("again")))
    await client.aclose()
    assert (labels(told.span(CALL))["voice.tries"], metered) == (3, ["again", "again"])
    assert told.span(CALL).status.status_code is StatusCode.UNSET


@pytest.mark.requirement("observe:no-log", "ruling:D19", "s0:constraint:logging", "s0:logging:no-log")
async def test_under_no_log_turns_are_counted_by_how_they_ended_and_nothing_else_is_told(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    told = Told()
    settings = given(privacy=PrivacySettings(no_log=True, log_level="debug"))
    await one_turn(tmp_path, grounded(), telemetry=told.telemetry(), settings=settings)
    assert told.spans() == ()
    assert told.points() == {"voice.turns": [({"voice.status": "answered"}, 1, 1)]}
    assert capfd.readouterr() == ("", "")


def lines(err: str) -> list[Line]:
    return [cast("Line", json.loads(line)) for line in err.splitlines()]


@pytest.mark.requirement("observe:log", "s2:privacy:aggregates-only", "ruling:D19")
async def test_a_turn_is_a_line_of_figures_and_at_debug_one_of_ids(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    settings = given(privacy=PrivacySettings(log_level="debug"))
    turn = await one_turn(tmp_path, grounded(), settings=settings)
    figures, ids = [line for line in lines(capfd.readouterr().err) if line["event"] == "turn"]
    assert (figures["level"], figures["at"], figures["status"]) == ("info", render_instant(NOW), "answered")
    assert (figures["prompt_tokens"], figures["completion_tokens"], figures["coverage_ratio"]) == (1000, 100, 1.0)
    assert (figures["refused"], figures["latency_ms"], figures["cost_estimate"]) == (False, 0, 0.0)
    assert {name: ids[name] for name in ids.keys() - {"event", "level", "at"}} == {
        "session": turn.session.id,
        "exchange": turn.exchange.id,
    }
    assert ids["level"] == "debug"
