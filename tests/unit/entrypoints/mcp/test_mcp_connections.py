"""Which program a request came from.

A client that has gone hears no more, and what it asked for is done to its end.
"""

from types import SimpleNamespace

import anyio
import pytest

from voice.entrypoints.mcp.connection import MOST, Connections, Say, with_progress


def context(name: str | None = None, headers: dict[str, str] | None = None) -> SimpleNamespace:
    """Return what the library knows of a request."""
    client = None if name is None else SimpleNamespace(client_info=SimpleNamespace(name=name))
    request = None if headers is None else SimpleNamespace(headers=headers)
    return SimpleNamespace(session=SimpleNamespace(client_params=client), request=request)


@pytest.mark.requirement("mcp:own-session")
def test_over_the_standard_streams_a_process_is_one_connection() -> None:
    known = Connections()
    first = known.of(context())
    assert known.of(context("codex")) is first
    assert first.agent == "codex"
    assert known.of(context()).agent == "codex", "a name that was told is kept"


@pytest.mark.requirement("mcp:own-session")
def test_over_http_a_connection_is_known_by_its_id_and_without_one_by_its_name() -> None:
    known = Connections()
    one = known.of(context("codex", {"mcp-session-id": "a"}))
    assert known.of(context("codex", {"mcp-session-id": "a"})) is one
    assert known.of(context("codex", {"mcp-session-id": "b"})) is not one
    bare = known.of(context("codex", {}))
    assert known.of(context("codex", {})) is bare is not one
    assert known.of(context("gemini", {})) is not bare


@pytest.mark.requirement("mcp:own-session")
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


@pytest.mark.requirement("mcp:progress")
@pytest.mark.parametrize("gone", [anyio.BrokenResourceError, anyio.ClosedResourceError])
async def test_work_goes_on_to_its_end_where_nobody_hears_how_far_it_is(gone: type[Exception]) -> None:
    heard: list[tuple[float, str]] = []

    async def tell(done: float, what: str) -> None:
        if heard:
            raise gone
        heard.append((done, what))

    async def work(say: Say) -> str:
        for step in ("began", "asked", "stored"):
            say(step)
            await anyio.lowlevel.checkpoint()
        return "kept"

    assert await with_progress(tell, work) == "kept"
    assert heard == [(1.0, "began")]


@pytest.mark.requirement("mcp:progress")
async def test_what_goes_wrong_in_the_work_is_raised_as_it_is() -> None:
    async def tell(done: float, what: str) -> None:
        del done, what

    async def work(say: Say) -> str:
        say("began")
        raise LookupError("nothing is there")

    with pytest.raises(LookupError, match="nothing is there"):
        await with_progress(tell, work)
