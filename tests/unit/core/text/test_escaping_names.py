"""How a message shows a name that somebody asked for."""

import pytest

from voice.core.text.display import quoted_name

pytestmark = pytest.mark.requirement("web:errors")


@pytest.mark.parametrize("name", ["", " ", "\x00", "t:1\x00", "t:\u202e1", "a\nb", "\u200c"])
def test_a_name_that_nobody_could_read_is_not_shown(name: str) -> None:
    assert quoted_name(name) is None
    assert quoted_name("t:1") is not None


def test_a_name_stands_in_quotation_marks_and_its_end_is_cut_where_it_is_long() -> None:
    assert quoted_name("the kiln") == "'the kiln'"
    assert quoted_name("O'Brien\\Co") == "'O'Brien\\Co'"
    assert quoted_name("x" * 500) == f"'{'x' * 100}…'"


@pytest.mark.parametrize("name", ["می\u200cخواهم", "👩\u200d👧"])
def test_a_name_that_needs_a_joiner_to_be_read_is_a_name(name: str) -> None:
    assert quoted_name(name) == f"'{name}'"
