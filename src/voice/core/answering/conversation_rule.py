"""The rule that decides whether a conversation answers a question.

Law: one sum of seven figures decides, as for notes (`voice.core.answering.note_rule`); over 0 a conversation answers.
The figures are how much the best sentence says of whom is asked about, how much the best one says of anybody else, the
rarest word that is told nowhere of them, the best cosine, the best one of what says more of somebody else, how much
more the first row says of whom is asked about than of others, and whether a day is asked for, which every message has.
The weights were fitted on five long conversations by `python -m bench.conversation_rule`; what they are worth on one
that they were not fitted on is in docs/grounding-measured.md, "Answerability".

Source: DESIGN 5; ruling D5 ("evidence about another does not count").
"""

from collections.abc import Mapping, Sequence
from typing import Final

from voice.core.answering.note_rule import BESIDE_THRESHOLD, MAX_PASSAGES, THRESHOLD, Judged, weighted_sum
from voice.core.grounding.answerability.answer_types import answer_types
from voice.core.grounding.answerability.evidence_fit import EvidenceFit
from voice.core.grounding.answerability.evidence_sentences import MOST_READ
from voice.core.grounding.values import Evidence
from voice.core.retrieval.passages import Passage
from voice.core.text.background import HEAVIEST

WEIGHTS: Final[Mapping[str, float]] = {
    "bias": -3.95,
    "own": 1.92,
    "others": -1.7,
    "untold": -1.31,
    "cosine": 6.48,
    "cosine_of_others": -1.9,
    "ahead": 1.47,
    "asks_when": 1.87,
}
WEIGHTS_WITHOUT_COSINES: Final[Mapping[str, float]] = {
    "bias": -0.5,
    "own": 2.2,
    "others": -2.31,
    "untold": -1.61,
    "ahead": 1.57,
    "asks_when": 1.91,
}
"""The weights where the cosines are of an encoder that the others are not fitted to."""
_LEAST_OF_ANYBODY: Final = 1.0
"""The sum over which what was said answers a question about nobody who speaks: then nothing that is said of others can
speak against it. It is set by hand: the conversations it could be fitted on hold ten such questions."""
ROWS_READ: Final = 30
"""Rows that a question is read over."""


def judge_conversation(
    question: str, passages: Sequence[Passage], rows: Sequence[Evidence], *, is_calibrated: bool = True
) -> tuple[Judged, ...]:
    """Return the messages with their scores, above `THRESHOLD` if they answer, in the order they were found.

    Returns nothing if the question names no speaker and the score is low; then it may be about the notes.

    Args:
        question: the question without its time, with the question it refers back to.
        passages: the candidates, the best first.
        rows: their rows and the other rows that were found, the best first.
        is_calibrated: whether the cosines come from the encoder that the weights were fitted with.
    """
    fit = EvidenceFit.of(question[:MOST_READ], rows[:ROWS_READ])
    weights = WEIGHTS if is_calibrated else WEIGHTS_WITHOUT_COSINES
    score = weighted_sum(weights, features(question, fit))
    if not fit.question.telling or not (fit.question.is_of_who_speaks or score > _LEAST_OF_ANYBODY):
        return ()
    score += THRESHOLD
    beside = min(score, BESIDE_THRESHOLD)
    return tuple(
        Judged(passage=passage, score=score if place < MAX_PASSAGES else beside)
        for place, passage in enumerate(passages)
    )


def features(question: str, fit: EvidenceFit) -> dict[str, float]:
    """Return the rule's figures, by name.

    Args:
        question: the question without its time, with the question it refers back to.
        fit: how well the rows fit the question.
    """
    of_rows = [(row.score, *shares) for row, shares in _by_row(fit)]
    return {
        "own": max((own for _, own, _ in of_rows), default=0.0),
        "others": max((others for _, _, others in of_rows), default=0.0),
        "untold": max((fit.question.telling[stem] for stem in fit.lacking), default=0.0) / HEAVIEST,
        "cosine": max((score for score, _, _ in of_rows), default=0.0),
        "cosine_of_others": max((score for score, own, others in of_rows if others > own), default=0.0),
        "ahead": next((own - others for _, own, others in of_rows), 0.0),
        "asks_when": float("time" in answer_types(question)),
    }


def _by_row(fit: EvidenceFit) -> Sequence[tuple[Evidence, tuple[float, float]]]:
    """Return each row, the best first, with the shares that its best sentences say of the subject and of others."""
    best: dict[str, tuple[Evidence, tuple[float, float]]] = {}
    for each in fit.sentences:
        row = each.sentence.row
        own, others = best[row.alias][1] if row.alias in best else (0.0, 0.0)
        best[row.alias] = (row, (max(own, each.own), max(others, each.others)))
    return list(best.values())
