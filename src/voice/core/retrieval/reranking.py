"""Re-ranking of the best rows by a model that reads them with the question.

Law: the best `BEST` rows gain 0 to `WEIGHT`, so that no row drops behind an unread one. Rows are read as indexed. Only
ranks change; the shown cosine stays (spec inner_voice.retrieve; ruling C20).
Source: DESIGN 5 "Re-ranking"; `python -m bench.locomo --rerank` measures the constants.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from voice.core.messages import asking as messages
from voice.core.records import Observation, Row, Thought
from voice.core.retrieval.indexed_text import indexed_text
from voice.core.retrieval.ranking import PLACES, unit_score
from voice.core.retrieval.selection import choose
from voice.core.retrieval.values import Candidate, RetrieveParams

BEST: Final = 30
"""Rows that are read: about 0.3 s of CPU."""
WEIGHT: Final = 0.3
"""Maximum gain, on the scale of a fused rank."""
SOFTNESS: Final = 3.0
"""Logit difference that multiplies the odds of an answer by e."""
BOOST: Final = "reranker"
"""Name of the boost in the explain form."""
UNREAD: Final = messages.RERANKER_TIMED_OUT
_LEAST: Final = -50.0
_ALMOST_ONE: Final = 0.999_999


def placed_text(row: Row, text: str) -> str:
    """Return a row as a re-ranker reads it; `text` is the rendering of an entity or relation."""
    return indexed_text(row, {}) if isinstance(row, Thought | Observation) else text


def best_of(params: RetrieveParams, candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Return the rows to read, best first: the choice with `top_k=BEST`."""
    return choose(replace(params, top_k=BEST), candidates).allocation.chosen


def gain(logit: float) -> float:
    """Return the gain for a logit, 0 to `WEIGHT`."""
    return round(WEIGHT / (1.0 + math.exp(-max(logit / SOFTNESS, _LEAST))), PLACES)


def with_gains(candidates: Iterable[Candidate], logits: Mapping[str, float]) -> tuple[Candidate, ...]:
    """Add the gains to the candidates that were read; `logits` are by row id."""
    return tuple(_raised(each, logits[each.row.id]) if each.row.id in logits else each for each in candidates)


def _raised(candidate: Candidate, logit: float) -> Candidate:
    more = gain(logit)
    return replace(
        candidate,
        rank_score=round(candidate.rank_score + more, PLACES),
        boosts=(*candidate.boosts, (BOOST, more)),
    )


def raised_score(score: float, logit: float) -> float:
    """Apply a logit's gain to a score in [0, 1] that is a mapped rank."""
    within = min(score, _ALMOST_ONE)
    return max(score, unit_score(within / (1.0 - within) + gain(logit)))
