"""What a re-ranker makes of what was found: the best by both arms, read together with the question.

Law: rows are read and raised by the program's own rules (`voice.core.retrieval.selection`); a score is cached only
under the hash of the re-ranker, the question and the text, and only what was really read is timed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import process_time

from blake3 import blake3

from bench.report import Timings, progress
from bench.retrieval import CUTS, Indexed, Score, query_for
from voice.core.retrieval.ranking import FusionProfile, hit_boosts, rank_score
from voice.core.retrieval.searchable_text import indexed_text
from voice.core.retrieval.selection import BEST, WEIGHT, gain
from voice.ports.retrieval_provider import Reranker


@dataclass(frozen=True, slots=True, kw_only=True)
class Reranking:
    """How the best are read."""

    reranker: Reranker
    best: int = BEST
    weight: float = WEIGHT
    cache: Path | None = None
    timings: Timings = field(default_factory=Timings)
    """Processor time of each question whose rows were read."""

    async def scores(self, indexed: Indexed, profile: FusionProfile) -> list[Score]:
        """Ask all questions of the corpus."""
        texts = {row.id: indexed_text(row, {}) for row in indexed.corpus.rows}
        found: list[Score] = []
        for question in progress(indexed.corpus.questions, f"re-ranking {indexed.corpus.name}"):
            query = replace(query_for(indexed, question, profile), limit=max(self.best, *CUTS))
            hits = (await indexed.index.search(query)).hits
            logits = await self._logits(question.text, [texts[hit.row_id] for hit in hits[: self.best]])
            gains = [self.weight / WEIGHT * gain(logit) for logit in logits] + [0.0] * (len(hits) - len(logits))
            ranks = [
                -rank_score(hit, profile.weights, hit_boosts(hit, profile)) - more
                for hit, more in zip(hits, gains, strict=True)
            ]
            order = sorted(zip(ranks, (hit.row_id for hit in hits), strict=True))
            found.append(indexed.score(question, [row_id for _, row_id in order[: max(CUTS)]]))
        return found

    async def _logits(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return the logit of each text; what the cache knows is not read again."""
        kept = {text: self._path(question, text) for text in texts}
        known = {text: float(path.read_text("ascii")) for text, path in kept.items() if path and path.exists()}
        missing = [text for text in kept if text not in known]
        if missing:
            start = process_time()
            known |= zip(missing, await self.reranker.score(question, missing), strict=True)
            self.timings.ms.append(1000 * (process_time() - start))
        for text in missing:
            if path := kept[text]:
                path.write_text(repr(known[text]), "ascii")
        return [known[text] for text in texts]

    def _path(self, question: str, text: str) -> Path | None:
        if self.cache is None:
            return None
        info = self.reranker.info
        said = f"{info.name}\x00{info.version}\x00{question}\x00{text}"
        return self.cache / blake3(said.encode("utf-8", "surrogatepass")).hexdigest()
