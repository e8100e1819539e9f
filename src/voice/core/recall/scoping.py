"""Scopes as people write and read them, and which one is read in.

Law: a scope is written dimension by dimension, `repo=/home/ann/kiln`; a dimension is one of four and has one value.
Where anything is scoped, a row, a capsule or a pin, nothing is read or listed without a scope: the one that is named,
or that in which the entrance stands (ruling A18).

Source: spec retrieval-contract, Scoping and Default Scoping; ruling A18.
"""

from collections.abc import Sequence

from voice.core.errors import InvalidParams, ScopeRequired
from voice.core.records import Scope
from voice.core.text.normalise import clean_text

DIMENSIONS = ("session", "repo", "agent", "user")
EVERYTHING = "all"
WHICH_SCOPE = (
    "some of this memory belongs to a scope: name a session, repository, agent or user, or ask for everything, also "
    "what belongs to no scope"
)
"""What is said where a scope must be named; a scope never shows what belongs to none (spec: Exact match)."""


def parse_scope(words: Sequence[str]) -> Scope:
    """Return the scope that `words` write, such as `("repo=/home/ann/kiln", "user=ann")`; none is an empty scope.

    Raises:
        InvalidParams: a word is not `dimension=value`, names no dimension, or names one again.
    """
    if list(words) == [EVERYTHING]:
        return Scope.ALL
    named: dict[str, str] = {}
    for word in words:
        dimension, _, value = clean_text(word).partition("=")
        if dimension not in DIMENSIONS or not value.strip():
            known = ", ".join(DIMENSIONS)
            raise InvalidParams(f"a scope is written as dimension=value, one of {known}, or is {EVERYTHING!r} alone")
        if dimension in named:
            raise InvalidParams(f"a scope names {dimension} once")
        named[dimension] = value.strip()
    session_id, repo_id, agent_id, user_id = map(named.get, DIMENSIONS)
    return Scope(session_id=session_id, repo_id=repo_id, agent_id=agent_id, user_id=user_id)


def scope_json(scope: Scope) -> dict[str, str]:
    """Return the dimensions that a scope names, as `--json` prints them."""
    values = (scope.session_id, scope.repo_id, scope.agent_id, scope.user_id)
    return {dimension: value for dimension, value in zip(DIMENSIONS, values, strict=True) if value is not None}


def render_scope(scope: Scope) -> str:
    """Return a scope as `parse_scope` reads it, word by word."""
    return EVERYTHING if scope.everything else " ".join(f"{name}={value}" for name, value in scope_json(scope).items())


def scope_of_read(scope: Scope, surroundings: Scope, *, is_scoped: bool) -> Scope:
    """Return the scope in which something is read or listed.

    Args:
        scope: what was named; an empty one names nothing.
        surroundings: where the entrance stands.
        is_scoped: whether anything in the memory belongs to a scope.

    Raises:
        ScopeRequired: something does, no scope was named, and the entrance stands nowhere (ruling A18).
    """
    if not scope.is_empty or not is_scoped:
        return scope
    if surroundings.is_empty:
        raise ScopeRequired(WHICH_SCOPE)
    return surroundings
