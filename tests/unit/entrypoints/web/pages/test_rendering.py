"""Light or dark, without a script."""

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from voice.entrypoints.web.pages import rendering


async def _told(request: Request) -> Response:
    return PlainTextResponse(rendering.theme_of(request))


@pytest.fixture
def client() -> TestClient:
    return TestClient(Starlette(routes=[Route("/", _told), Route("/pins", _told), rendering.THEME_ROUTE]))


@pytest.mark.requirement("web:theme")
def test_the_system_decides_until_somebody_chooses_and_then_the_choice_stays(client: TestClient) -> None:
    assert client.get("/").text == "auto"
    client.post("/theme", data={"theme": "dark"})
    assert client.get("/").text == "dark"
    client.post("/theme", data={"theme": "auto"})
    assert client.get("/").text == "auto"


@pytest.mark.requirement("web:theme")
def test_the_cookie_is_for_this_server_alone(client: TestClient) -> None:
    cookie = client.post("/theme", data={"theme": "light"}, follow_redirects=False).headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie


def test_what_is_no_theme_changes_nothing(client: TestClient) -> None:
    answer = client.post("/theme", data={"theme": '"><script>'}, follow_redirects=False)
    assert "set-cookie" not in answer.headers
    client.cookies.set(rendering.COOKIE, "<script>")
    assert client.get("/").text == "auto"


@pytest.mark.requirement("web:theme")
@pytest.mark.parametrize(
    ("back", "to"),
    [
        ("/pins", "/pins"),
        ("/sessions?page=2", "/sessions?page=2"),
        ("//elsewhere.example/", "/"),
        ("/\\elsewhere.example/", "/"),
        ("https://elsewhere.example/", "/"),
        ("/pins\r\nSet-Cookie: a=b", "/"),
        ("", "/"),
    ],
)
def test_it_leads_back_to_the_page_it_was_chosen_on_and_nowhere_else(client: TestClient, back: str, to: str) -> None:
    answer = client.post("/theme", data={"theme": "dark", "back": back}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, to)
