"""Evidence recall over any `memory-bench/1` file: `python -m bench.locomo --data FILE [--json] [--cache DIR]`.

The items become thoughts, the program's own encoder and index do the rest: words alone, vectors alone, and both put
together as `ask` uses them. `cpu_ms` is the processor time of one question, encoding it included.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from time import process_time

import anyio

from bench.corpus import read_corpora
from bench.report import Timings, flattened, machine, progress, table
from bench.retrieval import VECTORS_ONLY, WORDS_ONLY, Indexed, Score, index_corpus, query_for, scores, summary
from voice.adapters.embedding.minilm import MiniLmEmbedder
from voice.core.errors import VoiceError
from voice.core.retrieval.fusion import FusionProfile, fusion_profile
from voice.ports.embedder import Embedder


async def measure(path: Path, embedder: Embedder, cache: Path | None = None) -> dict[str, object]:
    """Return the report on one file."""
    arms = {"lexical": WORDS_ONLY, "vector": VECTORS_ONLY, "fused": fusion_profile(embedder.model)}
    found: dict[str, list[Score]] = {arm: [] for arm in arms}
    items, timings = 0, Timings()
    for corpus in read_corpora(path):
        indexed = await index_corpus(corpus, embedder, cache)
        items += len(corpus.rows)
        for arm, profile in arms.items():
            found[arm] += await scores(indexed, profile)
        await _time(indexed, embedder, arms["fused"], timings)
    return {
        **{arm: summary(results) for arm, results in found.items()},
        "items": items,
        "questions": len(found["fused"]),
        "cpu_ms": timings.summary(),
        "model": embedder.model,
        "machine": machine(),
    }


async def _time(indexed: Indexed, embedder: Embedder, profile: FusionProfile, timings: Timings) -> None:
    for question in progress(indexed.corpus.questions, f"timing {indexed.corpus.name}"):
        start = process_time()
        await embedder.embed([question.text])
        await indexed.index.search(query_for(indexed, question, profile))
        timings.ms.append(1000 * (process_time() - start))


def _readable(report: dict[str, object]) -> str:
    heads = ["arm", "category", "questions", "r@5", "r@10", "r@20", "nDCG@10"]
    rows: list[list[str]] = []
    for arm in ("lexical", "vector", "fused"):
        result = report[arm]
        assert isinstance(result, dict)
        by_category = result.pop("by_category")
        for category, means in (("all", result), *by_category.items()):
            questions = means.pop("questions")
            rows.append([arm, category, str(questions), *flattened(means)])
    cpu = report["cpu_ms"]
    assert isinstance(cpu, dict)
    tail = f"{report['items']} items, {report['questions']} questions, cpu ms a question: {cpu['p50']} / {cpu['p95']}"
    return f"{table(heads, rows)}\n{tail} (p50 / p95), {report['model']}, {report['machine']}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print its report."""
    parser = argparse.ArgumentParser(prog="python -m bench.locomo", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a memory-bench/1 file")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--cache", type=Path, help="a directory to keep vectors in, by the hash of model and text")
    options = parser.parse_args(arguments)
    try:
        if options.cache is not None:
            options.cache.mkdir(parents=True, exist_ok=True)
        report = anyio.run(measure, options.data, MiniLmEmbedder(), options.cache)
    except VoiceError as error:
        print(f"bench.locomo: {error}", file=sys.stderr)
        return error.exit_code
    print(json.dumps(report, indent=1) if options.json else _readable(report))
    return 0


if __name__ == "__main__":
    sys.exit(main())
