"""What every request passes, on a memory without a socket."""

import re
from base64 import b64encode
from collections.abc import AsyncGenerator
from hashlib import sha256
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Message

from voice.entrypoints.web.access import Guard, Limits
from voice.entrypoints.web.middleware import AccessGate, CatchUnforeseen
from voice.entrypoints.web.responses import SECURITY_HEADERS
from voice.ports.system import SilentLog
from web_door import API, AUTHORITY, BEARER, CODE, COOKIE, TOKEN, door, guard

_PAGES = {"Accept": "text/html,*/*"}


async def _page(request: Request) -> Response:
    return PlainTextResponse(f"{request.method} {await request.body()!r}")


async def _broken(_: Request) -> Response:
    raise RuntimeError("the kiln is in the shed")


_EXTRA = (Route("/", _page, methods=["GET", "POST"]), Route("/broken", _broken))


@pytest.mark.requirement("http:headers")
async def test_every_answer_carries_the_policy(tmp_path: Path) -> None:
    async with door(tmp_path, extra=_EXTRA, headers={}) as at:
        for path in ("/", "/nothing", f"{API}/settings", "/broken"):
            for headers in (BEARER, {}, {"Host": "evil.example"}):
                answer = await at.client.get(path, headers=headers)
                assert {name: answer.headers[name] for name, _ in SECURITY_HEADERS} == dict(SECURITY_HEADERS)
                assert "access-control-allow-origin" not in answer.headers


@pytest.mark.requirement("http:link", "http:cookie")
async def test_the_link_is_exchanged_for_a_cookie_and_opens_nothing_for_whom_it_did_not_let_in(tmp_path: Path) -> None:
    async with door(tmp_path, extra=_EXTRA, headers={}) as at:
        answer = await at.client.get("/", params={"code": CODE})
        cookie = answer.headers["set-cookie"]
        page = await at.client.get("/")
        again = [await at.client.get("/", params={"code": code}) for code in (CODE, "of-the-last-run")]
        at.client.cookies.clear()
        without = await at.client.get("/", params={"code": CODE})
        at.client.cookies.set(guard().cookie_name, f"{COOKIE}of-the-last-run")
        wrong = await at.client.get("/", params={"code": CODE})
    assert {(each.status_code, each.headers["location"]) for each in (answer, *again)} == {(303, "/")}
    assert TOKEN not in cookie
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= {part.strip() for part in cookie.split(";")}
    assert page.text == "GET b''"
    assert [(each.status_code, "set-cookie" in each.headers) for each in (without, wrong)] == [(401, False)] * 2


@pytest.mark.requirement("http:link", "http:site", "web:doorstep")
async def test_a_link_that_another_page_led_to_is_answered_by_a_page_of_ours_that_leads_on(tmp_path: Path) -> None:
    there = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    async with door(tmp_path, extra=_EXTRA, headers={}) as at:
        answer = await at.client.get("/", params={"code": CODE}, headers=there)
        page = await at.client.get("/", headers={"Sec-Fetch-Site": "same-origin"})
        again = await at.client.get("/", params={"code": CODE}, headers=there)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert {"HttpOnly", "SameSite=strict"} <= {part.strip() for part in answer.headers["set-cookie"].split(";")}
    assert '<meta http-equiv="refresh" content="0; url=/">' in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert (CODE in answer.text, COOKIE in answer.text, TOKEN in answer.text) == (False, False, False)
    assert page.text == "GET b''"
    assert (again.status_code, again.json()["code"]) == (401, "unauthorized")


@pytest.mark.requirement("http:link", "web:doorstep")
async def test_a_code_works_once(tmp_path: Path) -> None:
    """Who comes by a used link is told that it was used, and where the next one is."""
    async with door(tmp_path, headers=_PAGES) as at:
        first = await at.client.get("/", params={"code": CODE})
        at.client.cookies.clear()
        used = await at.client.get("/", params={"code": CODE})
        unknown = await at.client.get("/", params={"code": "of-the-last-run"})
    assert [each.status_code for each in (first, used, unknown)] == [303, 401, 401]
    assert "<h1>This link was already used</h1>" in used.text
    assert "<code>voice serve</code> printed the next one" in used.text
    assert "Open the link that <code>voice serve</code> printed" in unknown.text
    assert "start it again" not in used.text + unknown.text


@pytest.mark.requirement("http:link", "http:cookie")
async def test_neither_the_token_nor_the_cookie_of_another_run_opens_the_page(tmp_path: Path) -> None:
    async with door(tmp_path, extra=_EXTRA, headers={}) as at:
        by_token = await at.client.get("/", params={"code": TOKEN})
        old = await at.client.get("/", params={"token": TOKEN})
        other_run = Guard(token=TOKEN, cookie=f"{COOKIE}of-the-last-run", authorities=guard().authorities)
        last = await at.client.get("/", headers={"Cookie": f"{other_run.cookie_name}={other_run.cookie}"})
    assert [answer.status_code for answer in (by_token, old, last)] == [401, 401, 401]


@pytest.mark.requirement("http:token", "http:cookie")
async def test_cookies_of_other_servers_of_this_machine_lock_nobody_out(tmp_path: Path) -> None:
    own = f"voice_8423={COOKIE}"
    async with door(tmp_path, extra=_EXTRA, headers={}) as at:
        for others in ('prefs={"a":1}', "\x01bad name=b", "foo[]=1", "n=Jürgen", "voice_8423=bad", "=", "lonely", ""):
            answers = [
                await at.client.get("/", headers=[(b"cookie", line.encode("latin-1")) for line in lines])
                for lines in ((f"{others}; {own}",), (f"{own}; {others}",), (others, own), (others,))
            ]
            assert [answer.status_code for answer in answers] == [200, 200, 200, 401], others


@pytest.mark.requirement("web:doorstep", "http:token")
async def test_the_page_of_who_is_not_let_in_loads_nothing_and_its_policy_knows_its_own_style(tmp_path: Path) -> None:
    async with door(tmp_path, headers=_PAGES, pages=True) as at:
        answer = await at.client.get("/")
        sheet = await at.client.get("/static/voice.css")
        named = await at.client.get("/", headers={"Host": "<script>.example"})
    style = answer.text.partition("<style>")[2].partition("</style>")[0]
    digest = b64encode(sha256(style.encode()).digest()).decode()
    policy = answer.headers["content-security-policy"]
    assert f"style-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy
    assert ("unsafe" in policy, "self" in policy) == (False, False)
    assert re.findall(r"(?:src|href|action)=", answer.text) == []
    assert (answer.status_code, answer.headers["content-type"]) == (401, "text/html; charset=utf-8")
    assert "Open the link that <code>voice serve</code> printed" in answer.text
    assert "script" not in named.text
    assert sheet.status_code == 401, "nothing is served without a token, a style sheet neither"


@pytest.mark.requirement("web:errors", "http:problems", "web:static")
async def test_an_address_that_is_nowhere_is_a_page_for_a_browser_and_a_problem_for_a_program(tmp_path: Path) -> None:
    async with door(tmp_path, pages=True) as at:
        pages = [await at.client.get(path, headers=_PAGES) for path in ("/nowhere", "/static/nothing.css")]
        lost = [await at.client.get(path) for path in ("/nowhere", "/static/nothing.css", f"{API}/pins/")]
        lost.append(await at.client.get(f"{API}/nowhere", headers=_PAGES))
        wrong_way = await at.client.post("/reports", headers=_PAGES, content=b"a=1")
        method = await at.client.put(f"{API}/pins")
    assert {(each.status_code, each.headers["content-type"]) for each in pages} == {(404, "text/html; charset=utf-8")}
    assert "This address does not exist" in pages[0].text
    assert 'aria-label="Pages"' in pages[0].text, "one finds the way from there"
    assert "style-src 'self'" in pages[0].headers["content-security-policy"]
    assert {(each.status_code, each.json()["code"]) for each in lost} == {(404, "not_found")}
    assert (wrong_way.status_code, "GET" in wrong_way.headers["allow"]) == (405, True)
    assert (method.status_code, method.json()["code"]) == (405, "method_not_allowed")
    assert {"GET", "POST", "HEAD"} == set(method.headers["allow"].split(", "))
    assert {each.headers["content-type"] for each in (*lost, method)} == {"application/problem+json"}


@pytest.mark.requirement("http:rate")
async def test_wrong_tokens_are_slowed_down_and_the_right_one_still_gets_in(tmp_path: Path) -> None:
    limits = Limits(wrong_burst=3, wrong_per_second=0.1)
    async with door(tmp_path, what=guard(limits=limits), headers={}) as at:
        guesses = [await at.client.get("/", headers={"Authorization": f"Bearer {n}"}) for n in range(5)]
        right = await at.client.get(f"{API}/pins", headers=BEARER)
    assert [answer.status_code for answer in guesses] == [401, 401, 401, 429, 429]
    assert guesses[-1].headers["retry-after"] == "10"
    assert right.status_code == 200


@pytest.mark.requirement("http:rate")
@pytest.mark.parametrize("sent", [{"Host": "evil.example"}, {"Cookie": "a=b"}])
async def test_what_is_refused_takes_nothing_of_what_the_owner_may_ask(tmp_path: Path, sent: dict[str, str]) -> None:
    async with door(tmp_path, what=guard(limits=Limits(burst=3, per_second=0.1)), extra=_EXTRA, headers={}) as at:
        refused = [await at.client.get("/", headers=sent) for _ in range(5)]
        program = await at.client.get("/", headers=BEARER)
        page = await at.client.get("/", headers={"Cookie": f"voice_8423={COOKIE}"})
        link = await at.client.get("/", params={"code": CODE})
        often = await at.client.get("/", headers=BEARER)
    assert {answer.status_code for answer in refused[:3]} <= {401, 421}
    assert [answer.status_code for answer in refused[3:]] == [429, 429]
    assert [answer.status_code for answer in (program, page, link, often)] == [200, 200, 303, 429]
    assert (often.json()["code"], often.headers["retry-after"]) == ("rate_limited", "10")


async def test_only_so_many_addresses_are_remembered(tmp_path: Path) -> None:
    seen: list[str] = []

    async def inner(scope: object, receive: object, send: object) -> None:
        seen.append("in")

    async with door(tmp_path) as at:
        gate = AccessGate(inner, guard(limits=Limits(burst=1, per_second=0.001)), at.clock)
        for number in range(1_100):
            await gate(_scope(f"10.0.{number // 256}.{number % 256}"), _never, _swallow)
        await gate(_scope("10.0.0.0"), _never, _swallow)
    assert len(seen) == 1_101


@pytest.mark.requirement("http:body")
async def test_a_body_that_is_too_large_is_refused(tmp_path: Path) -> None:
    async def pieces() -> AsyncGenerator[bytes]:
        for _ in range(4):
            yield b"x" * 40

    async with door(tmp_path, what=guard(limits=Limits(body_bytes=100)), extra=_EXTRA) as at:
        answers = [await at.client.post("/", content=each) for each in (b"x" * 101, pieces())]
        fits = await at.client.post("/", content=b"x" * 100)
    assert [(each.status_code, each.json()["code"]) for each in answers] == [(413, "too_large")] * 2
    assert fits.status_code == 200


@pytest.mark.requirement("http:quiet")
async def test_an_unforeseen_failure_says_nothing_but_that_it_happened(tmp_path: Path) -> None:
    async with door(tmp_path, extra=_EXTRA) as at:
        answer = await at.client.get("/broken")
    assert (answer.status_code, answer.json()["code"]) == (500, "internal_error")
    assert "kiln" not in answer.text
    assert "RuntimeError" in answer.text


@pytest.mark.requirement("http:quiet")
async def test_a_failure_behind_the_first_byte_ends_the_answer_and_is_traced_only_for_who_asked(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async def half(scope: object, receive: object, send: object) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})  # type: ignore[operator]
        raise RuntimeError("half way")

    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    for debug in (False, True):
        with pytest.raises(RuntimeError):
            await CatchUnforeseen(half, SilentLog(), debug=debug)(_scope("127.0.0.1"), _never, send)
    assert capsys.readouterr().err.count("RuntimeError: half way") == 1
    assert [message["type"] for message in sent] == ["http.response.start"] * 2


def _scope(address: str) -> dict[str, object]:
    headers = [(b"host", AUTHORITY.encode()), (b"authorization", f"Bearer {TOKEN}".encode())]
    return {
        "type": "http",
        "method": "GET",
        "path": "/",
        "query_string": b"",
        "headers": headers,
        "client": (address, 1),
    }


async def _never() -> Message:
    raise AssertionError("nothing is to be read")


async def _swallow(_: Message) -> None:
    """Take what is sent."""
