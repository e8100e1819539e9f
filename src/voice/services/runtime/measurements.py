"""Names and values of what telemetry is told of a turn, a model call and a retrieval.

Law: every name that leaves the program by a log, a span or a measurement stands in a table of this module, and so does
every word that somebody else chose: a provider's reason to stop is told only if it is one that is known. Figures, ids,
names of models and of templates; never a text (promise 6). What is not known is absent, never zero (ruling D18).

Source: spec stateful-design-v2, 7 Privacy & Observability; OpenTelemetry semantic conventions for generative AI;
rulings D18, D19; docs/observability.md.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Literal

from voice.core.usage import Usage
from voice.ports.llm import LlmReply, LlmRequest, ModelProfile
from voice.ports.system import Attribute, Attributes, Instrument

if TYPE_CHECKING:  # a retrieval is told without what a turn is made of
    from voice.services.runtime.turn import Turn

TURN_SPAN: Final = "invoke_agent inner-voice"
CALL_SPAN: Final = "chat {model}"
RETRIEVAL_SPAN: Final = "retrieval"
VERIFIER_SPAN: Final = "verify {verifier}"
SAVE_SPAN: Final = "save"

OPERATION: Final = "gen_ai.operation.name"
PROVIDER: Final = "gen_ai.provider.name"
MODEL: Final = "gen_ai.request.model"
ERROR: Final = "error.type"
STATUS: Final = "voice.status"
INPUT: Final = "gen_ai.usage.input_tokens"
OUTPUT: Final = "gen_ai.usage.output_tokens"
CACHED: Final = "gen_ai.usage.cache_read.input_tokens"
KIND_OF_TOKENS: Final = "gen_ai.token.type"
TURN_EVENT: Final = "turn"

ATTRIBUTE_OF: Final[Mapping[str, str]] = {
    "status": STATUS,
    "reason": "voice.reason",
    "stance": "voice.stance",
    "refused": "voice.refused",
    "coverage_ratio": "voice.coverage_ratio",
    "evidence": "voice.evidence.count",
    "sources": "voice.sources.count",
    "provider": PROVIDER,
    "model": MODEL,
    "template": "voice.prompt.template",
    "template_hash": "voice.prompt.template_hash",
    "prompt_tokens_estimated": "voice.prompt.tokens_estimated",
    "prompt_tokens": INPUT,
    "completion_tokens": OUTPUT,
    "cached_tokens": CACHED,
    "calls": "voice.calls",
    "verifier_lapses": "voice.verifier.lapses",
    "cost_estimate": "voice.cost_usd",
    "latency_ms": "voice.latency_ms",
}
"""The figures of a turn: their names in a log line, and on its span."""

TURNS = Instrument(name="voice.turns", kind="counter", unit="{turn}", description="Turns by outcome.")
TURN_DURATION = Instrument(  # buckets of the conventions, in seconds
    name="voice.turn.duration",
    kind="histogram",
    unit="s",
    description="Duration of a turn.",
    bounds=(0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92),
)
TURN_COVERAGE = Instrument(
    name="voice.turn.coverage",
    kind="histogram",
    unit="1",
    description="Share of an answer that its sources support.",
    bounds=(0.0, 0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99),
)
TURN_COST = Instrument(
    name="voice.turn.cost",
    kind="histogram",
    unit="{USD}",
    description="Cost of a turn, if known.",
    bounds=(0.0, 0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0),
)
CALL_DURATION = Instrument(
    name="gen_ai.client.operation.duration",
    kind="histogram",
    unit="s",
    description="Duration of a call of a language model, including retries.",
    bounds=TURN_DURATION.bounds,
)
CALL_TOKENS = Instrument(
    name="gen_ai.client.token.usage",
    kind="histogram",
    unit="{token}",
    description="Tokens of a call, as its provider reported them.",
    bounds=tuple(float(4**power) for power in range(14)),  # 1, 4, 16, …: the conventions' buckets
)
INSTRUMENTS: Final = (TURNS, TURN_DURATION, TURN_COVERAGE, TURN_COST, CALL_DURATION, CALL_TOKENS)

_KNOWN_AS: Final[Mapping[str, str]] = {
    "gemini": "gcp.gemini",
    "vertex_ai": "gcp.vertex_ai",
    "bedrock": "aws.bedrock",
    "azure": "azure.ai.openai",
    "mistral": "mistral_ai",
    "xai": "x_ai",
    "watsonx": "ibm.watsonx.ai",
}
"""Providers that the conventions have another name for than litellm and we do."""
_STOPS: Final = frozenset({  # any other word is the provider's own
    "content_filter", "end_turn", "length", "max_tokens", "recitation", "refusal", "safety", "stop", "tool_calls",
})  # fmt: skip


def known_as(provider: str) -> str:
    """Return the name that the conventions have for a provider; its own where they have none."""
    return _KNOWN_AS.get(provider, provider)


def turn_figures(turn: "Turn") -> Mapping[str, Attribute]:
    """Return the figures of a turn that was kept, by their names in a log line."""
    kept, plan = turn.exchange, turn.plan
    prompt, verified = kept.prompt, kept.verification
    figures: dict[str, Attribute | None] = {
        "status": kept.status,
        "reason": kept.reason and kept.reason.value,
        "stance": kept.stance.value,
        "refused": kept.refused,
        "coverage_ratio": kept.coverage_ratio,
        "evidence": None if plan is None else len(plan.evidence),
        "sources": len(kept.sources),
        "provider": kept.provider,
        "model": kept.model,
        "template": prompt and prompt.template,
        "template_hash": prompt and prompt.template_hash,
        "prompt_tokens_estimated": prompt and prompt.prompt_tokens_estimated,
        "prompt_tokens": kept.prompt_tokens,
        "completion_tokens": kept.completion_tokens,
        "cached_tokens": kept.cached_tokens,
        "calls": len(kept.attempts),
        "verifier_lapses": verified and int(verified.is_degraded),
        "cost_estimate": None if kept.cost_estimate is None else float(kept.cost_estimate),  # telemetry has no Decimal
        "latency_ms": kept.latency_ms,
    }
    return {name: figure for name, figure in figures.items() if figure is not None}  # unknown is absent (ruling D18)


def turn_attributes(turn: "Turn", figures: Mapping[str, Attribute]) -> Attributes:
    """Return the figures of a turn as its span bears them."""
    named = {ATTRIBUTE_OF[name]: figure for name, figure in figures.items()}
    ids = {"gen_ai.conversation.id": turn.session.id, "voice.exchange.id": turn.exchange.id}
    return {**named, PROVIDER: known_as(turn.exchange.provider), **ids}


def call_attributes(profile: ModelProfile, request: LlmRequest) -> Attributes:
    """Return what is known of a call before it is made."""
    return {
        **call_labels(profile),
        "gen_ai.request.max_tokens": request.max_output_tokens,
        "gen_ai.request.temperature": request.temperature,
        "gen_ai.output.type": "json",
    }


def call_labels(profile: ModelProfile) -> Attributes:
    """Return what the measurements of a call are told apart by."""
    return {OPERATION: "chat", PROVIDER: known_as(profile.provider), MODEL: profile.model}


def reply_attributes(reply: LlmReply) -> Attributes:
    """Return what a reply says of itself; the model it names is somebody else's word and is left out."""
    told: dict[str, Attribute] = dict(usage_attributes(reply.usage))
    if reply.finish_reason is not None:
        reason = reply.finish_reason.lower()
        told["gen_ai.response.finish_reasons"] = (reason if reason in _STOPS else "other",)
    if reply.stopped:
        told["voice.stopped_early"] = True
    return told


def usage_attributes(usage: Usage) -> Mapping[str, int]:
    """Return the tokens that a provider reported."""
    tokens = {INPUT: usage.input_tokens, OUTPUT: usage.output_tokens, CACHED: usage.cached_input_tokens}
    return {name: count for name, count in tokens.items() if count is not None}


def retrieval_labels(purpose: Literal["retrieve", "evidence"]) -> Attributes:
    """Return what is known of a retrieval before it is made."""
    return {OPERATION: "retrieval", "voice.retrieval.for": purpose}


def retrieval_attributes(figures: Mapping[str, str | int | float]) -> Attributes:
    """Return the figures of a retrieval as its span bears them."""
    return {f"voice.retrieval.{name}": figure for name, figure in figures.items()}
