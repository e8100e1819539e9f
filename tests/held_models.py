"""A model that answers when a test lets it, and one that tries again at once."""

import anyio
from anyio.lowlevel import checkpoint

from played_turns import GROUNDED, USAGE
from voice.adapters.llm.retry import RetryingClient
from voice.adapters.llm.scripted import SCRIPTED_PROFILE, ScriptedClient
from voice.ports.llm import LlmClient, LlmReply, LlmRequest, ModelProfile


class HeldModel(ScriptedClient):
    """Answers where the kiln is once it may, and notes how many asked it, and how many at once."""

    def __init__(self, profile: ModelProfile = SCRIPTED_PROFILE) -> None:
        super().__init__(GROUNDED, usage=USAGE, profile=profile)
        self.may = anyio.Event()
        self.asked = self.inside = self.most = 0

    async def complete(self, request: LlmRequest) -> LlmReply:
        self.asked += 1
        self.inside += 1
        self.most = max(self.most, self.inside)
        try:
            await self.may.wait()
            return await super().complete(request)
        finally:
            self.inside -= 1

    async def until_asked(self, times: int = 1) -> None:
        """Wait until so many have asked."""
        while self.asked < times:
            await checkpoint()


def trying_again(client: LlmClient) -> RetryingClient:
    """Return a client that tries again at once."""

    async def at_once(_: float) -> None:
        await checkpoint()

    return RetryingClient(client, monotonic_ms=lambda: 0.0, sleep=at_once, jitter=lambda: 0.0)
