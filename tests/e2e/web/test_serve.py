"""`voice serve` as people and programs meet it: a process, a port, a browser's requests."""

import json
import os
import re
import signal
import stat
import sys
from collections.abc import Generator
from pathlib import Path

import httpx
import pytest

from cli_runner import SETTINGS, data_directory
from commands_here import run_here
from served import Served, serving
from tables import tables

TABLES = tables(__file__)

_API = "/api/v1"
_HOSTILE = "<script>fetch('http://evil.example')</script> ![x](http://evil.example/x.png) \u202egnp.exe"
_EVENTS = {"Accept": "text/event-stream"}
_ACCEPTS = {"Accept": "application/json, text/event-stream"}
_HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    with serving(tmp_path_factory.mktemp("served") / "home") as running:
        yield running


def _request(server: Served, line: str, *headers: str) -> bytes:
    """Send a request with the token, word for word as it is written, and return the answer."""
    head = (line, f"Host: {server.host}:{server.port}", f"Authorization: Bearer {server.token}", "Connection: close")
    return server.raw("".join(f"{each}\r\n" for each in (*head, *headers, "")).encode())


@pytest.mark.requirement("http:serve", "http:link", "http:cookie", "http:quiet", "web:settings", "ruling:H.12")
def test_it_answers_a_browser_and_programs_and_ends_with_everything_on_disk_and_no_word_of_it_said(
    tmp_path: Path,
) -> None:
    home = data_directory(tmp_path / "home")
    (home / "voice.toml").write_text(f"{SETTINGS}[retrieve]\nmix = 0.25\n", encoding="utf-8")
    with serving(home) as running, httpx.Client(base_url=running.origin, headers=running.bearer) as program:
        _follows_the_link(running)
        kept = program.post(f"{_API}/thoughts", json={"content": "Moved the kiln to the shed."})
        events = program.post(f"{_API}/ask", json={"question": "Where is Zanzibar?"}, headers=_EVENTS)
        page = program.get("/settings").text
        told = {each["name"]: each["value"] for each in program.get(f"{_API}/settings").json()["settings"]}
        for body in (b"x", b"--b\r\nX\r\n\r\n", b"--b\r\n\x00: kiln\r\n\r\nshed\r\n--bx"):
            kind = {"Content-Type": "multipart/form-data; boundary=b"}
            assert program.post("/ask", content=body, headers=kind).status_code == 400
        spoken = program.post("/mcp", json=_HELLO, headers=_ACCEPTS)
        wrong = program.post("/mcp", json=_HELLO, headers={**_ACCEPTS, "Host": "evil.example"})
        code, err = running.stop(signal.SIGTERM)
    assert (kept.status_code, code, err.splitlines()[-1]) == (201, 143, "voice: stopped")
    names = [line.removeprefix("event: ") for line in events.text.splitlines() if line.startswith("event: ")]
    assert events.headers["content-type"].startswith("text/event-stream")
    assert (names[0], names[-2:]) == ("understood", ["refused", "done"])
    shown = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))
    assert ("mix 0.25 voice.toml" in shown, f"home {home}" in shown) == (True, True)
    assert (told["store.home"], told["retrieve.mix"]) == (str(home), "0.25")
    assert (spoken.status_code, "serverInfo" in spoken.text, wrong.status_code) == (200, True, 421)
    links = re.findall(rf"^{running.origin}/\?code=(\S+)$", err, re.MULTILINE)
    assert len(links) == 1
    assert links[0] not in (running.code, running.token)
    said = [line for line in err.splitlines() if not line.startswith(("voice: ", running.origin))]
    assert ([line for line in said if line], "kiln" in err, running.token in err) == ([], False, False)
    assert "Moved the kiln" in run_here("export", "-", home=home).out


def _follows_the_link(server: Served) -> None:
    """Follow the link as a browser does: it lets in once, and to no host for programs."""
    with httpx.Client(base_url=server.origin, follow_redirects=True) as browser:
        page = browser.get("/", params={"code": server.code}, headers={"Sec-Fetch-Site": "none"})
        again = browser.get("/", headers={"Sec-Fetch-Site": "same-origin"})
        shut = browser.post("/mcp", json=_HELLO, headers={**_ACCEPTS, "Origin": server.origin})
    other = httpx.get(server.origin, params={"code": server.code})
    assert [each.status_code for each in (page, again, shut, other)] == [200, 200, 401, 401]
    assert page.headers["content-type"].startswith("text/html")
    assert str(page.url) == f"{server.origin}/"
    assert server.token not in page.text


@pytest.mark.requirement("http:loopback", "http:serve:own-address")
def test_another_address_needs_to_be_meant(
    tmp_path: Path,
) -> None:
    for arguments, word in TABLES["another_address_needs_to_be_meant"]:
        ran = run_here("serve", *arguments, home=tmp_path / "home")
        assert (ran.code, word in ran.err) == (2, True), ran
    assert not (tmp_path / "home").exists()
    for host, said in (
        ("192.0.2.7", "voice: 192.0.2.7 is not an address of this machine; "),
        ("banana" * 11, f"voice: {'banana' * 11} is not an address, and does not resolve to one of this "),
    ):
        ran = run_here("serve", "--host", host, "--expose", home=tmp_path / "home")
        assert (ran.code, ran.only_line.startswith(said)) == (4, True), ran.err
        assert "leave out --host to listen only on this machine" in ran.err


@pytest.mark.requirement("http:loopback", "http:host", "http:serve")
def test_an_address_that_is_meant_is_asked_by_its_name_and_without_pages_there_is_no_link(tmp_path: Path) -> None:
    meant = ("--host", "0.0.0.0", "--expose", "--name", "memory.test")
    with serving(tmp_path / "home", "--no-page", *meant) as running:
        own = {"Host": f"memory.test:{running.port}", **running.bearer}
        here, shut = [
            httpx.get(f"http://127.0.0.1:{running.port}{path}", headers=own) for path in (f"{_API}/pins", "/")
        ]
        other = httpx.get(f"http://127.0.0.1:{running.port}{_API}/pins", headers=running.bearer)
        code, err = running.stop(signal.SIGINT)
    assert (running.host, running.code, code) == ("memory.test", "", 130)
    assert (here.status_code, shut.status_code, other.json()["code"]) == (200, 404, "wrong_host")
    assert 'programs send the header "Authorization: Bearer TOKEN"' in err
    ran = run_here("serve", "--no-page", "--open", home=tmp_path / "home")
    assert (ran.code, "--open opens the page, which --no-page leaves out" in ran.err) == (2, True)


@pytest.mark.requirement("http:token-file", "http:cookie")
def test_a_token_that_is_kept_opens_the_next_run_too(tmp_path: Path) -> None:
    kept = tmp_path / "token"
    tokens: list[str] = []
    cookies: list[str] = []
    for _ in range(2):
        with serving(tmp_path / "home", "--token-file", str(kept)) as running:
            tokens.append(running.token)
            last = {"Cookie": f"voice_{running.port}={''.join(cookies)}"}
            assert httpx.get(running.origin, headers=last).status_code == 401
            link = httpx.get(f"{running.origin}/", params={"code": running.code})
            cookies.append(link.cookies[f"voice_{running.port}"])
            again = {"Cookie": f"voice_{running.port}={cookies[-1]}"}
            assert httpx.get(running.origin, headers=again).status_code == 200
    mode = stat.S_IMODE(kept.stat().st_mode)
    kept.chmod(0o644)
    ran = run_here("serve", "--token-file", str(kept), home=tmp_path / "home")
    assert tokens[0] == tokens[1] == kept.read_text(encoding="ascii").strip()
    assert mode == 0o600
    assert (ran.code, "can be read by others" in ran.err) == (4, True)


@pytest.mark.requirement("http:token", "http:host", "http:origin", "http:site", "http:csrf")
def test_who_is_not_let_in(server: Served) -> None:
    for headers, status, code in TABLES["who_is_not_let_in"]:
        right = server.bearer if code != "unauthorized" else {}
        answer = httpx.post(f"{server.origin}{_API}/retrieve", json={"query": "kiln"}, headers={**right, **headers})
        assert (answer.status_code, answer.json()["code"]) == (status, code)


@pytest.fixture
def launcher(tmp_path: Path) -> Path:
    """Return a directory whose `xdg-open` tells, in `given` beside it, what it was started with."""
    told, programs = tmp_path / "given", tmp_path / "programs"
    os.mkfifo(told)
    programs.mkdir()
    program = programs / "xdg-open"
    program.write_text(f"#!/bin/sh\nprintf '%s\\n' \"$#\" \"$@\" > '{told}'\n", encoding="utf-8")
    program.chmod(0o700)
    return programs


@pytest.mark.requirement("http:opening", "http:link")
@pytest.mark.skipif(sys.platform != "linux", reason="each system starts a browser in its own way; this is Linux'")
def test_a_browser_is_opened_with_no_code_among_its_arguments_and_what_it_was_given_is_gone_after_use(
    tmp_path: Path, launcher: Path
) -> None:
    path = {"PATH": f"{launcher}{os.pathsep}{os.environ['PATH']}"}
    with serving(tmp_path / "home", "--open", environment=path) as server:
        count, given = (tmp_path / "given").read_text(encoding="utf-8").splitlines()
        page = Path(given)
        modes = [stat.S_IMODE(each.stat().st_mode) for each in (page, page.parent)]
        (code,) = set(re.findall(rf"{server.origin}/\?code=([\w-]+)", page.read_text(encoding="utf-8")))
        came = httpx.get(server.origin, params={"code": code}, headers={"Sec-Fetch-Site": "cross-site"})
        is_gone = not page.exists()
        faster = httpx.get(server.origin, params={"code": code})
        _, err = server.stop()
    assert (count, page) == ("1", tmp_path / "home" / f"open-{server.port}.html")
    assert modes == [0o600, 0o700]
    assert code not in (server.code, server.token)
    assert not any(secret in given for secret in (code, server.code, server.token))
    assert (came.status_code, is_gone, faster.status_code) == (200, True, 401)
    assert f"voice gave your browser {page}" in err
    assert "a browser opened the page of --open" in err
    assert code not in err


@pytest.mark.requirement("http:opening")
@pytest.mark.skipif(sys.platform != "linux", reason="each system starts a browser in its own way; this is Linux'")
def test_a_page_that_no_browser_opened_goes_with_the_server_and_one_that_cannot_be_started_is_told(
    tmp_path: Path,
) -> None:
    with serving(tmp_path / "home", "--open", environment={"PATH": str(tmp_path)}) as server:
        _, err = server.stop()
    assert list((tmp_path / "home").glob("open-*")) == []
    assert "could not start a browser; open the link above" in err
    assert "a browser opened the page" not in err


@pytest.mark.requirement("web:static", "http:headers")
def test_a_browser_keeps_the_files_of_the_pages_and_nothing_of_the_memory(server: Served) -> None:
    page = _request(server, "GET / HTTP/1.1")
    (style,) = re.findall(rb'href="(/static/voice\.css\?v=[0-9a-f]+)"', page)
    kept = _request(server, f"GET {style.decode()} HTTP/1.1")
    asked = _request(server, "GET /static/voice.css HTTP/1.1")
    assert _lines(kept, b"cache-control") == [b"private, max-age=31536000, immutable"]
    assert _lines(asked, b"cache-control") == [b"private, no-cache"]
    for path in ("/", "/sources", "/static/nothing.css", f"{_API}/settings"):
        assert _lines(_request(server, f"GET {path} HTTP/1.1"), b"cache-control") == [b"no-store"], path


def _lines(answer: bytes, name: bytes) -> list[bytes]:
    head = answer.partition(b"\r\n\r\n")[0].split(b"\r\n")
    return [line.partition(b": ")[2] for line in head if line.lower().startswith(name + b":")]


@pytest.mark.requirement("http:traversal")
def test_no_address_leads_out_of_what_is_served(server: Served) -> None:
    for path in TABLES["no_address_leads_out_of_what_is_served"]:
        said = _request(server, f"GET {path} HTTP/1.1")
        assert said.split(b" ", 2)[1] in (b"400", b"404", b"405", b"422"), path
        assert (b"root:" in said, b"provider =" in said) == (False, False)
    assert b"rovider" in _request(server, "GET /settings HTTP/1.1")


@pytest.mark.requirement("http:inert", "http:headers")
def test_a_hostile_memory_is_inert_on_the_wire(server: Served) -> None:
    said = {"content": _HOSTILE, "kind": "note"}
    httpx.post(f"{server.origin}{_API}/thoughts", json=said, headers=server.bearer).raise_for_status()
    answer = httpx.post(f"{server.origin}{_API}/recall", json={"query": "script"}, headers=server.bearer)
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert not any(char in answer.text for char in "<>\u202e")
    assert _HOSTILE in json.dumps(answer.json(), ensure_ascii=False).replace('\\"', '"')
