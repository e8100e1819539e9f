"""The pictures of the pages: each is on a page, small, and taken since templates and style sheets are what they are."""

import json
import re
from pathlib import Path
from typing import cast

import pytest

import voice.entrypoints.web.pages as pages_package
from taken_pictures import IMAGES, Taken, looks_of

pytestmark = pytest.mark.requirement("docs:pictures")

_MOST_BYTES = 2_000_000


def _taken() -> Taken:
    return cast("Taken", json.loads((IMAGES / "taken.json").read_text(encoding="utf-8")))


def test_each_picture_that_was_taken_is_on_a_page_and_there_is_no_other() -> None:
    pages = "".join(each.read_text(encoding="utf-8") for each in IMAGES.parent.glob("*.md"))
    shown = set(re.findall(r"\]\(img/([\w-]+)\.png\)", pages))
    there = {each.stem for each in IMAGES.glob("*.png")}
    assert set(_taken()["pictures"]) == there == shown


def test_the_pictures_were_taken_since_navigation_sign_templates_and_style_sheets_are_what_they_are() -> None:
    assert _taken()["looks"] == looks_of(), "take them again, and look at each of them: make pictures"


def test_every_template_and_every_style_sheet_of_our_own_counts() -> None:
    pages = Path(pages_package.__file__).parent
    own = [*(pages / "templates").glob("*.html"), *(pages / "static").glob("*.css")]
    assert {each.name for each in own} <= looks_of()["files"].keys()


def test_all_pictures_together_are_small() -> None:
    assert sum(each.stat().st_size for each in IMAGES.glob("*.png")) < _MOST_BYTES
