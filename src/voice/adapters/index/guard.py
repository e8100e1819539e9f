"""Whose turn it is with the files of an index, among processes that share a home.

Law: whoever reads which files there are, writes or removes some, has the directory to itself meanwhile, however many
processes of whatever age use it; the kernel gives the turn back when one is killed. Searching needs no turn: what was
mapped stays mapped. The wait is bounded, because who has the turn may be asleep.

Source: DESIGN 4 and 8; docs/holder.md, "The search index".
"""

import fcntl
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from voice.core.errors import StoreUnavailable

NAME: Final = "turn.lock"
_WAIT_S: Final = 10.0
_LOOK_AGAIN_S: Final = 0.005
_FILE_MODE: Final = 0o600


class Busy(StoreUnavailable):
    """Another process did not give its turn back in time."""


@contextmanager
def alone_in(directory: Path, wait_s: float = _WAIT_S) -> Generator[None]:
    """Have the files of the index in `directory`, which is there, to oneself for the time of the block.

    Raises:
        Busy: another process has them for longer than `wait_s`.
        OSError: the directory cannot be written.
    """
    handle = os.open(directory / NAME, os.O_RDWR | os.O_CREAT, _FILE_MODE)
    try:
        until = time.monotonic() + wait_s
        while not _locked(handle):
            if time.monotonic() > until:
                raise Busy(f"another process has kept the search index in {directory} for {wait_s:g} s; try again")
            time.sleep(_LOOK_AGAIN_S)
        yield
    finally:
        os.close(handle)


def _locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
