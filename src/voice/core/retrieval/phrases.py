"""What is quoted must be there.

Law: the words of a question rank; only what it quotes filters, and a row passes when it holds one of the quoted phrases
whole, in any case and spacing (ruling E). Whose row it is counts as its text: a quoted name finds who said it.

Source: spec nlq, 1; rulings E, A10.
"""

from collections.abc import Iterable

import regex

from voice.core.records import Observation, Thought
from voice.core.retrieval.values import Candidate
from voice.core.text.lazy import late_pattern
from voice.core.text.normalise import norm_v1

_BEGINS = r"(?:(?<![\p{L}\p{N}])|(?<=\p{Lo}))"
_ENDS = r"(?:(?![\p{L}\p{N}])|(?=\p{Lo}))"
"""A phrase ends where its word does; scripts that are written without spaces have no such edge."""

_STOPS = ".,;: "
"""Many people close a quotation after the sentence's own stop: "the old kiln."."""


def holding(
    candidates: Iterable[Candidate], phrases: Iterable[str]
) -> tuple[tuple[Candidate, ...], tuple[Candidate, ...]]:
    """Return the candidates that hold one of the phrases, and the others; all hold where no phrase is asked for."""
    wanted = [found[1] for found in map(phrase_pattern, phrases) if found is not None]
    holders: list[Candidate] = []
    others: list[Candidate] = []
    for candidate in candidates:
        text = _said(candidate) if wanted else ""
        (holders if not wanted or any(pattern.search(text) for pattern in wanted) else others).append(candidate)
    return tuple(holders), tuple(others)


def unheld(candidates: Iterable[Candidate], phrases: Iterable[str]) -> tuple[str, ...]:
    """Return the phrases that none of the candidates holds, as they were written; one without a word is none of them.

    Args:
        candidates: whatever was looked at.
        phrases: what a question quotes.
    """
    wanted = {phrase: found[1] for phrase in phrases if (found := phrase_pattern(phrase)) is not None}
    for text in map(_said, candidates if wanted else ()):
        wanted = {phrase: pattern for phrase, pattern in wanted.items() if pattern.search(text) is None}
    return tuple(wanted)


def phrase_pattern(phrase: str) -> "tuple[str, regex.Pattern[str]] | None":
    """Return a phrase in normal form, and what finds it whole in a text in normal form; None where it has no word."""
    normal = norm_v1(phrase).rstrip(_STOPS)
    if not normal:
        return None
    begins = _BEGINS if normal[0].isalnum() else ""
    ends = _ENDS if normal[-1].isalnum() else ""
    return normal, late_pattern(f"{begins}{regex.escape(normal)}{ends}")


def _said(candidate: Candidate) -> str:
    row = candidate.row
    speaker = row.speaker if isinstance(row, Thought | Observation) else None
    return norm_v1(f"{speaker}: {candidate.text}" if speaker else candidate.text)
