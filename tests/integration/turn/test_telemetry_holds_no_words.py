"""Whatever a turn goes through, no word of anybody's is on a span, in a measurement or on a line of the log."""

import json
import os
import subprocess
import sys
from asyncio import CancelledError
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

import played_turns
from played_turns import FIRED, GROUNDED, KILN, MOVED, PAID, WHERE, Speak, memory, quoting, reply, scripted, tell, wire
from told_telemetry import Told
from voice.adapters.llm.scripted import ScriptedClient
from voice.core.errors import ProviderRejected, VoiceError
from voice.core.settings.providers import VerifierSettings
from voice.core.settings.values import PrivacySettings
from voice.core.usage import Usage
from voice.ports.llm import LlmReply, LlmRequest
from voice.ports.system import error_kind
from voice.services.runtime.measurements import reply_attributes
from voice.services.turn.ask import AskRequest

TURN = "invoke_agent inner-voice"
CANARY = "zqcanary"
ENDINGS = ("answers", "invents", "rejected", "breaks", "judged", "unjudged")


def client_that(ending: str, canary: str) -> ScriptedClient:
    if ending == "rejected":
        return scripted(ProviderRejected(canary))
    if ending == "breaks":

        def breaks(request: LlmRequest) -> str:
            raise RuntimeError(f"{canary} {request.prompt}")

        return scripted(breaks)
    if ending in ("judged", "unjudged"):
        second: Speak | str = opinions if ending == "judged" else canary
        answer = f"{MOVED} On Sunday Marta made her earliest pottery in the oven."
        return scripted(quoting(MOVED, FIRED, answer=answer), second)
    said = {"answers": GROUNDED, "invents": wire(f"{canary} did.", ("S1", canary))}
    line = said[ending]

    def speak(request: LlmRequest) -> LlmReply:
        text = line if isinstance(line, str) else str(line(request))
        return replace(reply(text, Usage(input_tokens=9)), finish_reason=canary, model=canary)

    return scripted(speak, profile=replace(PAID, remote=False))


def opinions(request: LlmRequest) -> str:
    count = request.prompt.count('"claim"')
    return json.dumps({"verdicts": [{"pair": n, "verdict": "supported"} for n in range(1, count + 1)]})


async def play(home: Path, ending: str, canary: str, told: Told) -> None:
    judged = VerifierSettings(name="llm" if ending.endswith("judged") else "none")
    chosen = played_turns.given(privacy=PrivacySettings(log_level="debug"), verifier=judged)
    async with memory(home, client_that(ending, canary), settings=chosen, telemetry=told.telemetry()) as services:
        await tell(services, *KILN, f"The kiln and the {canary} stand in the shed.", tags=(canary,))
        await services.ask(AskRequest(question=WHERE, new_topic=canary))
        await services.ask(AskRequest(question=f"Where is the {canary}?", when="last year", exclude_tags=(canary,)))
        for wrong in (AskRequest(question=WHERE, session_id=canary), AskRequest(question=WHERE, when=f"the {canary}")):
            with suppress(VoiceError):
                await services.ask(wrong)


@pytest.mark.requirement("observe:no-content", "promise:6", "s2:privacy:aggregates-only", "ruling:D19")
@pytest.mark.parametrize("ending", ENDINGS)
async def test_no_word_of_a_memory_a_question_a_topic_a_draft_or_an_error_is_told(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], ending: str
) -> None:
    told = Told()
    await play(tmp_path, ending, CANARY, told)
    logged = capfd.readouterr().err
    assert {TURN, "retrieval", "save"} <= {span.name for span in told.spans()}
    assert logged.count('"event": "turn"') >= 6
    seen = f"{told.everything()}\n{logged}".casefold()
    assert [word for word in (CANARY, "kiln", "behind", "marta", "pottery") if word in seen] == []


@pytest.mark.requirement("observe:no-content", "promise:6")
@given(words=st.text(min_size=1))
def test_of_what_a_provider_says_only_its_tokens_and_a_known_reason_to_stop_are_told(words: str) -> None:
    said = replace(reply(words, Usage(input_tokens=3)), finish_reason=words, model=words)
    told = dict(reply_attributes(said))
    (stopped,) = cast("tuple[str]", told.pop("gen_ai.response.finish_reasons"))
    assert told == {"gen_ai.usage.input_tokens": 3}
    assert stopped in {"other", "stop", "length", "max_tokens", "content_filter", "safety", "recitation", "tool_calls"}


@pytest.mark.requirement("observe:no-content", "promise:6")
@given(words=st.text())
def test_of_an_error_only_its_kind_is_told(words: str) -> None:
    errors = (ProviderRejected(words), RuntimeError(words), CancelledError(words))
    assert [error_kind(error) for error in errors] == ["provider_rejected", "RuntimeError", "cancelled"]


UNWATCHED = """
import asyncio, sys
from pathlib import Path
from played_turns import one_turn

{before}
asyncio.run(one_turn(Path(sys.argv[1])))
{after}
"""
LOADED = "print(sorted(name for name in sys.modules if name.startswith('opentelemetry')))"
SET_UP = """
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

kept, reader = InMemorySpanExporter(), InMemoryMetricReader()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(kept))
trace.set_tracer_provider(provider)
metrics.set_meter_provider(MeterProvider(metric_readers=[reader]))
"""
SEEN = """
print([span.name for span in kept.get_finished_spans()][-1])
scopes = reader.get_metrics_data().resource_metrics[0].scope_metrics
print(sorted(metric.name for scope in scopes for metric in scope.metrics if metric.name.startswith("voice.")))
"""


def run(home: Path, before: str, after: str) -> list[str]:
    code = UNWATCHED.format(before=before, after=after)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    done = subprocess.run(
        [sys.executable, "-c", code, str(home)],
        capture_output=True,
        text=True,
        env=environment,
        check=True,
        timeout=120,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


@pytest.mark.requirement("observe:free")
def test_where_nobody_can_listen_opentelemetry_is_not_even_imported(tmp_path: Path) -> None:
    assert run(tmp_path, "", LOADED) == ["[]"]


@pytest.mark.requirement("observe:free", "observe:spans", "observe:metrics")
def test_a_program_that_sets_up_the_sdk_is_told_without_further_ado(tmp_path: Path) -> None:
    assert run(tmp_path, SET_UP, SEEN) == [
        TURN,
        "['voice.turn.cost', 'voice.turn.coverage', 'voice.turn.duration', 'voice.turns']",
    ]
