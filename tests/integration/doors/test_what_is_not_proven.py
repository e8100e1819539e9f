"""One draft with one false sentence, read at every door: in its mark wherever it is shown, or not at all."""

import io
import json
import re
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing, asynccontextmanager, redirect_stderr, redirect_stdout
from html import unescape
from pathlib import Path
from typing import cast

import httpx
import pytest
from mcp import Client
from mcp_types import TextContent
from rich.console import Console

from played_turns import FIRED, KILN, MOVED, WHERE, given, memory, quoting, scripted, tell
from voice.core.grounding.values import GroundingPolicy
from voice.core.render.conversation import transcript_markdown
from voice.core.render.turn_json import event_json
from voice.core.session.values import DialogueExchange
from voice.core.settings.providers import VerifierSettings
from voice.core.settings.values import GateSettings
from voice.entrypoints.cli.ask import print_exchange
from voice.entrypoints.cli.show.sessions import diff_lines
from voice.entrypoints.cli.show.turn import show_exchange
from voice.entrypoints.library import Voice
from voice.entrypoints.mcp.server import make_server
from voice.entrypoints.shared.sessions import conversation_json, turn_json
from voice.entrypoints.web.pages import page_routes
from voice.entrypoints.web.server import make_app
from web_door import BEARER, COOKIE, ORIGIN, guard

pytestmark = pytest.mark.requirement("grounding:marked-everywhere", "promise:1")
WORD = "Kakadu"
FALSE = f"The parrot {WORD} paid 411 euros for it."
MARK = "not supported"
NEAR = 64
"""Characters before the words in which their mark begins: it, and what of the sentence stands before the word."""


@asynccontextmanager
async def opened(home: Path, policy: str) -> AsyncGenerator[Voice]:
    """Open a memory whose model says two true sentences and a false one."""
    settings = given(
        gate=GateSettings(enabled=True),
        verifier=VerifierSettings(name="none"),
        grounding=GroundingPolicy(on_unsupported=policy, min_coverage=0.5),  # pyright: ignore[reportArgumentType]
    )
    says = scripted(quoting(MOVED, FIRED, answer=f"{FALSE} {MOVED} {FIRED}"))
    async with memory(home, says, settings=settings) as services:
        await tell(services, *KILN)
        yield Voice(services, settings)


async def shown_everywhere(voice: Voice) -> dict[str, str]:
    """Ask at every door; return what each showed, JSON as JSON text."""
    turn = await voice.ask(WHERE)
    other = await voice.ask(f"{WHERE} Say.", new_topic="another")
    shown: dict[str, object] = {
        "library": turn.exchange.answer,
        "--json": turn_json(turn),
        "--json --explain": turn_json(turn, explain=True),
        "--json --shape nlq": turn_json(turn, "nlq"),
        "sessions show --json": conversation_json(turn.session, [turn.exchange]),
        "sessions export --format md": transcript_markdown(turn.session, [turn.exchange], timezone="UTC"),
        "sessions export": (await voice.services.transcripts.export(turn.session.id)).document.members(),
        "sessions diff": "\n".join(
            diff_lines(await voice.services.life.diff(turn.session.id, other.session.id), include_private=True)
        ),
        "terminal": in_terminal(turn.exchange),
        **{f"--format {form}": printed(turn.exchange, form) for form in ("text", "markdown", "plain")},
    }
    async with aclosing(voice.stream(WHERE)) as events:
        shown["--stream-json"] = [event_json(event) async for event in events]
    shown |= await over_mcp(voice)
    shown |= await over_http(voice)
    return {door: told if isinstance(told, str) else json.dumps(told) for door, told in shown.items()}


def in_terminal(exchange: DialogueExchange) -> str:
    out = io.StringIO()
    show_exchange(exchange, Console(file=out, width=200, force_terminal=True, no_color=True, color_system=None))
    return out.getvalue()


def printed(exchange: DialogueExchange, form: str) -> str:
    out, beside = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(beside):
        print_exchange(exchange, form)  # pyright: ignore[reportArgumentType]
    return out.getvalue() + beside.getvalue()


async def over_mcp(voice: Voice) -> dict[str, object]:
    heard: list[str] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        assert total is None or progress <= total
        heard.append(message or "")

    shown: dict[str, object] = {}
    async with Client(make_server(voice), mode="auto") as client:
        for shape in ("full", "nlq"):
            asked = {"query": WHERE, "shape": shape}
            answer = await client.call_tool("inner_voice_chat", asked, progress_callback=hear)
            shown[f"MCP {shape}"] = answer.structured_content
            shown[f"MCP {shape} as text"] = "\n".join(
                part.text for part in answer.content[1:] if isinstance(part, TextContent)
            )
            assert json.loads(cast("TextContent", answer.content[0]).text) == answer.structured_content
    shown["MCP progress"] = "\n".join(heard)
    return shown


async def over_http(voice: Voice) -> dict[str, object]:
    app = make_app(voice, guard=guard(), extra=page_routes(voice))
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url=ORIGIN, headers=BEARER, timeout=60) as client:
        shown: dict[str, object] = {}
        for shape in ("full", "nlq"):
            answer = await client.post("/api/v1/ask", json={"question": WHERE, "shape": shape})
            assert answer.status_code == 200, answer.text
            shown[f"HTTP {shape}"] = answer.json()
        events = await client.post("/api/v1/ask", json={"question": WHERE}, headers={"Accept": "text/event-stream"})
        shown["HTTP events"] = [json.loads(data) for data in re.findall(r"^data: (.+)$", events.text, re.MULTILINE)]
    async with httpx.AsyncClient(transport=transport, base_url=ORIGIN, cookies={guard().cookie_name: COOKIE}) as person:
        return shown | await on_pages(voice, person)


async def on_pages(voice: Voice, person: httpx.AsyncClient) -> dict[str, object]:
    turn = (await voice.services.sessions.exchanges())[-1]
    session = turn.session_id.replace(":", "%3A")
    source = turn.sources[0].source_id.replace(":", "%3A")
    paths = {
        "page": f"/chat/{session}",
        "transcript page": f"/sessions/{session}",
        "transcript as Markdown": f"/sessions/{session}/conversation.md",
        "transcript as JSON": f"/sessions/{session}/conversation.json",
        "audit page": f"/sessions/{session}/audit",
        "answers on the page of a source": f"/sources/{source}/answers",
        "page of a sentence": f"/turns/{turn.id.replace(':', '%3A')}/sentences/0",
        "list of sessions": "/sessions",
    }
    shown: dict[str, object] = {}
    for door, path in paths.items():
        answer = await person.get(path, follow_redirects=True)
        assert answer.status_code == 200, (door, answer.text)
        is_json = answer.headers["content-type"].startswith("application/json")
        shown[door] = answer.json() if is_json else read(answer.text)
    streamed = await person.post("/ask/stream", data={"question": WHERE, "key": "k:9"}, headers={"Origin": ORIGIN})
    assert streamed.status_code == 200, streamed.text
    shown["page as it comes"] = read(streamed.text)
    return shown


def read(page: str) -> str:
    return unescape(re.sub(r"<[^>]+>", " ", page))


def unmarked(told: str) -> list[str]:
    """Return each place where the false words stand without their mark, of a document of any form."""
    try:
        document = json.loads(told)
    except json.JSONDecodeError:
        return bare(told)
    return [place for text in texts_of(document) for place in bare(text)]


def bare(text: str) -> list[str]:
    line = " ".join(text.split())
    return [line[max(0, at - NEAR) : at + 9] for at in places(line) if MARK not in line[max(0, at - NEAR) : at]]


def places(text: str) -> list[int]:
    return [found.start() for found in re.finditer(WORD, text)]


def texts_of(value: object) -> Iterator[str]:
    """Yield the texts of a document but the bare words of a sentence whose rung stands beside them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        members = cast("Mapping[str, object]", value)
        is_judged = members.get("rung") == "unsupported"
        for name, member in members.items():
            yield from () if is_judged and name == "text" else texts_of(member)
    elif isinstance(value, list):
        for member in cast("list[object]", value):
            yield from texts_of(member)


async def test_a_marked_sentence_is_unmarked_at_no_door(tmp_path: Path) -> None:
    async with opened(tmp_path, "mark") as voice:
        shown = await shown_everywhere(voice)
    assert {door: found for door, told in shown.items() if (found := unmarked(told))} == {}
    silent = {door for door, told in shown.items() if WORD not in told}
    assert silent == {"MCP full as text", "MCP nlq as text", "audit page", "list of sessions"}


async def test_a_sentence_that_is_cut_is_at_no_door_and_that_it_was_is_told_at_each(tmp_path: Path) -> None:
    async with opened(tmp_path, "cut") as voice:
        shown = await shown_everywhere(voice)
    assert [door for door, told in shown.items() if WORD in told or "parrot" in told] == []
    line = "1 sentence left out: not supported by the cited sources"
    untold = {door for door, told in shown.items() if line not in " ".join(told.split())}
    assert untold == {
        "library",
        "MCP full as text",  # it stands in the answer itself, and is not said twice
        "MCP progress",
        "sessions diff",
        "sessions export",
        "transcript as JSON",
        "audit page",
        "answers on the page of a source",
        "page of a sentence",
        "list of sessions",
    }
