"""docs/settings.md is what the table says."""

from pathlib import Path

import pytest
from reference.settings import settings_markdown

from voice.core.settings.table import SETTINGS

_PAGE = Path(__file__).resolve().parents[2] / "docs" / "settings.md"


def test_the_page_of_settings_is_current() -> None:
    assert _PAGE.read_text(encoding="utf-8") == settings_markdown()


@pytest.mark.requirement("ruling:A6")
def test_the_page_names_every_variable_and_the_unit_of_each_duration() -> None:
    page = settings_markdown()
    assert [setting.env for setting in SETTINGS if f"`{setting.env}`" not in page] == []
    timeout = next(line for line in page.splitlines() if "SURR_INNER_VOICE_TIMEOUT" in line)
    assert "(in hours)" in timeout
