"""Whether the configured model answers, for `voice doctor --reach`.

Law: it is asked one short question of ours, once, and nothing of a memory goes with it; what that can cost at most is
known before it is asked. Any reply will do: what it says is not looked at.

Source: promise 10; rulings D24, D25.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from voice.core.errors import BudgetExceeded, ProviderError, ProviderUnavailable
from voice.core.grounding.values import Stance
from voice.core.health import Finding
from voice.core.usage import worst_case_cost
from voice.ports.llm import LlmClient, LlmRequest, TokenCounter

_SYSTEM: Final = "You are asked whether you can be reached."
_PROMPT: Final = 'Reply with {"ok": true} and nothing else.'
_SCHEMA: Final = {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
_MAX_OUTPUT_TOKENS: Final = 256
"""Room for a model that thinks before it speaks."""
_TIMEOUT_S: Final = 20.0
_OFFLINE: Final = "extractive"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """Asks one model whether it is there."""

    llm: LlmClient
    counter: TokenCounter

    @property
    def is_offline(self) -> bool:
        """Whether there is nobody to reach."""
        return self.llm.profile.provider == _OFFLINE

    @property
    def worst(self) -> tuple[int, Decimal | None]:
        """The most tokens that asking can take, and the most it can cost in US dollars; None = the price is unknown."""
        tokens = self.counter.count(_SYSTEM) + self.counter.count(_PROMPT)
        return tokens + _MAX_OUTPUT_TOKENS, worst_case_cost(tokens, _MAX_OUTPUT_TOKENS, self.llm.profile.price)

    async def __call__(self) -> Finding:
        """Return whether the model answered."""
        profile = self.llm.profile
        if self.is_offline:
            detail = "the offline provider answers from the memory itself; there is nobody to reach"
            return Finding(name="reach", state="ok", detail=detail)
        try:
            await self.llm.complete(_request())
        except ProviderError as fault:
            return Finding(name="reach", state="fault", detail=fault.message, advice=_advice(fault))
        return Finding(name="reach", state="ok", detail=f"{profile.provider}, model {profile.model}, answers")


def _request() -> LlmRequest:
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
    )


def _advice(fault: ProviderError) -> str:
    if isinstance(fault, BudgetExceeded):
        return "nothing was asked; raise the spending cap, or leave out --reach"
    if isinstance(fault, ProviderUnavailable):
        return "look at the network and try again; until then: SURR_INNER_VOICE_PROVIDER=extractive"
    return "look at the provider, the model and the key; see: voice config"
