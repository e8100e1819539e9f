"""Calling a model again: after a temporary error, and without what the endpoint does not take.

Law: only errors that allow it are retried, and never beyond the turn's deadline; a provider's requested wait is kept,
or the call is given up if that is too long. The vendors' own retries are off, so this layer is the only one. Each
further try is metered before it is made; if no spending cap pays for it, or it cannot be recorded, the last failure
stands (promise 7, rulings D8, D18). Time, sleep and chance are arguments.

What an endpoint rejects by name is left out of the next request at once; since a rejected request is not answered,
nothing is paid twice. All requests share the time of the call. What was learned is kept once a request without it was
answered, and used from then on.

Source: DESIGN 7; rulings D8, D25, J3.
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from datetime import date
from typing import cast

import anyio
from anyio.to_thread import run_sync
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception

from voice.core.errors import (
    BudgetExceeded,
    ConfigurationError,
    DeadlineExceeded,
    ProviderRejected,
    ProviderUnavailable,
    StoreError,
    VoiceError,
)
from voice.core.model_endpoints import LearnedEndpoint, RequestPart
from voice.ports.files import EndpointStore
from voice.ports.llm import LlmClient, LlmReply, LlmRequest, ignore_retry

MAX_ATTEMPTS = 4
FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 20.0


class RetryingClient:
    """A client that retries another client's calls."""

    def __init__(
        self,
        inner: LlmClient,
        *,
        monotonic_ms: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
        jitter: Callable[[], float],
    ) -> None:
        """Wrap a client, which this one closes; `jitter` returns a random number in [0, 1)."""
        self._inner = inner
        self._monotonic_ms = monotonic_ms
        self._sleep = sleep
        self._jitter = jitter
        self.profile = inner.profile

    async def complete(self, request: LlmRequest) -> LlmReply:
        """Return the first reply; raises the last attempt's error. Raises DeadlineExceeded: no time was left for an
        attempt."""
        failed: list[VoiceError] = []
        most_tries = min(MAX_ATTEMPTS, request.max_tries or MAX_ATTEMPTS)
        until_ms = self._monotonic_ms() + 1000 * request.timeout_s  # one deadline for all attempts

        def left_s() -> float:
            return (until_ms - self._monotonic_ms()) / 1000

        async def attempt() -> LlmReply:
            remaining = left_s()
            if remaining <= 0:
                raise DeadlineExceeded("the time for this turn was up before the provider could be asked")
            if failed:
                await ignore_retry(request)  # pays for the try, or raises
            try:
                return await self._inner.complete(replace(request, timeout_s=remaining))
            except VoiceError as error:
                failed.append(error)
                raise

        def is_over(state: RetryCallState) -> bool:
            # The wait alone would use up the time.
            return state.attempt_number >= most_tries or state.upcoming_sleep >= left_s()

        retrying = AsyncRetrying(
            retry=retry_if_exception(_is_worth_it), stop=is_over, wait=self._wait_s, sleep=self._sleep, reraise=True
        )
        with suppress(BudgetExceeded, StoreError):  # the next try is not paid for, or cannot be recorded
            return await retrying(attempt)
        raise failed[-1]  # the error of the last attempt that was made

    async def aclose(self) -> None:
        """Close the wrapped client."""
        await self._inner.aclose()

    def _wait_s(self, state: RetryCallState) -> float:
        """Return the provider's requested wait, but at least an own one that doubles and is random by up to half."""
        doubled = min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0 ** (state.attempt_number - 1))
        own = doubled * (0.5 + 0.5 * self._jitter())
        error = state.outcome.exception() if state.outcome else None
        asked = error.retry_after_s if isinstance(error, ProviderUnavailable) else None
        return max(own, asked or 0.0)


def _is_worth_it(error: BaseException) -> bool:
    # The provider asks for a longer wait than this program takes.
    if isinstance(error, ProviderUnavailable) and (error.retry_after_s or 0.0) > LONGEST_WAIT_S:
        return False
    # A store error concerns the metering, not the call.
    return isinstance(error, VoiceError) and error.retryable and not isinstance(error, StoreError)


class AdaptiveClient:
    """A client that calls another one without what its endpoint does not take."""

    def __init__(self, inner: LlmClient, *, endpoint: str, today: date, kept: EndpointStore | None = None) -> None:
        """Wrap a client, which this one closes; without `kept`, what is learned is forgotten with this client."""
        self._inner = inner
        self._endpoint = endpoint
        self._today = today
        self._kept = kept
        self._known: frozenset[RequestPart] | None = None
        self.profile = inner.profile

    async def complete(self, request: LlmRequest) -> LlmReply:
        """Return the reply; raises the last request's error."""
        known = await self._learned()
        without: frozenset[RequestPart] = known
        until = anyio.current_time() + request.timeout_s
        while True:
            left_s = max(0.0, until - anyio.current_time())
            try:
                reply = await self._inner.complete(replace(request, timeout_s=left_s, without=without))
            except ProviderRejected as fault:
                part = cast("RequestPart | None", fault.untaken)
                # Without it already: leaving it out did not help.
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
        self._known = untaken = untaken | (self._known or frozenset())  # another turn may have learned more meanwhile
        if self._kept is None:
            return
        record = LearnedEndpoint(endpoint=self._endpoint, untaken=tuple(sorted(untaken)), learned_on=self._today)
        with suppress(ConfigurationError, StoreError):  # what cannot be stored is learned again
            await run_sync(self._kept.keep, record)


async def _may_ask_again(request: LlmRequest) -> bool:
    """Return whether another request is paid for; otherwise the rejection stands."""
    try:
        await ignore_retry(request)
    except (BudgetExceeded, StoreError):
        return False
    return True
