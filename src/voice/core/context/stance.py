"""What a stance changes: the prompt, the default temperature, nothing of the contract.

Source: DESIGN 1; ruling A5; spec stateful-design-v2, 6 (0.8); spec nlq, 7 (0.2).
"""

from voice.core.grounding.values import Stance

PROMPT_OF_STANCE = {Stance.SYNTHESIZE: "answer", Stance.CHALLENGE: "challenge", Stance.QUESTION: "question"}
TEMPERATURE_OF_STANCE = {Stance.SYNTHESIZE: 0.2, Stance.CHALLENGE: 0.8, Stance.QUESTION: 0.8}


def temperature_of(stance: Stance, setting: float | None) -> float:
    """Return the temperature of a call: the setting where one was given, else the stance's own (ruling A5)."""
    return TEMPERATURE_OF_STANCE[stance] if setting is None else setting


def search_text(question: str, *, content_terms: int, previous: str | None) -> str:
    """Return what to search for: a follow-up of fewer than two content terms leans on the question before it.

    Args:
        content_terms: content terms and named entities in `question`.
        previous: the last answered question of the session, if any.
    """
    return question if previous is None or content_terms >= 2 else f"{previous}\n{question}"
