"""Who is at the other end of a socket: the operating system's word, not theirs.

Source: DESIGN 8; ruling H (a data directory is its owner's alone); unix(7) for Linux, unix(4) for macOS.
"""

import os
import socket
import struct
import sys
from typing import Final

_LINUX: Final = struct.Struct("3i")
"""ucred: process, user, group."""
_MACOS: Final = struct.Struct("II")
"""How xucred begins: its version and the user."""
_LOCAL_PEERCRED: Final = 1


def is_ours(end: socket.socket, platform: str = sys.platform) -> bool:
    """Return whether the process at the other end runs as the user of this one; False where nobody says so."""
    try:
        user = _user(end, platform)
    except (OSError, struct.error):
        return False
    return user == os.geteuid()


def process_of(end: socket.socket, platform: str = sys.platform) -> int | None:
    """Return the process that listens or listened at the other end; None where the system does not say."""
    if platform != "linux":
        return None
    try:
        found = end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _LINUX.size)
        return int(_LINUX.unpack(found)[0]) or None
    except (OSError, struct.error):
        return None


def _user(end: socket.socket, platform: str) -> int | None:
    if platform == "linux":
        found = end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _LINUX.size)
        return int(_LINUX.unpack(found)[1])
    if platform == "darwin":
        return int(_MACOS.unpack_from(end.getsockopt(0, _LOCAL_PEERCRED, 76))[1])
    return None
