"""How a question is taken: what its stance changes, and what a follow-up takes from the question before it.

Law: a stance changes the prompt and the default temperature, nothing of the contract. What a follow-up leans on is
searched for; what it is judged by is the person's own question, with topics of the one before it but none of its names:
whoever asks "And Tom?" asks nothing about Ada any more (ruling D5).

Source: DESIGN 1; rulings A5, D5; spec stateful-design-v2, 6 (0.8); spec nlq, 7 (0.2).
"""

from collections.abc import Iterable, Sequence

from voice.core.grounding.passages import speaker_of
from voice.core.grounding.values import Evidence, Stance
from voice.core.grounding.who import asked_names
from voice.core.text.words import words

PROMPT_OF_STANCE = {Stance.SYNTHESIZE: "answer", Stance.CHALLENGE: "challenge", Stance.QUESTION: "question"}
TEMPERATURE_OF_STANCE = {Stance.SYNTHESIZE: 0.2, Stance.CHALLENGE: 0.8, Stance.QUESTION: 0.8}


def temperature_of(stance: Stance, setting: float | None) -> float:
    """Return the temperature of a call: the setting where one was given, else the stance's own (ruling A5)."""
    return TEMPERATURE_OF_STANCE[stance] if setting is None else setting


LEANS_BELOW = 2
"""A question with fewer content terms and named entities leans on the one before it."""


def search_text(question: str, *, content_terms: int, previous: str | None) -> str:
    """Return what to search for: a follow-up of fewer than two content terms leans on the question before it.

    Args:
        question: as the person asked it, without its time.
        content_terms: content terms and named entities in `question`.
        previous: the last answered question of the session, if any.
    """
    return question if previous is None or content_terms >= LEANS_BELOW else f"{previous}\n{question}"


def judged_text(
    question: str, *, content_terms: int, previous: str | None, evidence: Sequence[Evidence], names: Iterable[str]
) -> str:
    """Return what evidence and draft are judged by: the question, and the topics that a follow-up leans on.

    Args:
        question: as the person asked it, without its time.
        content_terms: content terms and named entities in `question`.
        previous: the last answered question of the session, if any.
        evidence: the rows that were found; whom they name is no topic.
        names: names of the graph's entities and their aliases.
    """
    if previous is None or content_terms >= LEANS_BELOW:
        return question
    topics = _topics(previous, evidence, names)
    return f"{question}\n{' '.join(topics)}" if topics else question


def _topics(previous: str, evidence: Sequence[Evidence], names: Iterable[str]) -> list[str]:
    """Return the content words of a question in lower case, each once, without names and numbers."""
    found = words(previous)
    named = {word.key for word in asked_names(previous, found, evidence)}
    known = (*names, *(speaker_of(row) or "" for row in evidence))
    named |= {word.key for name in known for word in words(name) if word.is_capital}
    topics = (word.text.lower() for word in found if not word.is_stop and not word.is_number and word.key not in named)
    return list(dict.fromkeys(topics))
