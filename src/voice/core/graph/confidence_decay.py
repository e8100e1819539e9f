"""How sure a row still is, of the kinds that grow old.

Law: where somebody works is less sure each year that nobody says it again, where they were born is not. Which kinds
grow old is for the person to say; none does unless a setting names it. What is shown is what was recorded, halved with
every half-life since it was said: never more than was recorded, never more than it was a day before. What is known to
have ended grows no older, for it claims nothing about today. Nothing is written, and nothing is chosen or cut by it.

    class       an edge: its own kind, else `relation`; a node: its type, else `entity`; a statement: `observation`

Source: ruling F; DESIGN 2 promise 9.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Final

from voice.core.messages import memory as messages
from voice.core.records import Entity, GraphRow, Relation
from voice.core.text.instants import has_date
from voice.core.text.normalise import norm_v1

HalfLives = Mapping[str, int | None]
"""Days after which half of the confidence is left, by class; None is a class that never ages."""

NEVER: Final[HalfLives] = MappingProxyType({})
MAX_DAYS: Final = 36_500


@dataclass(frozen=True, slots=True, kw_only=True)
class Confidence:
    """How sure a row was when it was recorded, and is now."""

    recorded: float
    now: float

    @property
    def told(self) -> str | None:
        """It in words, where a reader would see a difference."""
        before, today = round(100 * self.recorded), round(100 * self.now)
        return None if before == today else messages.confidence_now(today, before)


def parse_half_lives(text: str) -> HalfLives:
    """Return the half-lives that a setting names: `none`, or `class=days` and `class=never` between commas.

    Raises:
        ValueError: it says something else, or speaks of one class twice.
    """
    if text.strip().lower() in ("", "none"):
        return NEVER
    told: dict[str, int | None] = {}
    for part in text.split(","):
        name, _, days = (side.strip() for side in part.partition("="))
        kind = class_of(name)
        if not kind or kind in told:
            raise ValueError("classes are named, each once")
        told[kind] = _days(days)
    return MappingProxyType(told)


def render_half_lives(half_lives: HalfLives) -> str:
    """Return half-lives as `parse_half_lives` reads them."""
    parts = (f"{kind.replace(' ', '_')}={'never' if days is None else days}" for kind, days in half_lives.items())
    return ",".join(parts) or "none"


def class_of(name: str) -> str:
    """Return the name of a class as it is compared: `Works_At` is `works at`."""
    return norm_v1(name.replace("_", " "))


def classes_of(row: GraphRow) -> tuple[str, ...]:
    """Return the classes of a row, the narrowest first."""
    match row:
        case Relation():
            return class_of(row.rel_type), "relation"
        case Entity():
            return class_of(row.entity_type), "entity"
        case _:
            return ("observation",)


def half_life(classes: tuple[str, ...], half_lives: HalfLives) -> int | None:
    """Return the half-life of the narrowest of the classes that has one said of it; None: it does not age."""
    return next((half_lives[kind] for kind in classes if kind in half_lives), None)


def aged(recorded: float, age: timedelta, half_life_days: int | None) -> float:
    """Return how much is left of a confidence after `age`; all of it where nothing ages or no time has passed."""
    if half_life_days is None or age <= timedelta(0):
        return recorded
    return recorded * 0.5 ** (age / timedelta(days=half_life_days))


def confidence_of(row: GraphRow, half_lives: HalfLives, now: datetime) -> Confidence | None:
    """Return how sure a row was and is; None of a row that does not age.

    Args:
        row: any row of the graph; its age counts from when it was said (of an undated one from when it came in), to its
            end if that is known and past.
    """
    days = half_life(classes_of(row), half_lives)
    if days is None:
        return None
    until = now if row.valid_until is None else min(now, row.valid_until)
    since = row.created_at if has_date(row.created_at) else row.recorded_at
    return Confidence(recorded=row.confidence, now=aged(row.confidence, until - since, days))


def _days(text: str) -> int | None:
    if text.lower() == "never":
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(MAX_DAYS)) and 1 <= int(text) <= MAX_DAYS):
        raise ValueError("behind a class stand whole days, or never")
    return int(text)
