"""A client that has gone hears no more, and what it asked for is done to its end."""

import anyio
import pytest

from voice.entrypoints.mcp.client_replies import Say, with_progress

pytestmark = pytest.mark.requirement("mcp:progress")


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


async def test_what_goes_wrong_in_the_work_is_raised_as_it_is() -> None:
    async def tell(done: float, what: str) -> None:
        del done, what

    async def work(say: Say) -> str:
        say("began")
        raise LookupError("nothing is there")

    with pytest.raises(LookupError, match="nothing is there"):
        await with_progress(tell, work)
