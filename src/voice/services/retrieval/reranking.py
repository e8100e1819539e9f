"""Re-ranking of found rows against the question.

Law: a re-ranker runs only on request. A missing one is an error, never a silent fall-back to the order without it; a
remote one sees no private row without consent (ruling H).

Source: DESIGN 5 "Re-ranking".
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from voice.core.errors import ConfigurationError, RerankerUnavailable
from voice.core.retrieval.values import PassageScore, Reranked
from voice.ports.retrieval_provider import AnswerReader, Reranker


class ReadRow(NamedTuple):
    """A row as the re-ranker reads it."""

    row_id: str
    text: str
    is_private: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Rerank:
    """Scores rows by the re-ranker of the settings."""

    made: Callable[[], Reranker | None] = lambda: None
    """Returns the re-ranker; raises what `make_reranker` raises."""
    is_off: bool = False
    allow_private_remote: bool = False

    def required(self) -> Reranker:
        """Return the re-ranker. Raises ConfigurationError: it cannot be made; RerankerUnavailable: there is none."""
        found = self.made()
        if found is not None:
            return found
        if self.is_off:
            raise RerankerUnavailable("SURR_RERANKER is none, so nothing can be re-ranked; set it to auto")
        raise RerankerUnavailable("no re-ranker is installed; run: voice models install reranker")

    async def __call__(self, question: str, rows: Sequence[ReadRow]) -> tuple[dict[str, float], Reranked]:
        """Return each row's logit by its id, and who read them. Raises ConfigurationError: private rows would go to a
        remote re-ranker without consent; RerankerUnavailable: there is none, or it failed."""
        reranker = self.required()
        is_private = any(row.is_private for row in rows)
        scores = await self._read(reranker, question, [row.text for row in rows], is_private=is_private)
        by = Reranked(name=reranker.info.name, version=reranker.info.version, rows=len(rows))
        return {row.row_id: score.relevance for row, score in zip(rows, scores, strict=True)}, by

    async def scores(self, question: str, texts: Sequence[str], *, is_private: bool) -> Sequence[PassageScore] | None:
        """Return the scores of each text, in order; None where there is no re-ranker. Raises as a call does."""
        reranker = self.made()
        return None if reranker is None else await self._read(reranker, question, texts, is_private=is_private)

    async def _read(
        self, reranker: Reranker, question: str, texts: Sequence[str], *, is_private: bool
    ) -> Sequence[PassageScore]:
        if is_private and reranker.remote and not self.allow_private_remote:
            raise ConfigurationError(
                f"private rows would be sent to {reranker.info.name}; that needs its own consent: set "
                "SURR_ALLOW_PRIVATE_REMOTE=1, or leave private rows out"
            )
        if isinstance(reranker, AnswerReader):
            return await reranker.read_answers(question, texts)
        return [PassageScore(score) for score in await reranker.score(question, texts)]
