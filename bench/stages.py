"""Where the time of a turn goes: the parts of the asking service, each with a watch around it.

Law: the program is measured as it is. Its ports are wrapped, the pure functions it calls are wrapped by name and put
back afterwards; nothing in the program knows of it. Processor time is the whole process's, threads included.
"""

import inspect
import sys
from collections import defaultdict
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from time import perf_counter, process_time
from typing import Final, cast

from bench.report import Timings
from voice.adapters.retrieval import installed_providers
from voice.ports.retrieval_provider import ProviderContext, Reranker
from voice.services.retrieval.search import Retrieve
from voice.services.turn.answer_search import ReadPassages
from voice.services.turn.ask import Ask

PROVIDER: Final = "provider"
OTHER: Final = "other"
_PURE: Final = {
    "parse_query": "parse question",
    "as_evidence": "context",
    "build_context": "context",
    "judge_passages": "answerability",
    "judge_conversation": "answerability",
    "record_prompt": "prompt record",
    "parse_draft": "judge",
    "prove": "judge",
    "judge": "judge",
    "build_candidates": "select",
    "next_looks": "select",
    "choose": "select",
    "select_evidence": "select",
}
"""Pure functions, by the names under which services call them."""


class Watch:
    """Milliseconds of processor and of wall time, by stage, of the turn that runs."""

    def __init__(self) -> None:
        self.turn: dict[str, tuple[float, float]] = {}
        self.cpu: dict[str, Timings] = defaultdict(Timings)
        self.wall: dict[str, Timings] = defaultdict(Timings)
        self.total_cpu = Timings()
        self.total_wall = Timings()

    @contextmanager
    def stage(self, name: str) -> Generator[None]:
        """Add what happens inside to a stage of the turn."""
        wall, cpu = perf_counter(), process_time()
        try:
            yield
        finally:
            spent = (1000 * (process_time() - cpu), 1000 * (perf_counter() - wall))
            before = self.turn.get(name, (0.0, 0.0))
            self.turn[name] = (before[0] + spent[0], before[1] + spent[1])

    @contextmanager
    def whole(self, *, counts: bool) -> Generator[None]:
        """Measure one turn; what the provider took is left out of it."""
        self.turn = {}
        with self.stage("turn"):
            yield
        cpu, wall = self.turn.pop("turn")
        away = self.turn.pop(PROVIDER, (0.0, 0.0))
        cpu, wall = cpu - away[0], wall - away[1]
        parts = list(self.turn.values())
        self.turn[OTHER] = (cpu - sum(part[0] for part in parts), wall - sum(part[1] for part in parts))
        if counts:
            self._keep(cpu, wall)

    def _keep(self, cpu: float, wall: float) -> None:
        self.total_cpu.ms.append(cpu)
        self.total_wall.ms.append(wall)
        for name, spent in self.turn.items():
            self.cpu[name].ms.append(spent[0])
            self.wall[name].ms.append(spent[1])

    def by_stage(self) -> dict[str, dict[str, dict[str, float]]]:
        """Return the summary of every stage, the dearest first; a stage some turns skip is summed over those it has."""
        dear = sorted(self.cpu, key=lambda name: -self.cpu[name].summary()["p50"])
        return {name: {"cpu_ms": self.cpu[name].summary(), "wall_ms": self.wall[name].summary()} for name in dear}

    def timed(self, name: str, call: Callable[..., object]) -> Callable[..., object]:
        """Return `call` with this watch around it."""
        if inspect.iscoroutinefunction(call):

            async def waited(*args: object, **named: object) -> object:
                with self.stage(name):
                    return await call(*args, **named)

            return waited

        def called(*args: object, **named: object) -> object:
            with self.stage(name):
                return call(*args, **named)

        return called


class Timed:
    """A port whose named methods are watched; everything else passes through."""

    def __init__(self, port: object, watch: Watch, stages: Mapping[str, str]) -> None:
        self._port = port
        for method, stage in stages.items():
            setattr(self, method, watch.timed(stage, getattr(port, method)))

    def __getattr__(self, name: str) -> object:
        return getattr(self._port, name)


def watched(ask: Ask, context: ProviderContext, watch: Watch) -> Ask:
    """Return the asking service with its ports watched, and those that the local providers were made with."""
    evidence, find = ask.evidence, ask.evidence.retrieve
    graph = Timed(find.graph, watch, {"relations_of": "fetch rows"})
    store = Timed(find.store, watch, {"fetch": "fetch rows", "head": "fetch rows"})
    index = Timed(context.index, watch, {"refresh": "refresh index", "search": "search index"})
    embedder = Timed(context.embedder, watch, {"embed": "embed question"})
    providers = installed_providers(replace(context, index=index, embedder=embedder))
    retrieve = replace(find, store=store, graph=graph, providers=providers)
    return replace(
        ask,
        evidence=replace(
            evidence,
            passages=evidence.passages and _read_watched(evidence.passages, retrieve, watch),
            names=Timed(evidence.names, watch, {"known": "entities", "visible": "entities"}),
            retrieve=retrieve,
        ),
        sessions=Timed(ask.sessions, watch, {"sessions": "load session", "load": "load session", "save": "save"}),
        metrics=Timed(ask.metrics, watch, {"record": "metrics"}),
        llm=Timed(ask.llm, watch, {"complete": PROVIDER}),
    )


def _read_watched(passages: ReadPassages, retrieve: Retrieve, watch: Watch) -> ReadPassages:
    found = passages.rerank.made()
    timed = cast("Reranker", Timed(found, watch, {"score": "re-rank"})) if found else None
    rerank = replace(passages.rerank, made=lambda: timed)
    return replace(passages, retrieve=retrieve, join=replace(passages.join, retrieve=retrieve), rerank=rerank)


@contextmanager
def pure_parts_watched(watch: Watch) -> Generator[None]:
    """Watch the pure functions that a turn calls, in whichever service calls them, and put them back.

    Raises:
        LookupError: no service calls one of them any more; the stages are to be written anew.
    """
    services = [module for name, module in sys.modules.items() if name.startswith("voice.services.")]
    calls = {(module, name): getattr(module, name) for name in _PURE for module in services if hasattr(module, name)}
    if missing := _PURE.keys() - {name for _, name in calls}:
        raise LookupError(f"no service calls {', '.join(sorted(missing))}")
    try:
        for (module, name), call in calls.items():
            setattr(module, name, watch.timed(_PURE[name], call))
        yield
    finally:
        for (module, name), call in calls.items():
            setattr(module, name, call)
