"""What the organising tool is asked for, and what it answers.

Law: a number out of range is clamped and said so; an invalid value is refused. Thoughts alone are searched, by
cosine, and `sim_thresh` is strict: nothing below it is ever a source. What is staged must reach the measured threshold
of its kind; `confidence_min` can ask for more and never for less.

The answer of the organising tool: its sources' own words, and the thought that it is kept as. Every line of the answer
is the beginning of a source's first line below its headings, word for word; nothing is rewritten and nobody is asked
(an answer in prose is what `ask` is for). What is kept is marked as the inner voice's own by this one function, so that
it is never a source of anything again, and only those may see it who may see all its sources.

Source: spec rag-organize 2 and 4; rulings A22, A24, C1, C16, F; spec rag-organize 2 (flow 3, 4, 7) and 3; rulings A1,
A13, A14, C10, C12, H.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from voice.core.errors import InvalidParams
from voice.core.graph.review.staging import StageLimits, is_below_every_threshold, stage_limits
from voice.core.records import Inheritance, Origin, Scope, Thought
from voice.core.retrieval.params import TOP_K_MAX, RetrieveDefaults, RetrieveRequest, clean_params
from voice.core.retrieval.values import LOCAL_VECTOR, RetrieveParams
from voice.core.text.normalise import norm_v1
from voice.core.text.sentences import cap_span

MAX_NODES = 30
MAX_EDGES = 60
MOST_AT_ONCE = 500
"""Of either kind, however many are asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrganiseDefaults:
    """What the settings say where the caller says nothing; the values here are the spec's own."""

    top_k: int = 5
    sim_thresh: float = 0.5
    db_limit: int = 500
    auto_mark_removal: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class OrganiseRequest:
    """The parameters of `inner_voice`; None is "not said". The last four are ours."""

    content: str = field(repr=False)
    """The question."""
    top_k: int | None = None
    sim_thresh: float | None = None
    stage_kg: bool = False
    confidence_min: float | None = None
    max_nodes: int | None = None
    max_edges: int | None = None
    save: bool = True
    auto_mark_removal: bool | None = None
    scope: Scope = Scope()
    """What was named; an empty one names nothing, `Scope.ALL` everything (ruling A18)."""
    surroundings: Scope = Scope()
    """What the entrance reads of a scoped memory where none was named."""
    include_private: bool = False
    dry_run: bool = False
    """Answer and count, and change nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrganiseParams:
    """What is meant."""

    retrieve: RetrieveParams
    limits: StageLimits | None
    """None: nothing is to be staged."""
    saves: bool
    marks: bool
    """Whether the sources are marked for removal once something of them is staged."""
    dry_run: bool
    warnings: tuple[str, ...] = ()
    """What was clamped, or means nothing, in words (ruling C16)."""


def organise_params(request: OrganiseRequest, defaults: OrganiseDefaults) -> OrganiseParams:
    """Return the parameters that are meant.

    Raises:
        InvalidParams: the question is empty, or a number is not one.
    """
    warnings: list[str] = []
    limits = _limits(request, warnings.append)
    marks = defaults.auto_mark_removal if request.auto_mark_removal is None else request.auto_mark_removal
    if request.auto_mark_removal and limits is None:
        warnings.append("auto_mark_removal marks what was staged; without stage_kg nothing is marked")
    return OrganiseParams(
        retrieve=_retrieve(request, defaults, warnings.append),
        limits=limits,
        saves=request.save and not request.dry_run,
        marks=marks and limits is not None,
        dry_run=request.dry_run,
        warnings=tuple(warnings),
    )


def _retrieve(request: OrganiseRequest, defaults: OrganiseDefaults, warn: Callable[[str], None]) -> RetrieveParams:
    top_k = defaults.top_k if request.top_k is None else _whole("top_k", request.top_k, (1, TOP_K_MAX), warn)
    floor = defaults.sim_thresh if request.sim_thresh is None else _share("sim_thresh", request.sim_thresh, warn)
    asked = RetrieveRequest(
        query=request.content,
        top_k=top_k,
        floor=floor,
        mix=0.0,
        provider=LOCAL_VECTOR,
        scope=request.scope,
        include_private=request.include_private,
    )
    cleaned = clean_params(asked, RetrieveDefaults())
    return replace(cleaned, min_floor=floor, max_candidates_per_source=defaults.db_limit)


def _limits(request: OrganiseRequest, warn: Callable[[str], None]) -> StageLimits | None:
    if not request.stage_kg:
        return None
    least = 0.0 if request.confidence_min is None else _share("confidence_min", request.confidence_min, warn)
    if request.confidence_min is not None and is_below_every_threshold(least):
        warn(f"confidence_min {least} is below what each kind must reach anyway, and changes nothing")
    most = (0, MOST_AT_ONCE)
    return stage_limits(
        least,
        max_nodes=MAX_NODES if request.max_nodes is None else _whole("max_nodes", request.max_nodes, most, warn),
        max_edges=MAX_EDGES if request.max_edges is None else _whole("max_edges", request.max_edges, most, warn),
    )


def _whole(name: str, value: int, bounds: tuple[int, int], warn: Callable[[str], None]) -> int:
    return int(_clamped(name, value, bounds, warn))


def _share(name: str, value: float, warn: Callable[[str], None]) -> float:
    return float(_clamped(name, value, (0.0, 1.0), warn))


def _clamped(name: str, value: float, bounds: tuple[float, float], warn: Callable[[str], None]) -> float:
    if isinstance(value, bool) or not math.isfinite(value):
        raise InvalidParams(f"{name} must be a number from {bounds[0]} to {bounds[1]}")
    inside = min(max(value, bounds[0]), bounds[1])
    if inside != value:
        warn(f"{name} {value} is out of range and was set to {inside}")
    return inside


ANSWER_CHARS: Final = 600
ANSWER_SOURCES: Final = 3
PIPELINE: Final = "inner_voice"
_HEADING: Final = re.compile(r"#{1,6}\s")
_LEAST_CHARS: Final = 450
"""Where an answer that is too long may end at the earliest, if a sentence or a word does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrganiseSource:
    """A thought that was found."""

    thought_id: str
    similarity: float
    excerpt: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class OrganiseResult:
    """What came of it; the spec's members, and in what way it is less than was asked for."""

    synthesized_answer: str = field(repr=False)
    """Empty where nothing was found."""
    sources: tuple[OrganiseSource, ...] = ()
    """Best first."""
    saved_thought_id: str | None = None
    pending_entities: int = 0
    """Entities of the sources that wait for review, since this call or before; with `stage_kg` only."""
    pending_relationships: int = 0
    marked_for_removal: int = 0
    """Thoughts that this call marked."""
    dry_run: bool = False
    """Nothing was changed; the counts say what would be."""
    warnings: tuple[str, ...] = ()


def answer_of(texts: Sequence[str]) -> str:
    """Return the first lines of the best sources, at most `ANSWER_CHARS` characters.

    A longer answer ends with a sentence where one ends late enough, else with a word (ruling C12). A line that says the
    same as one before it is left out.

    Args:
        texts: the sources' full texts, best first.
    """
    lines: dict[str, str] = {}
    for line in map(_first_line, texts[:ANSWER_SOURCES]):
        lines.setdefault(norm_v1(line), line)
    joined = "\n".join(line for line in lines.values() if line)
    start, end = cap_span(joined, lower=_LEAST_CHARS, upper=ANSWER_CHARS)
    return joined[start:end].rstrip()


def saved_answer(answer: str, sources: Sequence[Thought], *, row_id: str, now: datetime) -> Thought:
    """Return the answer as a thought of the inner voice's own (ruling A13).

    It is private if any source is, has all their tags, and the scope that they share (rulings C10, H).

    Args:
        answer: not empty.
        sources: the thoughts it was made of, best first.
        row_id: a fresh id.
        now: when it is made.
    """
    inherited = Inheritance.of(tuple(sources))
    return Thought(
        id=row_id,
        content=answer,
        created_at=now,
        recorded_at=now,
        origin=Origin.MODEL,
        tags=inherited.tags,
        is_private=inherited.is_private,
        scope=inherited.scope,
        is_summary=True,
        summary_of=tuple(source.id for source in sources),
        pipeline=PIPELINE,
    )


def _first_line(text: str) -> str:
    """Return the first line that says something: a heading only where nothing stands below it."""
    lines = [line.strip() for line in text.splitlines() if norm_v1(line)]
    return next((line for line in lines if not _HEADING.match(line)), lines[0] if lines else "")
