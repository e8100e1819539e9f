"""HTML as the words it shows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import tables
from voice.core.interchange.foreign.html_text import html_words

TABLES = tables(__file__)


@pytest.mark.parametrize(("html", "words"), TABLES["it_reads_as_it_is_shown"])
def test_it_reads_as_it_is_shown(html: str, words: str) -> None:
    assert html_words(html) == words


def test_quotations_can_be_left_out() -> None:
    html = "Yes.<div class=gmail_quote>On Monday<blockquote>Tuesday?<blockquote>x</blockquote>y</blockquote></div>"
    assert html_words(html, without_quotations=True) == "Yes.\nOn Monday"


@given(st.text(alphabet="<>/!-[]&;pbliscrt= \"'\n", max_size=80))
def test_any_text_is_read(html: str) -> None:
    assert isinstance(html_words(html), str)
