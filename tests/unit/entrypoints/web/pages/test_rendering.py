"""Light or dark, without a script.

How pages write what they are given: code as code, numbers with their units, days in one way.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import cast

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from tables import tables
from voice.entrypoints.web.pages import rendering
from voice.entrypoints.web.pages.rendering import make_templates, packaged_templates

TABLES = tables(__file__)


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
@pytest.mark.parametrize(("back", "to"), TABLES["it_leads_back_to_the_page_it_was_chosen_on_and_nowhere_else"])
def test_it_leads_back_to_the_page_it_was_chosen_on_and_nowhere_else(client: TestClient, back: str, to: str) -> None:
    answer = client.post("/theme", data={"theme": "dark", "back": back}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, to)


def _filter(name: str) -> Callable[[object], str]:
    return cast("Callable[[object], str]", make_templates("UTC").environment.filters[name])


@pytest.mark.requirement("web:words")
@pytest.mark.parametrize(("text", "shown"), TABLES["what_stands_between_backticks_is_code"])
def test_what_stands_between_backticks_is_code(text: str, shown: str) -> None:
    assert _filter("coded")(text) == shown


@pytest.mark.requirement("web:words", "web:inert")
@pytest.mark.parametrize(("text", "shown"), TABLES["a_number_stays_with_its_unit_and_no_character_changes"])
def test_a_number_stays_with_its_unit_and_no_character_changes(text: str, shown: str) -> None:
    assert _filter("kept")(text) == shown


@pytest.mark.requirement("web:dates")
def test_a_day_and_a_moment_are_written_alike() -> None:
    moment = datetime(2026, 3, 5, 9, 7, tzinfo=UTC)
    assert [re.sub("<[^>]+>", "", _filter(name)(moment)) for name in ("day", "minute")] == [
        "5 Mar 2026",
        "5 Mar 2026, 09:07",
    ]


@pytest.mark.requirement("web:dates")
def test_what_one_asks_in_is_a_session_on_every_page() -> None:
    said = {name: re.sub(r"\{#.*?#\}|/conversation\.\w+", "", text) for name, text in packaged_templates().items()}
    assert [name for name, text in said.items() if "onversation" in text] == []
    assert any("ession" in text for text in said.values())
