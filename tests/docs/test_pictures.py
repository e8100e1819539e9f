"""The pictures of the pages: each is on a page, small, and taken of the pages as they look now."""

import json
import re
from typing import cast

import pytest

from taken_pictures import IMAGES, Taken, looks_of

_MOST_BYTES = 2_000_000


def _taken() -> Taken:
    return cast("Taken", json.loads((IMAGES / "taken.json").read_text(encoding="utf-8")))


@pytest.mark.requirement("docs:pictures")
def test_each_picture_that_was_taken_is_on_a_page_and_there_is_no_other() -> None:
    pages = "".join(each.read_text(encoding="utf-8") for each in IMAGES.parent.glob("*.md"))
    shown = set(re.findall(r"\]\(img/([\w-]+)\.png\)", pages))
    there = {each.stem for each in IMAGES.glob("*.png")}
    assert set(_taken()["pictures"]) == there == shown


@pytest.mark.requirement("docs:pictures")
def test_the_pictures_were_taken_since_the_navigation_the_sign_and_the_colours_are_what_they_are() -> None:
    assert _taken()["looks"] == looks_of(), "take them again: PYTHONPATH=src:tests python tools/screenshots.py"


@pytest.mark.requirement("docs:pictures")
def test_all_pictures_together_are_small() -> None:
    assert sum(each.stat().st_size for each in IMAGES.glob("*.png")) < _MOST_BYTES
