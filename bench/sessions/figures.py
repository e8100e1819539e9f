"""From what was measured turn by turn to the figures that are printed.

Law: every subject of a run is measured by the same words: processor time of the first and of the last turns, bytes, the
time to load what the next turn needs, and the most memory its process held. What was not measured is absent.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bench.report import percentile, table

_SHARE: Final = 0.05
_COLUMNS: Final = (
    ("turns", "turns"),
    ("cpu_ms_at_start", "cpu start"),
    ("cpu_ms_at_end", "cpu end"),
    ("cpu_ratio_end_to_start", "ratio"),
    ("bytes_per_turn_beyond_answer", "record B"),
    ("disk_bytes_per_turn_beyond_answer", "disk B"),
    ("load_ms", "load ms"),
    ("loaded_texts", "texts loaded"),
    ("peak_rss_mb", "RSS MB"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """One subject, as many turns as it made."""

    subject: str
    cpu_ms: Sequence[float]
    """Per turn, the whole process's."""
    answer_bytes: int
    """Of all answers, in UTF-8."""
    disk_bytes: int
    """By how much its directory grew, closed."""
    load_ms: Sequence[float]
    """Processor time of loading what the next turn needs, after opening again."""
    loaded_texts: int
    """Questions and answers that were loaded for it."""
    peak_rss_mb: float
    record_bytes: int | None = None
    """Of the stored turns alone; None where it cannot be told from outside."""
    more: Mapping[str, object] | None = None
    """What only this subject has to tell."""

    def as_json(self) -> dict[str, object]:
        """Return the figures as they are printed."""
        turns = len(self.cpu_ms)
        start, end = first_and_last(self.cpu_ms)
        beyond = None if self.record_bytes is None else round((self.record_bytes - self.answer_bytes) / turns)
        figures: dict[str, object | None] = {
            "subject": self.subject,
            "turns": turns,
            "cpu_ms_at_start": round(start, 3),
            "cpu_ms_at_end": round(end, 3),
            "cpu_ratio_end_to_start": round(end / start, 3) if start else None,
            "answer_bytes_per_turn": round(self.answer_bytes / turns),
            "bytes_per_turn_beyond_answer": beyond,
            "disk_bytes_per_turn_beyond_answer": round((self.disk_bytes - self.answer_bytes) / turns),
            "disk_mb": round(self.disk_bytes / 1e6, 2),
            "load_ms": round(percentile(self.load_ms, 0.5), 3),
            "first_load_ms": round(self.load_ms[0], 3),
            "loaded_texts": self.loaded_texts,
            "peak_rss_mb": round(self.peak_rss_mb, 1),
            **(self.more or {}),
        }
        return {name: value for name, value in figures.items() if value is not None}


def first_and_last(values: Sequence[float]) -> tuple[float, float]:
    """Return the medians of the first and of the last twentieth of the values, of one at least."""
    share = max(1, round(len(values) * _SHARE))
    return percentile(values[:share], 0.5), percentile(values[-share:], 0.5)


def as_table(subjects: Sequence[Mapping[str, object]]) -> str:
    """Return the figures of all subjects for people."""
    lines = [[f"{each['subject']}", *(f"{each.get(name, '–')}" for name, _ in _COLUMNS)] for each in subjects]
    return table(["subject", *(head for _, head in _COLUMNS)], lines)
