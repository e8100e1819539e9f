"""How often somebody may come: a bucket of tokens that fills with time.

Law: pure; the time is an argument. A bucket that is full again is the same as none, so those may be forgotten.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """How much fits into a bucket, and how fast it fills."""

    burst: float
    per_second: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """What was left at a moment."""

    level: float
    at: float
    """Seconds on a clock that only goes forward."""


def level_of(bucket: Bucket | None, rate: Rate, now: float) -> float:
    """Return what is in a bucket now; one that nobody took from is full."""
    if bucket is None:
        return rate.burst
    return min(rate.burst, bucket.level + max(0.0, now - bucket.at) * rate.per_second)


def take(bucket: Bucket | None, rate: Rate, now: float) -> tuple[Bucket, float]:
    """Take one from a bucket.

    Returns:
        The bucket afterwards, and how many seconds there is to wait: 0 where there was one to take. Who has to wait
        takes nothing.
    """
    level = level_of(bucket, rate, now)
    if level < 1:
        return Bucket(level=level, at=now), (1 - level) / rate.per_second
    return Bucket(level=level - 1, at=now), 0.0
