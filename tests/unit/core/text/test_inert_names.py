"""How a message shows a name that somebody asked for."""

import pytest

from voice.core.text.inert import as_named


@pytest.mark.requirement("web:errors")
@pytest.mark.parametrize("name", ["", " ", "\x00", "t:1\x00", "t:\u202e1", "a\nb"])
def test_a_name_that_nobody_could_read_is_not_shown(name: str) -> None:
    assert as_named(name) is None


@pytest.mark.requirement("web:errors")
def test_a_name_stands_in_quotation_marks_and_its_end_is_cut_where_it_is_long() -> None:
    assert as_named("the kiln") == "'the kiln'"
    assert as_named("x" * 500) == f"'{'x' * 100}…'"
