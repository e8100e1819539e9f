"""The words in which the interface for programs says what is wrong with a value."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tables import tables
from voice.core.errors import InvalidParams
from web_door import API, Door, door, told

TABLES = tables(__file__)


@pytest.fixture
async def at(tmp_path: Path) -> AsyncGenerator[Door]:
    async with door(tmp_path) as opened:
        yield opened


@pytest.mark.requirement("http:problems", "promise:6")
async def test_what_is_wrong_in_a_body_is_said_at_its_place_in_plain_words_and_not_what_stood_there(at: Door) -> None:
    for path, body, faults in TABLES["what_is_wrong_in_a_body"]:
        problem = await told(at, "POST", path, json=body, status=422)
        first = next(iter(faults.items()))
        assert problem["faults"] == [{"at": place, "what": what} for place, what in faults.items()]
        assert problem["detail"] == ": ".join(filter(None, first))
        assert "rude" not in str(problem["detail"]).removeprefix(first[0])


@pytest.mark.requirement("http:problems")
async def test_what_is_wrong_in_an_address_is_said_in_plain_words(at: Door) -> None:
    for path, what in TABLES["what_is_wrong_in_an_address_is_said_in_plain_words"]:
        answer = await at.client.get(f"{API}{path}")
        assert (answer.status_code, [each["what"] for each in answer.json()["faults"]]) == (422, [what]), path
    for query, words in (("limit=1&limit=2", "give it once"), ("cursor=x", "this cursor"), ("cursor=", "this cursor")):
        assert words in str((await told(at, "GET", f"/sessions?{query}", status=422))["detail"])
    for query in ("limit=1", "limit=200", "min_confidence=0", "min_confidence=0.5", "max_confidence=1e-1"):
        await told(at, "GET", f"/kg/candidates?{query}")
    await told(at, "GET", "/kg/candidates", params={"since": "2026-03-05T14:00:00+01:00"})
    for moment in ("2024-01-01T09:00:00.5+01:00", "2024-01-01 09:00Z", "2024-01-01t09:00:00z"):
        await told(at, "POST", "/thoughts", json={"content": "Cone ten.", "at": moment}, status=201)


@pytest.mark.requirement("http:problems")
async def test_two_parameters_of_which_one_can_be_meant_are_both_named(at: Door) -> None:
    for path, body, both in TABLES["two_parameters_of_which_one_can_be_meant_are_both_named"]:
        for accept in ("application/json", "text/event-stream"):
            problem = await told(at, "POST", path, json=body, headers={"Accept": accept}, status=422)
            assert problem["code"] == "invalid_params"
            assert all(name in str(problem["detail"]).replace(";", " ").replace(":", " ").split() for name in both)
    assert await at.memory.services.life.listed(limit=5) == []
    with pytest.raises(InvalidParams, match="session continues a session and new_topic starts one"):
        await at.memory.ask("Where?", session="s:1", new_topic="kiln")
