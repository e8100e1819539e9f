"""Passages of a time: "Show me frustrated thoughts from yesterday", "Last month's proud moments".

Law: a question that names a time and asks for what was told in it, not for a fact, is answered by the passages of that
time that hold what it names, the best first. A word of mood or kind ranks them; who or what is named has to be there.
One for a fact is answered by a passage of its time that holds all its telling words, whatever the rule says.

Source: spec nlq, Test These Queries First; ruling E.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from voice.core.answering.identifiers import Identifiers
from voice.core.answering.note_rule import THRESHOLD, Judged
from voice.core.answering.question_terms import term_weights
from voice.core.grounding.answerability.evidence_sentences import MOST_READ
from voice.core.grounding.answerability.term_overlap import credit_of
from voice.core.retrieval.passages import Passage
from voice.core.text.number_words import ONES
from voice.core.text.words import Word, stems_in, words

MAX_PASSAGES: Final = 5
"""The most passages to give if the question names no number."""
_WHOLE: Final = THRESHOLD + 0.01
"""The least score of a passage that holds all telling words of the question."""
_HALF: Final = 0.5
"""The least share of the question's telling words that the best passage holds if the question names nobody…"""
_HELD: Final = 0.5
"""…and the least credit for a word that counts as held, itself or by a synonym."""


def passages_in_window(
    question: str, identifiers: Identifiers, passages: Sequence[Passage], *, most: int = MAX_PASSAGES
) -> tuple[Passage, ...]:
    """Return the passages asked for, those that hold most of the question first; none if none holds enough.

    Args:
        question: the person's, without its time.
        identifiers: whom and what it names.
        passages: of its time, the best first.
        most: how many of them are wanted.
    """
    question = question[:MOST_READ]
    named = {key for name in identifiers.names for key in name.own.keys}
    telling = term_weights(question)
    weights = {
        word.stem: telling[word.stem] for word in words(question) if _tells(word, named) and word.stem in telling
    }
    held = [(_share(weights, passage), passage) for passage in passages if not identifiers.is_missing_from(passage)]
    best = max((share for share, _ in held), default=0.0)
    if weights and not (best > 0 if named else best >= _HALF):
        return ()
    ranked = sorted(held, key=lambda one: -one[0])
    return tuple(passage for share, passage in ranked if share > 0 or named or not weights)[:most]


def with_whole_matches(question: str, judged: Sequence[Judged]) -> tuple[Judged, ...]:
    """Return judged passages of the time that a question names; one that holds all its telling words answers it.

    Args:
        question: the person's, without its time, with the question it refers back to.
        judged: passages of its time, the best first.
    """
    telling = term_weights(question).keys()

    def is_whole(one: Judged) -> bool:
        return bool(telling) and one.score > -math.inf and telling <= stems_in(one.passage.placed_text)

    scored = (replace(one, score=max(one.score, _WHOLE)) if is_whole(one) else one for one in judged)
    return tuple(sorted(scored, key=lambda one: -one.score))


def _tells(word: Word, named: set[str]) -> bool:
    return word.key not in named and word.key not in ONES


def _share(weights: Mapping[str, float], passage: Passage) -> float:
    """Return the share of a question's telling words that a passage holds."""
    held = stems_in(passage.placed_text)
    total = sum(weights.values())
    return sum(weight for stem, weight in weights.items() if credit_of(stem, held) >= _HELD) / total if total else 0.0
