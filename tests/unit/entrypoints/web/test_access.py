"""Who may come in over HTTP, decided over values.

Buckets that fill with time.
"""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.entrypoints.web.access import (
    MOST_COOKIES,
    Admitted,
    Bucket,
    Guard,
    Rate,
    Refused,
    RequestClaims,
    bearer_of,
    cookies_tried,
    judge,
    level_of,
    take_token,
)
from web_door import AUTHORITY, CODE, COOKIE, ORIGIN, TOKEN, guard

_PROGRAM = RequestClaims(method="POST", path="/api/v1/ask", hosts=(AUTHORITY,), authorization=(f"Bearer {TOKEN}",))
_OF_PAGE = ((guard().cookie_name, COOKIE),)
_CODES = frozenset({CODE})
_PAGE = RequestClaims(method="POST", path="/chat", hosts=(AUTHORITY,), origins=(ORIGIN,), cookies=_OF_PAGE)
_LINK = RequestClaims(method="GET", path="/", hosts=(AUTHORITY,), link=CODE)


@pytest.mark.parametrize(
    ("seen", "by"),
    [
        pytest.param(_PROGRAM, "bearer", id="a program with its token"),
        pytest.param(replace(_PROGRAM, authorization=(f"bearer  {TOKEN} ",)), "bearer", id="whatever its case"),
        pytest.param(replace(_PROGRAM, hosts=("LOCALHOST:8423",)), "bearer", id="by another name of this machine"),
        pytest.param(_PAGE, "cookie", id="a page that sends a form"),
        pytest.param(replace(_PAGE, origins=(), sites=("same-origin",)), "cookie", id="a page that fetches"),
        pytest.param(replace(_PAGE, method="GET", origins=()), "cookie", id="an address that was typed"),
        pytest.param(replace(_PAGE, method="GET", origins=(), sites=("none",)), "cookie", id="a bookmark"),
        pytest.param(
            replace(_PAGE, cookies=(("voice_8423", "x"), *_OF_PAGE, ("voice_8423", ""))), "cookie", id="others"
        ),
    ],
)
@pytest.mark.requirement("http:token")
def test_lets_in(seen: RequestClaims, by: str) -> None:
    assert judge(seen, guard(), _CODES) == Admitted(by)  # pyright: ignore[reportArgumentType]


@pytest.mark.requirement("http:host")
@pytest.mark.parametrize(
    "hosts",
    [(), ("evil.example",), ("evil.example:8423",), ("127.0.0.1",), ("127.0.0.1:80",), (AUTHORITY, "evil.example")],
)
def test_refuses_a_request_that_calls_this_server_by_another_name(hosts: tuple[str, ...]) -> None:
    assert judge(replace(_PROGRAM, hosts=hosts), guard()) == Refused("wrong_host")


@pytest.mark.requirement("http:origin")
@pytest.mark.parametrize(
    "origin", ["null", "https://evil.example", "https://127.0.0.1:8423", "http://127.0.0.1", "http://127.0.0.1:84230"]
)
@pytest.mark.parametrize("seen", [_PROGRAM, _PAGE, replace(_PAGE, method="GET"), _LINK])
def test_refuses_what_a_page_of_another_origin_sent(seen: RequestClaims, origin: str) -> None:
    assert judge(replace(seen, origins=(origin,)), guard()) == Refused("wrong_origin")
    assert judge(replace(seen, origins=(ORIGIN, origin)), guard()) == Refused("wrong_origin")


@pytest.mark.requirement("http:site")
@pytest.mark.parametrize("site", ["cross-site", "same-site", "whatever"])
@pytest.mark.parametrize("seen", [_PROGRAM, _PAGE, replace(_PAGE, method="GET", origins=()), _LINK])
def test_refuses_what_a_browser_says_another_site_sent_also_one_on_another_port(seen: RequestClaims, site: str) -> None:
    asked = replace(seen, sites=(site,))
    assert judge(asked, guard()) == Refused("wrong_site", guessed=seen is _LINK)


@pytest.mark.requirement("http:site", "http:link")
@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_link_that_opens_the_page_is_followed_from_anywhere_and_nothing_else_is(site: str) -> None:
    there = replace(_LINK, sites=(site,))
    assert judge(there, guard(), _CODES) == Admitted("link", code=CODE, from_elsewhere=True)
    others = (
        replace(there, link=None, cookies=_OF_PAGE),
        replace(there, path="/sessions"),
        replace(there, method="POST"),
        replace(there, origins=("http://evil.example",)),
        replace(there, hosts=("evil.example",)),
    )
    told = [judge(each, guard(), _CODES) for each in others]
    assert told == [Refused("wrong_site")] * 3 + [Refused("wrong_origin"), Refused("wrong_host")]


@pytest.mark.requirement("http:site", "http:rate")
def test_a_code_that_is_tried_from_elsewhere_is_a_guess_and_what_could_not_be_learnt_is_none() -> None:
    there = replace(_LINK, link="nope", cookies=_OF_PAGE, sites=("cross-site",))
    assert judge(there, guard(), _CODES) == Refused("wrong_site", guessed=True)
    for each in (replace(there, link=None), replace(_PROGRAM, sites=("cross-site",), authorization=("Bearer x",))):
        assert judge(each, guard(), _CODES) == Refused("wrong_site")


@pytest.mark.requirement("http:link", "http:site", "http:rate")
def test_a_spent_code_is_no_guess_wherever_it_is_followed_but_a_wrong_cookie_beside_it_is() -> None:
    spent = replace(_LINK, link="spent")
    codes, used = (_CODES, frozenset({"spent"}))
    assert judge(spent, guard(), codes, used) == Refused("unauthorized", was_used=True)
    there = judge(replace(spent, sites=("cross-site",), cookies=_OF_PAGE), guard(), codes, used)
    assert there == Refused("unauthorized", was_used=True, from_elsewhere=True)
    beside = replace(spent, cookies=((guard().cookie_name, "wrong"),))
    assert judge(beside, guard(), codes, used) == Refused("unauthorized", guessed=True, was_used=True)
    assert cookies_tried(beside, guard(), Refused("unauthorized", guessed=True, was_used=True)) == ("wrong",)
    assert judge(replace(spent, cookies=_OF_PAGE), guard(), codes, used) == Admitted("link")


@pytest.mark.requirement("http:rate", "http:cookie")
@pytest.mark.parametrize("seen", [_PAGE, _LINK])
def test_a_few_cookies_of_our_name_are_read_and_of_more_none(seen: RequestClaims) -> None:
    few = tuple((guard().cookie_name, f"another's {number}") for number in range(MOST_COOKIES - 1))
    assert isinstance(judge(replace(seen, cookies=(*few, *_OF_PAGE)), guard(), _CODES), Admitted)
    many = replace(seen, cookies=(*few, *_OF_PAGE, *few[:1]))
    assert judge(many, guard(), _CODES) == Refused("crowded")
    assert judge(replace(many, authorization=_PROGRAM.authorization), guard()) == Admitted("bearer")


@pytest.mark.requirement("http:csrf")
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("sites", [(), ("none",)])
def test_refuses_a_change_whose_cookie_alone_speaks_for_it(method: str, sites: tuple[str, ...]) -> None:
    assert judge(replace(_PAGE, method=method, origins=(), sites=sites), guard()) == Refused("forged")


@pytest.mark.requirement("http:token")
@pytest.mark.parametrize(
    ("seen", "guessed"),
    [
        pytest.param(replace(_PROGRAM, authorization=()), False, id="nothing"),
        pytest.param(replace(_PROGRAM, authorization=("Bearer ",)), True, id="an empty token"),
        pytest.param(replace(_PROGRAM, authorization=(f"Bearer {TOKEN}x",)), True, id="one letter more"),
        pytest.param(replace(_PROGRAM, authorization=(f"Bearer {TOKEN[:-1]}",)), True, id="one letter less"),
        pytest.param(replace(_PROGRAM, authorization=(f"Basic {TOKEN}",)), True, id="another scheme"),
        pytest.param(replace(_PROGRAM, authorization=(f"Bearer {TOKEN}",) * 2), True, id="twice"),
        pytest.param(replace(_PROGRAM, authorization=("Bearer ✓",)), True, id="no ASCII"),
        pytest.param(replace(_PAGE, cookies=(("voice_8423", TOKEN),)), True, id="the token as the cookie"),
        pytest.param(replace(_PAGE, cookies=(("voice", COOKIE),)), False, id="the cookie of another port"),
        pytest.param(replace(_PROGRAM, authorization=(f"Bearer {COOKIE}",)), True, id="cookie as token"),
        pytest.param(replace(_LINK, path="/sessions"), False, id="the link's code on another page"),
        pytest.param(replace(_LINK, method="POST"), False, id="the link's code in a form"),
        pytest.param(replace(_LINK, link="nope"), True, id="a wrong link"),
        pytest.param(replace(_LINK, link=TOKEN), True, id="the token in an address"),
        pytest.param(replace(_LINK, link=COOKIE), True, id="the cookie in an address"),
    ],
)
def test_refuses_who_cannot_show_the_token(seen: RequestClaims, guessed: bool) -> None:  # noqa: FBT001 - a column of the table
    assert judge(seen, guard(), _CODES) == Refused("unauthorized", guessed=guessed)


@pytest.mark.requirement("http:link")
def test_a_code_opens_the_page_once() -> None:
    asked = replace(_LINK, link="code-a")
    assert judge(asked, guard(), frozenset({"code-a", "code-b"})) == Admitted("link", code="code-a")
    assert judge(asked, guard(), frozenset({"code-b"})) == Refused("unauthorized", guessed=True)
    assert judge(replace(_LINK, link="code-b"), guard(), frozenset({"code-b"})) == Admitted("link", code="code-b")


@given(st.text(max_size=60))
@pytest.mark.requirement("http:token")
def test_nothing_but_the_token_is_the_token(guess: str) -> None:
    seen = replace(_PROGRAM, authorization=(f"Bearer {guess}",))
    assert isinstance(judge(seen, guard()), Admitted) is (bearer_of(seen.authorization) == TOKEN)


@pytest.mark.requirement("http:token")
@pytest.mark.parametrize("token", ["", "short", "é" * 40])
def test_a_token_that_could_be_guessed_makes_no_guard(token: str) -> None:
    with pytest.raises(ValueError, match="at least 32"):
        Guard(token=token, cookie=COOKIE, authorities=frozenset({AUTHORITY}))
    with pytest.raises(ValueError, match="at least 32"):
        Guard(token=TOKEN, cookie=token, authorities=frozenset({AUTHORITY}))


@pytest.mark.requirement("http:cookie")
def test_the_cookie_is_not_the_token() -> None:
    with pytest.raises(ValueError, match="differ from the token"):
        Guard(token=TOKEN, cookie=TOKEN, authorities=frozenset({AUTHORITY}))


@pytest.mark.requirement("http:token")
def test_a_guard_that_is_printed_shows_no_secret() -> None:
    shown = repr(guard(codes=frozenset({"code-a"})))
    assert [secret for secret in (TOKEN, COOKIE, "code-a") if secret in shown] == []
    assert "authorities" in shown


def test_a_guard_without_a_port_has_a_cookie_all_the_same() -> None:
    assert Guard(token=TOKEN, cookie=COOKIE, authorities=frozenset({"memory.example"})).cookie_name == "voice"


_RATE = Rate(burst=3, per_second=0.5)


@pytest.mark.requirement("http:rate")
def test_a_burst_passes_and_then_one_for_each_interval() -> None:
    bucket, waits = None, list[float]()
    for now in (0, 0, 0, 0, 1, 2, 2):
        bucket, wait = take_token(bucket, _RATE, now)
        waits.append(wait)
    assert waits == [0, 0, 0, 2, 1, 0, 2]


def test_who_has_to_wait_takes_nothing() -> None:
    empty = Bucket(level=0.5, at=10)
    assert take_token(empty, _RATE, 10) == (empty, 1.0)


def test_a_bucket_never_holds_more_than_its_burst_and_a_clock_that_went_back_adds_nothing() -> None:
    assert level_of(Bucket(level=1, at=0), _RATE, 1_000) == 3
    assert level_of(Bucket(level=1, at=100), _RATE, 0) == 1


@given(st.lists(st.floats(0, 5), max_size=200))
@pytest.mark.requirement("http:rate")
def test_no_more_pass_than_the_burst_and_what_came_since(gaps: list[float]) -> None:
    bucket, now, passed = None, 0.0, 0
    for gap in gaps:
        now += gap
        bucket, wait = take_token(bucket, _RATE, now)
        passed += not wait
    assert passed <= _RATE.burst + now * _RATE.per_second + 1e-6
