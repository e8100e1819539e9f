"""Where the boxes of a small network stand: around the one in the middle, and around each what hangs on it.

Law: a function of boxes, links and a seed: the same come to the same places, and another seed turns the picture. A box
stands a step away from the one it hangs on, in a direction of its own. No two boxes overlap, ever: a box goes outwards
until it is clear of all boxes and lines that stand already, which ends, for they reach only so far.
"""

import cmath
import math
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

_GOLDEN: Final = math.pi * (3 - math.sqrt(5))  # the golden angle: no two seeds give one direction
_ROUNDS: Final = 6  # of turning boxes to what they are linked with
_GROWTH: Final = 0.05  # of a step: how far a box goes outwards at a time
_CLEAR: Final = 6.0  # between a box and a line of others
_SAMPLES: Final = 24  # points that stand for a line


@dataclass(frozen=True, slots=True)
class LayoutPoint:
    """A place; y grows downwards."""

    x: float
    y: float

    def __add__(self, other: "LayoutPoint") -> "LayoutPoint":
        return LayoutPoint(self.x + other.x, self.y + other.y)

    def __sub__(self, other: "LayoutPoint") -> "LayoutPoint":
        return LayoutPoint(self.x - other.x, self.y - other.y)

    def times(self, factor: float) -> "LayoutPoint":
        """Return the place stretched from the origin."""
        return LayoutPoint(self.x * factor, self.y * factor)


_NONE: Final = LayoutPoint(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle around a place."""

    at: LayoutPoint
    width: float
    height: float

    def touches(self, other: "Box", gap: float = 0.0, tie: LayoutPoint = _NONE) -> bool:
        """Return whether the boxes are nearer than `gap`, and `tie` beyond it."""
        across = abs(self.at.x - other.at.x) - (self.width + other.width) / 2
        down = abs(self.at.y - other.at.y) - (self.height + other.height) / 2
        return across < gap + tie.x and down < gap + tie.y

    def covers(self, place: LayoutPoint, rim: float) -> bool:
        """Return whether a place lies in the box, or nearer to it than `rim`."""
        return abs(place.x - self.at.x) < self.width / 2 + rim and abs(place.y - self.at.y) < self.height / 2 + rim


@dataclass(frozen=True, slots=True, kw_only=True)
class Spacing:
    """How far things stand apart, in the units of the boxes."""

    across: float
    """How far a box is from the one it hangs on at least, side by side."""
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
        links: which boxes are linked, by their places in `sizes`.
    """
    near: list[set[int]] = [set() for _ in sizes]
    for one, other in links:
        near[one].add(other)
        near[other].add(one)
    hung = _hung(near, focus)
    angles = _angles(hung, near, seed * _GOLDEN)
    placed, lines = {focus: Box(_NONE, *sizes[focus])}, list[LayoutPoint]()
    for inner, row in hung.items():
        for each in row:
            ways = _outwards(placed[inner].at, angles[each], sizes[each], spacing)
            box = next(box for box in ways if _is_free(box, near[each], placed, lines, spacing))
            for way in (placed[other].at - box.at for other in near[each] & placed.keys()):
                lines += [box.at + way.times(step / _SAMPLES) for step in range(1, _SAMPLES)]
            placed[each] = box
    return tuple(placed[each].at for each in range(len(sizes)))


def _outwards(start: LayoutPoint, angle: float, size: tuple[float, float], spacing: Spacing) -> Iterator[Box]:
    """Yield a box in one direction of a place, further and further away."""
    step = LayoutPoint(spacing.across * math.cos(angle), spacing.down * math.sin(angle))
    number = 0
    while True:
        yield Box(start + step.times(1 + number * _GROWTH), *size)
        number += 1


def _is_free(
    box: Box, near: Container[int], placed: Mapping[int, Box], lines: Iterable[LayoutPoint], spacing: Spacing
) -> bool:
    """Return whether a box stands clear of all others, with more room to those it is linked with, and of lines."""
    ties = ((there, spacing.tie if other in near else _NONE) for other, there in placed.items())
    is_crowded = any(box.touches(there, spacing.gap, tie) for there, tie in ties)
    return not is_crowded and not any(box.covers(point, _CLEAR) for point in lines)


def _hung(near: Sequence[set[int]], focus: int) -> dict[int, list[int]]:
    """Return which boxes hang on which, from the focus outwards; what no link leads to hangs on the focus."""
    hung: dict[int, list[int]] = {focus: []}
    queue = [focus]
    for each in queue:  # it grows while it is read
        hung[each] = sorted(near[each] - hung.keys())
        hung |= {other: [] for other in hung[each]}
        queue += hung[each]
    rest = [each for each in range(len(near)) if each not in hung]
    hung[focus] += rest
    return hung | {each: [] for each in rest}


def _angles(hung: dict[int, list[int]], near: Sequence[set[int]], start: float) -> dict[int, float]:
    """Return the direction of each box: each has a share of the circle, which goes on to those that hang on it."""
    weights = dict.fromkeys(hung, 1)
    for each in reversed(hung):  # from outside: a box needs as much room as all that hangs on it
        weights[each] = max(1, sum(weights[other] for other in hung[each]))
    focus, angles = next(iter(hung)), _shared_out(hung, weights, start)
    for _ in range(_ROUNDS):
        pulls = {each: cmath.rect(1.0, angles[each]) for each in hung}
        for each in reversed(hung):  # as numbers of the plane: directions are added up, with all that hangs on a box
            pulls[each] += sum(cmath.rect(1.0, angles[other]) for other in near[each] - {focus, *hung[each]})
            pulls[each] += sum(pulls[other] for other in hung[each])
        for each, row in hung.items():
            row.sort(key=lambda one: (cmath.phase(pulls[one]) - angles[each] + math.pi) % math.tau)
        angles = _shared_out(hung, weights, start)
    return angles


def _shared_out(hung: Mapping[int, Sequence[int]], weights: Mapping[int, int], start: float) -> dict[int, float]:
    """Return the middle of each box's share of the circle, from the focus outwards."""
    angles: dict[int, float] = {}
    begins = {next(iter(hung)): (start, math.tau)}
    for each, row in hung.items():
        begin, share = begins[each]
        angles[each] = begin + share / 2
        for other in row:
            part = share * weights[other] / weights[each]
            begins[other] = (begin, part)
            begin += part
    return angles
