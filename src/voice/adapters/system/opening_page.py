"""A page on the disk that leads a browser to a link, so that no list of processes shows the link.

Law: what a program is started with is seen by every user of a machine; what stands in a file of 0600 is not. The page
is made whole, in a directory that is its owner's alone; its own path holds no secret, and it runs no script. It is
there for as long as its link opens something, and no longer; one that was left behind is replaced.

Source: DESIGN 8 Web (per-run token); SECURITY.md.
"""

from html import escape
from pathlib import Path

from voice.adapters.disk.private_files import replacing

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
