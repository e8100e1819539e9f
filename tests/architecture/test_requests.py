"""Each request at its four doors, as they tell of it: the declared parameters, of one kind, with one default."""

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from importlib.resources import files
from typing import Any, Final, get_args, get_origin

import click
import pytest

from voice import Voice
from voice.core.recall.params import RecallRequest
from voice.core.records import Scope
from voice.core.retrieval.params import RetrieveRequest
from voice.entrypoints.cli import ask, check, correct, memory, search
from voice.entrypoints.cli.kg import candidates
from voice.entrypoints.cli.main import COMMANDS
from voice.entrypoints.mcp.discovery import tools_listed
from voice.entrypoints.web.responses import API_PATH
from voice.ports.review_stores import CandidateFilter
from voice.requests import Door, Request, questions, rows
from voice.services.graph.correct import CorrectRequest
from voice.services.memory.ingest_values import NewThought
from voice.services.runtime.turn import AskRequest

pytestmark = pytest.mark.requirement("requests:one-declaration")
_REQUESTS: Final = (
    (questions.RETRIEVE, search.retrieve, "inner_voice_retrieve", RetrieveRequest, {"detail"}),
    (questions.RECALL, search.recall, "recall", RecallRequest, {"detail"}),
    (questions.ASK, ask.ask, "inner_voice_chat", AskRequest, {"mode", "detail", "explain"}),
    (rows.REMEMBER, memory.remember, "remember", NewThought, {"capsule", "logged"}),
    (rows.CORRECT, correct.correct, "correct", CorrectRequest, {"dry_run", "scope"}),
    (rows.CANDIDATES, candidates.candidates, "knowledgegraph_moderate", CandidateFilter, {"limit", "detail", "after"}),
    (questions.CHECK, check.check, "check", None, {"answer", "facts", "question"}),
)
"""Of each its command, its tool, what its service is asked, and what of it the doors keep to themselves."""
_OWN: Final = frozenset({
    "as_json", "continued", "model", "dry_run", "form", "plain", "stream_json", "name", "verifier", "as_text", "within",
    "sentence", "in_note", "yes", "asks", "where", "unfolded", "include_private",
    *(each.name for each in rows.MODERATE.parameters),
})  # fmt: skip
"""How the command line asks and shows, and who is asked: no part of a request."""
_KINDS: Final[Mapping[object, str]] = {
    "string": "text", "integer": "integer", "number": "number", "boolean": "flag", "object": "scope",
    "float": "number", str: "text", datetime: "text", int: "integer", float: "number", bool: "flag", Scope: "scope",
}  # fmt: skip
_UNSAID: Final[tuple[object, ...]] = (None, "", (), [], False)
OPENAPI: Final = (files("voice") / "schemas" / "openapi.json").read_text("utf-8")
Taken = dict[str, tuple[str, tuple[str, ...], object]]
"""What a door takes, by name: its kind, its choices and its default."""


def at_the_command_line(command: click.Command) -> Taken:
    taken: Taken = {}
    for each in command.params:
        told = each.to_info_dict()
        kind = _KINDS.get(told["type"]["name"].removesuffix(" range"), "text")
        kind = "flag" if told.get("is_flag") else "texts" if told["multiple"] else kind
        name = "scope" if each.name in ("scope_words", "repo", "all_scopes") else str(each.name)
        kind = name if name in ("scope", "facts") else kind  # facts are in a file
        default = told["default"] if isinstance(told.get("default"), str) else None
        taken[name] = (kind, tuple(told["type"].get("choices", ())), default)
    return taken


def in_a_schema(schema: Mapping[str, Any]) -> Taken:
    taken: Taken = {}
    for name, member in schema["properties"].items():
        told = member.get("anyOf", [member])[0]
        kind = name if name in ("facts", "scope") else _KINDS.get(told["type"], "texts")
        taken[name] = (kind, tuple(told.get("enum", ())), member.get("default"))
    return taken


def in_a_signature(method: Callable[..., object] | None) -> Taken:
    taken: Taken = {}
    for name, each in inspect.signature(method).parameters.items() if method else ():
        is_list = get_origin(each.annotation) in (tuple, Sequence)
        parts = (*get_args(each.annotation), each.annotation)
        choices = dict.fromkeys(word for part in parts for word in get_args(part) or (part,) if type(word) is str)
        kind = "text" if choices or name == "answer" else _KINDS.get(parts[0], "texts")
        kind = "facts" if name == "facts" else "texts" if is_list else kind
        taken[name] = (kind, tuple(choices), None if each.default is each.empty else each.default)
    return {name: each for name, each in taken.items() if name != "self"}


def at_doors(request: Request, command: click.Command, tool: str) -> Mapping[Door, Taken]:
    tools: Any = {each["name"]: each["inputSchema"] for each in tools_listed("plain")}
    document: Any = json.loads(OPENAPI)
    at_path: Any = document["paths"].get(f"{API_PATH}/kg/{request.name}", {"get": {"parameters": []}})
    listed: Any = at_path["get"]["parameters"]
    queries = {"properties": {each["name"]: each["schema"] for each in listed}}
    body = document["components"]["schemas"].get(f"{request.name.capitalize()}Request", queries)
    own = {each.name for each in request.parameters}
    names = {door: {each.at(door).name: each.name for each in request.parameters} for door in get_args(Door)}
    found: Mapping[Door, Taken] = {
        "cli": at_the_command_line(command),
        "mcp": in_a_schema(tools[tool]),
        "http": in_a_schema(body),
        "library": in_a_signature(getattr(Voice, request.name, None)),
    }
    return {
        door: {names[door].get(name, name): each for name, each in taken.items() if name not in _OWN - own}
        for door, taken in found.items()
    }


@pytest.mark.parametrize(
    ("request_", "command", "tool", "asked", "own"), _REQUESTS, ids=[each[2] for each in _REQUESTS]
)
def test_what_doors_take_is_what_is_declared_of_one_kind_with_the_same_choices_and_default(
    request_: Request, command: click.Command, tool: str, asked: type | None, own: set[str]
) -> None:
    at = at_doors(request_, command, tool)
    for door, taken in at.items():
        declared = [each for each in request_.parameters if each.at(door) in request_.at(door)]
        assert set(taken) == {each.name for each in declared}, door
    for each in request_.parameters:
        here = {door: taken[each.name] for door, taken in at.items() if each.name in taken}
        assert {kind for kind, _, _ in here.values()} == {each.kind}, each.name
        assert {choices for _, choices, _ in here.values()} == {each.choices}, each.name
        defaults = {default for door, (_, _, default) in here.items() if door != "mcp" if default not in _UNSAID}
        assert defaults <= {each.default}, each.name
    known = {each.name for each in fields(asked)} if asked else set[str]()
    assert {each.at("mcp").inner for each in request_.parameters} - known == own


def test_what_the_owner_alone_does_is_at_no_door_of_programs() -> None:
    """Forgetting is a person's, at the command line and the page (ruling H)."""
    programs = {*vars(Voice), *(each["name"] for each in tools_listed("plain"))}
    assert {"forget", "redact"} <= COMMANDS.keys()
    assert "remember" in programs
    assert not programs & {"forget", "redact"}
    assert "/forget" not in OPENAPI


def test_a_verdict_over_http_says_what_one_over_mcp_does() -> None:
    schemas: Any = json.loads(OPENAPI)["components"]["schemas"]
    members = {name for of in ("Approve", "Reject", "Alias", "Edit") for name in schemas[f"{of}Request"]["properties"]}
    words = {"verdict": "action", "candidate": "ids", "entity_type": "type", "rel_type": "type"}
    said = {words.get(name, name) for name in members}
    assert said | {"with_ends", "dry_run"} == {each.name for each in rows.MODERATE.parameters}
