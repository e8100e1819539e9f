"""The pages of a desk over a memory of the test's own, without a socket."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

import httpx
from starlette.applications import Starlette

from played_turns import NOW
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.llm.scripted import ExtractiveClient
from voice.adapters.system.clock_and_ids import CountingIds, FixedClock
from voice.bootstrap import Parts, Services
from voice.core.settings.parse import parse_settings
from voice.entrypoints.library import Voice
from voice.entrypoints.web.pages import page_routes

_ON = {
    "gate.enabled": True,
    "llm.provider": "extractive",
    "grounding.single_source": "green",
    "store.url": "mem://",
    "time.timezone": "Europe/Lisbon",
}
PART = {"hx-request": "true"}
"""What a script says that asks for a part of a page."""


@dataclass(frozen=True, slots=True)
class Desk:
    """An open memory, and a browser without scripts in front of its pages."""

    memory: Voice
    browser: httpx.AsyncClient
    clock: FixedClock

    @property
    def services(self) -> Services:
        return self.memory.services

    async def text(self, path: str, status: int = 200) -> str:
        """Return the text of a page, as somebody reads it."""
        return read(await self.html(path, status))

    async def html(self, path: str, status: int = 200) -> str:
        got = await self.browser.get(path)
        assert got.status_code == status, (got.status_code, read(got.text))
        return got.text

    async def send(self, path: str, **fields: str) -> httpx.Response:
        """Send a form as a page without scripts does, and follow where it leads."""
        return await self.browser.post(path, data=fields, follow_redirects=True)


@asynccontextmanager
async def desk(home: Path, **flags: object) -> AsyncGenerator[Desk]:
    """Open a memory and its pages; `flags` are settings by name."""
    clock = FixedClock(NOW)
    parts = Parts(embedder=HashedEmbedder(64), clock=clock, ids=CountingIds(), llm=ExtractiveClient())
    settings = parse_settings({**_ON, **flags}, {}, {}).settings
    async with Voice.open(settings, home, parts=parts) as memory:
        app = Starlette(routes=page_routes(memory))
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8423") as browser:
            yield Desk(memory, browser, clock)


@dataclass
class _Reader(HTMLParser):
    parts: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_data(self, data: str) -> None:
        self.parts.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "li", "dt", "dd", "p", "option"):
            self.parts.append(" ")


def read(html: str) -> str:
    """Return the words of a page on one line."""
    reader = _Reader()
    reader.feed(html)
    return " ".join("".join(reader.parts).split())
