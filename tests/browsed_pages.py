"""The pages of a memory as a browser without JavaScript gets them, over the application itself, without a server."""

import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import httpx
from starlette.applications import Starlette

from played_turns import given, memory
from voice.core.settings.values import GateSettings
from voice.entrypoints.library import Voice
from voice.entrypoints.web.pages import page_routes
from voice.ports.llm import LlmClient

ON = GateSettings(enabled=True)
_URL = "http://127.0.0.1:8423"


class Browser:
    """Gets pages and sends forms; redirects are followed, as a browser does."""

    def __init__(self, voice: Voice, client: httpx.AsyncClient) -> None:
        self.voice = voice
        self.client = client
        self.address = ""
        """Where the last form led."""

    async def get(self, path: str, expected: int = 200, /, **headers: str) -> str:
        """Return a page, and check that it came as `expected` and is whole."""
        answer = await self.client.get(path, headers=headers)
        assert answer.status_code == expected, answer.text
        return _checked(answer)

    async def send(self, path: str, expected: int = 200, /, **fields: str) -> str:
        """Send a form; return the page that it leads to."""
        answer = await self.client.post(path, data=fields)
        assert answer.status_code == expected, answer.text
        self.address = str(answer.url).removeprefix(_URL)
        return _checked(answer)

    async def stream(self, **fields: str) -> list[tuple[str, str]]:
        """Ask as the script does; return the messages as (event, data)."""
        answer = await self.client.post("/ask/stream", data=fields)
        assert answer.headers["content-type"].startswith("text/event-stream")
        return [_message(each) for each in answer.text.split("\n\n") if each]


@asynccontextmanager
async def browsing(home: Path, llm: LlmClient | None = None, **settings: object) -> AsyncGenerator[Browser]:
    """Open a memory in `home` and its pages; without a model of its own it answers with the memory's sentences."""
    chosen = given(**{"gate": ON, **settings})
    async with memory(home, llm, settings=chosen) as services:
        voice = Voice(services, chosen)
        app = Starlette(routes=page_routes(voice))
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url=_URL, follow_redirects=True) as client:
            yield Browser(voice, client)


def text_of(page: str) -> str:
    """Return what is read of a page, on one line, as a person sees it: without markup, style and script."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


def _message(raw: str) -> tuple[str, str]:
    lines = raw.split("\n")
    event = next((line.removeprefix("event: ") for line in lines if line.startswith("event: ")), "")
    return event, "\n".join(line.removeprefix("data: ") for line in lines if line.startswith("data:"))


class _Whole(HTMLParser):
    """Holds a page against what every page keeps to."""

    void = frozenset({"meta", "link", "input", "br", "hr", "img"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.faults: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.void:
            self.open.append(tag)
        for name, value in attrs:
            if name == "style" or name.startswith("on"):
                self.faults.append(f"{name} in <{tag}>: the policy allows no style and no script in a page")
            inside = ("/", "#", "?", *(("obsidian://open?path=", "file:///") if tag == "a" else ()))
            if name in ("src", "href", "action", "hx-get", "hx-post") and not (value or "").startswith(inside):
                self.faults.append(f"{name}={value!r} leads elsewhere")
            if name == "id":
                self.ids.append(value or "")
        if tag == "script" and not dict(attrs).get("src"):
            self.faults.append("a script that stands in the page")

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> closes what is not open")


def faults_of(page: str) -> list[str]:
    """Return what is wrong with the markup of a page: tags, ids that stand twice, addresses elsewhere, inline code."""
    whole = _Whole()
    whole.feed(page)
    twice = sorted({each for each in whole.ids if whole.ids.count(each) > 1})
    return [*whole.faults, *(f"<{tag}> stays open" for tag in whole.open), *(f"id {each!r} twice" for each in twice)]


def _checked(answer: httpx.Response) -> str:
    if answer.headers["content-type"].startswith("text/html"):
        assert faults_of(answer.text) == []
    return answer.text
