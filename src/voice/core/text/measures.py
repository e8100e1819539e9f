"""Which measures are one in other units: 90 minutes and an hour and a half, two weeks and 14 days.

Law: only what is exact is equal: a week is seven days and a year twelve months, but a month is no number of days, and a
mile no number of kilometres, since whoever says one of them has rounded.

Source: DESIGN 6 stage 4 (numbers, units); ruling D1.
"""

from decimal import Decimal

_SIZES: dict[str, tuple[str, int]] = {
    "second": ("second", 1),
    "minute": ("second", 60),
    "hour": ("second", 3600),
    "day": ("second", 86_400),
    "week": ("second", 7 * 86_400),
    "fortnight": ("second", 14 * 86_400),
    "month": ("month", 1),
    "year": ("month", 12),
    "decade": ("month", 120),
    "mm": ("mm", 1),
    "cm": ("mm", 10),
    "m": ("mm", 1000),
    "km": ("mm", 1_000_000),
    "inch": ("inch", 1),
    "foot": ("inch", 12),
    "yard": ("inch", 36),
    "mg": ("mg", 1),
    "g": ("mg", 1000),
    "kg": ("mg", 1_000_000),
    "ml": ("ml", 1),
    "litre": ("ml", 1000),
}
"""The unit that each is a whole number of, and how many."""


def in_smallest(value: Decimal, unit: str) -> tuple[Decimal, str]:
    """Return a measure in the smallest unit of its kind; one of another unit as it is."""
    smallest, size = _SIZES.get(unit, (unit, 1))
    return value * size, smallest


def are_of_one_kind(ours: str, theirs: str) -> bool:
    """Return whether two units measure the same, so that two values of them can be compared."""
    return in_smallest(Decimal(1), ours)[1] == in_smallest(Decimal(1), theirs)[1]


def is_larger(ours: str, theirs: str) -> bool:
    """Return whether a unit is a multiple of another: what "2 hours 30 minutes" begins with."""
    mine, other = in_smallest(Decimal(1), ours), in_smallest(Decimal(1), theirs)
    return mine[1] == other[1] and mine[0] > other[0]
