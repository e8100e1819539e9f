"""The re-ranker, which scores how well passages answer a question.

Law: a re-ranker sees a question and passages and returns one score for each; what follows from the scores is decided
elsewhere. When it fails, it raises: nothing is guessed in its place.

Source: DESIGN 5 "Re-ranking".
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankerInfo:
    """Who scores; recorded where its scores are shown."""

    name: str
    version: str


class Reranker(Protocol):
    """One configured re-ranker."""

    @property
    def info(self) -> RerankerInfo:
        """Its name and version."""
        ...

    @property
    def remote(self) -> bool:
        """Whether what it is shown leaves this machine (private rows need their own consent then, ruling H)."""
        ...

    async def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return one score per passage, in their order: the higher, the better it answers; 0.0 is as likely as not.

        The same question and passage give the same score, whatever else is scored with them.

        Raises:
            RerankerUnavailable: it cannot work; the message holds no text of the request.
        """
        ...
