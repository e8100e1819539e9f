"""What this machine says about itself: the data directory, its disk, the person's time zone.

Law: looking changes nothing; what cannot be looked at is reported as such, never guessed.
"""

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from zoneinfo import ZoneInfo

from voice.core.health import HomeFacts

_ETC = Path("/etc")


def look_at_home(home: Path) -> HomeFacts:
    """Return what can be seen of a data directory without opening or making anything in it."""
    path = str(home)
    try:
        status = home.stat()
    except FileNotFoundError:
        return HomeFacts(path=path, kind="missing", free_bytes=_free_bytes(home))
    except OSError:
        return HomeFacts(path=path, kind="other")
    if not home.is_dir():
        return HomeFacts(path=path, kind="other", free_bytes=_free_bytes(home))
    return HomeFacts(
        path=path,
        kind="directory",
        mode=status.st_mode & 0o777,
        is_writable=os.access(home, os.W_OK | os.X_OK),
        free_bytes=_free_bytes(home),
    )


def _free_bytes(home: Path) -> int | None:
    """Return the room on the disk of the nearest directory that exists."""
    for place in (home, *home.parents):
        try:
            return shutil.disk_usage(place).free
        except FileNotFoundError:
            continue
        except OSError:
            return None
    return None


def system_timezone(env: Mapping[str, str], etc: Path = _ETC) -> str | None:
    """Return the IANA name of the machine's zone: from TZ, /etc/timezone or /etc/localtime; None if none names one."""
    for name in _zone_names(env, etc):
        try:
            ZoneInfo(name)
        except (KeyError, ValueError, OSError):  # no such zone, or no name of a zone at all
            continue
        return name
    return None


def _zone_names(env: Mapping[str, str], etc: Path) -> Iterator[str]:
    yield env.get("TZ", "").removeprefix(":")
    with suppress(OSError, UnicodeDecodeError):
        yield (etc / "timezone").read_text(encoding="ascii").strip()
    yield str((etc / "localtime").resolve()).rpartition("zoneinfo/")[2]
