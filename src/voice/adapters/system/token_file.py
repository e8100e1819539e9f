"""A token that outlives a run, for programs that are set up once.

Law: 0600, made whole or not at all, random. One that others can read, or that is short enough to be guessed, is refused
and never replaced silently: programs have been told it.

Source: ruling H (who may come in over HTTP).
"""

import secrets
import stat
from pathlib import Path

from voice.adapters.disk.private_files import disk_error, replacing
from voice.core.errors import ConfigurationError

LEAST = 32


def new_token() -> str:
    """Return 256 random bits in letters that an address and a header can hold."""
    return secrets.token_urlsafe(32)


def load_token(path: Path) -> str:
    """Return the token in a file; where there is no file, make one.

    Raises:
        ConfigurationError: others can read it, it holds no token, or the directory cannot be written.
        StoreUnavailable: the disk is full or fails.
    """
    try:
        if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise ConfigurationError(f"{path} can be read by others; delete it, and a new token is made")
        token = path.read_text(encoding="ascii", errors="replace").strip()
    except FileNotFoundError:
        token = new_token()
        with replacing(path) as file:
            file.write(f"{token}\n".encode())
    except OSError as error:
        raise disk_error(error, path) from None
    if len(token) < LEAST or not token.isascii() or not token.isprintable() or " " in token:
        raise ConfigurationError(f"{path} holds no token of at least {LEAST} characters; delete it, and one is made")
    return token
