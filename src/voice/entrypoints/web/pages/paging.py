"""Which part of a list a page shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part(Generic[Item]):
    """One page of a list."""

    items: tuple[Item, ...]
    number: int
    """From 1."""
    has_more: bool
    """Whether there is a page after it."""


def part_of(items: Sequence[Item], number: int, size: int) -> Part[Item]:
    """Return one page of a list.

    Args:
        items: those of that page, and the one past it where there is one.
        number: which page, from 1.
        size: how many items a page has.
    """
    return Part(items=tuple(items[:size]), number=number, has_more=len(items) > size)
