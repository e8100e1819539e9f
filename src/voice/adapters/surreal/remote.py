"""A SurrealDB server or cluster, over a web socket.

Law: the same facade as the embedded engine. The SDK reconnects by itself, but as a stranger: whenever the connection
was lost, we sign in and select the database again before the next statement. A statement whose answer was lost is not
sent twice, because it may have happened; one that the server refused to a stranger did not happen and is sent again.
"""

import asyncio
from asyncio import Future
from dataclasses import dataclass, field
from typing import Any, cast

from surrealdb.connections.async_ws import AsyncWsSurrealConnection
from surrealdb.errors import NotAllowedError, SurrealError

from voice.adapters.surreal.connection import Params, SignedOut, result_of
from voice.adapters.surreal.remote_values import from_library, to_library
from voice.core.errors import ConfigurationError, StoreUnavailable

_LOST = (SurrealError, OSError, TimeoutError, KeyError)
"""What the SDK raises when a socket breaks: KeyError comes out of its table of pending requests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """A system user of the server; without one the connection is anonymous."""

    username: str
    password: str = field(repr=False)


class _Requests(dict[str, "Future[dict[str, Any]]"]):
    """The SDK's pending requests, with every failure looked at.

    When sending fails the SDK forgets the request's future; asyncio would complain of it on stderr much later.
    """

    def __setitem__(self, key: str, request: "Future[dict[str, Any]]") -> None:
        request.add_done_callback(_look_at)
        super().__setitem__(key, request)


def _look_at(request: "Future[dict[str, Any]]") -> None:
    if not request.cancelled():
        request.exception()


class RemoteConnection:
    """A `Connection` to a server."""

    def __init__(self, url: str, *, namespace: str, database: str, credentials: Credentials | None) -> None:
        self._client = AsyncWsSurrealConnection(url, streaming=False)
        self._client.qry = _Requests()
        self._place = (namespace, database)
        self._credentials = credentials
        self._ready = False
        self._entering = asyncio.Lock()

    async def run(self, purpose: str, text: str, params: Params | None = None) -> object:
        """Run one statement; see `Connection.run`."""
        for _ in range(2):
            await self._enter()
            try:
                return await self._ask(purpose, text, params)
            except SignedOut:
                self._ready = False
        raise ConfigurationError(f"the store server does not allow its user to {purpose}; check user and password")

    async def aclose(self) -> None:
        """Close the socket; safe to call twice."""
        self._ready = False
        try:
            await self._client.close()
        except _LOST:
            return  # a socket that is broken already is closed

    async def _ask(self, purpose: str, text: str, params: Params | None) -> object:
        try:
            response = await self._client.query_raw(text, cast("dict[str, Any]", to_library(params or {})))
        except _LOST:
            self._ready = False
            raise StoreUnavailable(f"the connection to the store server broke when asked to {purpose}") from None
        return from_library(result_of(purpose, response))

    async def _enter(self) -> None:
        async with self._entering:
            if self._ready:
                return
            try:
                await self._client.connect()
                if self._credentials is not None:
                    user = {"username": self._credentials.username, "password": self._credentials.password}
                    await self._client.signin(cast("dict[str, Any]", user))
                await self._client.use(*self._place)
            except NotAllowedError:
                raise ConfigurationError("the store server refused the sign-in; check its user and password") from None
            except _LOST:
                raise StoreUnavailable("the store server cannot be reached; check SURR_DB_URL") from None
            self._ready = True
