"""From the turns of a peer to its figures, and from those to ratios.

Law: a time is the median (and the 95th percentile) over the answered queries of all turns; recall is the share of a
question's evidence among the first k, averaged over the questions that have any. What is not known is None, never 0.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from bench.peers.roster import Entry
from bench.peers.running import Answer, Asked, Turn
from bench.peers.workload import PLANTED, SHAPES, UNPLANTED, Memory
from bench.report import Timings

CUTS: Final = (5, 10)
_SHOWN: Final = {query: query for query in PLANTED} | {query: name for name, query in UNPLANTED.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeFigures:
    """One shape of question in one mode."""

    cpu_ms: dict[str, float] | None
    wall_ms: dict[str, float] | None
    """Of the queries that were answered; None when none was."""
    asked: int
    errors: int
    empty: int
    """Answers without any row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeFigures:
    """One way of asking one peer."""

    shapes: dict[str, ShapeFigures]
    recall: dict[str, float] | None
    """By `recall@k`; None where the data names no evidence."""
    hostile: dict[str, str]
    """By query: at which place its row was found, or what went wrong."""

    def times(self, shape: str) -> dict[str, float] | None:
        """Return the processor times of a shape; None when it was not asked, or never answered."""
        figures = self.shapes.get(shape)
        return None if figures is None else figures.cpu_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerFigures:
    """One peer."""

    entry: Entry
    versions: dict[str, str]
    ingest_rows_per_cpu_s: float
    ingest_rows_per_s: float
    import_cpu_ms: float
    open_cpu_ms: float
    open_wall_ms: float
    """With the first answer, in a fresh process."""
    rss_mb: float
    rss_before_mb: float
    """With everything imported, before the memory was opened."""
    disk_mb: float
    loads: tuple[tuple[float, float, float], ...]
    """Of each turn: before, between filling and asking, after."""
    modes: dict[str, ModeFigures]


def figures_of(
    entry: Entry, versions: dict[str, str], turns: Sequence[Turn], memories: Sequence[Memory]
) -> PeerFigures:
    """Return the figures of a peer that took at least one turn."""
    measured = [place for place, memory in enumerate(memories) if not memory.is_hostile]
    filled = [[turn.filled[place] for place in measured] for turn in turns]
    asked = [turn.asked[place] for turn in turns for place in measured]
    return PeerFigures(
        entry=entry,
        versions=versions,
        ingest_rows_per_cpu_s=_middle(_rate(sum(f.rows for f in some), sum(f.cpu_ms for f in some)) for some in filled),
        ingest_rows_per_s=_middle(_rate(sum(f.rows for f in some), sum(f.wall_ms for f in some)) for some in filled),
        import_cpu_ms=_middle(turn.import_cpu_ms for turn in turns),
        open_cpu_ms=_middle(each.open_cpu_ms for each in asked),
        open_wall_ms=_middle(each.open_wall_ms for each in asked),
        rss_mb=max(each.rss_mb for each in asked),
        rss_before_mb=min(each.rss_before_mb for each in asked),
        disk_mb=_middle(sum(f.disk_bytes for f in some) / 1e6 for some in filled),
        loads=tuple(turn.loads for turn in turns),
        modes={mode: _mode(mode, turns, memories) for mode in turns[0].asked[0].answers},
    )


def _mode(mode: str, turns: Sequence[Turn], memories: Sequence[Memory]) -> ModeFigures:
    by_shape: dict[str, list[Answer]] = {shape: [] for shape in SHAPES}
    recalls: list[tuple[float, ...]] = []
    hostile: dict[str, str] = {}
    for turn in turns:
        for memory, asked in zip(memories, turn.asked, strict=True):
            if memory.is_hostile:
                hostile = _hostile(memory, asked, mode)
                continue
            for question, answer in zip(memory.questions, asked.answers[mode], strict=True):
                by_shape[question.shape].append(answer)
            recalls += _recalls(memory, asked, mode)
    recall = {f"recall@{cut}": _mean(found[place] for found in recalls) for place, cut in enumerate(CUTS)}
    return ModeFigures(
        shapes={shape: _shape(answers) for shape, answers in by_shape.items() if answers},
        recall=recall if recalls else None,
        hostile=hostile,
    )


def _shape(answers: Sequence[Answer]) -> ShapeFigures:
    answered = [answer for answer in answers if answer.error is None]
    return ShapeFigures(
        cpu_ms=Timings([answer.cpu_ms for answer in answered]).summary() if answered else None,
        wall_ms=Timings([answer.wall_ms for answer in answered]).summary() if answered else None,
        asked=len(answers),
        errors=len(answers) - len(answered),
        empty=sum(not answer.found for answer in answered),
    )


def _recalls(memory: Memory, asked: Asked, mode: str) -> list[tuple[float, ...]]:
    return [
        tuple(len(evidence.intersection(answer.found[:cut])) / len(evidence) for cut in CUTS)
        for evidence, answer in zip(memory.evidence, asked.answers[mode], strict=True)
        if evidence
    ]


def _hostile(memory: Memory, asked: Asked, mode: str) -> dict[str, str]:
    return {
        _SHOWN[question.text]: _outcome(answer, evidence)
        for question, evidence, answer in zip(memory.questions, memory.evidence, asked.answers[mode], strict=True)
    }


def _outcome(answer: Answer, evidence: frozenset[str]) -> str:
    """Return what became of a hostile query, in a word or two."""
    if answer.error is not None:
        return f"error: {answer.error}"
    if not evidence:
        return f"{len(answer.found)} rows"
    places = [place for place, row_id in enumerate(answer.found, 1) if row_id in evidence]
    return f"found at {places[0]}" if places else "not found"


def _rate(rows: int, ms: float) -> float:
    return 1000 * rows / ms if ms else 0.0


def _middle(values: Iterable[float]) -> float:
    return round(median(values), 2)


def _mean(values: Iterable[float]) -> float:
    several = list(values)
    return round(sum(several) / len(several), 4) if several else 0.0
