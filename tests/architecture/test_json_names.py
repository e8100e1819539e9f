"""What the specs name is called so in every published JSON shape; the tests of each door hold its answers to them."""

import json
from collections.abc import Iterator
from itertools import product
from typing import Final, cast

import pytest

from docs_pages import ROOT

SCHEMAS: Final = ROOT / "src" / "voice" / "schemas"
EXCHANGE: Final = {
    "timestamp", "my_query", "answer", "sources", "confidence", "coverage_ratio", "refused", "memories_referenced",
    "prompt_tokens", "completion_tokens", "latency_ms", "cost_estimate", "prompt_hash",
}  # fmt: skip
SESSION: Final = {
    "id", "version", "provider", "model", "max_prompt_tokens", "thread_topic", "created_at", "last_interaction",
    "total_exchanges", "total_tokens", "total_cost",
}  # fmt: skip
ITEM: Final = {"id", "thread_topic", "created_at", "last_interaction", "total_exchanges"}
CITATION: Final = {"source_id", "source_type", "span", "relevance"}


def nodes(shape: object) -> Iterator[dict[str, object]]:
    if isinstance(shape, dict):
        named = cast("dict[str, object]", shape)
        yield named
        for value in named.values():
            yield from nodes(value)
    elif isinstance(shape, list):
        for value in cast("list[object]", shape):
            yield from nodes(value)


def objects(name: str) -> list[set[str]]:
    """The names of the members of each object in a schema."""
    found = nodes(json.loads((SCHEMAS / name).read_text(encoding="utf-8")))
    return [set(cast("dict[str, object]", node["properties"])) for node in found if "properties" in node]


@pytest.mark.requirement("s2:json:names")
@pytest.mark.parametrize(
    ("name", "members"),
    [
        *product(("cli/ask.schema.json", "events.schema.json"), (EXCHANGE, CITATION)),
        *product(("mcp/inner_voice_chat.output.json", "session.schema.json"), (EXCHANGE,)),
        *product(("cli/sessions-change.schema.json", "cli/sessions-diff.schema.json"), (SESSION,)),
        *product(("openapi.json",), (EXCHANGE, SESSION, ITEM)),
        ("cli/sessions-show.schema.json", SESSION | {"rolling_summary"}),
        ("cli/sessions-list.schema.json", ITEM),
        ("cli/sessions-summarise.schema.json", {"text", "last_updated", "exchanges_summarized", "token_savings"}),
    ],
)
def test_what_the_design_names_is_called_so(name: str, members: set[str]) -> None:
    assert any(members <= found for found in objects(name))


@pytest.mark.requirement("s2:json:names")
def test_no_shape_of_a_turn_or_session_has_a_second_name_for_it() -> None:
    seconds = {"question", "cost_usd", "total_cost_usd", "topic", "coverage"}
    of_turns = [
        (path.name, found)
        for path in SCHEMAS.rglob("*.json")
        for found in objects(str(path.relative_to(SCHEMAS)))
        if found & {"my_query", "thread_topic", "coverage_ratio", "cost_estimate"}
    ]
    rows_of_reports = {"repair_rate"}  # sums over turns, which have names and units of their own
    assert len(of_turns) > len(seconds)
    assert [
        (name, found & seconds) for name, found in of_turns if found & seconds and not found & rows_of_reports
    ] == []


@pytest.mark.requirement("s2:json:dates")
def test_every_instant_in_a_published_shape_ends_in_z() -> None:
    instants = [
        (path.name, node.get("pattern"))
        for path in SCHEMAS.rglob("*.json")
        if path.name != "openapi.json"  # made of the others, and of parameters, which may have any zone
        for node in nodes(json.loads(path.read_text(encoding="utf-8")))
        if node.get("format") == "date-time"
    ]
    assert len(instants) > 1
    assert {pattern for _, pattern in instants} == {"Z$"}
