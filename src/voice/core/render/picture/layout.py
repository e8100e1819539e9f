"""Where the boxes of a small network stand.

Law: a function of boxes, links and a seed: the same come to the same places, and another seed is another arrangement.
No two boxes overlap, ever. What is linked stands near, what hangs together stands together; lines cross and run under
boxes as little as a few attempts find.
The way: a tree of rings around the focus, then stress majorisation (Gansner, Koren, North 2004), then boxes pushed off
one another and off lines; each attempt begins with another turn of the rings, and the best is taken.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

_ROUNDS: Final = 80  # of relaxing, at most
_ATTEMPTS: Final = 6  # arrangements to choose from
_FEW: Final = 2  # for a big graph, where each takes longer
_MANY: Final = 24  # boxes above which only a few arrangements are tried
_SETTLING: Final = 60  # rounds of pushing, at most
_CALM: Final = 1e-3  # moves below this change nothing that is seen
_EASE: Final = 0.6  # a push goes most of the way, so that pushes do not swing
_CLEAR: Final = 6.0  # between a box and a line of others
_SHAPE: Final = 1.5  # how much wider than high a window is
_COMPACT: Final = 2.0  # crossings that are taken into the bargain for a picture of half the size
_GOLDEN: Final = math.pi * (3 - math.sqrt(5))  # the golden angle: no two directions fall together
_GROWTH: Final = 1.06  # how far a round of drawing out stretches
_MODULUS: Final = 2**31 - 1  # the "minimal standard" generator of Park and Miller
_MULTIPLIER: Final = 48_271


@dataclass(frozen=True, slots=True)
class LayoutPoint:
    """A place; y grows downwards."""

    x: float
    y: float

    def __add__(self, other: "LayoutPoint") -> "LayoutPoint":
        return LayoutPoint(self.x + other.x, self.y + other.y)

    def __sub__(self, other: "LayoutPoint") -> "LayoutPoint":
        return LayoutPoint(self.x - other.x, self.y - other.y)

    def times(self, across: float, down: float) -> "LayoutPoint":
        """Return the place stretched from the origin."""
        return LayoutPoint(self.x * across, self.y * down)


_NONE: Final = LayoutPoint(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle around a place."""

    at: LayoutPoint
    width: float
    height: float

    def overlap(self, other: "Box", gap: float = 0.0, tie: LayoutPoint = _NONE) -> LayoutPoint:
        """Return how far two boxes, `gap` apart, reach into one another; they overlap when both numbers are above 0."""
        across = (self.width + other.width) / 2 + gap + tie.x - abs(self.at.x - other.at.x)
        down = (self.height + other.height) / 2 + gap + tie.y - abs(self.at.y - other.at.y)
        return LayoutPoint(across, down)

    def touches(self, other: "Box", gap: float = 0.0) -> bool:
        """Return whether the boxes are nearer than `gap`."""
        reach = self.overlap(other, gap)
        return reach.x > 0 and reach.y > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Spacing:
    """How far things stand apart, in the units of the boxes."""

    across: float
    """How far two linked boxes shall be from one another, side by side."""
    down: float
    """The same, one above the other."""
    gap: float
    """What is left free between any two boxes."""
    tie: LayoutPoint = _NONE
    """What is left free beyond the gap between two linked boxes: room for a word on the line, and for its arrow."""


Link = tuple[int, int]


def lay_out(
    sizes: Sequence[tuple[float, float]], links: Iterable[Link], *, focus: int, spacing: Spacing, seed: int = 0
) -> tuple[LayoutPoint, ...]:
    """Return the middle of each box; that of `focus` is the origin.

    Args:
        sizes: width and height of each box.
        links: which boxes are linked, by their places in `sizes`.
        focus: the box in the middle.
        spacing: how far apart things stand.
        seed: chooses one of many arrangements.
    """
    ends = tuple(sorted({(min(pair), max(pair)) for pair in links if pair[0] != pair[1]}))  # each pair once, no loops
    near = _neighbours(len(sizes), ends)
    steps = tuple(_link_distances(near, start) for start in range(len(sizes)))
    tried: list[tuple[float, list[Box]]] = []
    for attempt in range(_FEW if len(sizes) > _MANY else _ATTEMPTS):
        places = _relax(_ring_layout(near, focus, _pseudo_random(seed * _ATTEMPTS + attempt)), steps, focus)
        wide = [place.times(spacing.across, spacing.down) for place in places]  # cards are wider than high
        boxes = [Box(place, *size) for place, size in zip(wide, sizes, strict=True)]
        boxes = _remove_overlaps(_push_apart(boxes, ends, spacing), ends, spacing)
        tried.append((_count_faults(boxes, ends) + _relative_area(boxes, spacing), boxes))
    _, best = min(tried, key=lambda each: each[0])
    return tuple(box.at - best[focus].at for box in best)


def _pseudo_random(number: int) -> int:
    value = (number % (_MODULUS - 1)) + 1  # 0 would stay 0 for ever
    for _ in range(3):  # neighbouring seeds come apart
        value = value * _MULTIPLIER % _MODULUS
    return value


def _neighbours(count: int, ends: Sequence[Link]) -> tuple[tuple[int, ...], ...]:
    near: list[set[int]] = [set() for _ in range(count)]
    for one, other in ends:
        near[one].add(other)
        near[other].add(one)
    return tuple(tuple(sorted(others)) for others in near)


def _link_distances(near: Sequence[Sequence[int]], start: int) -> tuple[int, ...]:
    """Return how many links away each box is from `start`; one that cannot be reached is further than any other."""
    found = {start: 0}
    queue = [start]
    for each in queue:  # it grows while it is read
        fresh = [other for other in near[each] if other not in found]
        found |= dict.fromkeys(fresh, found[each] + 1)
        queue += fresh
    far = max(found.values()) + 1  # but not at infinity, where stress would pull it
    return tuple(found.get(each, far) for each in range(len(near)))


def _ring_layout(near: Sequence[Sequence[int]], focus: int, turn: int) -> list[LayoutPoint]:
    """Return first places: each box on the ring of its distance, its followers fanned out behind it."""
    places = [LayoutPoint(0.0, 0.0) for _ in near]
    steps = _link_distances(near, focus)
    children: dict[int, list[int]] = {each: [] for each in range(len(near))}
    for each in sorted(set(range(len(near))) - {focus}):
        before = [other for other in near[each] if steps[other] == steps[each] - 1]
        children[before[(turn + each) % len(before)] if before else focus].append(each)  # the turn chooses a parent
    start = (turn % 3600) / 3600 * math.tau
    todo = [(focus, start, math.tau)]
    while todo:  # a box's share of the circle goes on to its children
        parent, begin, share = todo.pop()
        row = _order_by_links(children[parent], near, turn)
        weights = [1 + len(children[each]) for each in row]  # more room for those with children
        angle = begin
        for each, weight in zip(row, weights, strict=True):
            part = share * weight / sum(weights)
            middle = angle + part / 2
            ring = steps[each] + each * 1e-4  # no two boxes begin at one place
            places[each] = LayoutPoint(ring * math.cos(middle), ring * math.sin(middle))
            todo.append((each, angle, part))
            angle += part
    return places


def _order_by_links(row: Sequence[int], near: Sequence[Sequence[int]], turn: int) -> list[int]:
    """Return the boxes of a ring so that those which are linked stand side by side."""
    left = [*row[turn % max(len(row), 1) :], *row[: turn % max(len(row), 1)]]
    chain: list[int] = []
    while left:
        last = near[chain[-1]] if chain else ()
        linked = [each for each in left if each in last]
        chosen = linked[0] if linked else left[0]
        left.remove(chosen)
        chain.append(chosen)
    return chain


def _relax(places: list[LayoutPoint], steps: Sequence[Sequence[int]], focus: int) -> list[LayoutPoint]:
    """Return the places after each was moved to where its distances fit the steps best, again and again."""
    for _ in range(_ROUNDS):
        moved = 0.0
        for each in range(len(places)):
            if each == focus:  # it stays in the middle
                continue
            place = _best_place(each, places, steps[each])
            moved = max(moved, abs(place.x - places[each].x), abs(place.y - places[each].y))
            places[each] = place
        if moved < _CALM:
            break
    return places


def _best_place(each: int, places: Sequence[LayoutPoint], steps: Sequence[int]) -> LayoutPoint:
    here_x, here_y = places[each].x, places[each].y
    sum_x = sum_y = weights = 0.0
    for other, there in enumerate(places):
        if other == each:
            continue
        step = steps[other]
        weight = 1.0 / (step * step)  # near boxes matter more, as in stress majorisation
        across, down = here_x - there.x, here_y - there.y
        factor = step / max(math.hypot(across, down), 1e-6)  # where `each` would stand, seen from `there`
        sum_x += weight * (there.x + across * factor)
        sum_y += weight * (there.y + down * factor)
        weights += weight
    return LayoutPoint(sum_x / weights, sum_y / weights)


def _count_faults(boxes: Sequence[Box], ends: Sequence[Link]) -> int:
    """Return how often lines cross one another, and twice how often one runs under a box that is not its own."""
    covered = sum(  # a line under a card cannot be read, a crossing can
        _shift_off_line(box, boxes[one].at, boxes[other].at) is not None
        for one, other in ends
        for number, box in enumerate(boxes)
        if number not in (one, other)
    )
    return _crossings([box.at for box in boxes], ends) + 2 * covered


def _relative_area(boxes: Sequence[Box], spacing: Spacing) -> float:
    """Return how large a window the boxes take, measured in the room they were meant to have."""
    width = max(box.at.x for box in boxes) - min(box.at.x for box in boxes)
    height = max(box.at.y for box in boxes) - min(box.at.y for box in boxes)
    side = max(width, _SHAPE * height)  # the picture in a window of that shape
    return _COMPACT * side * side / _SHAPE / (len(boxes) * spacing.across * spacing.down)


def _crossings(places: Sequence[LayoutPoint], ends: Sequence[Link]) -> int:
    pairs = (
        (places[a], places[b], places[c], places[d])
        for (a, b), (c, d) in combinations(ends, 2)
        if len({a, b, c, d}) == 4  # lines that share a box meet there
    )
    # The ends of each lie on both sides of the other.
    return sum(_side(a, b, c) != _side(a, b, d) and _side(c, d, a) != _side(c, d, b) for a, b, c, d in pairs)


def _side(a: LayoutPoint, b: LayoutPoint, c: LayoutPoint) -> bool:
    return (b.x - a.x) * (c.y - a.y) > (b.y - a.y) * (c.x - a.x)


def _push_apart(boxes: list[Box], ends: Sequence[Link], spacing: Spacing) -> list[Box]:
    """Return the boxes pushed off one another and off lines that are not theirs, a little at a time."""
    linked = frozenset(ends)
    for _ in range(_SETTLING):
        has_moved = _push_overlaps(boxes, linked, spacing, 0.5)
        for one, other in ends:
            for each in range(len(boxes)):
                if each in (one, other):
                    continue
                push = _shift_off_line(boxes[each], boxes[one].at, boxes[other].at)
                if push is not None:
                    has_moved = True
                    boxes[each] = replace(boxes[each], at=boxes[each].at + push.times(_EASE, _EASE))
        if not has_moved:
            break
    return boxes


def _push_overlaps(boxes: list[Box], linked: frozenset[Link], spacing: Spacing, share: float) -> bool:
    has_moved = False
    for one, other in combinations(range(len(boxes)), 2):
        reach = boxes[one].overlap(boxes[other], spacing.gap, spacing.tie if (one, other) in linked else _NONE)
        if reach.x <= 0 or reach.y <= 0:
            continue
        has_moved = True
        between = boxes[other].at - boxes[one].at
        push = (
            LayoutPoint(math.copysign(reach.x, between.x), 0.0)
            if reach.x < reach.y  # along the shorter way out
            else LayoutPoint(0.0, math.copysign(reach.y, between.y))
        ).times(share, share)
        boxes[one] = replace(boxes[one], at=boxes[one].at - push)
        boxes[other] = replace(boxes[other], at=boxes[other].at + push)
    return has_moved


def _shift_off_line(box: Box, start: LayoutPoint, end: LayoutPoint) -> LayoutPoint | None:
    """Return how far a box must be moved to lie clear of a line; None when it does."""
    line = end - start
    squared = line.x * line.x + line.y * line.y
    across, down = box.at.x - start.x, box.at.y - start.y
    if not 0 < across * line.x + down * line.y < squared:  # beside the line's ends there is nothing to clear
        return None
    length = math.sqrt(squared)
    away = (down * line.x - across * line.y) / length  # signed: on which side it lies
    short = (box.width * abs(line.y) + box.height * abs(line.x)) / length / 2 + _CLEAR - abs(away)  # half its extent
    if short <= 0:
        return None
    push = math.copysign(short, away) / length
    return LayoutPoint(-line.y * push, line.x * push)


def _remove_overlaps(boxes: list[Box], ends: Sequence[Link], spacing: Spacing) -> list[Box]:
    """Return the boxes without any overlap: pushed while that helps, then all places drawn out until none is left."""
    linked = frozenset(ends)
    for _ in range(_SETTLING):
        if not _push_overlaps(boxes, linked, spacing, 0.52):  # a little more than half: rounding leaves no rest
            return boxes
    while any(one.touches(other, spacing.gap) for one, other in combinations(boxes, 2)):
        boxes = [
            # Growth alone leaves boxes of one place together; the angle parts them.
            replace(box, at=box.at.times(_GROWTH, _GROWTH) + LayoutPoint(math.cos(k * _GOLDEN), math.sin(k * _GOLDEN)))
            for k, box in enumerate(boxes)
        ]
    return boxes
