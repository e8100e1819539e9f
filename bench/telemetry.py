"""What telling OpenTelemetry costs a turn.

    python -m bench.telemetry --json

One turn with one retrieval, one call and one save, all of them doing nothing, is run with its layers around it and
without them; the difference is the telling. CPU time of one thread. Three listeners: nobody (OpenTelemetry is not
imported in the process), the API without an SDK, and an SDK that keeps everything in memory. What is imported is
imported when it is that one's turn.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from bench.turns import plain_turn
from voice.adapters.llm.scripted import SCRIPTED_PROFILE
from voice.adapters.telemetry import OpenTelemetry
from voice.core.grounding.values import Stance
from voice.core.session.values import InnerVoiceSession
from voice.core.usage import Usage
from voice.ports.llm import LlmClient, LlmReply, LlmRequest, ModelProfile
from voice.ports.system import Telemetry
from voice.services.runtime.measurements import RETRIEVAL_SPAN, retrieval_attributes, retrieval_labels
from voice.services.runtime.telemetry import ObservedLlm, ObservedTurns
from voice.services.runtime.turn import AskRequest, Turn

_AT = datetime(2026, 1, 1, tzinfo=UTC)
_SESSION = InnerVoiceSession(
    id="s:1",
    provider="scripted",
    model="scripted-1",
    max_prompt_tokens=1,
    thread_topic="",
    created_at=_AT,
    last_interaction=_AT,
)
_TURN = Turn(session=_SESSION, exchange=plain_turn(), parsed=None, selection=None, plan=None)
_ASKED = AskRequest(question="")
_CALL = LlmRequest(
    system="",
    prompt="",
    question="",
    evidence=(),
    stance=Stance.SYNTHESIZE,
    schema={},
    temperature=0.0,
    max_output_tokens=1,
    timeout_s=1.0,
)
_REPLY = LlmReply(text="", usage=Usage(input_tokens=1000, output_tokens=100), model="", finish_reason="stop")
_FIGURES = {"provider": "local", "model": "m", "dim": 256, "k_req": 8, "floor": 0.25, "k_ret": 8, "latency_ms": 3}


class Instant:
    """A model that answers at once."""

    profile: ModelProfile = SCRIPTED_PROFILE

    async def complete(self, request: LlmRequest) -> LlmReply:
        del request
        return _REPLY

    async def aclose(self) -> None:
        """Nothing is open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The parts of a turn."""

    llm: LlmClient
    telemetry: Telemetry | None = None

    async def __call__(self, request: AskRequest) -> Turn:
        del request
        if self.telemetry is not None:
            with self.telemetry.span(RETRIEVAL_SPAN, retrieval_labels("evidence")) as span:
                span.note(retrieval_attributes(_FIGURES))
            with self.telemetry.span("save", {"voice.exchange.count": 1}):
                pass
        await self.llm.complete(_CALL)
        return _TURN


async def cpu_ms(ask: Callable[[AskRequest], Awaitable[Turn]], turns: int) -> float:
    """Return the CPU time of one turn, in milliseconds."""
    await ask(_ASKED)
    began = time.thread_time()
    for _ in range(turns):
        await ask(_ASKED)
    return (time.thread_time() - began) * 1000 / turns


async def told_ms(telemetry: Telemetry, turns: int) -> float:
    """Return what telling `telemetry` adds to a turn, in milliseconds."""
    bare = await cpu_ms(Work(llm=Instant()), turns)
    observed = ObservedTurns(telemetry=telemetry)
    work = Work(llm=ObservedLlm(inner=Instant(), telemetry=telemetry), telemetry=telemetry)
    return await cpu_ms(lambda request: observed(work, request), turns) - bare


def with_sdk() -> OpenTelemetry:
    """Return a telemetry that keeps everything in memory."""
    from opentelemetry.sdk.metrics import MeterProvider  # noqa: PLC0415 - see above
    from opentelemetry.sdk.metrics.export import InMemoryMetricReader  # noqa: PLC0415 - see above
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415 - see above
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor  # noqa: PLC0415 - see above
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter  # noqa: PLC0415 - see above

    tracers = TracerProvider(shutdown_on_exit=False)
    tracers.add_span_processor(SimpleSpanProcessor(InMemorySpanExporter()))
    meters = MeterProvider(metric_readers=[InMemoryMetricReader()], shutdown_on_exit=False)
    return OpenTelemetry(tracers=tracers, meters=meters)


async def measure(turns: int) -> dict[str, float | int | None]:
    """Return the figures; nobody is None where the process has imported OpenTelemetry already."""
    is_loaded = "opentelemetry" in sys.modules
    nobody = None if is_loaded else await told_ms(OpenTelemetry(), turns)
    began = time.process_time()
    from opentelemetry import metrics, trace  # noqa: PLC0415 - see above

    imported = (time.process_time() - began) * 1000
    del metrics, trace
    return {
        "turns": turns,
        "nobody_ms_per_turn": nobody,
        "api_ms_per_turn": await told_ms(OpenTelemetry(), turns),
        "sdk_ms_per_turn": await told_ms(with_sdk(), turns),
        "import_of_the_api_ms": None if is_loaded else imported,
    }


def main(arguments: Sequence[str]) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=2000)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args(arguments)
    figures = asyncio.run(measure(chosen.turns))
    if chosen.json:
        print(json.dumps(figures, indent=2))
        return
    for name, figure in figures.items():
        print(f"{name:<24} {'-' if figure is None else f'{figure:.4f}' if isinstance(figure, float) else figure}")


if __name__ == "__main__":
    main(sys.argv[1:])
