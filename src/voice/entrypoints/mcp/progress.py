"""Telling a client how far a call is, while it is carried out.

Law: services tell at once and wait for nobody; what they tell goes out one after the other, each with a higher number.
What goes wrong in the work is raised as it is, and a client that hears no more, having gone, stops no work: it may have
been paid for, or half of it be done.

Source: the Model Context Protocol, progress; STYLE 25.
"""

import math
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream

Tell = Callable[[float, str], Awaitable[None]]
"""Tells the client how far a call is: a rising number, and what is being done."""
Say = Callable[[str], None]
_T = TypeVar("_T")


async def telling(tell: Tell, work: Callable[[Say], Awaitable[_T]]) -> _T:
    """Return what the work comes to, and tell whatever it says meanwhile."""
    happening, heard = anyio.create_memory_object_stream[str](math.inf)
    made: list[_T] = []
    fault: Exception | None = None
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_tell_all, heard, tell)
        with happening:
            try:
                made.append(await work(happening.send_nowait))
            except Exception as error:  # noqa: BLE001 - raised again outside, where it is not one of a group
                fault = error
    if fault is not None:
        raise fault
    return made[0]


async def _tell_all(heard: MemoryObjectReceiveStream[str], tell: Tell) -> None:
    with heard:
        done = 0.0
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            async for said in heard:
                done += 1
                await tell(done, said)
        async for _ in heard:
            pass
