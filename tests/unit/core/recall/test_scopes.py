"""Kinds of thoughts, and scopes as they are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.core.errors import InvalidParams, ScopeRequired
from voice.core.recall.params import parse_scope, render_scope, scope_json, scope_of_directory, scope_of_read
from voice.core.recall.values import COMMON_KINDS, MAX_KIND_CHARS, require_kind
from voice.core.records import Scope

HERE = Scope(repo_id="/home/ann/kiln", user_id="ann")


@pytest.mark.parametrize("kind", [*COMMON_KINDS, "diary", "Traum", "дневник", "x" * MAX_KIND_CHARS, "pull-request2"])
def test_any_word_is_a_kind(kind: str) -> None:
    assert require_kind(kind) == kind


@pytest.mark.parametrize("kind", ["", "two words", "2nd", "_x", "a/b", "x\n", "x" * (MAX_KIND_CHARS + 1)])
def test_what_is_not_one_word_is_no_kind(kind: str) -> None:
    with pytest.raises(InvalidParams, match="tool_call, command, file_diff"):
        require_kind(kind)


@pytest.mark.requirement("s4:scope:dimensions")
def test_a_scope_is_written_dimension_by_dimension() -> None:
    assert parse_scope(["repo=/home/ann/kiln", "user=ann"]) == HERE
    assert parse_scope(["session=a=b", "agent= x "]) == Scope(session_id="a=b", agent_id="x")
    assert parse_scope([]) == Scope()
    assert parse_scope(["all"]) == Scope.ALL


@pytest.mark.parametrize(
    "words", [["repo"], ["repo="], ["repo= "], ["team=x"], ["all", "repo=x"], ["user=a", "user=b"]]
)
def test_what_is_no_scope_is_refused(words: list[str]) -> None:
    with pytest.raises(InvalidParams, match="scope"):
        parse_scope(words)


@pytest.mark.requirement("ruling:A18b")
def test_here_is_the_repository_that_one_stands_in_with_what_belongs_to_none() -> None:
    here = parse_scope(["here"])
    assert scope_of_directory(here, "/kiln") == Scope(repo_id="/kiln", or_unscoped=True)
    assert scope_of_directory(here, None) == Scope(or_unscoped=True)
    assert scope_of_directory(HERE, "/boat") == HERE
    assert render_scope(here) == "here"


def test_a_scope_is_shown_as_it_is_written() -> None:
    assert scope_json(HERE) == {"repo": "/home/ann/kiln", "user": "ann"}
    assert [render_scope(scope) for scope in (HERE, Scope(), Scope.ALL)] == ["repo=/home/ann/kiln user=ann", "", "all"]


_ids = st.none() | st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1)


@given(st.builds(Scope, session_id=_ids, repo_id=_ids, agent_id=_ids, user_id=_ids))
def test_a_scope_that_is_shown_and_read_again_is_the_same(scope: Scope) -> None:
    assert parse_scope([f"{name}={value}" for name, value in scope_json(scope).items()]) == scope


@pytest.mark.requirement("ruling:A18")
def test_a_scoped_memory_is_read_in_the_scope_that_is_named_or_stood_in() -> None:
    nowhere, repo = Scope(), Scope(repo_id="/repo")
    assert scope_of_read(nowhere, HERE, is_scoped=False) == Scope.ALL
    assert scope_of_read(nowhere, HERE, is_scoped=True) == HERE
    assert scope_of_read(repo, HERE, is_scoped=True) == repo
    assert scope_of_read(Scope.ALL, nowhere, is_scoped=True) == Scope.ALL
    with pytest.raises(ScopeRequired, match="name a session, repository"):
        scope_of_read(nowhere, nowhere, is_scoped=True)
