"""Nothing that is served is fetched from, or told to, another machine."""

import re
import socket
from pathlib import Path

import pytest

from voice.entrypoints.web.api.operations import OPERATIONS
from voice.entrypoints.web.pages.rendering import SECTIONS
from voice.entrypoints.web.responses import API_PATH
from web_door import door

_FETCHED = re.compile(
    r"""(?:src|href|action|formaction|hx-[a-z]+|url\()\s*=?\s*["']?(?P<where>(?:https?:)?//[^"' >)]+)"""
)


@pytest.mark.requirement("http:no-third-party")
async def test_answering_connects_to_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[object] = []
    connect = socket.socket.connect

    def noting(self: socket.socket, address: object) -> None:
        if self.family != socket.AF_UNIX:
            called.append(address)
        connect(self, address)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(socket.socket, "connect", noting)
    async with door(tmp_path) as at:
        await at.client.post(f"{API_PATH}/thoughts", json={"content": "See http://evil.example/x.png"})
        await at.client.post(f"{API_PATH}/ask", json={"question": "What is at http://evil.example?"})
        for operation in OPERATIONS:
            if operation.method == "GET" and not operation.needs:
                assert (await at.client.get(f"{API_PATH}{operation.path}")).status_code == 200
    assert called == []


@pytest.mark.requirement("http:no-third-party")
async def test_no_page_refers_to_another_machine(tmp_path: Path) -> None:
    async with door(tmp_path, pages=True) as at:
        await at.memory.remember("See http://evil.example/x.png and [this](//evil.example).")
        await at.memory.ask("What is to be seen?")
        answers = [await at.client.get(section.path) for section in SECTIONS]
    assert [answer.status_code for answer in answers] == [200] * len(SECTIONS)
    assert [found["where"] for answer in answers for found in _FETCHED.finditer(answer.text)] == []
    assert _FETCHED.search('<img src="http://evil.example/x.png">')
    assert _FETCHED.search("<a href='//evil.example'>")
