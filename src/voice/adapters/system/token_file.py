"""A token that outlives a run, for programs that are set up once.

Law: 0600, made whole or not at all, random; in a directory that is there, for one that is not was mistyped or is to be
made by who knows whose it is. One that others can read, or that is short enough to be guessed, is refused and never
replaced silently: programs have been told it. Its faults are of what was set, and never of the store.

Source: ruling H (who may come in over HTTP).
"""

import os
import secrets
import stat
from pathlib import Path

from voice.adapters.disk.private_files import replacing
from voice.core.errors import ConfigurationError, StoreUnavailable

LEAST = 32


def new_token() -> str:
    """Return 256 random bits in letters that an address and a header can hold."""
    return secrets.token_urlsafe(32)


def load_token(path: Path) -> str:
    """Return the token in a file; where there is no file, make one.

    Raises:
        ConfigurationError: its directory is not there, others can read it, it holds no token, or it can be neither read
            nor made there.
    """
    try:
        if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise ConfigurationError(f"{path} can be read by others; delete it, and a new token is made")
        token = path.read_text(encoding="ascii", errors="replace").strip()
    except FileNotFoundError:
        token = _kept(new_token(), path)
    except OSError as error:
        raise _fault(error, path) from None
    if len(token) < LEAST or not token.isascii() or not token.isprintable() or " " in token:
        raise ConfigurationError(f"{path} holds no token of at least {LEAST} characters; delete it, and one is made")
    return token


def _kept(token: str, path: Path) -> str:
    if not path.parent.exists():
        raise ConfigurationError(
            f"no token can be kept at {path}: the directory {path.parent} does not exist; make it, or choose another "
            "place with --token-file"
        )
    try:
        with replacing(path) as file:
            file.write(f"{token}\n".encode())
    except OSError as error:
        raise _fault(error, path) from None
    except StoreUnavailable as error:
        raise ConfigurationError(error.message) from None
    except ConfigurationError:
        raise ConfigurationError(f"{path} cannot be written; choose another place with --token-file") from None
    return token


def _fault(error: OSError, path: Path) -> ConfigurationError:
    why = os.strerror(error.errno) if error.errno else type(error).__name__
    where = path if error.filename is None else error.filename
    return ConfigurationError(
        f"no token can be kept at {path} ({where}: {why}); choose another place with --token-file"
    )
