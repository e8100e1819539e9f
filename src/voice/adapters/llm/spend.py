"""Stopping a call before it can cost too much (promise 7).

Law: what counts is the worst case: the estimate of the whole prompt, nothing cached, the reply used to its limit. A
call that failed may have been paid for, so that the cap must pay for every try that the layers below may make. A price
that is not known cannot be capped; the person decides beforehand whether such a call is made or refused.
"""

from dataclasses import replace
from decimal import Decimal
from typing import Literal

from voice.core.errors import BudgetExceeded
from voice.core.usage import worst_case_cost
from voice.ports.llm import LlmClient, LlmReply, LlmRequest, ModelProfile, TokenCounter

_MOST_TRIES = 100
"""More than any layer makes."""


class SpendCappedClient:
    """A client that asks another one only what the cap can pay for, and as often as it can."""

    def __init__(
        self,
        inner: LlmClient,
        *,
        counter: TokenCounter,
        max_cost: Decimal | None,
        on_unknown_price: Literal["refuse", "allow"] = "refuse",
    ) -> None:
        """Wrap a client.

        Args:
            inner: the client that makes the calls; this one closes it.
            counter: never under-counts (ruling D15).
            max_cost: the most one request may cost in US dollars, its repeated tries included; a request's own
                `max_cost` lowers it. None = no cap.
            on_unknown_price: what to do under a cap when the price is unknown.
        """
        self._inner = inner
        self._counter = counter
        self._max_cost = max_cost
        self._on_unknown_price = on_unknown_price

    @property
    def profile(self) -> ModelProfile:
        """The wrapped client's."""
        return self._inner.profile

    async def complete(self, request: LlmRequest) -> LlmReply:
        """Return the reply of the wrapped client.

        Raises:
            BudgetExceeded: the call could cost more than the cap, or its price is unknown; it was not made.
        """
        caps = [cap for cap in (self._max_cost, request.max_cost) if cap is not None]
        if caps:
            request = replace(request, max_tries=self._affordable(request, min(caps)))
        return await self._inner.complete(request)

    async def aclose(self) -> None:
        """Close the wrapped client."""
        await self._inner.aclose()

    def _affordable(self, request: LlmRequest, cap: Decimal) -> int | None:
        """Return how many tries `cap` pays for; None = any number."""
        profile = self.profile
        tokens = self._counter.count(request.system) + self._counter.count(request.prompt)
        worst = worst_case_cost(tokens, request.max_output_tokens, profile.price)
        if worst is None:
            if self._on_unknown_price == "allow":
                return None
            raise BudgetExceeded(
                f"the price of {profile.model} is unknown, so the spending cap cannot be kept; "
                "set SURR_INNER_VOICE_ON_UNKNOWN_PRICE=allow to ask all the same"
            )
        if worst == 0:
            return None
        if worst > cap:
            raise BudgetExceeded(
                f"this call could cost up to ${worst:.4f}, more than the ${cap:.4f} that the spending cap leaves; "
                "raise SURR_INNER_VOICE_MAX_COST, or lower SURR_INNER_VOICE_MAX_OUTPUT_TOKENS"
            )
        return int(min(cap, _MOST_TRIES * worst) // worst)
