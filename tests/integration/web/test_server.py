"""The server on a real port: what is too slow, too long or too much, and how it ends."""

import asyncio
import errno
import json
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from cli_runner import failing
from tables import tables
from voice.core.errors import ConfigurationError
from voice.entrypoints.web.access import Guard, Limits
from voice.entrypoints.web.responses import SECURITY_HEADERS
from voice.entrypoints.web.server import (
    address_of,
    authorities_of,
    is_loopback_host,
    is_wildcard,
    listen,
    make_app,
    make_server,
    require_own,
)
from web_door import COOKIE, TOKEN, door

TABLES = tables(__file__)

_HASTY = Limits(header_s=0.05, body_s=0.05, header_bytes=2_000, connections=4, idle_s=1)
_HEAD = f"Host: 127.0.0.1:{{port}}\r\nAuthorization: Bearer {TOKEN}\r\n"


@asynccontextmanager
async def _answering(home: Path, limits: Limits = _HASTY, *routes: Route) -> AsyncGenerator[int]:
    """Serve a memory on a free port while the block runs."""
    async with door(home) as at:
        listening = listen("127.0.0.1", 0)
        port: int = listening.getsockname()[1]
        what = Guard(token=TOKEN, cookie=COOKIE, authorities=authorities_of("127.0.0.1", port), limits=limits)
        started = anyio.Event()
        server = make_server(make_app(at.memory, guard=what, extra=routes), limits, ready=started.set)
        async with anyio.create_task_group() as group:
            group.start_soon(server.serve, [listening])
            await started.wait()
            yield port
            server.stop()


async def _said(port: int, data: bytes) -> bytes:
    """Send bytes and return what comes back until the server closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    parts: list[bytes] = []
    with suppress(ConnectionResetError):  # whoever has said enough may close before everything was read
        while part := await reader.read(65_536):
            parts.append(part)
    writer.close()
    return b"".join(parts)


def _request(port: int, *lines: str) -> bytes:
    return "".join(f"{line}\r\n" for line in ("GET /api/v1/pins HTTP/1.1", *lines)).encode()


@pytest.mark.requirement("http:slow")
async def test_a_connection_that_does_not_finish_a_head_is_closed(tmp_path: Path) -> None:
    async with _answering(tmp_path) as port:
        for begun in (b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"):
            assert await _said(port, begun) == b""
        head = _HEAD.format(port=port).strip().split("\r\n")
        said = await _said(port, _request(port, *head, "") + b"GET / HT")
    assert said.startswith(b"HTTP/1.1 200")
    assert said.count(b"HTTP/1.1") == 1, "the second request of a connection has the same time"


@pytest.mark.requirement("http:slow")
async def test_while_a_slow_answer_is_made_nobody_is_cut_off(tmp_path: Path) -> None:
    slowly = anyio.Event()

    async def slow(_: Request) -> Response:
        await slowly.wait()
        return PlainTextResponse("done")

    limits = replace(_HASTY, connections=50)
    async with _answering(tmp_path, limits, Route("/slow", slow)) as port:
        head = _HEAD.format(port=port) + "Connection: close\r\n\r\n"
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"GET /slow HTTP/1.1\r\n{head}".encode())
        # Longer than a head may take: a connection that sends nothing in the same time has been closed by now.
        assert await _said(port, b"") == b""
        slowly.set()
        assert (await reader.read()).endswith(b"done")
        writer.close()


@pytest.mark.requirement("http:slow")
async def test_a_head_that_is_too_long_is_refused(tmp_path: Path) -> None:
    async with _answering(tmp_path) as port:
        said = await _said(
            port, _request(port, *_HEAD.format(port=port).strip().split("\r\n"), "X: " + "x" * 4_000, "")
        )
        endless = await _said(port, b"GET / HTTP/1.1\r\nX: " + b"x" * 100_000)
    for answer in (said, endless):
        assert _problem(answer) == (431, "head_too_large")


@pytest.mark.requirement("http:body")
async def test_a_body_that_does_not_come_is_a_408_and_who_is_refused_before_it_was_read_is_read_no_further(
    tmp_path: Path,
) -> None:
    async with _answering(tmp_path, replace(_HASTY, linger_s=0.05)) as port:
        head = f"POST /api/v1/retrieve HTTP/1.1\r\n{_HEAD.format(port=port)}Content-Type: application/json\r\n"
        said = await _said(port, f"{head}Content-Length: 100\r\n\r\n{{".encode())
        assert said.startswith(b"HTTP/1.1 408")
        assert b"application/problem+json" in said
        for length in ("Content-Length: 100", "Transfer-Encoding: chunked"):
            head = f"POST /api/v1/retrieve HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{length}\r\n\r\n"
            said = await _said(port, head.encode())
            assert said.startswith(b"HTTP/1.1 401")
            assert b"\r\nconnection: close\r\n" in said.lower()


@pytest.mark.requirement("http:body")
async def test_who_is_refused_sees_the_answer_although_more_of_the_body_was_on_its_way(tmp_path: Path) -> None:
    async with _answering(tmp_path, replace(_HASTY, connections=50, linger_s=5)) as port:
        head = f"POST /api/v1/retrieve HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: 300000\r\n\r\n"
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head.encode())
        first = await reader.read(12)
        writer.write(b"x" * 300_000)
        await writer.drain()
        rest = await reader.read()
        writer.close()
        over = f"POST /api/v1/retrieve HTTP/1.1\r\n{_HEAD.format(port=port)}Transfer-Encoding: chunked\r\n\r\n"
        many = await _said(port, over.encode() + (b"10000\r\n" + b"x" * 65_536 + b"\r\n") * 17 + b"0\r\n\r\n")
    assert (first, b'"unauthorized"' in rest) == (b"HTTP/1.1 401", True)
    assert many.startswith(b"HTTP/1.1 413")


@pytest.mark.requirement("http:slow")
async def test_more_connections_than_there_are_places_are_refused_and_places_come_free_again(tmp_path: Path) -> None:
    limits = replace(_HASTY, header_s=1)  # a moment in which seven connections are surely made
    async with _answering(tmp_path, limits) as port:
        head = (_HEAD.format(port=port) + "Connection: close\r\n").strip().split("\r\n")
        holding = [await asyncio.open_connection("127.0.0.1", port) for _ in range(6)]
        busy = await _said(port, _request(port, *head, ""))
        closed = [await reader.read() for reader, _ in holding]
        free = await _said(port, _request(port, *head, ""))
        for _, writer in holding:
            writer.close()
    assert _problem(busy) == (503, "busy")
    assert b"\r\nretry-after: 1\r\n" in busy.lower()
    assert closed == [b""] * 6
    assert free.startswith(b"HTTP/1.1 200")


def _problem(answer: bytes) -> tuple[int, str]:
    """Return status and code of an answer on the wire, and check that it is a problem under the policy."""
    head, _, body = answer.partition(b"\r\n\r\n")
    status, *lines = head.decode("latin-1").split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    told = json.loads(body)
    assert headers["content-type"] == "application/problem+json"
    assert headers["content-length"] == str(len(body))
    assert headers["connection"] == "close"
    assert {name: headers[name] for name, _ in SECURITY_HEADERS} == {
        name: value.lower() for name, value in SECURITY_HEADERS
    }
    assert told["status"] == int(status.split(" ")[1])
    return told["status"], told["code"]


@pytest.mark.requirement("http:problems", "http:headers", "http:slow")
async def test_what_is_no_request_is_answered_by_a_problem_under_the_policy_or_ends_the_connection(
    tmp_path: Path,
) -> None:
    async with _answering(tmp_path) as port:
        for garbage in (b"garbage\r\n\r\n", b"GET /\xff HTTP/1.1\r\nHost: a\r\n\r\n", b"GET / HTTP/9\r\n\r\n"):
            assert _problem(await _said(port, garbage)) == (400, "bad_request")
        head = f"POST /api/v1/pins HTTP/1.1\r\n{_HEAD.format(port=port)}Transfer-Encoding: chunked\r\n\r\n"
        assert _problem(await _said(port, head.encode() + b"no chunk\r\n\r\n")) == (400, "bad_request")
        for garbage in (b"\x16\x03\x01\x02\x00\x01\x00", b"\r\n\r\n\r\n", b"GET\r\n\r\n", b"\0" * 100):
            said = await _said(port, garbage)
            assert said == b"" or _problem(said) == (400, "bad_request")


async def test_it_stops_while_somebody_waits_for_an_answer_and_at_a_second_signal_waits_for_nobody(
    tmp_path: Path,
) -> None:
    asked, told = anyio.Event(), list[str]()

    async def for_ever(_: Request) -> Response:
        asked.set()
        try:
            await anyio.sleep_forever()
        except BaseException as end:
            told.append(type(end).__name__)
            raise
        raise AssertionError

    async with _answering(tmp_path, replace(_HASTY, graceful_s=0), Route("/slow", for_ever)) as port:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"GET /slow HTTP/1.1\r\n{_HEAD.format(port=port)}\r\n".encode())
        await asked.wait()
    writer.close()
    assert told == ["CancelledError"]
    async with door(tmp_path / "other") as at:
        none = Guard(token=TOKEN, cookie=COOKIE, authorities=frozenset())
        server = make_server(make_app(at.memory, guard=none), _HASTY, ready=int)
        server.stop()
        assert (server.should_exit, server.force_exit) == (True, False)
        server.stop()
        assert server.force_exit


@pytest.mark.requirement("http:serve", "http:serve:own-address")
def test_where_a_server_cannot_listen_is_one_clear_message(monkeypatch: pytest.MonkeyPatch) -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigurationError, match=f"port {port} of 127.0.0.1 is in use.*--port"):
            listen("127.0.0.1", port)
    with pytest.raises(ConfigurationError, match=r"192\.0\.2\.1 is not an address of this machine; leave out --host"):
        listen("192.0.2.1", 0)
    for host in ("", " "):
        with pytest.raises(ConfigurationError, match=r"^--host is empty; leave out --host"):
            require_own(host)
    forbidden, unknown = PermissionError(errno.EACCES, ""), socket.gaierror(socket.EAI_NONAME, "")
    monkeypatch.setattr(socket.socket, "bind", failing(forbidden))
    with pytest.raises(ConfigurationError, match="may not listen on port 80"):
        listen("127.0.0.1", 80)
    monkeypatch.setattr(socket.socket, "bind", failing(unknown))
    with pytest.raises(ConfigurationError, match=r"^banana is not an address, and does not resolve"):
        require_own("banana")


@pytest.mark.requirement("http:loopback", "http:host")
def test_which_addresses_are_this_machine_alone_and_by_which_names_a_server_goes() -> None:
    for host, is_here, is_every in TABLES["which_addresses_are_this_machine_alone"]:
        assert (is_loopback_host(host), is_wildcard(host)) == (is_here, is_every), host
    names = ("127.0.0.1", "localhost", "[::1]")
    assert authorities_of("127.0.0.1", 80) == {*names, *(f"{name}:80" for name in names)}
    assert authorities_of("Memory.Example", 8423) == {"memory.example:8423"}
    assert (address_of("::1", 1), address_of("127.0.0.1", 1)) == ("http://[::1]:1", "http://127.0.0.1:1")
