"""Confidence decay of rows whose kind ages.

Law: only kinds named by a setting age. The shown confidence is the recorded one, halved per half-life since it was
said, frozen at a known end. Nothing is stored and nothing is filtered by it.

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
"""Half-life in days by class; None never ages."""

NEVER: Final[HalfLives] = MappingProxyType({})
MAX_DAYS: Final = 36_500


@dataclass(frozen=True, slots=True, kw_only=True)
class Confidence:
    """A row's confidence when recorded and now."""

    recorded: float
    now: float

    @property
    def message(self) -> str | None:
        """A message if the rounded percentages differ; None otherwise."""
        before, today = round(100 * self.recorded), round(100 * self.now)
        return None if before == today else messages.confidence_now(today, before)


def parse_half_lives(text: str) -> HalfLives:
    """Parse a setting: `none`, or `class=days` and `class=never`, comma-separated.

    Raises:
        ValueError: malformed, or a class twice.
    """
    if text.strip().lower() in ("", "none"):
        return NEVER
    parsed: dict[str, int | None] = {}
    for part in text.split(","):
        name, _, days = (side.strip() for side in part.partition("="))
        kind = class_of(name)
        if not kind or kind in parsed:
            raise ValueError("classes are named, each once")
        parsed[kind] = _days(days)
    return MappingProxyType(parsed)


def render_half_lives(half_lives: HalfLives) -> str:
    """Render half-lives so that `parse_half_lives` reads them back."""
    parts = (f"{kind.replace(' ', '_')}={'never' if days is None else days}" for kind, days in half_lives.items())
    return ",".join(parts) or "none"


def class_of(name: str) -> str:
    """Normalise a class name: `Works_At` is `works at`."""
    return norm_v1(name.replace("_", " "))


def classes_of(row: GraphRow) -> tuple[str, ...]:
    """Return the classes of a row, most specific first."""
    match row:
        case Relation():
            return class_of(row.rel_type), "relation"
        case Entity():
            return class_of(row.entity_type), "entity"
        case _:
            return ("observation",)


def half_life(classes: tuple[str, ...], half_lives: HalfLives) -> int | None:
    """Return the half-life of the first class that has one; None does not age."""
    return next((half_lives[kind] for kind in classes if kind in half_lives), None)


def aged(recorded: float, age: timedelta, half_life_days: int | None) -> float:
    """Return the confidence left after `age`."""
    if half_life_days is None or age <= timedelta(0):
        return recorded
    return recorded * 0.5 ** (age / timedelta(days=half_life_days))


def confidence_of(row: GraphRow, half_lives: HalfLives, now: datetime) -> Confidence | None:
    """Return a row's recorded and current confidence; None if it does not age.

    Its age counts from when it was said (recorded, if undated) to its end, if past.
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
