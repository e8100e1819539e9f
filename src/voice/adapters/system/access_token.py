"""The web server's access token: its file, and the page that hands it to a browser.

Law: the token is random, in a file of 0600 written as a whole, in an existing directory: a missing one was mistyped, or
must be made by its owner. A token that others can read, or that is too short, is refused and never replaced silently,
since programs know it. Its errors are about the settings, never about the store.

The page redirects a browser to a link, so that no list of processes shows it: every user of a machine sees a program's
arguments, but not a file of 0600. It is written as a whole, in a directory that is its owner's alone; its own path is
not a secret, and it runs no script. It exists only as long as its link opens something; a leftover one is replaced.

Source: ruling H (who may come in over HTTP); DESIGN 8 Web (per-run token); SECURITY.md.
"""

import os
import secrets
import stat
from html import escape
from pathlib import Path

from voice.adapters.disk.private_files import replacing
from voice.core.errors import ConfigurationError, StoreUnavailable

MIN_TOKEN_CHARS = 32


def new_token() -> str:
    """Return 256 random bits in characters that an address and a header allow."""
    return secrets.token_urlsafe(32)


def load_token(path: Path) -> str:
    """Return the token in a file, which is made if it does not exist. Raises ConfigurationError: its directory does not
    exist, others can read it, it holds no token, or it can be neither read nor made."""
    try:
        if path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise ConfigurationError(f"{path} can be read by others; delete it, and a new token is made")
        token = path.read_text(encoding="ascii", errors="replace").strip()
    except FileNotFoundError:
        token = _write_token(new_token(), path)
    except OSError as error:
        raise _fault(error, path) from None
    if len(token) < MIN_TOKEN_CHARS or not token.isascii() or not token.isprintable() or " " in token:
        raise ConfigurationError(
            f"{path} holds no token of at least {MIN_TOKEN_CHARS} characters; delete it, and one is made"
        )
    return token


def _write_token(token: str, path: Path) -> str:
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


_PAGE = """\
<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>voice</title>
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={link}"></head>
<body><p><a href="{link}">Open your memory</a></p></body></html>
"""


class OpeningPage:
    """A page that redirects to one link."""

    def __init__(self, path: Path) -> None:
        """Remember the path, in a directory that nobody else can read; nothing is written yet."""
        self.path = path.absolute()

    def write(self, link: str) -> None:
        """Write the page, which replaces an existing file. Raises ConfigurationError: the directory cannot be written;
        StoreUnavailable: the disk is full or fails."""
        with replacing(self.path) as file:
            file.write(_PAGE.format(link=escape(link)).encode())

    def remove(self) -> None:
        """Remove it, if it exists."""
        self.path.unlink(missing_ok=True)
