"""The web door over a memory of the test's own, without a socket."""

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import cast

import httpx
import jsonschema
from starlette.routing import BaseRoute

from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.system.clock_and_ids import CountingIds, FixedClock
from voice.bootstrap import Parts
from voice.core.settings.parse import parse_settings
from voice.entrypoints.library import Voice
from voice.entrypoints.web.access import Guard, Limits
from voice.entrypoints.web.pages import fault_page, page_routes
from voice.entrypoints.web.server import AppHooks, make_app
from voice.ports.llm import LlmClient
from voice.ports.retrieval_provider import Reranker

AUTHORITY = "127.0.0.1:8423"
ORIGIN = f"http://{AUTHORITY}"
TOKEN = "a-token-of-a-run-that-nobody-can-guess-0"
AUTHORITIES = frozenset({AUTHORITY, "localhost:8423"})
COOKIE = "a-cookie-of-a-run-that-nobody-can-guess-"
CODE = "a-code-that-opens-the-page-once"
BEARER = {"Authorization": f"Bearer {TOKEN}"}
API = "/api/v1"
DOCUMENT: dict[str, object] = json.loads((files("voice") / "schemas" / "openapi.json").read_text("utf-8"))
NOW = datetime(2026, 3, 20, 18, 0, tzinfo=UTC)
_ON = {"gate.enabled": True, "llm.provider": "extractive", "grounding.single_source": "green", "store.url": "mem://"}


@dataclass(frozen=True, slots=True)
class Door:
    """An open memory, and a program that asks it over HTTP with its token."""

    memory: Voice
    client: httpx.AsyncClient
    clock: FixedClock


def guard(*, limits: Limits | None = None, codes: frozenset[str] = frozenset({CODE})) -> Guard:
    """Return what the door lets in."""
    return Guard(token=TOKEN, cookie=COOKIE, authorities=AUTHORITIES, limits=limits or Limits(), codes=codes)


@asynccontextmanager
async def door(
    home: Path,
    *,
    what: Guard | None = None,
    extra: tuple[BaseRoute, ...] = (),
    headers: Mapping[str, str] = BEARER,
    flags: Mapping[str, object] | None = None,
    pages: bool = False,
    llm: LlmClient | None = None,
) -> AsyncGenerator[Door]:
    """Open a memory behind the web door.

    Args:
        home: its data directory.
        what: what is let in.
        extra: routes beside the interface.
        headers: what the program sends with every request.
        flags: settings by name.
        pages: whether the pages are served, too.
    """
    async with opened(home, flags, llm=llm) as (memory, clock):
        routes = (*extra, *(page_routes(memory) if pages else ()))
        hooks = AppHooks(fault_page=fault_page(memory) if pages else None)
        app = make_app(memory, guard=what or guard(), extra=routes, hooks=hooks)
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url=ORIGIN, headers=headers) as client:
            yield Door(memory, client, clock)


@asynccontextmanager
async def opened(
    home: Path,
    flags: Mapping[str, object] | None = None,
    *,
    reranker: Reranker | None = None,
    llm: LlmClient | None = None,
) -> AsyncGenerator[tuple[Voice, FixedClock]]:
    """Open a memory whose clock stands still."""
    clock = FixedClock(NOW)
    parts = Parts(embedder=HashedEmbedder(64), clock=clock, ids=CountingIds(), reranker=reranker, llm=llm)
    settings = parse_settings({**_ON, **(flags or {})}, {}, {}).settings
    async with Voice.open(settings, home, parts=parts) as memory:
        yield memory, clock


async def told(at: Door, method: str, path: str, *, status: int = 200, **how: object) -> dict[str, object]:
    """Ask, and hold the answer against what the document says of it."""
    answer = await at.client.request(method, f"{API}{path}", **how)  # pyright: ignore[reportArgumentType]
    assert answer.status_code == status, answer.text
    told = answer.json()
    validator = jsonschema.Draft202012Validator(_schema_of(answer))
    validator.validate(told)  # pyright: ignore[reportUnknownMemberType] - stubs leave it open
    return cast("dict[str, object]", told)


def _schema_of(answer: httpx.Response) -> dict[str, object]:
    """Return the schema of an answer, from the operation that its address belongs to."""
    asked = answer.request.url.path.split("/")
    paths = cast("dict[str, dict[str, dict[str, dict[str, dict[str, object]]]]]", DOCUMENT["paths"])
    (operation,) = [
        found
        for path, methods in paths.items()
        for method, found in methods.items()
        if method.upper() == answer.request.method and _fits(path.split("/"), asked, paths.keys())
    ]
    content = cast(
        "dict[str, dict[str, dict[str, object]]]", operation["responses"][f"{answer.status_code}"]["content"]
    )
    kind = answer.headers["content-type"]
    return {**content[kind]["schema"], "components": DOCUMENT["components"]}


def _fits(path: list[str], asked: list[str], known: object) -> bool:
    """Return whether an address is that of a path; one that is written out goes before one with a place to fill."""
    if "/".join(asked) in cast("dict[str, object]", known):
        return path == asked
    return len(path) == len(asked) and all(
        part == got or part.startswith("{") for part, got in zip(path, asked, strict=True)
    )
