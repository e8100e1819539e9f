"""What is a guess at the door, and what is none."""

from pathlib import Path

import pytest
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from voice.entrypoints.web.access import Limits
from web_door import CODE, COOKIE, door, guard

_PAGES = {"Accept": "text/html,*/*"}


async def _page(_: object) -> Response:
    return PlainTextResponse("in")


_EXTRA = (Route("/", _page),)


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


@pytest.mark.requirement("http:link", "http:rate", "http:site")
async def test_codes_that_are_tried_from_another_page_are_slowed_down(tmp_path: Path) -> None:
    limits = Limits(wrong_burst=2, wrong_per_second=0.1)
    async with door(tmp_path, what=guard(limits=limits), headers={"Sec-Fetch-Site": "cross-site"}) as at:
        sent = [(await at.client.get("/", params={"code": f"guess-{n}"})).status_code for n in range(3)]
    assert sent == [403, 403, 429]


@pytest.mark.requirement("http:rate", "http:cookie")
async def test_no_request_tries_more_cookies_than_a_few_and_none_of_them_is_remembered(tmp_path: Path) -> None:
    name, limits = guard().cookie_name, Limits(wrong_burst=1, wrong_per_second=0.1)
    many = "; ".join(f"{name}={number}" for number in range(251))
    async with door(tmp_path, what=guard(limits=limits), extra=_EXTRA, headers={}) as at:
        stale = [await at.client.get("/", headers={"Cookie": f"{name}=of-the-last-run"})]
        crowded = [await at.client.get("/", headers={"Cookie": each}) for each in (many, f"{many}; {name}={COOKIE}")]
        stale += [await at.client.get("/", headers={"Cookie": f"{name}=of-the-last-run"})]
        guess = await at.client.get("/", headers={"Cookie": f"{name}=7"})
    assert [answer.status_code for answer in crowded] == [431, 431], "whether one of them is right is not told"
    assert [answer.status_code for answer in stale] == [401, 401]
    assert guess.status_code == 429
