"""Which program a request came from."""

from types import SimpleNamespace

import pytest

from voice.entrypoints.mcp.client_replies import MOST, Connections

pytestmark = pytest.mark.requirement("mcp:own-session")


def context(name: str | None = None, headers: dict[str, str] | None = None) -> SimpleNamespace:
    """Return what the library knows of a request."""
    client = None if name is None else SimpleNamespace(client_info=SimpleNamespace(name=name))
    request = None if headers is None else SimpleNamespace(headers=headers)
    return SimpleNamespace(session=SimpleNamespace(client_params=client), request=request)


def test_over_the_standard_streams_a_process_is_one_connection() -> None:
    known = Connections()
    first = known.of(context())
    assert known.of(context("codex")) is first
    assert first.agent == "codex"
    assert known.of(context()).agent == "codex", "a name that was told is kept"


def test_over_http_a_connection_is_known_by_its_id_and_without_one_by_its_name() -> None:
    known = Connections()
    one = known.of(context("codex", {"mcp-session-id": "a"}))
    assert known.of(context("codex", {"mcp-session-id": "a"})) is one
    assert known.of(context("codex", {"mcp-session-id": "b"})) is not one
    bare = known.of(context("codex", {}))
    assert known.of(context("codex", {})) is bare is not one
    assert known.of(context("gemini", {})) is not bare


def test_the_connection_that_was_silent_longest_is_forgotten_first() -> None:
    known = Connections()
    first = known.of(context("codex", {"mcp-session-id": "0"}))
    second = known.of(context("codex", {"mcp-session-id": "1"}))
    for at in range(2, MOST):
        known.of(context("codex", {"mcp-session-id": str(at)}))
    assert known.of(context("codex", {"mcp-session-id": "0"})) is first
    known.of(context("codex", {"mcp-session-id": "another"}))
    assert known.of(context("codex", {"mcp-session-id": "0"})) is first
    assert known.of(context("codex", {"mcp-session-id": "1"})) is not second
