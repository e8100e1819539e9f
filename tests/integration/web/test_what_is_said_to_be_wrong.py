"""The words in which the interface for programs says what is wrong with a value."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import cast

import pytest
from pydantic import BaseModel, ConfigDict, ValidationError

from tables import tables
from voice.core.errors import InvalidParams
from voice.entrypoints.web.api.routes import validation_problem as told_of
from web_door import API, DOCUMENT, Door, door, told

TABLES = tables(__file__)

INSTANT = "use ISO 8601 with an offset, such as 2024-01-01T09:00:00+01:00"
WHOLE = "it should be a whole number"
BODIES: list[tuple[str, object, dict[str, str]]] = [
    ("/ask", {}, {"question": "it is required"}),
    ("/ask", {"question": None}, {"question": "it should be a text"}),
    ("/ask", {"question": "a", "stance": "rude"}, {"stance": "it should be 'synthesize', 'challenge' or 'question'"}),
    ("/ask", {"question": "a", "limit": 0}, {"limit": "it should be 1 or more"}),
    ("/ask", {"question": "a", "limit": True, "create": 1}, {"create": "it should be true or false", "limit": WHOLE}),
    ("/ask", {"question": "a", "include_tags": "rude"}, {"include_tags": "it should be a list"}),
    (
        "/ask",
        {"question": "a", "include_tags": ["x"] * 101},
        {"include_tags": "the list is too long; it should have 100 or fewer"},
    ),
    ("/ask", {"question": "a", "scope": "rude"}, {"scope": "it should be an object"}),
    ("/ask", {"question": "a", "scope": {"rude": 1}}, {"scope/rude": "unknown parameter"}),
    ("/ask", [], {"": "it should be an object"}),
    ("/retrieve", {"query": "a", "mix": "1", "top_k": 1.5}, {"top_k": WHOLE, "mix": "it should be a number"}),
    ("/kg/candidates/verdicts", {"verdicts": []}, {"verdicts": "it must contain at least one entry"}),
    ("/kg/candidates/verdicts", {"verdicts": [{}]}, {"verdicts/0": "it needs a verdict"}),
    (
        "/kg/candidates/verdicts",
        {"verdicts": [{"verdict": "rude"}]},
        {"verdicts/0": "its verdict should be one of 'approve', 'reject', 'alias', 'edit'"},
    ),
    (
        "/kg/candidates/verdicts",
        {"verdicts": [{"verdict": "approve", "rude": 1}]},
        {"verdicts/0/candidate": "it is required", "verdicts/0/rude": "unknown parameter"},
    ),
    *(
        ("/sessions/s:x/forks", {"at": turn}, {"at": "use the turn's number, from 1, or its id"})
        for turn in (0, "", True, 1.5, ["rude"])
    ),
    *(
        ("/thoughts", {"content": "a", "at": moment}, {"at": INSTANT})
        for moment in (
            "2024-01-01",
            "2024-01-01T09:00:00",
            "2024-13-01T09:00:00Z",
            "2024-01-01T09:00:00+99:00",
            "1704100000",
            1704100000,
            "rude",
        )
    ),
]


@pytest.fixture
async def at(tmp_path: Path) -> AsyncGenerator[Door]:
    async with door(tmp_path) as opened:
        yield opened


@pytest.mark.requirement("http:problems", "promise:6")
@pytest.mark.parametrize(("path", "body", "faults"), BODIES)
async def test_what_is_wrong_in_a_body_is_said_at_its_place_in_plain_words(
    at: Door, path: str, body: object, faults: dict[str, str]
) -> None:
    problem = await told(at, "POST", path, json=body, status=422)
    first = next(iter(faults.items()))
    assert problem["faults"] == [{"at": place, "what": what} for place, what in faults.items()]
    assert problem["detail"] == ": ".join(filter(None, first))
    assert "rude" not in str(problem["detail"]).removeprefix(first[0])


@pytest.mark.requirement("http:problems")
@pytest.mark.parametrize(("path", "what"), TABLES["what_is_wrong_in_an_address_is_said_in_plain_words"])
async def test_what_is_wrong_in_an_address_is_said_in_plain_words(at: Door, path: str, what: str) -> None:
    answer = await at.client.get(f"{API}{path}")
    assert (answer.status_code, [each["what"] for each in answer.json()["faults"]]) == (422, [what])


@pytest.mark.requirement("http:problems")
@pytest.mark.parametrize(
    "query", ["limit=1", "limit=200", "min_confidence=0", "min_confidence=0.5", "max_confidence=1e-1"]
)
async def test_a_number_in_an_address_is_written_as_in_a_body(at: Door, query: str) -> None:
    await told(at, "GET", f"/kg/candidates?{query}")


@pytest.mark.requirement("http:operations")
def test_the_document_bounds_the_numbers_of_an_address() -> None:
    paths = cast("dict[str, dict[str, dict[str, list[dict[str, object]]]]]", DOCUMENT["paths"])
    schemas = {each["name"]: each["schema"] for each in paths[f"{API}/kg/candidates"]["get"]["parameters"]}
    share = {"type": "number", "minimum": 0, "maximum": 1}
    assert (schemas["min_confidence"], schemas["max_confidence"]) == (share, share)
    assert schemas["limit"] == {"type": "integer", "minimum": 1, "maximum": 200, "default": 50}


@pytest.mark.parametrize("moment", ["2024-01-01T09:00:00.5+01:00", "2024-01-01 09:00Z", "2024-01-01t09:00:00z"])
async def test_an_instant_with_its_offset_is_taken(at: Door, moment: str) -> None:
    await told(at, "POST", "/thoughts", json={"content": "Cone ten.", "at": moment}, status=201)


@pytest.mark.requirement("http:problems")
@pytest.mark.parametrize(("path", "body", "both"), TABLES["two_parameters_of_which_one_can_be_meant_are_both_named"])
@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
async def test_two_parameters_of_which_one_can_be_meant_are_both_named(
    at: Door, path: str, body: dict[str, object], both: tuple[str, str], accept: str
) -> None:
    problem = await told(at, "POST", path, json=body, headers={"Accept": accept}, status=422)
    assert problem["code"] == "invalid_params"
    assert all(name in str(problem["detail"]).replace(";", " ").replace(":", " ").split() for name in both)
    assert await at.memory.services.life.listed(limit=5) == []


async def test_the_library_refuses_a_session_to_go_on_in_beside_a_new_one(at: Door) -> None:
    with pytest.raises(InvalidParams, match="session continues a session and new_topic starts one"):
        await at.memory.ask("Where?", session="s:1", new_topic="kiln")


@pytest.mark.requirement("http:problems")
def test_a_fault_without_a_sentence_of_its_own_is_told_in_none_of_the_checker() -> None:
    class Odd(BaseModel):
        model_config = ConfigDict(strict=True)
        odd: bytes

    with pytest.raises(ValidationError) as fault:
        Odd.model_validate({"odd": 3})
    assert told_of(fault.value, ["odd"]).detail == "odd: it has the wrong type"
