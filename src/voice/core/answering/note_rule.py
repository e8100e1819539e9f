"""The rule that decides whether a passage of the notes answers a question.

Law: one sum of a few figures that a person understands decides, over a line; it has weights of its own where no
re-ranker reads. They were fitted by `python -m bench.note_rule` (docs/benchmarks.md, "Answers from real
vaults"), but for `own`, which is set by hand: these vaults hold too few such questions. A passage that lacks whom or
what the question names answers nothing (`identifiers`): "boat number 12" is not boat number 3. Neither does one
without an amount where a question asks how much or how many. Nothing in a sum grows with the memory (such as how rare
words are in it): in a memory of three notes nothing would ever answer.

Source: DESIGN 6 "Asking costs less than guessing"; ruling D5.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from voice.core.answering.question_target import QuestionTarget
from voice.core.answering.question_terms import term_weights
from voice.core.grounding.answerability.answer_types import Amount, answer_types, holds_amount
from voice.core.records import Entity, Thought
from voice.core.retrieval.passages import Passage
from voice.core.retrieval.values import Candidate
from voice.core.text.background import HEAVIEST
from voice.core.text.words import stems_in

_NOTHING: Final = -11.0
"""The logit of a passage that has nothing to do with a question."""
THRESHOLD: Final = -1.15
"""The least sum with which a passage answers."""
BESIDE_THRESHOLD: Final = -2.15
"""The least sum with which a passage is given beside one that answers."""
MAX_PASSAGES: Final = 3
"""The most passages of an answer."""
WEIGHTS: Final[Mapping[str, float]] = {
    "bias": -2.408,
    "cosine": 1.078,
    "share": 0.284,
    "heaviest_missing": -0.167,
    "terms": 0.184,
    "reranked": 0.224,
    "margin": 0.596,
    "reranked_well": 0.625,
    "own": 0.7,
}
WEIGHTS_WITHOUT_RERANKER: Final[Mapping[str, float]] = {
    "bias": -3.56,
    "cosine": 2.89,
    "share": 0.84,
    "heaviest_missing": -0.8,
    "terms": 0.56,
    "own": 0.7,
}
"""The weights where no re-ranker reads; their bias is such that all have one line."""
WEIGHTS_WITHOUT_COSINES: Final[Mapping[str, float]] = {
    "bias": -2.8,
    "share": 1.41,
    "heaviest_missing": -1.04,
    "terms": 0.9,
    "own": 0.7,
}
"""The weights where words alone tell: nothing was compared, or by an encoder whose cosines these are not fitted to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A passage and its score."""

    passage: Passage
    score: float
    """Above `THRESHOLD` it answers the question."""
    is_certain: bool = False
    """Whether it certainly answers; then the answer holds only such passages."""


def features(telling: Mapping[str, float], passage: Passage, *, is_own: bool = False) -> dict[str, float]:
    """Return the rule's figures without a re-ranker, by name.

    Args:
        telling: `term_weights` of the question.
        passage: a candidate for the answer.
        is_own: whether the owner says of themselves what the question asks for.
    """
    hit = passage.hit
    held = stems_in(passage.placed_text)
    total = sum(telling.values())
    missing = [weight for stem, weight in telling.items() if stem not in held]
    return {
        "cosine": hit.cosine or 0.0,
        "share": 1 - sum(missing) / total if total else 0.5,
        "heaviest_missing": max(missing, default=0.0) / HEAVIEST,
        "terms": math.log1p(len(telling)),
        "own": float(is_own),
    }


def reranker_features(logit: float, others: float) -> dict[str, float]:
    """Return the re-ranker's figures, by name.

    Args:
        logit: the passage's logit.
        others: the highest logit of the other passages.
    """
    return {
        "reranked": logit / 5,
        "margin": min(max((logit - others) / 5, -1.0), 1.0),
        "reranked_well": max(logit, 0.0) / 5,
    }


def judge_passages(
    question: str,
    passages: Sequence[Passage],
    reranked: Sequence[float] | None,
    target: QuestionTarget,
    *,
    is_calibrated: bool = True,
) -> tuple[Judged, ...]:
    """Return the passages with their scores, the best first.

    Args:
        question: the question without its time, with the question it refers back to.
        passages: the candidates.
        reranked: the re-ranker's logit of each; None without a re-ranker.
        target: whom and what the question is about; a passage about something else answers nothing.
        is_calibrated: whether the cosines come from the encoder that the weights were fitted with.
    """
    telling = term_weights(question)
    is_compared = is_calibrated and any(passage.hit.cosine is not None for passage in passages)
    weights = WEIGHTS if reranked is not None else WEIGHTS_WITHOUT_RERANKER if is_compared else WEIGHTS_WITHOUT_COSINES
    amounts: list[Amount] = [kind for kind in answer_types(question) if kind != "time"]
    judged: list[Judged] = []
    for place, passage in enumerate(passages):
        told = features(telling, passage, is_own=target.is_stated_by_owner(passage))
        if reranked is not None:
            others = max((each for at, each in enumerate(reranked) if at != place), default=_NOTHING)
            told |= reranker_features(reranked[place], others)
        is_silent = any(not holds_amount(kind, passage.placed_text) for kind in amounts)
        score = math.inf if is_sole_subject(telling, passage.hit) else weighted_sum(weights, told)
        judged.append(Judged(passage=passage, score=-math.inf if is_silent or target.is_missed_by(passage) else score))
    return tuple(sorted(judged, key=lambda one: -one.score))


def is_sole_subject(telling: Mapping[str, float], found: Candidate) -> bool:
    """Return whether a row is an entity of the graph and the question is about nothing else."""
    row = found.row
    if not isinstance(row, Entity) or not telling:
        return False
    return telling.keys() <= stems_in(" ".join((row.name, *row.aliases)))


def weighted_sum(weights: Mapping[str, float], told: Mapping[str, float]) -> float:
    """Return the weighted sum of the figures, with the bias."""
    return weights["bias"] + sum(weights.get(name, 0.0) * figure for name, figure in told.items())


def chosen_passages(judged: Sequence[Judged], *, sources: int) -> tuple[Passage, ...]:
    """Return the passages to answer with, the best first; none if the best is below the line or too few notes answer.

    What says something of the question is given beside the best; what does not, where an answer needs more notes.

    Args:
        judged: the candidates, the best first.
        sources: how many different notes an answer needs.
    """
    if not judged or judged[0].score <= THRESHOLD:
        return ()
    is_certain = judged[0].is_certain
    chosen = [
        one.passage for one in judged[:MAX_PASSAGES] if (one.is_certain if is_certain else one.score > BESIDE_THRESHOLD)
    ]
    told = [_notes_of(passage) for passage in chosen]
    for one in judged[len(chosen) :]:
        notes = _notes_of(one.passage)
        if _distinct(told) < sources and one.score > -math.inf and all(map(notes.isdisjoint, told)):
            chosen.append(one.passage)
            told.append(notes)
    return tuple(chosen) if _distinct(told) >= sources else ()


def _distinct(told: Sequence[Collection[str]]) -> int:
    """Return how many distinct notes passages rest on."""
    counted: set[str] = set()
    number = 0
    for notes in told:
        number += counted.isdisjoint(notes)
        counted.update(notes)
    return number


def _notes_of(passage: Passage) -> set[str]:
    """Return the thoughts that a passage rests on."""
    rows = (each.row for each in passage.rows)
    return {place.thought_id for row in rows if not isinstance(row, Thought) for place in row.provenance}
