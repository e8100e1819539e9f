"""Parse and render scopes, and determine the scope of a read.

Law: a scope is `dimension=value` words, one value per dimension; `all` is everything, `here` the entrance's repository
and unscoped rows. If the memory has any scoped item, every read needs a scope, named or the entrance's default (ruling
A18).

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
"""Unscoped rows: the meaning of `here` outside a repository."""
WHICH_SCOPE = messages.SCOPE_REQUIRED
"""Message if a scope is required; a named scope never shows unscoped rows (spec: Exact match)."""


def parse_scope(words: Sequence[str]) -> Scope:
    """Parse words such as `("repo=/home/ann/kiln", "user=ann")`; no words give an empty scope.

    `here` gives `UNSCOPED`, which the entrance completes (`scope_of_directory`).

    Raises:
        InvalidParams: not `dimension=value`, unknown or repeated dimension.
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
    """Add the entrance's repository to the scope of `here`; other scopes are unchanged."""
    return replace(UNSCOPED, repo_id=repo_id) if scope == UNSCOPED else scope


def scope_json(scope: Scope) -> dict[str, str]:
    """Return a scope's named dimensions, as `--json` prints them."""
    values = (scope.session_id, scope.repo_id, scope.agent_id, scope.user_id)
    return {dimension: value for dimension, value in zip(DIMENSIONS, values, strict=True) if value is not None}


def render_scope(scope: Scope) -> str:
    """Render a scope so that `parse_scope` reads it back."""
    if scope.everything or scope == UNSCOPED:
        return EVERYTHING if scope.everything else HERE
    return " ".join(f"{name}={value}" for name, value in scope_json(scope).items())


def scope_of_read(scope: Scope, surroundings: Scope, *, is_scoped: bool) -> Scope:
    """Return the effective scope of a read.

    Args:
        scope: the named one; may be empty.
        surroundings: the entrance's default; empty for none.
        is_scoped: whether the memory has any scoped item.

    Raises:
        ScopeRequired: it has, and there is neither a named scope nor a default (ruling A18).
    """
    if not scope.is_empty:
        return scope
    if not is_scoped:
        return Scope.ALL
    if surroundings.is_empty:
        raise ScopeRequired(WHICH_SCOPE)
    return surroundings
