"""An HTTP transport that refuses redirects and repeats, and notes what was answered.

Law: a request goes where it was sent and nowhere else: a redirect is an answer, never an order (ruling D24). One call
is one request: a library that sends the same one again by itself is refused (ruling D25). What was answered is noted
for whoever watches the call, bounded, and never written anywhere.
"""

from collections.abc import AsyncIterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final

import httpx

_MOST_BYTES: Final = 4_000_000
_OF_THE_ENVIRONMENT: Final = frozenset({"openai-organization", "openai-project"})
"""What a library takes from variables of its own and sends along (ruling J4)."""


@dataclass(slots=True, kw_only=True)
class CallTrace:
    """What was seen of one call."""

    status: int | None = None
    """Of the reply that came last; None: none came."""
    headers: httpx.Headers = field(default_factory=httpx.Headers)
    sent: set[bytes] = field(default_factory=set[bytes], repr=False)
    body: bytearray = field(default_factory=bytearray, repr=False)

    @property
    def is_page(self) -> bool:
        """Whether a web page came in place of a reply."""
        return self.status == 200 and self.headers.get("content-type", "").startswith("text/html")

    @property
    def text(self) -> str:
        """What came, as far as it can be read."""
        try:
            return httpx.Response(200, headers=self.headers, content=bytes(self.body)).text
        except httpx.DecodingError:
            return ""

    def note(self, response: httpx.Response) -> None:
        """Note how a reply begins."""
        self.status, self.headers = response.status_code, response.headers
        self.body.clear()


CALL_TRACE: Final[ContextVar[CallTrace | None]] = ContextVar("seen", default=None)
"""Who watches the present call."""


async def note_response(response: httpx.Response) -> None:
    """Note how a reply begins, as a hook of an HTTP client."""
    seen = CALL_TRACE.get()
    if seen is not None:
        seen.note(response)


class GuardedTransport(httpx.AsyncBaseTransport):
    """A transport that notes what another one answers."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        """Wrap a transport, which is closed with this one."""
        self._inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request once, and let nobody follow it elsewhere.

        Raises:
            httpx.ConnectError: the very same was sent in this call before.
        """
        seen = CALL_TRACE.get()
        if seen is not None:
            _require_new(request, seen)
        for name in _OF_THE_ENVIRONMENT & request.headers.keys():
            del request.headers[name]
        response = await self._inner.handle_async_request(request)
        if response.is_redirect:
            del response.headers["location"]
        if seen is not None and isinstance(response.stream, httpx.AsyncByteStream):
            seen.note(response)
            response.stream = _Noted(response.stream, seen)
        return response

    async def aclose(self) -> None:
        """Close the wrapped transport."""
        await self._inner.aclose()


def _require_new(request: httpx.Request, seen: CallTrace) -> None:
    try:
        sent = str(request.url).encode() + request.content
    except httpx.RequestNotRead:
        return
    if sent in seen.sent:
        raise httpx.ConnectError("a request is sent once", request=request)
    seen.sent.add(sent)


class _Noted(httpx.AsyncByteStream):
    """A body that is noted while it is read."""

    def __init__(self, inner: httpx.AsyncByteStream, seen: CallTrace) -> None:
        self._inner = inner
        self._seen = seen

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._inner:
            if len(self._seen.body) < _MOST_BYTES:
                self._seen.body += piece
            yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()
