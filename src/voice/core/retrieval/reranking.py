"""The order of what was found after a re-ranker read the best of it together with the question.

Law: the best `BEST` are read, and each gains from nothing to `WEIGHT` by how well it answers, so that what was read is
never put behind what was not, however it answers. A row is read as it is indexed: with its date, its context path and
who said it. What is shown as the cosine stays; only ranks change (spec inner_voice.retrieve; ruling C20).

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
"""What a row gains that surely answers, on the scale of a fused rank."""
SOFTNESS: Final = 3.0
"""Logits apart that make the odds of an answer e times as high."""
BOOST: Final = "reranker"
"""What the account calls the gain."""
UNREAD: Final = messages.RERANKER_TIMED_OUT
_LEAST: Final = -50.0
_ALMOST_ONE: Final = 0.999_999


def placed_text(row: Row, text: str) -> str:
    """Return a row as a re-ranker reads it.

    Args:
        text: its rendering, which an entity or a relation is read by.
    """
    return indexed_text(row, {}) if isinstance(row, Thought | Observation) else text


def best_of(params: RetrieveParams, candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Return the candidates to read, best rank first: what would be chosen if `BEST` were asked for.

    Args:
        params: cleaned (`voice.core.retrieval.params`).
        candidates: of all sources, in any order.
    """
    return choose(replace(params, top_k=BEST), candidates).allocation.chosen


def gain(logit: float) -> float:
    """Return what a row gains by its logit, from 0 to `WEIGHT`."""
    return round(WEIGHT / (1.0 + math.exp(-max(logit / SOFTNESS, _LEAST))), PLACES)


def with_gains(candidates: Iterable[Candidate], logits: Mapping[str, float]) -> tuple[Candidate, ...]:
    """Return the candidates, those that were read with their gain.

    Args:
        candidates: in any order.
        logits: by row id, of those that were read.
    """
    return tuple(_raised(each, logits[each.row.id]) if each.row.id in logits else each for each in candidates)


def _raised(candidate: Candidate, logit: float) -> Candidate:
    more = gain(logit)
    return replace(
        candidate,
        rank_score=round(candidate.rank_score + more, PLACES),
        boosts=(*candidate.boosts, (BOOST, more)),
    )


def raised_score(score: float, logit: float) -> float:
    """Return a score in [0, 1], which is a rank brought there, after the rank gained by a logit."""
    within = min(score, _ALMOST_ONE)
    return max(score, unit_score(within / (1.0 - within) + gain(logit)))
