"""Measures a memory that another process built: `python -m bench.scale_measure HOME --repeats N`; prints JSON.

Law: this process opens the memory, asks, adds, and nothing else, so its memory is what a querying program needs. Every
figure is of the program's own services over the store on disk; only the encoder is given its vectors. What was added is
asked for at once, and not finding it ends the run.
"""

import argparse
import json
import os
from collections import defaultdict
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from time import perf_counter, process_time
from typing import Final

import anyio

from bench.report import Timings, progress
from bench.scale_build import Built, read_built
from bench.scale_data import SHAPES, Question, added, questions, word_of_added
from bench.scale_exact import Asked, profile_of
from bench.scale_home import Given, open_memory, rested
from bench.scale_numpy import PlainNumpy
from bench.stages import Watch
from voice.bootstrap import Services
from voice.core.records import Scope, Table, Tombstone
from voice.core.retrieval.params import RetrieveRequest
from voice.core.retrieval.ranking import hit_boosts, rank_score
from voice.core.retrieval.values import RowFilter
from voice.ports.search_index import IndexQuery
from voice.ports.stores import WriteBatch
from voice.services.retrieval.retrieve import RetrieveByWords

MAIN: Final = "local-hybrid"
PROVIDERS: Final = (MAIN, "local-vector", "local-fts")
_WARM_UP: Final = 2
_STAGED: Final = 5
"""Questions per shape that are asked once more with a watch around every port."""
_CHECKED: Final = 5
"""Questions per shape whose best rows are held against the exact ones."""
_BEST: Final = 10
_TABLES: Final = frozenset({Table.THOUGHTS, Table.OBSERVATIONS})


async def measure(home: Path, built: Built, repeats: int, adds: int) -> dict[str, object]:
    """Return the figures of the memory in `home`."""
    asked = questions(built.rows, built.dim, max(repeats, _CHECKED))
    given = Given(built.dim, {question.text: question.vector for question in asked})
    memory = {"before_open_mb": _resident("VmRSS")}
    began, began_cpu = perf_counter(), process_time()
    async with open_memory(home, given) as services:
        memory["store_open_mb"] = _resident("VmRSS")
        await services.index.refresh()
        opened = {"open_s": perf_counter() - began, "open_cpu_s": process_time() - began_cpu}
        memory["open_mb"] = _resident("VmRSS")
        opened["engine_tidying_cpu_s"] = await rested()
        memory["settled_mb"] = _resident("VmRSS")
        first = await _ask(services.find, asked[0], MAIN)
        shapes = {provider: await _shapes(services.find, asked, provider, given, repeats) for provider in PROVIDERS}
        stages = await _stages(services, asked, given)
        memory["asked_peak_mb"] = _resident("VmHWM")
        checked = await _best_rows(services, asked)
        adding = await _added(services, given, adds)
        memory |= {"peak_mb": _resident("VmHWM"), "now_mb": _resident("VmRSS"), "of_files_mb": _resident("RssFile")}
        beside = await _beside_numpy(services.find, asked, given, PlainNumpy.of(built.rows, built.dim), repeats)
    return {
        **opened,
        **beside,
        "first_ms": first[0],
        "shapes": shapes,
        "stages": stages,
        **adding,
        "memory": memory,
    } | {"asked": [asdict(each) for each in checked]}


async def _beside_numpy(
    find: RetrieveByWords, asked: Sequence[Question], given: Given, plain: PlainNumpy, repeats: int
) -> dict[str, object]:
    """Return what plain numpy takes for the same questions, asked in turns, and how much longer a retrieval takes."""
    took: dict[str, float] = {}
    ratios: dict[str, float] = {}
    for shape in progress(SHAPES, "beside numpy"):
        own, others = Timings(), Timings()
        for question in [question for question in asked if question.shape == shape][:repeats]:
            given.vectors = {question.text: question.vector}
            own.ms.append((await _ask(find, question, MAIN))[0])
            began = process_time()
            plain.best(question.vector)
            others.ms.append(1000 * (process_time() - began))
        took[shape] = others.summary()["p50"]
        ratios[shape] = round(own.summary()["p50"] / took[shape], 2)
    return {"numpy_cpu_ms": took, "ratio_to_numpy": ratios}


async def _shapes(
    find: RetrieveByWords, asked: Sequence[Question], provider: str, given: Given, repeats: int
) -> dict[str, object]:
    found: dict[str, object] = {}
    for shape in progress(SHAPES, provider):
        of_shape = [question for question in asked if question.shape == shape][:repeats]
        cpu, wall = Timings(), Timings()
        for number, question in enumerate([*of_shape[:_WARM_UP], *of_shape]):
            given.vectors = {question.text: question.vector}
            cpu_ms, wall_ms, _ = await _ask(find, question, provider)
            if number >= _WARM_UP:
                cpu.ms.append(cpu_ms)
                wall.ms.append(wall_ms)
        found[shape] = {"cpu_ms": cpu.summary(), "wall_ms": wall.summary()}
    return found


async def _ask(find: RetrieveByWords, question: Question, provider: str) -> tuple[float, float, int]:
    """Return the processor and wall milliseconds of one retrieval with S0's defaults, and how many snippets came."""
    request = RetrieveRequest(query=question.text, provider=provider, surroundings=Scope.ALL)
    wall, cpu = perf_counter(), process_time()
    selection = await find(request)
    return 1000 * (process_time() - cpu), 1000 * (perf_counter() - wall), len(selection.snippets)


async def _stages(services: Services, asked: Sequence[Question], given: Given) -> dict[str, object]:
    """Return where the time of a retrieval goes, per shape."""
    found: dict[str, object] = {}
    for shape in SHAPES:
        watch = Watch()
        with _watched(services, watch):
            for question in [question for question in asked if question.shape == shape][:_STAGED]:
                given.vectors = {question.text: question.vector}
                with watch.whole(counts=True):
                    await _ask(services.find, question, MAIN)
        found[shape] = {stage: times["cpu_ms"]["p50"] for stage, times in watch.by_stage().items()}
    return found


@contextmanager
def _watched(services: Services, watch: Watch) -> Generator[None]:
    """Watch the ports that a retrieval awaits, whichever service awaits them, and put them back."""
    ports: dict[object, dict[str, str]] = {
        services.store: {"fetch": "fetch rows", "head": "fetch rows"},
        services.graph: {"relations_of": "fetch rows"},
        services.index: {"refresh": "refresh index", "search": "search index"},
    }
    for port, stages in ports.items():
        for method, stage in stages.items():
            setattr(port, method, watch.timed(stage, getattr(port, method)))
    try:
        yield
    finally:
        for port, stages in ports.items():
            for method in stages:
                delattr(port, method)


async def _best_rows(services: Services, asked: Sequence[Question]) -> list[Asked]:
    """Return what the index holds for the best rows of some questions, for the vector arm alone and for both."""
    found: list[Asked] = []
    counts: dict[str, int] = defaultdict(int)
    for number, question in enumerate(asked):
        counts[question.shape] += 1
        if counts[question.shape] > _CHECKED:
            continue
        for arm in ("vector", "hybrid"):
            profile = profile_of(arm)
            query = IndexQuery(
                filter=RowFilter(tables=_TABLES),
                vector=question.vector,
                text=question.text if arm == "hybrid" else "",
                weights=profile.weights,
                limit=_BEST,
                neighbour_weight=profile.neighbour,
                coverage_weight=profile.coverage,
                question_weight=profile.question,
            )
            hits = (await services.index.search(query)).hits
            order = sorted(
                hits, key=lambda hit: (-rank_score(hit, profile.weights, hit_boosts(hit, profile)), hit.row_id)
            )
            found.append(Asked(number=number, arm=arm, best=tuple(hit.row_id for hit in order[:_BEST])))
    return found


async def _added(services: Services, given: Given, adds: int) -> dict[str, object]:
    """Add rows one by one, each of which its own word must find, and take them away again.

    Raises:
        LookupError: a row that was written is not found.
    """
    nonce = f"q{os.getpid()}z{round(perf_counter() * 1000)}"
    own, whole, stones = Timings(), Timings(), list[Tombstone]()
    for number in progress(range(adds), "adding"):
        row, vector = added(number, nonce, given.dim)
        word = word_of_added(number, nonce)
        given.vectors = {word: vector.data}
        began = process_time()
        await services.store.write(WriteBatch(rows=(row,), vectors=(vector,)))
        await services.index.refresh()
        own.ms.append(1000 * (process_time() - began))
        stones.append(Tombstone(row_id=row.id, keyed_hash=f"{number:064}", reason="forgotten", at=row.recorded_at))
        selection = await services.find(RetrieveRequest(query=word, provider=MAIN))
        whole.ms.append(1000 * (process_time() - began))
        if row.id not in {snippet.id for snippet in selection.snippets}:
            raise LookupError(f"{row.id} was written and is not found")
    await services.store.write(WriteBatch(tombstones=tuple(stones)))
    await services.index.refresh()
    return {"add_one_ms": _with_max(own), "add_and_find_ms": _with_max(whole), "added": adds}


def _with_max(times: Timings) -> dict[str, float]:
    return {**times.summary(), "max": round(max(times.ms, default=0.0), 3)}


def _resident(name: str) -> float:
    """Return a line of /proc/self/status in megabytes (10^6 bytes)."""
    for line in Path("/proc/self/status").read_text("ascii").splitlines():
        if line.startswith(f"{name}:"):
            return round(int(line.split()[1]) * 1024 / 1e6, 1)
    raise LookupError(f"this system does not tell {name}")


def main() -> None:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(prog="python -m bench.scale_measure", description=__doc__)
    parser.add_argument("home", type=Path)
    parser.add_argument("--repeats", type=int, default=20, help="questions of each shape")
    parser.add_argument("--adds", type=int, default=300, help="rows to add one by one")
    options = parser.parse_args()
    built = read_built(options.home)
    if built is None:
        raise SystemExit(f"{options.home} was not built by bench.scale_build, or not to the end")
    figures = anyio.run(measure, options.home, built, options.repeats, options.adds)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
