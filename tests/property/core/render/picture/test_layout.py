"""The law of the layout: whatever is linked with whatever, no two boxes overlap."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voice.core.render.picture.layout import Box, LayoutPoint, Spacing, lay_out

_SIZES = st.lists(st.tuples(st.integers(1, 300), st.integers(1, 120)), min_size=1, max_size=10)


@pytest.mark.slow
@pytest.mark.requirement("promise:8")
@settings(max_examples=40, deadline=None)
@given(sizes=_SIZES, data=st.data(), seed=st.integers(0, 20))
def test_no_two_boxes_overlap_and_the_focus_is_the_origin(
    sizes: list[tuple[int, int]], data: st.DataObject, seed: int
) -> None:
    place = st.integers(0, len(sizes) - 1)
    links = data.draw(st.lists(st.tuples(place, place), max_size=20))
    focus = data.draw(place)
    spacing = Spacing(across=150.0, down=90.0, gap=8.0)
    places = lay_out(sizes, links, focus=focus, spacing=spacing, seed=seed)
    assert places == lay_out(sizes, links, focus=focus, spacing=spacing, seed=seed)
    assert places[focus] == LayoutPoint(0.0, 0.0)
    boxes = [Box(at, *size) for at, size in zip(places, sizes, strict=True)]
    assert not any(one.touches(other, 7.9) for one, other in combinations(boxes, 2))
