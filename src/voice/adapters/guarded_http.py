"""An HTTP transport that refuses redirects and repetitions, and records the response.

Law: a request goes only where it was sent: a redirect is returned, never followed (ruling D24). One call is one
request: a library that repeats it by itself is refused (ruling D25). The response is recorded for the watcher of the
call, bounded, and never written anywhere.
"""

from collections.abc import AsyncIterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final

import httpx

_MOST_BYTES: Final = 4_000_000  # of a body; what follows is not recorded
# Headers that a library adds from environment variables of its own (ruling J4).
_ENVIRONMENT_HEADERS: Final = frozenset({"openai-organization", "openai-project"})


@dataclass(slots=True, kw_only=True)
class CallTrace:
    """What was recorded of one call."""

    status: int | None = None
    """The last response's; None without a response."""
    headers: httpx.Headers = field(default_factory=httpx.Headers)
    sent: set[bytes] = field(default_factory=set[bytes], repr=False)
    body: bytearray = field(default_factory=bytearray, repr=False)

    @property
    def is_page(self) -> bool:
        """Whether a web page came instead of a reply."""
        return self.status == 200 and self.headers.get("content-type", "").startswith("text/html")

    @property
    def text(self) -> str:
        """The text of the body, as far as it can be decoded."""
        try:
            return httpx.Response(200, headers=self.headers, content=bytes(self.body)).text
        except httpx.DecodingError:
            return ""

    def note(self, response: httpx.Response) -> None:
        """Record the start of a response."""
        self.status, self.headers = response.status_code, response.headers
        self.body.clear()  # of a repeated call the last response counts


CALL_TRACE: Final[ContextVar[CallTrace | None]] = ContextVar("seen", default=None)


async def note_response(response: httpx.Response) -> None:
    """Record the start of a response; a hook of an HTTP client."""
    trace = CALL_TRACE.get()
    if trace is not None:
        trace.note(response)


class GuardedTransport(httpx.AsyncBaseTransport):
    """A transport that records what another one returns."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        """Wrap a transport, which is closed together with this one."""
        self._inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request once, without following redirects. Raises httpx.ConnectError: the same request was sent in
        this call before."""
        trace = CALL_TRACE.get()
        if trace is not None:
            _require_new(request, trace)
        for name in _ENVIRONMENT_HEADERS & request.headers.keys():  # may hold an account's id
            del request.headers[name]
        response = await self._inner.handle_async_request(request)
        if response.is_redirect:
            del response.headers["location"]  # without it no library can follow
        if trace is not None and isinstance(response.stream, httpx.AsyncByteStream):
            trace.note(response)
            response.stream = _RecordedStream(response.stream, trace)
        return response

    async def aclose(self) -> None:
        """Close the wrapped transport."""
        await self._inner.aclose()


def _require_new(request: httpx.Request, trace: CallTrace) -> None:
    try:
        sent = str(request.url).encode() + request.content
    except httpx.RequestNotRead:  # a body that is streamed cannot be compared
        return
    if sent in trace.sent:
        # An error that every library takes for a failed connection.
        raise httpx.ConnectError("a request is sent once", request=request)
    trace.sent.add(sent)


class _RecordedStream(httpx.AsyncByteStream):
    """A body that is recorded while it is read."""

    def __init__(self, inner: httpx.AsyncByteStream, trace: CallTrace) -> None:
        self._inner = inner
        self._trace = trace

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._inner:
            if len(self._trace.body) < _MOST_BYTES:
                self._trace.body += piece
            yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()
