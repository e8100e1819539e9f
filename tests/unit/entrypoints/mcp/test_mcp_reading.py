"""What models send, and what it is taken for."""

import pytest

from voice.core.errors import InvalidParams
from voice.core.records import Scope
from voice.entrypoints.mcp.arguments import read_arguments
from voice.entrypoints.mcp.tools import CHAT, HELP, MAINTAIN, MODERATE, RECALL, REMEMBER, RETRIEVE, Tool

KILN = {"query": "kiln"}
ANN = Scope(repo_id="/home/ann", user_id="ann")


@pytest.mark.requirement("mcp:lenient")
@pytest.mark.parametrize(
    ("tool", "sent", "meant"),
    [
        (RETRIEVE, {"query": "kiln", "top_k": "5"}, {"query": "kiln", "top_k": 5}),
        (RETRIEVE, {"query": "kiln", "top_k": 5.0, "floor": "0.25", "mix": 1}, {"top_k": 5, "floor": 0.25, "mix": 1.0}),
        (RETRIEVE, {"question": "kiln", "topK": 3}, {"query": "kiln", "top_k": 3}),
        (RETRIEVE, {"QUERY": "kiln", "Include-Private": "Yes"}, {"query": "kiln", "include_private": True}),
        (RETRIEVE, {"query": "kiln", "include_private": 0}, {"include_private": False}),
        (RETRIEVE, {"query": ["kiln"], "tags": "garden"}, {"query": "kiln", "include_tags": ("garden",)}),
        (RETRIEVE, {"query": 2024, "exclude_tags": '["a", "b", "a"]'}, {"query": "2024", "exclude_tags": ("a", "b")}),
        (RETRIEVE, {"query": "kiln", "include_tags": "a, b"}, {"include_tags": ("a", "b")}),
        (RETRIEVE, {"query": "kiln", "include_tags": [None, 7]}, {"include_tags": ("7",)}),
        (RETRIEVE, {"query": "null"}, {"query": "null"}),
        (RETRIEVE, "kiln", KILN),
        (RETRIEVE, '{"query": "kiln"}', KILN),
        (RETRIEVE, "{kiln}", {"query": "{kiln}"}),
        (RETRIEVE, {"arguments": {"params": {"query": "kiln"}}}, KILN),
        (RETRIEVE, {"input": "kiln"}, KILN),
        (CHAT, {"query": "Where?", "mode": "new-thread"}, {"mode": "new_thread"}),
        (CHAT, {"query": "Where?", "stance": "Challenge"}, {"stance": "challenge"}),
        (CHAT, {"query": "Where?", "sessionId": "s:1", "topic": ""}, {"query": "Where?", "session": "s:1"}),
        (RECALL, {"query": "kiln", "scope": "all"}, {"scope": Scope.ALL}),
        (RECALL, {"query": "a", "scopeIds": {"repoId": "/home/ann", "user": "ann", "agent_id": None}}, {"scope": ANN}),
        (RECALL, {"query": "kiln", "scope": '{"repo_id": "/home/ann", "user_id": "ann"}'}, {"scope": ANN}),
        (RECALL, {"query": "kiln", "scope": "repo=/home/ann, user=ann"}, {"scope": ANN}),
        (RECALL, {"query": "kiln", "scope": ["repo=/home/ann", "user=ann"]}, {"scope": ANN}),
        (RECALL, {"query": "kiln", "scope": "repo_id=/home/ann User=ann"}, {"scope": ANN}),
        (RECALL, {"query": "kiln", "scope": "/home/ann/my site"}, {"scope": Scope(repo_id="/home/ann/my site")}),
        (MODERATE, {"action": "Accept"}, {"action": "approve"}),
        (MODERATE, {"items": [{"id": "c:1"}, {"id": "c:2"}]}, {"ids": ("c:1", "c:2")}),
        (MAINTAIN, {"command": "list removal candidates"}, {"subcommand": "list_removal_candidates"}),
        (HELP, None, {}),
        (HELP, "", {}),
    ],
)  # fmt: skip
def test_what_is_meant_is_understood(tool: Tool, sent: object, meant: dict[str, object]) -> None:
    values = read_arguments(tool, sent).values
    assert {name: values[name] for name in meant} == meant
    assert [type(values[name]) for name in meant] == [type(value) for value in meant.values()]


@pytest.mark.requirement("mcp:lenient")
@pytest.mark.parametrize("nothing", [None, "", "null", "None", "undefined", "  "])
def test_nothing_is_not_said(nothing: object) -> None:
    sent = {"query": "kiln", "top_k": nothing, "include_private": nothing, "order": nothing, "scope": nothing}
    assert read_arguments(RETRIEVE, {**sent, "include_tags": nothing}).values == KILN


@pytest.mark.requirement("mcp:lenient")
@pytest.mark.parametrize("nothing", ["", "null", "None", " NULL ", "undefined"])
def test_null_in_words_is_not_said_where_a_text_is_optional_and_literal_where_it_is_the_matter(nothing: str) -> None:
    optional = ("when", "provider")
    assert read_arguments(RETRIEVE, {"query": "kiln", **dict.fromkeys(optional, nothing)}).values == KILN
    sent = {"query": "Where?", **dict.fromkeys(("session", "topic", "when", "as_of", "mode"), nothing)}
    assert read_arguments(CHAT, sent).values == {"query": "Where?"}
    kept = {"content": "kiln", **dict.fromkeys(("at", "thread", "speaker", "kind", "capsule"), nothing)}
    assert read_arguments(REMEMBER, kept).values == {"content": "kiln"}


@pytest.mark.requirement("mcp:lenient")
@pytest.mark.parametrize("word", ["null", "None", "undefined"])
def test_words_that_are_the_matter_itself_stay_what_they_are(word: str) -> None:
    assert read_arguments(RETRIEVE, {"query": word}).values == {"query": word}
    assert read_arguments(REMEMBER, {"content": word}).values == {"content": word}
    edit = {"action": "edit", "name": word, "reason": word, "description": word}
    assert read_arguments(MODERATE, edit).values == edit
    assert read_arguments(CHAT, {"query": word, "idempotency_key": word}).values == {
        "query": word, "idempotency_key": word,
    }  # fmt: skip


@pytest.mark.requirement("mcp:lenient")
def test_an_empty_scope_and_an_empty_list_are_not_said() -> None:
    sent = {"query": "kiln", "scope": {"repo_id": ""}, "include_tags": ["", None]}
    assert read_arguments(RETRIEVE, sent).values == KILN


@pytest.mark.requirement("mcp:lenient")
def test_what_no_parameter_is_called_is_named_and_left_out() -> None:
    read = read_arguments(RETRIEVE, {"colour": 1, "question": "another", "query": "kiln", "top_k": 2, "k": 9})
    assert read.values == {"query": "kiln", "top_k": 2}
    assert read.ignored == ("colour", "question", "k")


@pytest.mark.requirement("mcp:never-guessed")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("top_k", "five"), ("top_k", 4.5), ("top_k", True), ("top_k", "nan"), ("top_k", [5]), ("top_k", "9" * 500),
        ("top_k", 10**400), ("floor", "inf"), ("floor", {}), ("include_private", "maybe"), ("include_private", 2),
        ("include_private", 1.0), ("include_private", []), ("order", "best"), ("order", 3), ("query", {"a": 1}),
        ("query", ["a", "b"]), ("include_tags", {"a": 1}), ("include_tags", [["a"]]), ("include_tags", 7.5j),
        ("include_tags", [True]), ("scope", 7), ("scope", {"house": "x"}), ("scope", {"repo_id": 7}),
        ("scope", "everywhere"), ("scope", []),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused_by_the_parameters_name(name: str, value: object) -> None:
    with pytest.raises(InvalidParams) as refused:
        read_arguments(RETRIEVE, {**KILN, name: value})
    assert name in refused.value.message
    assert not isinstance(value, str) or value not in refused.value.message


@pytest.mark.requirement("mcp:never-guessed")
@pytest.mark.parametrize("sent", [7, ["kiln", "shed"], '["kiln"]', {}, {"top_k": 5}, {"query": None}, True])
def test_a_call_without_what_it_needs_is_shown_an_example(sent: object) -> None:
    with pytest.raises(InvalidParams, match='"how the kiln was wired"'):
        read_arguments(RETRIEVE, sent)


def test_a_tool_without_a_required_parameter_takes_no_bare_text() -> None:
    with pytest.raises(InvalidParams, match="takes an object"):
        read_arguments(HELP, "recall")
