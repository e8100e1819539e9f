"""What a test takes for there, said where it is used."""

from typing import TypeVar

T = TypeVar("T")


def present(value: T | None) -> T:
    """Return what is there."""
    assert value is not None
    return value
