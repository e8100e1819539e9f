"""Evidence recall over any `memory-bench/1` file: `python -m bench.locomo --data FILE [--json] [--cache DIR]`.

The items become thoughts, the program's own encoder and index do the rest: words alone, vectors alone, and both put
together as `ask` uses them. Beside them stands textbook BM25 over the bare texts (`bench.plain_bm25`);
`ratio_to_plain_bm25` is how often over the recall@10 of both is that of plain BM25. Questions that cannot be answered,
and such without evidence, take no part. `cpu_ms` is the processor time of one question, encoding it included.

`--rerank` adds the arm `reranked`: the installed re-ranker reads the best `--best` of both arms, and raises each by
`--weight` at most, as `voice retrieve --rerank` does; `rerank_cpu_ms` is what the reading of one question takes.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import anyio

from bench.corpus import read_corpora
from bench.report import Timings, machine, progress, table
from bench.reranked import Reranking
from bench.retrieval import (
    CUTS,
    VECTORS_ONLY,
    WORDS_ONLY,
    Indexed,
    Score,
    by_category,
    index_corpus,
    means,
    plain_scores,
    query_for,
    scores,
    summary,
)
from voice.adapters.embedding.minilm import MiniLmEmbedder
from voice.adapters.rerankers import NAME, RerankerContext, make_reranker
from voice.adapters.system.data_directory import models_directory
from voice.core.errors import VoiceError
from voice.core.retrieval.ranking import FusionProfile, fusion_profile
from voice.core.retrieval.selection import BEST, WEIGHT
from voice.ports.search_index import Embedder


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What one file gave."""

    arms: dict[str, list[Score]]
    items: int
    cpu_ms: dict[str, float]
    model: str
    rerank_cpu_ms: dict[str, float] | None = None

    @property
    def questions(self) -> int:
        """Questions that can be answered."""
        return len(self.arms["fused"])

    @property
    def ratio_to_plain_bm25(self) -> float | None:
        """Recall@10 of both arms over that of plain BM25; None where plain BM25 finds nothing."""
        fused, plain = (means(self.arms[arm])["recall@10"] for arm in ("fused", "plain_bm25"))
        return round(fused / plain, 3) if plain else None

    def as_json(self) -> dict[str, object]:
        """Return the report as it is printed."""
        return {
            **{arm: summary(found) for arm, found in self.arms.items()},
            "ratio_to_plain_bm25": self.ratio_to_plain_bm25,
            "items": self.items,
            "questions": self.questions,
            "cpu_ms": self.cpu_ms,
            **({} if self.rerank_cpu_ms is None else {"rerank_cpu_ms": self.rerank_cpu_ms}),
            "model": self.model,
            "machine": machine(),
        }

    def as_table(self) -> str:
        """Return the report for people."""
        heads = ["arm", "category", *(f"r@{cut}" for cut in CUTS), "nDCG@10", "questions"]
        rows = [
            [arm, category, *(f"{100 * value:.1f}" for value in means(some).values()), str(len(some))]
            for arm, found in self.arms.items()
            for category, some in (("all", found), *by_category(found).items())
        ]
        return (
            f"{table(heads, rows)}\nrecall@10 of both over plain BM25: {self.ratio_to_plain_bm25}\n"
            f"{self.items} items, {self.questions} questions, processor ms a question: "
            f"{self.cpu_ms['p50']} (p50) {self.cpu_ms['p95']} (p95){self._reading}, {self.model}, {machine()}"
        )

    @property
    def _reading(self) -> str:
        read = self.rerank_cpu_ms
        return "" if read is None else f", and the re-ranker's {read['p50']} (p50) {read['p95']} (p95)"


async def measure(
    path: Path, embedder: Embedder, cache: Path | None = None, reranking: Reranking | None = None
) -> Report:
    """Return the report on one file."""
    profiles = {"lexical": WORDS_ONLY, "vector": VECTORS_ONLY, "fused": fusion_profile(embedder.model)}
    found: dict[str, list[Score]] = {arm: [] for arm in (*profiles, "plain_bm25")}
    items, timings = 0, Timings()
    for corpus in read_corpora(path):
        indexed = await index_corpus(corpus, embedder, cache)
        items += len(corpus.rows)
        for arm, profile in profiles.items():
            found[arm] += await scores(indexed, profile)
        found["plain_bm25"] += plain_scores(corpus)
        if reranking is not None:
            found.setdefault("reranked", []).extend(await reranking.scores(indexed, profiles["fused"]))
        await _time(indexed, embedder, profiles["fused"], timings)
    read = None if reranking is None else reranking.timings.summary()
    return Report(arms=found, items=items, cpu_ms=timings.summary(), model=embedder.model, rerank_cpu_ms=read)


async def _time(indexed: Indexed, embedder: Embedder, profile: FusionProfile, timings: Timings) -> None:
    for question in progress(indexed.corpus.questions, f"timing {indexed.corpus.name}"):
        start = process_time()
        await embedder.embed([question.text])
        await indexed.index.search(query_for(indexed, question, profile))
        timings.ms.append(1000 * (process_time() - start))


def _reranking(options: argparse.Namespace) -> Reranking | None:
    """Return how the best are read; None where that is not asked for."""
    if not options.rerank:
        return None
    reranker = make_reranker(NAME, RerankerContext(models=models_directory()))
    assert reranker is not None, "one that is named is there, or it is an error"
    return Reranking(reranker=reranker, best=options.best, weight=options.weight, cache=options.cache)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print its report."""
    parser = argparse.ArgumentParser(prog="python -m bench.locomo", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a memory-bench/1 file")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--cache", type=Path, help="a directory to keep vectors in, by the hash of model and text")
    parser.add_argument("--rerank", action="store_true", help="let the installed re-ranker read the best, too")
    parser.add_argument("--best", type=int, default=BEST, help=f"how many it reads ({BEST})")
    parser.add_argument("--weight", type=float, default=WEIGHT, help=f"what a row gains at most ({WEIGHT})")
    options = parser.parse_args(arguments)
    try:
        if options.cache is not None:
            options.cache.mkdir(parents=True, exist_ok=True)
        report = anyio.run(measure, options.data, MiniLmEmbedder(), options.cache, _reranking(options))
    except VoiceError as error:
        print(f"bench.locomo: {error}", file=sys.stderr)
        return error.exit_code
    print(json.dumps(report.as_json(), indent=1) if options.json else report.as_table())
    return 0


if __name__ == "__main__":
    sys.exit(main())
