"""Wrappers that report turns, model calls, verifier calls and saves to telemetry.

Law: each is a layer around what does the work: it returns what that returns and raises what that raises, and nothing
inside knows of it. A span covers a call with all its tries, as the conventions want it; a call that the spending cap
did not let happen has a span that says so, and no duration.

Source: spec stateful-design-v2, 7 Privacy & Observability; STYLE 14; rulings D8, D19, D21; docs/observability.md.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from voice.core.grounding.verifier_values import VerificationReply, VerificationRequest, VerifierInfo
from voice.core.session.values import DialogueExchange, InnerVoiceSession
from voice.ports.llm import LlmClient, LlmReply, LlmRequest, ModelProfile, ignore_retry
from voice.ports.stores import SessionStore
from voice.ports.system import NO_TELEMETRY, SILENT_LOG, Attributes, EventLog, Telemetry, error_kind
from voice.ports.verifier import CallForeseen, Verifier, VerifierRequest
from voice.services.runtime.measurements import (
    CALL_DURATION,
    CALL_SPAN,
    CALL_TOKENS,
    ERROR,
    INPUT,
    KIND_OF_TOKENS,
    OPERATION,
    OUTPUT,
    SAVE_SPAN,
    STATUS,
    TURN_COST,
    TURN_COVERAGE,
    TURN_DURATION,
    TURN_EVENT,
    TURN_SPAN,
    TURNS,
    VERIFIER_SPAN,
    call_attributes,
    call_labels,
    reply_attributes,
    turn_attributes,
    turn_figures,
    usage_attributes,
)
from voice.services.runtime.turn import AskRequest, Turn

_AGENT: Attributes = {OPERATION: "invoke_agent", "gen_ai.agent.name": "inner-voice"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedTurns:
    """Watches whole turns: one span, one line and one count for each."""

    telemetry: Telemetry = NO_TELEMETRY
    log: EventLog = SILENT_LOG

    async def __call__(self, ask: Callable[[AskRequest], Awaitable[Turn]], request: AskRequest) -> Turn:
        """Return the turn that `ask` returns for `request`; what it raises is told by its kind and passes on."""
        with self.telemetry.span(TURN_SPAN, {**_AGENT, "voice.stance": request.stance.value}) as span:
            try:
                turn = await ask(request)
            except BaseException as error:  # a cancelled turn counts as well
                kind, stance = error_kind(error), request.stance.value
                self.log.info(TURN_EVENT, {"status": "raised", "reason": kind, "stance": stance})
                self.telemetry.measure(TURNS, 1, {STATUS: "raised", ERROR: kind, "voice.stance": stance})
                raise
            if turn.replayed:  # it was told of when it was asked, and took nothing now
                span.note({"voice.replayed": True})
                return turn
            figures = turn_figures(turn)
            span.note(turn_attributes(turn, figures))
            if turn.exchange.status == "error":
                span.fail(str(figures["reason"]))
                self.log.warning(TURN_EVENT, figures)
            else:
                self.log.info(TURN_EVENT, figures)
            self.log.debug(TURN_EVENT, {"session": turn.session.id, "exchange": turn.exchange.id})
            self._measure(turn)
            return turn

    def _measure(self, turn: Turn) -> None:
        kept, measure = turn.exchange, self.telemetry.measure
        labels: dict[str, str] = {STATUS: kept.status, "voice.stance": kept.stance.value}
        if kept.reason is not None:
            labels["voice.reason"] = kept.reason.value
        measure(TURNS, 1, labels)
        measure(TURN_DURATION, kept.latency_ms / 1000, labels)
        if kept.status == "answered" and not kept.states_nothing:
            measure(TURN_COVERAGE, kept.coverage_ratio, {"voice.stance": kept.stance.value})
        if kept.cost_estimate is not None:
            measure(TURN_COST, float(kept.cost_estimate), {STATUS: kept.status})


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedLlm:
    """An `LlmClient` whose calls are watched."""

    inner: LlmClient
    telemetry: Telemetry

    @property
    def profile(self) -> ModelProfile:
        """The model's facts."""
        return self.inner.profile

    async def complete(self, request: LlmRequest) -> LlmReply:
        """See `LlmClient.complete`."""
        profile, tries = self.profile, 1
        labels = call_labels(profile)

        async def again() -> None:
            nonlocal tries
            await ignore_retry(request)
            tries += 1

        name = CALL_SPAN.format(model=profile.model)
        with self.telemetry.span(name, call_attributes(profile, request), is_remote=profile.remote) as span:
            try:
                reply = await self.inner.complete(replace(request, on_retry=again))
            except BaseException as error:  # cancelled ones took their time, too
                self._measure_duration(span.seconds, {**labels, ERROR: error_kind(error)})
                raise
            finally:
                span.note({"voice.tries": tries})
            span.note(reply_attributes(reply))
            self._measure_duration(span.seconds, labels)
            used = usage_attributes(reply.usage)
            for name, kind in ((INPUT, "input"), (OUTPUT, "output")):
                if name in used:
                    self.telemetry.measure(CALL_TOKENS, used[name], {**labels, KIND_OF_TOKENS: kind})
            return reply

    def _measure_duration(self, seconds: float | None, labels: Attributes) -> None:
        if seconds is not None:  # None: nothing measures
            self.telemetry.measure(CALL_DURATION, seconds, labels)

    async def aclose(self) -> None:
        """Release connections; safe to call twice."""
        await self.inner.aclose()


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedVerifier:
    """A `Verifier` that is watched while it judges."""

    inner: Verifier
    telemetry: Telemetry

    @property
    def info(self) -> VerifierInfo:
        """Its name and version."""
        return self.inner.info

    @property
    def remote(self) -> bool:
        """Whether what it is shown leaves this machine."""
        return self.inner.remote

    def foresee(self, asked: VerificationRequest, *, unwritten: int = 0) -> CallForeseen:
        """See `Verifier.foresee`."""
        return self.inner.foresee(asked, unwritten=unwritten)

    async def verify(self, request: VerifierRequest) -> VerificationReply:
        """See `Verifier.verify`."""
        name = self.info.name
        told: Attributes = {"voice.verifier.name": name, "voice.verifier.claims": len(request.asked.claims)}
        with self.telemetry.span(VERIFIER_SPAN.format(verifier=name), told, is_remote=self.remote):
            return await self.inner.verify(request)


class ObservedSessions:
    """A `SessionStore` whose saves are watched; what is read passes by."""

    def __init__(self, inner: SessionStore, telemetry: Telemetry) -> None:
        self._inner = inner
        self._telemetry = telemetry
        self.load = inner.load
        self.sessions = inner.sessions
        self.topics = inner.topics
        self.first_exchanges = inner.first_exchanges
        self.exchanges = inner.exchanges
        self.figures = inner.figures

    async def save(
        self, session: InnerVoiceSession, exchanges: Sequence[DialogueExchange], *, expected: int
    ) -> InnerVoiceSession:
        """See `SessionStore.save`."""
        with self._telemetry.span(SAVE_SPAN, {"voice.exchange.count": len(exchanges)}):
            return await self._inner.save(session, exchanges, expected=expected)
