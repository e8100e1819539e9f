"""Parse and render scopes, and settle which one is read in.

Law: a scope is written dimension by dimension, `repo=/home/ann/kiln`; a dimension is one of four and has one value.
`all` is everything, and `here` the repository that the entrance stands in with what belongs to no scope. Where anything
is scoped, a row, a capsule or a pin, nothing is read or listed without a scope: the one that is named, or what the
entrance reads by default (ruling A18).

Source: spec retrieval-contract, Scoping and Default Scoping; ruling A18.
"""

from collections.abc import Sequence
from dataclasses import replace

from voice.core.errors import InvalidParams, ScopeRequired
from voice.core.messages import memory as messages
from voice.core.records import Scope
from voice.core.text.normalise import clean_text

DIMENSIONS = ("session", "repo", "agent", "user")
EVERYTHING = "all"
HERE = "here"
UNSCOPED = Scope(or_unscoped=True)
"""What belongs to no scope: what `here` means where the entrance stands in no repository."""
WHICH_SCOPE = messages.SCOPE_REQUIRED
"""What is said where a scope must be named; one that is named never shows what belongs to none (spec: Exact match)."""


def parse_scope(words: Sequence[str]) -> Scope:
    """Return the scope that `words` write, such as `("repo=/home/ann/kiln", "user=ann")`; none is an empty scope.

    `here` is `UNSCOPED`: in which repository that is, only the entrance knows (`scope_of_directory`).

    Raises:
        InvalidParams: a word is not `dimension=value`, names no dimension, or names one again.
    """
    if list(words) in ([EVERYTHING], [HERE]):
        return Scope.ALL if words[0] == EVERYTHING else UNSCOPED
    named: dict[str, str] = {}
    for word in words:
        dimension, _, value = clean_text(word).partition("=")
        if dimension not in DIMENSIONS or not value.strip():
            known = ", ".join(DIMENSIONS)
            raise InvalidParams(messages.scope_shape(known, EVERYTHING, HERE))
        if dimension in named:
            raise InvalidParams(messages.scope_twice(dimension))
        named[dimension] = value.strip()
    session_id, repo_id, agent_id, user_id = map(named.get, DIMENSIONS)
    return Scope(session_id=session_id, repo_id=repo_id, agent_id=agent_id, user_id=user_id)


def scope_of_directory(scope: Scope, repo_id: str | None) -> Scope:
    """Return a scope with the repository that `here` stands for; any other scope as it is."""
    return replace(UNSCOPED, repo_id=repo_id) if scope == UNSCOPED else scope


def scope_json(scope: Scope) -> dict[str, str]:
    """Return the dimensions that a scope names, as `--json` prints them."""
    values = (scope.session_id, scope.repo_id, scope.agent_id, scope.user_id)
    return {dimension: value for dimension, value in zip(DIMENSIONS, values, strict=True) if value is not None}


def render_scope(scope: Scope) -> str:
    """Return a scope as `parse_scope` reads it, word by word."""
    if scope.everything or scope == UNSCOPED:
        return EVERYTHING if scope.everything else HERE
    return " ".join(f"{name}={value}" for name, value in scope_json(scope).items())


def scope_of_read(scope: Scope, surroundings: Scope, *, is_scoped: bool) -> Scope:
    """Return the scope in which something is read or listed.

    Args:
        scope: what was named; an empty one names nothing.
        surroundings: what the entrance reads where nothing is named; empty for one that has to be told.
        is_scoped: whether anything in the memory belongs to a scope.

    Raises:
        ScopeRequired: something does, no scope was named, and the entrance reads nothing by itself (ruling A18).
    """
    if not scope.is_empty:
        return scope
    if not is_scoped:
        return Scope.ALL
    if surroundings.is_empty:
        raise ScopeRequired(WHICH_SCOPE)
    return surroundings
