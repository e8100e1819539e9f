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

from cli_runner import run_command
from served import Served, serving
from tables import tables

TABLES = tables(__file__)

_API = "/api/v1"
_HOSTILE = "<script>fetch('http://evil.example')</script> ![x](http://evil.example/x.png) \u202egnp.exe"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[Served]:
    with serving(tmp_path_factory.mktemp("served") / "home") as running:
        yield running


def _request(server: Served, line: str, *headers: str) -> bytes:
    """Send a request with the token, word for word as it is written, and return the answer."""
    head = (line, f"Host: {server.host}:{server.port}", f"Authorization: Bearer {server.token}", "Connection: close")
    return server.raw("".join(f"{each}\r\n" for each in (*head, *headers, "")).encode())


@pytest.mark.requirement("http:serve", "http:link", "http:quiet")
@pytest.mark.parametrize(("number", "ends"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_it_answers_and_ends_with_everything_on_disk(tmp_path: Path, number: signal.Signals, ends: int) -> None:
    home = tmp_path / "home"
    with serving(home) as running:
        said = {"content": "Moved the kiln to the shed."}
        kept = httpx.post(f"{running.origin}{_API}/thoughts", json=said, headers=running.bearer)
        code, err = running.stop(number)
    exported = tmp_path / "memory.jsonl"
    run_command("export", str(exported), home=home)
    assert kept.status_code == 201
    assert (code, err.splitlines()[-1]) == (ends, "voice: stopped")
    assert "kiln" not in err
    assert running.token not in err
    assert "Moved the kiln" in exported.read_text(encoding="utf-8")


@pytest.mark.requirement("http:serve")
def test_without_pages_it_prints_what_programs_call_and_no_link(tmp_path: Path) -> None:
    with serving(tmp_path / "home", "--no-page") as running:
        answered = httpx.get(f"{running.origin}{_API}/pins", headers=running.bearer)
        shut = httpx.get(running.origin, headers=running.bearer)
        _, err = running.stop()
    assert (running.code, answered.status_code, shut.status_code) == ("", 200, 404)
    assert 'programs send the header "Authorization: Bearer TOKEN"' in err
    ran = run_command("serve", "--no-page", "--open", home=tmp_path / "home")
    assert (ran.code, "--open opens the page, which --no-page leaves out" in ran.err) == (2, True)


@pytest.mark.requirement("http:loopback")
@pytest.mark.parametrize(("arguments", "word"), TABLES["another_address_needs_to_be_meant"])
def test_another_address_needs_to_be_meant(tmp_path: Path, arguments: list[str], word: str) -> None:
    ran = run_command("serve", *arguments, home=tmp_path / "home")
    assert (ran.code, word in ran.err) == (2, True)
    assert not (tmp_path / "home").exists()


@pytest.mark.requirement("http:serve:own-address")
@pytest.mark.parametrize("expose", [(), ("--expose",)])
@pytest.mark.parametrize(
    ("host", "said"),
    [
        ("192.0.2.7", "voice: 192.0.2.7 is not an address of this machine; "),
        (f"{'banana' * 11}", f"voice: {'banana' * 11} is not an address, and does not resolve to one of this "),
    ],
)
def test_what_is_no_address_of_this_machine_is_not_called_another_machine_s(
    tmp_path: Path, host: str, said: str, expose: tuple[str, ...]
) -> None:
    ran = run_command("serve", "--host", host, *expose, home=tmp_path / "home")
    assert (ran.code, ran.only_line.startswith(said)) == (4, True), ran.err
    assert "leave out --host to listen only on this machine" in ran.err


@pytest.mark.requirement("http:loopback", "http:host")
def test_an_address_that_is_meant_is_asked_by_its_name(tmp_path: Path) -> None:
    with serving(tmp_path / "home", "--host", "0.0.0.0", "--expose", "--name", "memory.test") as running:
        assert running.host == "memory.test"
        own = {"Host": f"memory.test:{running.port}", **running.bearer}
        here = httpx.get(f"http://127.0.0.1:{running.port}{_API}/pins", headers=own)
        other = httpx.get(f"http://127.0.0.1:{running.port}{_API}/pins", headers=running.bearer)
    assert (here.status_code, other.json()["code"]) == (200, "wrong_host")


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
    ran = run_command("serve", "--token-file", str(kept), home=tmp_path / "home")
    assert tokens[0] == tokens[1] == kept.read_text(encoding="ascii").strip()
    assert mode == 0o600
    assert (ran.code, "can be read by others" in ran.err) == (4, True)


@pytest.mark.requirement("http:token", "http:host", "http:origin", "http:site", "http:csrf")
@pytest.mark.parametrize(("headers", "status", "code"), TABLES["who_is_not_let_in"])
def test_who_is_not_let_in(server: Served, headers: dict[str, str], status: int, code: str) -> None:
    right = server.bearer if code != "unauthorized" else {}
    answer = httpx.post(f"{server.origin}{_API}/retrieve", json={"query": "kiln"}, headers={**right, **headers})
    assert (answer.status_code, answer.json()["code"]) == (status, code)


@pytest.mark.requirement("http:link", "http:cookie")
def test_a_browser_follows_the_link_to_the_page_and_the_next_link_is_for_another_one(tmp_path: Path) -> None:
    with serving(tmp_path / "home") as server:
        with httpx.Client(base_url=server.origin, follow_redirects=True) as browser:
            page = browser.get("/", params={"code": server.code}, headers={"Sec-Fetch-Site": "none"})
            again = browser.get("/", headers={"Sec-Fetch-Site": "same-origin"})
        other = httpx.get(server.origin, params={"code": server.code})
        _, err = server.stop()
    links = re.findall(rf"^{server.origin}/\?code=(\S+)$", err, re.MULTILINE)
    assert other.status_code == 401
    assert len(links) == 1
    assert links[0] not in (server.code, server.token)
    assert (page.status_code, again.status_code) == (200, 200)
    assert page.headers["content-type"].startswith("text/html")
    assert str(page.url) == f"{server.origin}/"
    assert server.token not in page.text


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
def test_a_page_that_no_browser_opened_goes_with_the_server(tmp_path: Path, launcher: Path) -> None:
    path = {"PATH": f"{launcher}{os.pathsep}{os.environ['PATH']}"}
    with serving(tmp_path / "home", "--open", environment=path) as server:
        (tmp_path / "given").read_text(encoding="utf-8")
        there = [each.name for each in (tmp_path / "home").glob("open-*")]
        _, err = server.stop()
    assert there == [f"open-{server.port}.html"]
    assert list((tmp_path / "home").glob("open-*")) == []
    assert "a browser opened the page" not in err


@pytest.mark.requirement("http:opening")
@pytest.mark.skipif(sys.platform != "linux", reason="each system starts a browser in its own way; this is Linux'")
def test_where_no_browser_can_be_started_the_link_on_the_terminal_is_named(tmp_path: Path) -> None:
    with serving(tmp_path / "home", "--open", environment={"PATH": str(tmp_path)}) as server:
        _, err = server.stop()
    assert "could not start a browser; open the link above" in err


@pytest.mark.requirement("web:settings", "http:serve")
def test_the_settings_are_told_with_their_home_and_where_each_came_from_as_voice_config_does(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "voice.toml").write_text("[retrieve]\nmix = 0.25\n")
    with serving(home) as server, httpx.Client(base_url=server.origin, headers=server.bearer) as program:
        page = program.get("/settings").text
        told = {each["name"]: each["value"] for each in program.get(f"{_API}/settings").json()["settings"]}
    shown = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))
    assert "mix 0.25 voice.toml" in shown
    assert f"home {home}" in shown
    assert (told["store.home"], told["retrieve.mix"]) == (str(home), "0.25")


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
@pytest.mark.parametrize("path", TABLES["no_address_leads_out_of_what_is_served"])
def test_no_address_leads_out_of_what_is_served(server: Served, path: str) -> None:
    said = _request(server, f"GET {path} HTTP/1.1")
    assert said.split(b" ", 2)[1] in (b"400", b"404", b"405", b"422")
    assert b"root:" not in said
    assert b"provider =" not in said


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


@pytest.mark.requirement("http:quiet")
@pytest.mark.parametrize("body", [b"x", b"--b\r\nX\r\n\r\n", b"--b\r\n\x00: kiln\r\n\r\nshed\r\n--bx"])
def test_a_form_that_cannot_be_read_leaves_no_word_on_the_terminal(tmp_path: Path, body: bytes) -> None:
    with serving(tmp_path / "home") as server:
        kind = {"Content-Type": "multipart/form-data; boundary=b"}
        answer = httpx.post(f"{server.origin}/ask", content=body, headers={**server.bearer, **kind})
        _, err = server.stop()
    assert answer.status_code == 400
    assert [line for line in err.splitlines() if not line.startswith("voice: ")] == []


def test_a_question_is_answered_event_by_event(server: Served) -> None:
    httpx.post(f"{server.origin}{_API}/thoughts", json={"content": "x"}, headers=server.bearer).raise_for_status()
    headers = {**server.bearer, "Accept": "text/event-stream"}
    answer = httpx.post(f"{server.origin}{_API}/ask", json={"question": "Where is Zanzibar?"}, headers=headers)
    names = [line.removeprefix("event: ") for line in answer.text.splitlines() if line.startswith("event: ")]
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert (names[0], names[-2:]) == ("understood", ["refused", "done"])


@pytest.mark.requirement("ruling:H.12")
def test_mcp_speaks_to_who_brings_the_token_and_to_no_browser(tmp_path: Path) -> None:
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }
    accepts = {"Accept": "application/json, text/event-stream"}
    with serving(tmp_path / "home") as server, httpx.Client(base_url=server.origin, headers=accepts) as client:
        spoken = client.post("/mcp", json=hello, headers=server.bearer)
        assert client.get("/", params={"code": server.code}).status_code == 303
        browser = client.post("/mcp", json=hello, headers={"Origin": server.origin})
        wrong = client.post("/mcp", json=hello, headers={**server.bearer, "Host": "evil.example"})
    assert (spoken.status_code, "serverInfo" in spoken.text) == (200, True)
    assert (browser.status_code, wrong.status_code) == (401, 421)
