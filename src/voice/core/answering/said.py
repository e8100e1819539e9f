"""Whether what was said in conversations answers a question.

Law: one sum of seven figures decides over a line, as for notes (`voice.core.answering.rule`): how much the best
sentence says of whom is asked about, how much the best one says of anybody else, the rarest word that is told nowhere
of them, the best cosine, the best one of what says more of somebody else, how much more the first row says of whom is
asked about than of others, and whether a day is asked for, which every message has. It was fitted on five long
conversations by `python -m bench.said`; what it is worth on a conversation that it was not fitted on is in
docs/grounding-measured.md, "Answerability".

Source: DESIGN 5; ruling D5 ("evidence about another does not count").
"""

from collections.abc import Mapping, Sequence
from typing import Final

from voice.core.answering import rule
from voice.core.answering.rule import Judged
from voice.core.grounding.answerability.asked import asked_kinds
from voice.core.grounding.answerability.fit import Fit, Reading
from voice.core.grounding.answerability.passages import MOST_READ
from voice.core.grounding.values import Evidence
from voice.core.retrieval.passages import Passage

_HEAVIEST: Final = 5.0
"""The weight of the rarest word."""
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
WEIGHTS_BY_WORDS: Final[Mapping[str, float]] = {
    "bias": -0.5,
    "own": 2.2,
    "others": -2.31,
    "untold": -1.61,
    "ahead": 1.57,
    "asks_when": 1.91,
}
"""The weights where the cosines are of an encoder that the others are not fitted to."""
LINE: Final = 0.0
"""The least sum with which what was said answers."""
_LINE_OF_ANYBODY: Final = 1.0
"""The least where nobody who speaks is asked about: what is said of others cannot speak against an answer. It is set by
hand: the conversations it could be fitted on hold ten such questions."""
READ: Final = 30
"""Rows that a question is read over."""


def judge_said(
    question: str, passages: Sequence[Passage], rows: Sequence[Evidence], *, is_calibrated: bool = True
) -> tuple[Judged, ...]:
    """Return what was said with how well it answers, over `rule.LINE` where it does: the best first, as it was found.

    Nothing where a question names nobody who speaks and not much speaks for an answer: it may be one of the notes.

    Args:
        question: the person's, without its time, with what it leans on.
        passages: what was found, the best first.
        rows: the same and what was found besides, the best first.
        is_calibrated: whether the cosines are of the encoder that the weights were fitted with.
    """
    reading = Reading.of(question[:MOST_READ], rows[:READ])
    score = score_of(features(question, reading), WEIGHTS if is_calibrated else WEIGHTS_BY_WORDS)
    if not reading.asked.telling or not (reading.asked.is_of_who_speaks or score > _LINE_OF_ANYBODY):
        return ()
    score += rule.LINE - LINE
    beside = min(score, rule.BESIDE)
    return tuple(
        Judged(passage=passage, score=score if place < rule.MOST else beside) for place, passage in enumerate(passages)
    )


def features(question: str, reading: Reading) -> dict[str, float]:
    """Return the figures that are added up, by name.

    Args:
        question: the person's, without its time, with what it leans on.
        reading: of the same, over what was found.
    """
    asked, fit = reading.asked, reading.fit
    of_rows = [(row.score, *shares) for row, shares in _by_row(fit)]
    return {
        "own": max((own for _, own, _ in of_rows), default=0.0),
        "others": max((others for _, _, others in of_rows), default=0.0),
        "untold": max((asked.telling[stem] for stem in fit.lacking), default=0.0) / _HEAVIEST,
        "cosine": max((score for score, _, _ in of_rows), default=0.0),
        "cosine_of_others": max((score for score, own, others in of_rows if others > own), default=0.0),
        "ahead": next((own - others for _, own, others in of_rows), 0.0),
        "asks_when": float("time" in asked_kinds(question)),
    }


def _by_row(fit: Fit) -> Sequence[tuple[Evidence, tuple[float, float]]]:
    """Return each row, the best first, with the shares that its best sentences say of the subject and of others."""
    best: dict[str, tuple[Evidence, tuple[float, float]]] = {}
    for each in fit.sentences:
        row = each.passage.row
        own, others = best[row.alias][1] if row.alias in best else (0.0, 0.0)
        best[row.alias] = (row, (max(own, each.own), max(others, each.others)))
    return list(best.values())


def score_of(told: Mapping[str, float], weights: Mapping[str, float] = WEIGHTS) -> float:
    """Return the sum; over `LINE` what was said answers."""
    return weights["bias"] + sum(weights.get(name, 0.0) * figure for name, figure in told.items())
