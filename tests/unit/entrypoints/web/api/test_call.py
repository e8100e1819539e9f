"""Places in lists."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.core.errors import InvalidParams
from voice.entrypoints.web.api.call import cursor_of, part_of, place_of

pytestmark = pytest.mark.requirement("http:paging")


@given(st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), st.text()), unique=True), st.integers(1, 7))
def test_the_pages_of_a_list_are_the_list(items: list[tuple[int, str]], limit: int) -> None:
    items.sort()
    seen: list[tuple[int, str]] = []
    after, more = None, True
    while more:
        part, goes_on = part_of(items, lambda item: item, after=after, limit=limit)
        seen += part
        more = goes_on is not None
        after = place_of(goes_on, int, str) if goes_on else None
        assert len(part) <= limit
    assert seen == items


@pytest.mark.parametrize("cursor", ["", "x", "é", "%%%", cursor_of(("a",)), cursor_of((1, 2)), "W1tbW1tb", "AAAA" * 9])
def test_a_cursor_that_was_not_handed_out_for_this_list_is_refused(cursor: str) -> None:
    with pytest.raises(InvalidParams, match="cursor does not belong to this list"):
        place_of(cursor, int, str)


@given(st.text())
def test_any_text_is_a_place_or_refused_in_the_same_words(cursor: str) -> None:
    said = ""
    try:
        place = place_of(cursor, str)
    except InvalidParams as refused:
        place, said = ("",), refused.message
    assert len(place) == 1
    assert said == "" or said.startswith("this cursor does not belong")
