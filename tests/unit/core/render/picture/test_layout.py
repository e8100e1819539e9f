"""Where boxes stand: apart, around the focus, and the same every time."""

from itertools import combinations

import pytest

from voice.core.render.picture.layout import Box, LayoutPoint, Link, Spacing, lay_out

SPACING = Spacing(across=200.0, down=120.0, gap=10.0)


def boxes(sizes: list[tuple[float, float]], links: list[Link], *, focus: int = 0, seed: int = 0) -> list[Box]:
    places = lay_out(sizes, links, focus=focus, spacing=SPACING, seed=seed)
    return [Box(place, *size) for place, size in zip(places, sizes, strict=True)]


def overlapping(placed: list[Box]) -> int:
    return sum(one.touches(other, 9.9) for one, other in combinations(placed, 2))


def test_one_box_stands_in_the_middle() -> None:
    assert lay_out([(50, 20)], [], focus=0, spacing=SPACING) == (LayoutPoint(0.0, 0.0),)


def test_the_focus_stands_in_the_middle_and_those_it_is_linked_with_around_it() -> None:
    placed = boxes([(80, 40)] * 5, [(1, 0), (1, 2), (1, 3), (1, 4)], focus=1)
    assert placed[1].at == LayoutPoint(0.0, 0.0)
    others = [box.at for number, box in enumerate(placed) if number != 1]
    assert {(place.x > 0, place.y > 0) for place in others} == {
        (True, True),
        (True, False),
        (False, True),
        (False, False),
    }


@pytest.mark.requirement("promise:8")
def test_the_same_boxes_come_to_the_same_places_and_another_seed_moves_them() -> None:
    sizes, links = [(80.0, 40.0)] * 9, [(0, 1), (0, 2), (0, 3), (1, 4), (2, 5), (3, 6), (4, 5), (6, 7), (7, 8)]
    assert boxes(sizes, links) == boxes(sizes, [*reversed(links), (3, 0), (2, 2)])
    assert boxes(sizes, links) != boxes(sizes, links, seed=1)


@pytest.mark.parametrize(
    ("sizes", "links"),
    [
        pytest.param([(80, 40)] * 6, [(0, 1), (2, 3)], id="boxes that no link leads to"),
        pytest.param([(40, 20)] * 7, [(each, (each + 1) % 7) for each in range(7)], id="a ring, drawn side by side"),
        pytest.param([(180, 60)] * 30, [(0, each) for each in range(1, 30)], id="too many for their ring"),
        pytest.param([(4000, 3000)] * 12, [(0, each) for each in range(1, 12)], id="what pushing does not part"),
        pytest.param([(120, 40)] * 14, list(combinations(range(14), 2)), id="everybody linked with everybody"),
    ],
)
def test_no_box_lies_on_another(sizes: list[tuple[float, float]], links: list[Link]) -> None:
    placed = boxes(sizes, links)
    assert overlapping(placed) == 0
    assert overlapping([*placed, placed[0]]) == 1
