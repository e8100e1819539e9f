"""What lies at the end of every range: instants, numbers, cursors, pages and charsets that nobody means."""

import json
from base64 import urlsafe_b64encode
from collections.abc import AsyncGenerator
from datetime import datetime
from pathlib import Path
from typing import cast

import pytest

from browsed_pages import Browser, browsing
from voice.core.errors import InvalidParams
from voice.entrypoints.web.access import Limits
from voice.entrypoints.web.api.operations import OPERATIONS
from web_door import API, ORIGIN, Door, door, guard, told

_INSTANTS = ("0001-01-01T00:00:00+14:00", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59-14:00", "9999-12-31T23:59:59Z")
_NUMBERS = ("0", "-1", "9" * 25, "000001" + "9" * 400, "9" * 5_000, "٣", "1e3", "")
_CHARSETS = ("unicode_escape", "punycode", "undefined", "utf-7", "latin-1", "no-such")
_PLACES: tuple[object, ...] = (10**100, -(10**100), 2**63, -(2**63) - 1, True, 1.5, None, [])


@pytest.fixture
async def at(tmp_path: Path) -> AsyncGenerator[Door]:
    limits = Limits(burst=1e9, per_second=1e9)
    async with door(tmp_path, what=guard(limits=limits), pages=True) as opened:
        await opened.memory.remember("Moved the kiln to the shed.")
        await opened.memory.ask("Where is the kiln?")
        yield opened


@pytest.fixture
async def browser(tmp_path: Path) -> AsyncGenerator[Browser]:
    async with browsing(tmp_path) as opened:
        await opened.voice.remember("Moved the kiln to the shed.")
        await opened.voice.ask("Where is the kiln?")
        yield opened


@pytest.mark.requirement("http:bounded", "http:fuzz")
async def test_an_instant_that_no_zone_can_show_is_refused_by_its_name(at: Door) -> None:
    wanted = "it is out of range; the year must lie between 2 and 9998"
    for moment in _INSTANTS:
        for path, body, name in (
            ("/thoughts", {"content": "The kiln was cold."}, "at"),
            ("/recall", {"query": "kiln", "scope": "all"}, "now"),
            ("/ask", {"question": "Where is the kiln?"}, "as_of"),
            ("/ask/dry-run", {"question": "Where is the kiln?"}, "as_of"),
            ("/retrieve", {"query": "kiln"}, "as_of"),
            ("/corrections", {"row": "t:000001"}, "since"),
            ("/corrections", {"row": "t:000001"}, "until"),
            ("/pins", {"target": "t:000001", "reason": "it matters"}, "until"),
        ):
            problem = await told(at, "POST", path, json={**body, name: moment}, status=422)
            assert problem["faults"] == [{"at": name, "what": wanted}], (path, moment)
        for path, name in (("/kg/candidates", "since"), ("/kg/entities/Marta", "as_of")):
            problem = await told(at, "GET", path, params={name: moment}, status=422)
            assert cast("list[dict[str, str]]", problem["faults"])[0]["at"] == name
        named = datetime.fromisoformat(moment)
        for asked in (
            at.memory.remember("The kiln was cold.", at=named),
            at.memory.recall("kiln", now=named),
            at.memory.ask("Where is the kiln?", as_of=named),
        ):
            with pytest.raises(InvalidParams, match="between 2 and 9998"):
                await asked


@pytest.mark.requirement("http:bounded", "http:paging")
async def test_a_cursor_that_holds_no_place_is_none(at: Door) -> None:
    for path in ("/sources", "/sessions", "/kg/entities", "/kg/candidates"):
        for parts in (parts for place in _PLACES for parts in ([place], [place, "x"])):
            cursor = urlsafe_b64encode(json.dumps(parts).encode()).decode().rstrip("=")
            await told(at, "GET", path, params={"cursor": cursor}, status=422)


@pytest.mark.requirement("http:bounded", "http:fuzz")
async def test_a_page_and_a_sentence_that_there_are_not_are_said_so_and_no_other_number_makes_a_page_fail(
    browser: Browser,
) -> None:
    (session,) = await browser.voice.services.life.listed(limit=5)
    (turn,) = await browser.voice.services.sessions.exchanges(session_id=session.id)
    for number in _NUMBERS:
        for path in ("/sessions", f"/sessions/{session.id}") if number else ():
            answer = await browser.client.get(path, params={"page": number})
            assert (answer.status_code, "from 1 to 1,000" in answer.text) == (422, True)
        for path in (f"/turns/{turn.id}", "/turns/x:1") if number not in ("", "0") else ():
            assert (await browser.client.get(f"{path}/sentences/{number}")).status_code == 404
        for path in ("/sources", "/sources/t:000001", "/review", "/graph", "/reports"):
            for name in ("below", "page", "after", "from"):
                answer = await browser.client.get(path, params={name: number, "to": number})
                assert answer.status_code < 500, (path, name, number[:20])


@pytest.mark.requirement("http:bounded", "http:fuzz", "http:problems")
async def test_a_form_in_another_charset_is_refused(at: Door) -> None:
    part = b'--B\r\nContent-Disposition: form-data; name="%s"\r\n\r\n\\ud800\r\n'
    body = b"".join(part % name for name in (b"target", b"question", b"theme", b"words", b"topic")) + b"--B--\r\n"
    charsets = [f"charset={each}" for each in _CHARSETS]
    for path in ("/pins", "/ask", "/ask/stream", "/theme", "/sources", "/sessions/s:1/rename"):
        for kind in ("multipart/form-data; boundary=B", "application/x-www-form-urlencoded"):
            for charset in (*charsets, "charset=utf-8; charset=utf-7") if path == "/pins" else charsets[:1]:
                sent = {"Content-Type": f"{kind}; {charset}", "Origin": ORIGIN}
                answer = await at.client.post(path, content=body, headers=sent)
                assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type"), (path, sent)
    kind = "application/x-www-form-urlencoded"
    for said in ("text/plain", "application/json", "form"):
        refused = await at.client.post("/theme", content=b"theme=dark", headers={"Content-Type": said})
        assert refused.status_code == 415
    read = await at.client.post("/theme", content=b"theme=dark", headers={"Content-Type": f"{kind}; charset=UTF-8"})
    assert "voice_theme=dark" in read.headers["set-cookie"]
    for query, fields in (("", {"private": "2"}), ("?private=2", {}), ("?odd=1", {})):
        answer = await at.client.post(f"/ask/stream{query}", data=fields, headers={"Accept": "text/html"})
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid_params")


@pytest.mark.requirement("http:bounded", "http:fuzz")
async def test_no_operation_that_reads_fails_over_what_its_address_says(at: Door) -> None:
    for operation in (each for each in OPERATIONS if each.method == "GET"):
        names = operation.query.model_fields if operation.query else ("x",)
        for value in (*_NUMBERS, *_INSTANTS):
            path = "/".join(value or "x" if part.startswith("{") else part for part in operation.path.split("/"))
            for params in [{name: value} for name in names] if value in ("9" * 5_000, _INSTANTS[0]) else [{}]:
                answer = await at.client.get(f"{API}{path}", params=params)
                assert answer.status_code < 500, (operation.id, params, value[:20])
