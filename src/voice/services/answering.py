"""The passages of the notes that answer a question, where a re-ranker tells which.

Law: without a re-ranker nothing is decided here. What is said in a conversation is left to the checks of who said it
(`voice.core.grounding.answerability`): passages decide for notes. A re-ranker that is remote sees no private row
without consent (ruling H).

Source: DESIGN 5 "Re-ranking"; ruling D5.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from voice.core.answering.rule import LINE, answering, judge
from voice.core.errors import ConfigurationError
from voice.core.grounding.answerability.can_be_grounded import Answerability
from voice.core.grounding.values import Evidence, GroundingPolicy, RefusalReason
from voice.core.records import Entity, EntityName, Observation
from voice.core.retrieval.evidence import EVIDENCE_LIMIT, EvidenceRequest, as_evidence
from voice.core.retrieval.passages import Passage
from voice.ports.reranker import Reranker
from voice.services.passages import JoinPassages
from voice.services.retrieve import Retrieve

_NONE_ANSWERS: Final = "none of the passages that were found answers this"
_SHOWN: Final = 3
"""Passages that are shown where none answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What came of reading the passages."""

    evidence: tuple[Evidence, ...]
    """The rows of the passages that answer, else of the closest, the best first."""
    answers: bool
    is_alone: bool
    """Whether one answers, and too few others stand beside it."""

    def answerable(self, policy: GroundingPolicy) -> Answerability:
        """Return whether to go on, and if not, why."""
        if self.is_alone:
            few = f"fewer than {policy.min_sources} notes tell of this"
            return Answerability(ok=False, reason=RefusalReason.TOO_FEW_SOURCES, missing=few)
        return Answerability(ok=self.answers, missing=None if self.answers else _NONE_ANSWERS)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPassages:
    """Reads passages together with the question."""

    retrieve: Retrieve
    join: JoinPassages
    reranker: Reranker
    allow_private_remote: bool

    async def __call__(
        self,
        question: str,
        said: str,
        request: EvidenceRequest,
        entities: Sequence[Entity | EntityName],
        policy: GroundingPolicy,
    ) -> Read | None:
        """Return the passages that answer a question, or the closest; None where conversations are asked about.

        Args:
            question: the person's without its time, with what it leans on.
            said: the same as it was asked, with its time.
            request: what finds them; its floors and its limit do not hold here.
            entities: of the graph.
            policy: how many sources an answer rests on.

        Raises:
            ConfigurationError: private rows would go to a remote re-ranker without consent.
            RerankerUnavailable, ScopeRequired, StoreError: nothing could be read.
        """
        wide = replace(request, floor=0.0, min_floor=0.0, limit=EVIDENCE_LIMIT)
        passages = await self.join((await self.retrieve.fetch_evidence(wide)).chosen, wide)
        if not passages or any(_is_said(passage) for passage in passages[:_SHOWN]):
            return None
        self._require_consent(passages)
        judged = judge(question, passages, await self.reranker.score(said, [each.placed_text for each in passages]))
        sources = 1 if policy.single_source == "green" else policy.min_sources
        chosen = answering(judged, sources=sources)
        shown = chosen or tuple(one.passage for one in judged[:_SHOWN])
        is_alone = not chosen and bool(judged) and judged[0].score > LINE
        return Read(evidence=_evidence(shown, entities), answers=bool(chosen), is_alone=is_alone)

    def _require_consent(self, passages: Sequence[Passage]) -> None:
        is_private = any(row.is_private for passage in passages for row in passage.rows)
        if is_private and self.reranker.remote and not self.allow_private_remote:
            raise ConfigurationError(
                f"private rows would be sent to {self.reranker.info.name}; that needs its own consent: set "
                "SURR_ALLOW_PRIVATE_REMOTE=1, or ask without private rows"
            )


def _is_said(passage: Passage) -> bool:
    """Return whether somebody says it in a conversation."""
    row = passage.hit.row
    return isinstance(row, Observation) and row.speaker is not None


def _evidence(passages: Sequence[Passage], entities: Sequence[Entity | EntityName]) -> tuple[Evidence, ...]:
    rows = [(number, row, row is passage.hit) for number, passage in enumerate(passages) for row in passage.rows]
    made = as_evidence([row for _, row, _ in rows], entities)
    return tuple(
        replace(each, passage=number, is_hit=is_hit) for each, (number, _, is_hit) in zip(made, rows, strict=True)
    )
