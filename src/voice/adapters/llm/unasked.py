"""A model's figures with nobody behind them.

Law: what is only foreseen needs no key, and can reach nobody.

Source: docs/budgets.md, dry runs; ruling A23.
"""

from dataclasses import dataclass

from voice.core.errors import ProviderRejected
from voice.ports.llm import LlmReply, LlmRequest, ModelProfile


@dataclass(frozen=True, slots=True, kw_only=True)
class UnaskedClient:
    """Knows what a model takes and costs, and asks nobody."""

    profile: ModelProfile

    async def complete(self, request: LlmRequest) -> LlmReply:
        """Refuse.

        Raises:
            ProviderRejected: always.
        """
        del request  # it goes nowhere
        raise ProviderRejected(f"{self.profile.provider} is not asked here; only what a question would cost is told")

    async def aclose(self) -> None:
        """Hold nothing, release nothing."""
