"""Facts about this machine: the data directory, its disk, the person's time zone.

Law: looking changes nothing; what cannot be read is reported as such, never guessed.
"""

import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from zoneinfo import ZoneInfo

from voice.adapters.disk.private_files import has_store
from voice.adapters.system.config_file import CONFIG_NAME
from voice.adapters.system.data_directory import KEY_BYTES, KEY_NAME, STORE_NAME
from voice.core.errors import VoiceError
from voice.core.health import HomeFacts, KeyState, Shared

_OURS = (STORE_NAME, "index")  # what the program writes in a data directory, besides the key
_ETC = Path("/etc")


def look_at_home(home: Path) -> HomeFacts:
    """Return what can be seen of a data directory, without opening or making anything in it."""
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
        is_read_only=_is_read_only(home),
        free_bytes=_free_bytes(home),
        data_bytes=sum(status.st_size for _, status in _files(home)),
        has_store=_may_hold_store(home / STORE_NAME),
        has_index=(home / "index").exists(),
        key=_key(home / KEY_NAME),
        shared=tuple(_shared(home)),
    )


def holds_something_else(home: Path) -> bool:
    """Return whether a directory holds files, and none of them is a memory's."""
    try:
        names = {entry.name for entry in home.iterdir()}
    except OSError:
        return False
    return bool(names) and names.isdisjoint((*_OURS, KEY_NAME, CONFIG_NAME))


def is_empty(home: Path) -> bool:
    """Return whether a directory exists and is empty; False if it cannot be read."""
    try:
        return next(home.iterdir(), None) is None
    except OSError:
        return False


def _may_hold_store(directory: Path) -> bool:
    """Return whether there is a store; True if that cannot be read, since opening it will say why."""
    try:
        return has_store(directory)
    except VoiceError:
        return True


def _is_read_only(home: Path) -> bool:
    with suppress(OSError):
        return bool(os.statvfs(home).f_flag & os.ST_RDONLY)
    return False


def _key(path: Path) -> KeyState:
    try:
        status = path.stat()
    except FileNotFoundError:
        return "missing"
    except OSError:
        return "odd"
    if not stat.S_ISREG(status.st_mode) or status.st_size != KEY_BYTES:
        return "odd"
    return "shared" if status.st_mode & 0o077 else "private"


def _shared(home: Path) -> Iterator[Shared]:
    """Yield those of our files that others have rights to, directories before their content."""
    for name in _OURS:
        for path, status in _files(home / name):
            if status.st_mode & 0o077 and not stat.S_ISLNK(status.st_mode):
                yield Shared(path=str(path), mode=status.st_mode & 0o777, is_directory=stat.S_ISDIR(status.st_mode))


def _files(root: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield `root` and everything below it; skips what vanishes meanwhile or cannot be read."""
    with suppress(OSError):
        yield root, root.lstat()
    for place, directories, files in os.walk(root):
        for name in sorted((*directories, *files)):
            path = Path(place, name)
            with suppress(OSError):
                yield path, path.lstat()


def knows_timezone(name: str) -> bool:
    """Return whether a time zone's rules are installed."""
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # what `ZoneInfo` raises for unknown and unsafe names
        return False
    return True


def _free_bytes(home: Path) -> int | None:
    """Return the free space on the disk of the nearest directory that exists."""
    for place in (home, *home.parents):
        try:
            return shutil.disk_usage(place).free
        except FileNotFoundError:  # not made yet
            continue
        except OSError:
            return None
    return None


def system_timezone(env: Mapping[str, str], etc: Path = _ETC) -> str | None:
    """Return the IANA name of the machine's zone, from TZ, /etc/timezone or /etc/localtime; None if none names one."""
    return next(filter(knows_timezone, _zone_names(env, etc)), None)


def _zone_names(env: Mapping[str, str], etc: Path) -> Iterator[str]:
    yield env.get("TZ", "").removeprefix(":")  # ":Europe/Lisbon" is allowed as well
    with suppress(OSError, UnicodeDecodeError):
        yield (etc / "timezone").read_text(encoding="ascii").strip()
    # A link into the system's database names the zone.
    yield str((etc / "localtime").resolve()).rpartition("zoneinfo/")[2]
