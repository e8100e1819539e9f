"""The course of lines between cards, and where their names stand.

Law: a line begins and ends at the rim of a card, so that its arrow is seen. A name stands on its own line or right
beside it, and on no card and no other name; one for which there is no such place is not shown until it is pointed at,
and is counted.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from voice.core.render.picture.layout import Box, LayoutPoint

_RIM_AT_START: Final = 2.0  # free space at a card's rim
_RIM_AT_END: Final = 5.0  # more, for the tip of the arrow
_HALVINGS: Final = 24  # 2 ** -24 of a line is less than a pixel
_PLACES: Final = (0.5, 0.42, 0.58, 0.34, 0.66, 0.27, 0.73, 0.2, 0.8)  # the middle first
_TIP_LENGTH: Final = 10.0
_TIP_WIDTH: Final = 4.5
_SAMPLES: Final = 20  # points that stand for a line
_CLEAR: Final = 3.0  # between a name and what is near
_ASIDE: Final = 4  # a name beside its line is as bad as this many points of other lines under it


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A quadratic Bézier curve."""

    start: LayoutPoint
    bend: LayoutPoint
    end: LayoutPoint

    def at(self, share: float) -> LayoutPoint:
        """Return the place after `share` of the way, from 0 to 1."""
        return _interpolate(_interpolate(self.start, self.bend, share), _interpolate(self.bend, self.end, share), share)

    @property
    def samples(self) -> list[LayoutPoint]:
        """Places all along the curve."""
        return [self.at(step / _SAMPLES) for step in range(_SAMPLES + 1)]

    @property
    def neck(self) -> LayoutPoint:
        """Where the line ends that an arrow is drawn on: inside its tip."""
        return self.end - self._way.times(_TIP_LENGTH * 0.7)

    @property
    def tip(self) -> tuple[LayoutPoint, LayoutPoint, LayoutPoint]:
        """The corners of the arrow at its end."""
        foot = self.end - self._way.times(_TIP_LENGTH)
        side = LayoutPoint(-self._way.y, self._way.x).times(_TIP_WIDTH)
        return self.end, foot + side, foot - side

    @property
    def _way(self) -> LayoutPoint:
        way = self.end - self.bend  # where it goes at its end
        return way.times(1 / (math.hypot(way.x, way.y) or 1.0))  # a curve of no length has no direction

    def between(self, first: float, last: float) -> "Curve":
        """Return the part of the curve from one share of the way to another."""
        tail = Curve(start=self.at(first), bend=_interpolate(self.bend, self.end, first), end=self.end)
        share = (last - first) / (1 - first)  # the share of the rest of the way
        return Curve(start=tail.start, bend=_interpolate(tail.start, tail.bend, share), end=tail.at(share))


def _interpolate(one: LayoutPoint, other: LayoutPoint, share: float) -> LayoutPoint:
    return LayoutPoint(one.x + (other.x - one.x) * share, one.y + (other.y - one.y) * share)


def curve_between(source: Box, target: Box, bow: float) -> Curve:
    """Return a curve from the rim of one card to the rim of another, bowed to the left of its way by `bow`."""
    start, end = source.at, target.at
    line = end - start
    length = max((line.x**2 + line.y**2) ** 0.5, 1.0)  # two cards in one place have no direction
    middle = _interpolate(start, end, 0.5) + LayoutPoint(line.y / length * bow, -line.x / length * bow)
    whole = Curve(start=start, bend=middle, end=end)
    leaves = _crossing(whole, source, _RIM_AT_START, inside=0.0, outside=0.5)
    enters = _crossing(whole, target, _RIM_AT_END, inside=1.0, outside=0.5)
    return whole.between(leaves, enters)


def _crossing(curve: Curve, box: Box, rim: float, *, inside: float, outside: float) -> float:
    for _ in range(_HALVINGS):  # bisection: inside the card, and outside
        middle = (inside + outside) / 2
        if box.covers(curve.at(middle), rim):
            inside = middle
        else:
            outside = middle
    return outside


def name_places(
    curves: Sequence[Curve], sizes: Sequence[tuple[float, float] | None], cards: Iterable[Box]
) -> tuple[Box | None, ...]:
    """Return where the name of each curve stands, or None where there is no room; earlier ones choose first.

    Args:
        curves: all lines, also those without a name.
        sizes: width and height of each line's name; None where a line has none.
    """
    taken = list(cards)
    samples = [curve.samples for curve in curves]
    found: list[Box | None] = []
    for number, (curve, size) in enumerate(zip(curves, sizes, strict=True)):
        place = None
        if size is not None:
            others = [point for other, points in enumerate(samples) if other != number for point in points]
            free = [box for box in _label_places(curve, size) if not any(box.touches(each, _CLEAR) for each in taken)]
            place = min(free, key=lambda box: _count_clashes(box, curve, others), default=None)
        if place is not None:
            taken.append(place)
        found.append(place)
    return tuple(found)


def _label_places(curve: Curve, size: tuple[float, float]) -> list[Box]:
    """Return where a name could stand: on its curve, or right beside it."""
    beside = [LayoutPoint(0.0, 0.0), *(LayoutPoint(side * (size[0] / 2 + 3), 0.0) for side in (1, -1))]
    return [Box(curve.at(share) + aside, *size) for aside in beside for share in _PLACES]


def _count_clashes(box: Box, curve: Curve, others: Sequence[LayoutPoint]) -> int:
    """Return how much speaks against a place: lines of others under it, and that it is not on its own line."""
    own = any(box.covers(curve.at(share), 0.0) for share in _PLACES)
    return sum(box.covers(point, 0.0) for point in others) + (0 if own else _ASIDE)
