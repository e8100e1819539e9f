"""What the pages looked like when the pictures of the documentation were taken, and how they look now."""

from hashlib import sha256
from pathlib import Path
from typing import TypedDict

from voice.entrypoints.web.pages.rendering import SECTIONS, packaged_assets, packaged_templates

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "img"
_DRAWS = "charts.js"


class Looks(TypedDict):
    """What the pages are made with; what a memory says and the words of Python are beside it."""

    sections: list[str]
    """What stands in the navigation, in its order."""
    sign: str
    """SHA-256 of the sign beside the name."""
    files: dict[str, str]
    """SHA-256 of each template, of the style sheets, and of the script that draws."""


class Taken(TypedDict):
    """The pictures, and how the pages looked."""

    pictures: list[str]
    looks: Looks


def looks_of() -> Looks:
    """Return how the pages look now."""
    assets = packaged_assets().by_name
    files = {name: each.body for name, each in assets.items() if name == _DRAWS or name.endswith(".css")}
    files |= {name: text.encode() for name, text in packaged_templates().items()}
    return Looks(
        sections=[section.name for section in SECTIONS],
        sign=sha256(assets["icon.svg"].body).hexdigest(),
        files={name: sha256(body).hexdigest() for name, body in sorted(files.items())},
    )
