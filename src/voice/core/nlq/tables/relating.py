"""Builders that tables share, for times said by their relation to others.

Source: ruling E and its table.
"""

from voice.core.nlq.calendar import Unit
from voice.core.nlq.expressions import Expression
from voice.core.nlq.points import Ago, Weekday
from voice.core.nlq.relations import After, Before, Since
from voice.core.nlq.stretches import CurrentUnit, Edge, Month, SoFar


def more_than(count: int, unit: Unit) -> Before:
    """More than two weeks ago."""
    return Before(Ago(count, unit))


def less_than(count: int, unit: Unit) -> Since:
    """Less than two weeks ago."""
    return Since(Ago(count, unit))


def since_month(month: int) -> Since:
    """March onwards."""
    return Since(Month(month))


def so_far(unit: Unit) -> SoFar:
    """Earlier this week."""
    return SoFar(CurrentUnit(0, unit))


def before_weekday(weekday: int) -> Before:
    """Before Monday."""
    return Before(Weekday(weekday))


def after_weekday(weekday: int) -> After:
    """After Monday."""
    return After(Weekday(weekday))


def before_end(whole: Expression) -> Before:
    """Vor Ende März: any time before it is over."""
    return Before(Edge("end", whole))
