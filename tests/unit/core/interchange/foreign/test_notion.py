"""A page of Notion as HTML that is broken off."""

import pytest

from voice.core.interchange.foreign.notion import page_of_html, title_in

pytestmark = pytest.mark.requirement("imports:programs")


def test_a_title_that_is_never_closed_is_no_title() -> None:
    assert title_in('<h1 class="page-title">Kiln') == ""
    assert title_in('<h1 class="page-title">Kiln</h1>') == "Kiln"


def test_a_property_without_a_value_or_one_that_is_broken_off_is_left_out() -> None:
    table = '<table class="properties"><tr><th>Shed</th></tr><tr><th>Glaze</th><td>blue</td></tr></table>'
    assert page_of_html(table, lambda _: False) == "Glaze: blue"
    assert "blue" not in page_of_html(table.replace("</td>", ""), lambda _: False)
