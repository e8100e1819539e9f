"""Run to completion what must not be left half done.

Law: who is cancelled while it happens hears of it when it is done. It runs as a task of its own, because a program may
cancel a task of its own past every shield (Ctrl-C does, a timeout of asyncio's does).

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
    withdrawn: asyncio.CancelledError | None = None
    with anyio.CancelScope(shield=True):
        while not task.done():
            try:
                await asyncio.wait((task,))
            except asyncio.CancelledError as told:
                withdrawn = told
    if withdrawn is None:
        return task.result()
    if not task.cancelled():
        task.exception()  # asked for, so that nobody is told it was never looked at
    raise withdrawn
