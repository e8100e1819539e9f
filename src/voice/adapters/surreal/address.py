"""Where a store is: `SURR_DB_URL` as a value.

Law: exactly four kinds of address are understood; anything else is refused with what would be. An embedded address
carries no options: the engine takes `?sync=never` for an order to lose acknowledged writes.
"""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from voice.core.errors import ConfigurationError

ACCEPTED = "surrealkv://DIRECTORY, mem://, ws://HOST:PORT or wss://HOST:PORT"


@dataclass(frozen=True, slots=True, kw_only=True)
class InMemory:
    """A store that ends with its process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OnDisk:
    """An embedded store in a directory."""

    directory: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A SurrealDB server or cluster."""

    url: str


Address = InMemory | OnDisk | Server


def parse_address(url: str, *, home: Path) -> Address:
    """Return the address that `url` names; a relative directory is below `home`.

    Raises:
        ConfigurationError: it names none.
    """
    scheme, separator, rest = url.partition("://")
    if separator and scheme == "mem" and not rest:
        return InMemory()
    if separator and scheme == "surrealkv" and rest and not set(rest) & set("?\x00"):
        return OnDisk(directory=home / rest)
    if separator and scheme in ("ws", "wss") and _names_a_host(url):
        return Server(url=url.rstrip("/").removesuffix("/rpc"))
    raise ConfigurationError(f"SURR_DB_URL is not understood; it may be {ACCEPTED}")


def _names_a_host(url: str) -> bool:
    """Return whether there is a host in `url`, and a port that can be one where there is any."""
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and parts.port != 0 and not set(url) & set(" \t\r\n")
    except ValueError:
        return False
