"""Whatever a model sends, a tool is given arguments of the kinds it asks for, or the call is refused by name."""

import json
from collections.abc import Mapping
from typing import cast

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from voice.core.errors import InvalidParams
from voice.core.grounding.check import Fact
from voice.core.records import Scope
from voice.entrypoints.mcp.arguments import Arguments, read_arguments
from voice.entrypoints.mcp.tools import TOOLS, Tool
from voice.requests import Kind, Parameter

TYPES: Mapping[Kind, type] = {
    "text": str, "integer": int, "number": float, "flag": bool, "texts": tuple, "scope": Scope, "facts": tuple,
}  # fmt: skip
scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30)
anything = st.recursive(
    scalars, lambda more: st.lists(more, max_size=4) | st.dictionaries(st.text(max_size=12), more, max_size=4)
)
tools = st.sampled_from(TOOLS)


def _names(tool: Tool) -> list[str]:
    return [name for each in tool.parameters for name in (each.name, *each.also)]


@st.composite
def calls(draw: st.DrawFn) -> tuple[Tool, object]:
    """Draw a tool and what a model might send to it."""
    tool = draw(tools)
    names = st.sampled_from(_names(tool)) | st.text(max_size=12)
    return tool, draw(anything | st.dictionaries(names, anything, max_size=6))


@pytest.mark.requirement("mcp:lenient", "mcp:never-guessed")
@given(calls())
def test_what_is_read_is_of_the_kinds_that_are_asked_for(drawn: tuple[Tool, object]) -> None:
    tool, sent = drawn
    try:
        read = read_arguments(tool, sent)
    except InvalidParams:
        return
    kinds = {each.name: each for each in tool.parameters}
    for name, value in read.values.items():
        assert type(value) is TYPES[kinds[name].kind]
        assert not kinds[name].choices or value in kinds[name].choices
    assert {each.name for each in tool.parameters if each.required} <= read.values.keys()


_NOTHING = {"", "null", "none", "undefined"}
"""How models write that they mean nothing."""


def _value(parameter: Parameter) -> st.SearchStrategy[object]:
    words = st.text(min_size=1, max_size=20).filter(
        lambda text: text.strip().casefold() not in _NOTHING and not text.lstrip().startswith(("{", "["))
    )
    kinds: Mapping[Kind, st.SearchStrategy[object]] = {
        "text": st.sampled_from(parameter.choices) if parameter.choices else words,
        "integer": st.integers(-(2**53), 2**53),
        "number": st.floats(allow_nan=False, allow_infinity=False),
        "flag": st.booleans(),
        "texts": st.lists(words.map(str.strip).filter(lambda t: "," not in t), min_size=1, max_size=3, unique=True),
        "scope": st.just({"repo_id": "/home/ann"}),
        "facts": st.just([{"text": "The kiln is in the shed."}]),
    }
    return kinds[parameter.kind]


@st.composite
def exact_calls(draw: st.DrawFn) -> tuple[Tool, dict[str, object]]:
    """Draw a tool and arguments exactly as its schema has them."""
    tool = draw(tools)
    chosen = [each for each in tool.parameters if each.required or draw(st.booleans())]
    return tool, {each.name: draw(_value(each)) for each in chosen}


def _plain(read: Arguments) -> dict[str, object]:
    return {name: _as_sent(value) for name, value in read.values.items()}


def _as_sent(value: object) -> object:
    match value:
        case tuple():
            return [_as_sent(each) for each in cast("tuple[object, ...]", value)]
        case Fact(text=text):
            return {"text": text}
        case Scope(repo_id=repo_id):
            return {"repo_id": repo_id}
        case _:
            return value


@pytest.mark.requirement("mcp:lenient", "mcp:exact")
@given(exact_calls())
def test_what_is_sent_exactly_is_taken_exactly(drawn: tuple[Tool, dict[str, object]]) -> None:
    tool, sent = drawn
    read = read_arguments(tool, sent)
    assert _plain(read) == sent
    assert read.ignored == ()


@pytest.mark.requirement("mcp:lenient")
@given(exact_calls(), st.data())
def test_the_same_said_loosely_means_the_same(drawn: tuple[Tool, dict[str, object]], data: st.DataObject) -> None:
    tool, sent = drawn
    assume(sent)
    by_name = {each.name: each for each in tool.parameters}
    loose: dict[str, object] = {}
    for name, value in sent.items():
        spelled = data.draw(st.sampled_from((name, name.upper(), *by_name[name].also)))
        loose[spelled] = value if isinstance(value, str) else data.draw(st.sampled_from((value, json.dumps(value))))
    extra = data.draw(st.none() | st.integers())
    wrapped = data.draw(st.sampled_from((loose, json.dumps(loose), {"arguments": loose})))
    assert read_arguments(tool, wrapped).values == read_arguments(tool, sent).values
    assert read_arguments(tool, {**loose, "zzz": extra}).ignored == ("zzz",)
