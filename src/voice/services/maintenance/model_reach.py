"""Ask the configured model whether it answers, for `voice doctor --reach`.

Law: it is asked one short question of ours, once but for what its endpoint rejects of the request (ruling J3), and
nothing of a memory goes with it; what that can cost at most is known before it is asked. Any reply will do: what it
says is not looked at. It is spending like any other: held to the caps on a day and a month before it is asked, and
kept, with its figures alone, whatever becomes of it.

Source: promises 7, 10; rulings D24, D25.
"""

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from voice.core.errors import BudgetExceeded, ProviderError, ProviderUnavailable
from voice.core.grounding.values import Stance
from voice.core.health import Finding
from voice.core.session.exchange import TurnFacts
from voice.core.session.turn_traces import sessionless_calls
from voice.core.usage import worst_case_cost
from voice.ports.llm import LlmClient, LlmRequest, TokenCounter
from voice.ports.system import Clock, IdSource
from voice.services.runtime.isolated_calls import run_to_completion
from voice.services.runtime.spending import Spending
from voice.services.runtime.turn import Trace, facts_alone, open_call

_SYSTEM: Final = "You are asked whether you can be reached."
_PROMPT: Final = 'Reply with {"ok": true} and nothing else.'
_SCHEMA: Final = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
_MAX_OUTPUT_TOKENS: Final = 256
"""Room for a model that thinks before it speaks."""
_TIMEOUT_S: Final = 20.0
_OFFLINE: Final = "extractive"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """Checks that one model answers."""

    llm: LlmClient
    counter: TokenCounter
    clock: Clock
    ids: IdSource
    spending: Spending = Spending()
    """What the call is held to and counted in; without a store, nothing of it is kept."""

    @property
    def is_offline(self) -> bool:
        """Whether the provider makes no calls."""
        return self.llm.profile.provider == _OFFLINE

    @property
    def worst(self) -> tuple[int, Decimal | None]:
        """The most tokens that asking can take, and the most it can cost in US dollars; None = the price is unknown."""
        tokens = self.counter.count(_SYSTEM) + self.counter.count(_PROMPT)
        return tokens + _MAX_OUTPUT_TOKENS, worst_case_cost(tokens, _MAX_OUTPUT_TOKENS, self.llm.profile.price)

    async def __call__(self) -> Finding:
        """Return whether the model answered.

        Raises:
            StoreError: what was spent cannot be read, or what it cost cannot be kept.
        """
        profile = self.llm.profile
        if self.is_offline:
            detail = "the offline provider makes no calls, so there is nothing to test"
            return Finding(name="reach", state="ok", detail=detail)
        try:
            await self._ask()
        except ProviderError as fault:
            return Finding(name="reach", state="fault", detail=fault.message, advice=_advice(fault))
        is_untold = self.spending.store is None and self.worst[1] != 0
        untold = "; the cost is not recorded, because the memory is still empty" if is_untold else ""
        return Finding(name="reach", state="ok", detail=f"{profile.provider}, model {profile.model}, answers{untold}")

    async def _ask(self) -> None:
        """Ask, and keep what it took.

        Raises:
            BudgetExceeded: a cap does not allow it; nobody was asked.
            ProviderError: the model did not answer.
        """
        facts, worst = facts_alone(self.llm.profile, self.clock, self.ids), self.worst[1]
        caps = replace(self.spending.caps, session=None)
        with replace(self.spending, caps=caps).purse() as purse:
            await purse.open(facts.session_id, facts.timestamp, facts.price)
            purse.call = open_call(facts)
            trace = Trace(clock=self.clock, purse=purse)
            await trace.begin_paid(worst, purpose="reach")
            try:
                reply = await self.llm.complete(_request(trace))
                trace.record_reply(reply.usage, "draft")
            finally:
                await run_to_completion(self._keep_spending(trace, facts))

    async def _keep_spending(self, trace: Trace, facts: TurnFacts) -> None:
        trace.end()
        if self.spending.store is not None:
            attempts = trace.spent(since=self.clock.monotonic_ms()).attempts
            await self.spending.store.keep(sessionless_calls(attempts, facts))


def _request(trace: Trace) -> LlmRequest:
    return LlmRequest(
        system=_SYSTEM,
        prompt=_PROMPT,
        question="",
        evidence=(),
        stance=Stance.SYNTHESIZE,
        schema=_SCHEMA,
        temperature=0.0,
        max_output_tokens=_MAX_OUTPUT_TOKENS,
        timeout_s=_TIMEOUT_S,
        max_tries=1,
        on_retry=trace.again_paid,
    )


def _advice(fault: ProviderError) -> str:
    if isinstance(fault, BudgetExceeded):
        return "voice made no call; raise the spending cap, or leave out --reach"
    if isinstance(fault, ProviderUnavailable):
        return "check the network and try again; until then: SURR_INNER_VOICE_PROVIDER=extractive"
    return "check the provider, the model and the key; see: voice config"
