"""What the pages looked like when the pictures of the documentation were taken, and how they look now."""

from hashlib import sha256
from pathlib import Path
from typing import TypedDict

from voice.entrypoints.web.pages.assets import packaged_assets
from voice.entrypoints.web.pages.nav import SECTIONS

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "img"


class Looks(TypedDict):
    """What every picture shows of the pages, whatever else is on it."""

    sections: list[str]
    """What stands in the navigation, in its order."""
    sign: str
    """SHA-256 of the sign beside the name."""
    tokens: str
    """SHA-256 of the type, spaces and colours that the style sheet begins with."""


class Taken(TypedDict):
    """The pictures, and how the pages looked."""

    pictures: list[str]
    looks: Looks


def looks_of() -> Looks:
    """Return how the pages look now."""
    assets = packaged_assets().by_name
    tokens = assets["voice.css"].body.partition(b":root {")[2].partition(b"\n}")[0]
    return Looks(
        sections=[section.name for section in SECTIONS],
        sign=sha256(assets["icon.svg"].body).hexdigest(),
        tokens=sha256(tokens).hexdigest(),
    )
