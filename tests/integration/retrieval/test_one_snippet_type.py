"""What a question of time, order and number finds are S0's snippets (ruling A16)."""

import importlib
import json
import pkgutil
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import voice.core
from cli_runner import SCHEMAS
from played_turns import KILN, later, memory, tell
from voice.core.render.retrieval import render_retrieve
from voice.core.retrieval.params import RetrieveRequest
from voice.core.retrieval.values import Snippet

S3 = {"id", "created_at", "score"}
"""The members of a source in spec nlq 10."""


@pytest.mark.requirement("ruling:A16", "ruling:A22", "s3:api:when", "s3:api:limit", "s3:api:order")
async def test_when_limit_and_order_bring_s0s_snippets_with_s3s_members_inside(tmp_path: Path) -> None:
    async with memory(tmp_path) as services:
        for days, text in enumerate(KILN):
            await tell(services, text, created_at=later(days=-days))
        found = await services.find(
            RetrieveRequest(query="kiln", floor=0.0, when="the last 3 days", limit=60, order="created_at_asc")
        )
    answer = render_retrieve(found)
    schema = json.loads((SCHEMAS / "retrieve.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator(schema).validate(answer)  # pyright: ignore[reportUnknownMemberType] - stubs leave it open
    assert answer["snippets"]
    members = schema["$defs"]["snippet"]["properties"].keys() - {"entered_at"}  # of undated rows
    assert all(each.keys() == members >= S3 for each in answer["snippets"])
    assert all(type(each) is Snippet for each in found.snippets)
    dates = [each["created_at"] or "" for each in answer["snippets"]]
    assert dates == sorted(dates)
    assert dates[0] >= "2026-03-17"


@pytest.mark.requirement("ruling:A16")
def test_there_is_one_snippet_type_in_the_program() -> None:
    wanted = {"text", "score", "content_hash", "span_start", "span_end"}
    modules = [
        importlib.import_module(found.name) for found in pkgutil.walk_packages(voice.core.__path__, "voice.core.")
    ]
    types = {each for module in modules for each in vars(module).values() if isinstance(each, type)}
    alike = [each for each in types if is_dataclass(each) and {one.name for one in fields(each)} >= wanted]
    assert alike == [Snippet]
