"""The web server's access token: its file, and the page that hands it to a browser.

Law: 0600, made whole or not at all, random; in a directory that is there, for one that is not was mistyped or is to be
made by who knows whose it is. One that others can read, or that is short enough to be guessed, is refused and never
replaced silently: programs have been told it. Its faults are of what was set, and never of the store.

A page on the disk that leads a browser to a link, so that no list of processes shows the link. What a program is
started with is seen by every user of a machine; what stands in a file of 0600 is not. The page is made whole, in a
directory that is its owner's alone; its own path holds no secret, and it runs no script. It is there for as long as its
link opens something, and no longer; one that was left behind is replaced.

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
    if len(token) < MIN_TOKEN_CHARS or not token.isascii() or not token.isprintable() or " " in token:
        raise ConfigurationError(
            f"{path} holds no token of at least {MIN_TOKEN_CHARS} characters; delete it, and one is made"
        )
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


_PAGE = """\
<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>voice</title>
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={link}"></head>
<body><p><a href="{link}">Open your memory</a></p></body></html>
"""


class OpeningPage:
    """The page that leads to one link."""

    def __init__(self, path: Path) -> None:
        """Know where it is to stand; nothing is written yet.

        Args:
            path: its place, in a directory that nobody else can read.
        """
        self.path = path.absolute()

    def write(self, link: str) -> None:
        """Write it; whatever stood in its place goes.

        Args:
            link: where it leads.

        Raises:
            ConfigurationError: the directory cannot be written.
            StoreUnavailable: the disk is full or fails.
        """
        with replacing(self.path) as file:
            file.write(_PAGE.format(link=escape(link)).encode())

    def remove(self) -> None:
        """Take it away; also where it is gone already."""
        self.path.unlink(missing_ok=True)
