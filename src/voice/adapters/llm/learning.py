"""Asking an endpoint without what it does not take.

Law: what an endpoint rejects by name is left out of the next request at once; a rejected request is answered by nobody,
so nothing is paid twice. Each further one is told to whoever meters them before it is made (ruling D8), and all of them
share the time there is. What was learned is kept once a request without it was answered, and used from then on.

Source: DESIGN 7; rulings D8, D25, J3.
"""

from contextlib import suppress
from dataclasses import replace
from datetime import date
from typing import cast

import anyio
from anyio.to_thread import run_sync

from voice.core.errors import BudgetExceeded, ConfigurationError, ProviderRejected, StoreError
from voice.core.model_endpoints import LearnedEndpoint, RequestPart
from voice.ports.endpoint_store import EndpointStore
from voice.ports.llm import LlmClient, LlmReply, LlmRequest, ModelProfile, told_of_retry


class LearningClient:
    """A client that asks another one without what its endpoint does not take."""

    def __init__(self, inner: LlmClient, *, endpoint: str, today: date, kept: EndpointStore | None = None) -> None:
        """Wrap a client.

        Args:
            inner: the client that makes the calls; this one closes it.
            endpoint: the label of whom it asks.
            today: the day that is kept with what is learned.
            kept: where that is kept; None: it is known as long as this client is.
        """
        self._inner = inner
        self._endpoint = endpoint
        self._today = today
        self._kept = kept
        self._known: frozenset[RequestPart] | None = None

    @property
    def profile(self) -> ModelProfile:
        """The wrapped client's."""
        return self._inner.profile

    async def complete(self, request: LlmRequest) -> LlmReply:
        """Return the reply; raises what the last request raised."""
        known = await self._learned()
        without: frozenset[RequestPart] = known
        until = anyio.current_time() + request.timeout_s
        while True:
            left_s = max(0.0, until - anyio.current_time())
            try:
                reply = await self._inner.complete(replace(request, timeout_s=left_s, without=without))
            except ProviderRejected as fault:
                part = cast("RequestPart | None", fault.untaken)
                if part is None or part in without or not await _may_ask_again(request):
                    raise
                without |= frozenset[RequestPart]({part})
                continue
            if without != known:
                await self._keep(without)
            return reply

    async def aclose(self) -> None:
        """Close the wrapped client."""
        await self._inner.aclose()

    async def _learned(self) -> frozenset[RequestPart]:
        if self._known is None:
            record = await run_sync(self._kept.of, self._endpoint) if self._kept is not None else None
            self._known = frozenset(record.untaken) if record is not None else frozenset()
        return self._known

    async def _keep(self, untaken: frozenset[RequestPart]) -> None:
        self._known = untaken
        if self._kept is None:
            return
        record = LearnedEndpoint(endpoint=self._endpoint, untaken=tuple(sorted(untaken)), learned_on=self._today)
        with suppress(ConfigurationError, StoreError):  # what cannot be kept is learned again
            await run_sync(self._kept.keep, record)


async def _may_ask_again(request: LlmRequest) -> bool:
    """Return whether another request is metered and may be made; otherwise the rejection stands."""
    try:
        await told_of_retry(request)
    except (BudgetExceeded, StoreError):
        return False
    return True
