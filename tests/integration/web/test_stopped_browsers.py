"""What a browser is told that is not let in, has to wait, or sent what cannot be answered."""

from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from voice.entrypoints.web.access import Limits
from web_door import API, BEARER, CODE, door, guard

_PAGES = {"Accept": "text/html,*/*"}


async def _broken(_: Request) -> Response:
    raise RuntimeError("the kiln is in the shed")


_EXTRA = (Route("/", _broken, methods=["GET", "POST"]), Route("/broken", _broken))


@pytest.mark.requirement("http:rate", "web:doorstep")
async def test_each_other_cookie_is_a_guess_and_a_browser_that_has_to_wait_is_told_so_on_a_page(tmp_path: Path) -> None:
    limits = Limits(wrong_burst=2, wrong_per_second=0.1)
    async with door(tmp_path, what=guard(limits=limits), headers=_PAGES) as at:
        guesses = [await at.client.get("/", headers={"Cookie": f"voice_8423={n:043}"}) for n in range(4)]
        beside = await at.client.get("/", headers={"Cookie": f"voice_8423={0:043}; voice_8423=new"})
        known = await at.client.get("/", headers={"Cookie": f"voice_8423={0:043}"})
    assert [answer.status_code for answer in (*guesses, beside, known)] == [401, 401, 429, 429, 429, 401]
    assert guesses[-1].headers["content-type"] == "text/html; charset=utf-8"
    assert guesses[-1].headers["retry-after"] == "10"
    assert "too many wrong tokens; wait 10 s" in guesses[-1].text
    assert "the last link in the terminal" in guesses[-1].text


@pytest.mark.requirement("http:link", "http:site", "web:doorstep")
async def test_a_used_link_that_another_page_led_to_says_so_and_leads_in_who_it_let_in(tmp_path: Path) -> None:
    there = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    async with door(tmp_path, headers=_PAGES) as at:
        await at.client.get("/", params={"code": CODE})
        at.client.cookies.clear()
        used = [await at.client.get("/", params={"code": CODE}, headers=there) for _ in range(15)]
        here = await at.client.get("/", params={"code": CODE})
    assert {answer.status_code for answer in (*used, here)} == {401}, "who follows a used link guesses nothing"
    assert "<h1>This link was already used</h1>" in used[-1].text
    assert '<a href="/">open the memory</a>' in used[-1].text
    assert "open the memory" not in here.text, "the cookie would have come along"


@pytest.mark.requirement("web:errors", "http:problems")
async def test_what_stops_a_request_is_a_page_for_a_browser_and_a_problem_under_the_interface(tmp_path: Path) -> None:
    limits = Limits(burst=4, per_second=0.1, body_bytes=100, header_bytes=2_000)
    async with door(tmp_path, what=guard(limits=limits), extra=_EXTRA, headers={**BEARER, **_PAGES}) as at:
        broken = await at.client.get("/broken")
        large = await at.client.post("/", content=b"x" * 101)
        head = await at.client.get("/", headers={"X": "x" * 2_000})
        interface = await at.client.post(f"{API}/ask", content=b"x" * 101)
        often = await at.client.get("/")
    told = [(each.status_code, each.headers["content-type"]) for each in (broken, large, head, often)]
    assert told == [(status, "text/html; charset=utf-8") for status in (500, 413, 431, 429)]
    assert "Something went wrong inside voice" in broken.text
    assert "kiln" not in broken.text
    assert "voice serve" not in often.text, "who is let in needs no other link"
    assert (interface.status_code, interface.headers["content-type"]) == (413, "application/problem+json")
