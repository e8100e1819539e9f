"""A re-ranker that scores by the words that question and passage share."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from voice.core.text.words import stems_in
from voice.ports.retrieval_provider import RerankerInfo

_OF_NO_TOPIC = "what does the how is of in my did i do which many a me tell about know may 2024 2025 times often go"


@dataclass
class WordsReranker:
    """Scores by the words that question and passage share."""

    info: RerankerInfo = RerankerInfo(name="words", version="1")
    remote: bool = False
    read: list[str] = field(default_factory=list[str])

    async def score(self, question: str, passages: Sequence[str]) -> list[float]:
        self.read += passages
        asked = stems_in(question) - stems_in(_OF_NO_TOPIC)
        return [20.0 * len(asked & stems_in(each)) / max(len(asked), 1) - 10.0 for each in passages]
