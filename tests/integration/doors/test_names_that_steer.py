"""Notes whose names and words steer a terminal, a program or an eye: at every door they can only be read."""

import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC
from html import unescape
from pathlib import Path
from typing import cast

import httpx
import pytest
from mcp import Client
from mcp_types import TextContent, TextResourceContents

from cli_runner import SETTINGS
from voice.core.interchange.origin import Entrance
from voice.core.text.display import CONTROL_CHARS
from voice.entrypoints.cli.main import exit_code
from voice.entrypoints.library import Voice
from voice.entrypoints.mcp.json_rpc import encode_message
from voice.entrypoints.mcp.server import make_server
from voice.entrypoints.web.pages import page_routes
from voice.entrypoints.web.server import make_app
from voice.services.imports.request import ImportRequest
from web_door import BEARER, COOKIE, ORIGIN, guard, opened

pytestmark = pytest.mark.requirement("ruling:I7", "web:inert")
NAME = "Kiln \u202egnp.exe\u2066 \x1b[31mred\x1b]0;taken\x07\x9b \u200e\ufeff\nnext \u2028line"
WORDS = f"The kiln is in the shed behind the house with [[{NAME.splitlines()[0]}]]. Kiln \u202estands\x1b[2J alone."
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")
MOST_PAGES = 60


def folder(place: Path) -> Path:
    """Return a vault whose names steer: of a note, of one that cannot be read, of a folder, a link and another file."""
    vault = place / f"vault \u202e{NAME[:4]}"
    (vault / ".obsidian").mkdir(parents=True)
    (vault / NAME).mkdir()
    (vault / NAME / f"{NAME}.md").write_text(WORDS, encoding="utf-8")
    (vault / f"{NAME}.md").write_text(f"---\naliases: ['{NAME[:12]}']\n\u202ekey: x\n---\nMarta fires it.", "utf-8")
    (vault / f"{NAME}2.md").write_bytes(b"\xff\xfe")
    (vault / f"{NAME}.\u202epng").write_bytes(b"x")
    (vault / f"{NAME}3.md").symlink_to(place)
    return vault


def steering(told: str, *, is_wire: bool = False) -> list[str]:
    """Return what steers in what a door sent; as HTML or JSON, also what it stands for once it is read."""
    found = CONTROL_CHARS.findall(told) + CONTROL.findall(told)
    return [f"U+{ord(char):04X}" for char in found + ([] if is_wire else CONTROL_CHARS.findall(unescape(told)))]


def test_the_command_line_shows_no_name_that_steers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "voice.toml").write_text(SETTINGS, encoding="utf-8")
    vault, where = str(folder(tmp_path)), "Where is the kiln?"
    forms = ("retrieve", "recall", "ask")
    plain = ("doctor", "kg export -", "export -", *(f"{each} --json" for each in ("kg list", "sessions list")))
    calls = [["import", vault, *more] for more in (["--dry-run"], ["--dry-run", "--json"], [], [])]
    calls += [[form, where, *more] for form in forms for more in ([], ["--json"])]
    calls += [["retrieve", where, "--explain"], ["ask", where, "--format", "markdown"], ["ask", NAME]]
    calls += [["kg", "show", NAME], ["kg", "candidates"], ["kg", "candidates", "--json"], ["kg", "list"]]
    calls += [["import", f"{vault}/{NAME}"], ["import", f"{NAME}.json"], *(each.split() for each in plain)]
    told = dict[str, str]()
    for number, call in enumerate(calls):
        capsys.readouterr()
        exit_code(["--home", str(home), *call])
        said = capsys.readouterr()
        told[f"{number} {' '.join(call[:2])}"] = said.out + said.err
    assert {call: found for call, said in told.items() if (found := steering(said))} == {}
    assert sum("Kiln" in said for said in told.values()) > len(calls) / 2


@asynccontextmanager
async def steered(place: Path) -> AsyncGenerator[Voice]:
    """Open a memory that holds the vault, with what its names offer for review and an answer from it."""
    async with opened(place / "home") as (memory, _):
        request = ImportRequest(path=str(folder(place)), entrance=Entrance.CLI, zone=UTC)
        report = await memory.services.transfer.import_memory(request)
        await memory.services.extracting.arrived(report.ingested.stored, report.offers)
        await memory.ask("Where is the kiln?", new_topic=NAME)
        yield memory


async def test_no_tool_of_a_program_tells_what_steers(tmp_path: Path) -> None:
    told = dict[str, str]()
    async with steered(tmp_path) as memory, Client(make_server(memory), mode="auto") as client:
        for tool, asked in (
            ("inner_voice_retrieve", {"query": "kiln"}),
            ("inner_voice_chat", {"query": "Where is the kiln?", NAME: 1}),
            ("recall", {"query": "kiln"}),
            ("knowledgegraph_moderate", {}),
            ("inner_voice", {"query": NAME}),
            ("remember", {"content": "The kiln is hot.", "kind": NAME}),
            ("recall", {"query": "kiln", "when": NAME}),
        ):
            answer = await client.call_tool(tool, asked)
            texts = [part.text for part in answer.content if isinstance(part, TextContent)]
            told[f"{tool} {asked}"] = "\n".join(texts)
            told[f"{tool} {asked} as it goes out"] = encode_message(answer.model_dump(mode="json")).decode()
        for resource in (await client.list_resources()).resources:
            read = await client.read_resource(resource.uri)
            told[str(resource.uri)] = "\n".join(cast("TextResourceContents", each).text for each in read.contents)
        prompt = await client.get_prompt("challenge", {"question": NAME})
        told["prompt"] = "\n".join(cast("TextContent", each.content).text for each in prompt.messages)
    assert {call: found for call, said in told.items() if (found := steering(said, is_wire=True))} == {}
    assert sum("Kiln" in said for said in told.values()) > len(told) / 2


async def test_no_page_and_no_answer_over_http_holds_what_steers(tmp_path: Path) -> None:
    async with steered(tmp_path) as memory:
        app = make_app(memory, guard=guard(), extra=page_routes(memory))
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url=ORIGIN, headers=BEARER) as program:
            paths = ("retrieve", "ask", "recall")
            bodies = [{"query": "kiln"}, {"question": "Where is the kiln?"}, {"query": "kiln"}]
            answers = [await program.post(f"/api/v1/{p}", json=body) for p, body in zip(paths, bodies, strict=True)]
            answers += [await program.get(f"/api/v1/{path}") for path in ("sessions", "doctor", "candidates")]
        assert {each.url.path: found for each in answers if (found := steering(each.text, is_wire=True))} == {}
        assert all(answer.is_success for answer in answers[:3])
        async with httpx.AsyncClient(
            transport=transport, base_url=ORIGIN, cookies={guard().cookie_name: COOKIE}, follow_redirects=True
        ) as person:
            pages = await _walked(person)
    assert {path: found for path, page in pages.items() if (found := steering(page))} == {}
    assert sum("Kiln" in page for page in pages.values()) > 10
    fields = [field for page in pages.values() for field in re.findall(r"<textarea[^>]*>([^<]*)</textarea>", page)]
    assert any("stands" in field for field in fields)


async def _walked(person: httpx.AsyncClient) -> dict[str, str]:
    waiting, pages = ["/", "/queue", "/sources", "/graph", "/sessions", f"/sources?search={NAME[:5]}"], dict[str, str]()
    while waiting and len(pages) < MOST_PAGES:
        path = waiting.pop(0)
        if path in pages:
            continue
        answer = await person.get(path)
        pages[path] = answer.text
        waiting += [unescape(each).partition("#")[0] for each in re.findall(r'href="(/[^"]*)"', answer.text)]
        waiting = [each for each in dict.fromkeys(waiting) if not each.startswith("/static/")]
    return pages
