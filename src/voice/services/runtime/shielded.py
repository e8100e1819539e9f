"""Run to completion what must not be left half done.

Law: a caller that is cancelled meanwhile gets the cancellation once the work is done. The work runs as a task of its
own, because a program may cancel its own task past every shield (Ctrl-C does, and so does a timeout of asyncio).

Source: rulings D25, D26.
"""

import asyncio
from collections.abc import Coroutine
from typing import TypeVar

import anyio

T = TypeVar("T")


async def run_to_completion(work: Coroutine[object, object, T]) -> T:
    """Return what `work` returns, or raise what it raises.

    Raises:
        CancelledError: the caller was cancelled meanwhile; `work` has come to its end, whichever that was.
    """
    task = asyncio.ensure_future(work)
    cancellation: asyncio.CancelledError | None = None
    with anyio.CancelScope(shield=True):
        while not task.done():
            try:
                await asyncio.wait((task,))
            except asyncio.CancelledError as error:
                cancellation = error
    if cancellation is None:
        return task.result()
    if not task.cancelled():
        task.exception()  # read it, or asyncio logs that it was never retrieved
    raise cancellation
