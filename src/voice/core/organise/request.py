"""What the organising tool is asked for, and what is meant by it.

Law: a number out of range is clamped and said so; an invalid value is refused. Thoughts alone are searched, by
cosine, and `sim_thresh` is strict: nothing below it is ever a source. What is staged must reach the measured threshold
of its kind; `confidence_min` can ask for more and never for less.

Source: spec rag-organize 2 and 4; rulings A22, A24, C1, C16, F.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from voice.core.errors import InvalidParams
from voice.core.graph.enough import is_below_every_threshold, stage_limits
from voice.core.graph.staging import StageLimits
from voice.core.records import Scope
from voice.core.retrieval.params import TOP_K_MAX, RetrieveDefaults, RetrieveRequest, clean_params
from voice.core.retrieval.values import LOCAL_VECTOR, RetrieveParams

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
