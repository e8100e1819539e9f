"""Quoted phrases and literal search terms in texts.

Law: words of a question rank; only its quoted phrases filter, ignoring case and spacing (ruling E); the speaker's name
counts as text. Literal search requires every word and phrase, as whole words, without stemming; spans are code points
of the stored text. A path matches consecutive steps of a note's place.

Source: spec nlq, 1; rulings E, A10, C13; DESIGN 8 Web (sources browser).
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import regex

from voice.core.errors import InvalidParams
from voice.core.messages import asking as messages
from voice.core.records import Observation, Thought
from voice.core.retrieval.values import Candidate
from voice.core.text.lazy import late_pattern
from voice.core.text.normalise import norm_v1

_BEGINS = r"(?:(?<![\p{L}\p{N}])|(?<=\p{Lo}))"
_ENDS = r"(?:(?![\p{L}\p{N}])|(?=\p{Lo}))"
"""Word boundary; scripts without spaces have none."""

_STOPS = ".,;: "
"""Punctuation often put inside the closing quotation mark."""


def holding(
    candidates: Iterable[Candidate], phrases: Iterable[str]
) -> tuple[tuple[Candidate, ...], tuple[Candidate, ...]]:
    """Partition candidates by whether they contain one of the phrases; without phrases all do."""
    wanted = [found[1] for found in map(phrase_pattern, phrases) if found is not None]
    holders: list[Candidate] = []
    others: list[Candidate] = []
    for candidate in candidates:
        text = norm_v1(_said(candidate)) if wanted else ""
        (holders if not wanted or any(pattern.search(text) for pattern in wanted) else others).append(candidate)
    return tuple(holders), tuple(others)


def unheld(candidates: Iterable[Candidate], phrases: Iterable[str]) -> tuple[str, ...]:
    """Return the phrases that no candidate contains; phrases without a word are ignored."""
    return missing_phrases(map(_said, candidates), phrases)


def missing_phrases(texts: Iterable[str], phrases: Iterable[str]) -> tuple[str, ...]:
    """Return the phrases that no text contains; phrases without a word are ignored."""
    wanted = {phrase: found[1] for phrase in phrases if (found := phrase_pattern(phrase)) is not None}
    for text in map(norm_v1, texts if wanted else ()):
        wanted = {phrase: pattern for phrase, pattern in wanted.items() if pattern.search(text) is None}
    return tuple(wanted)


def phrase_pattern(phrase: str) -> "tuple[str, regex.Pattern[str]] | None":
    """Return a phrase's normal form with its pattern for normalised text; None if it has no word."""
    normal = norm_v1(phrase).rstrip(_STOPS)
    if not normal:
        return None
    begins = _BEGINS if normal[0].isalnum() else ""
    ends = _ENDS if normal[-1].isalnum() else ""
    return normal, late_pattern(f"{begins}{regex.escape(normal)}{ends}")


def _said(candidate: Candidate) -> str:
    row = candidate.row
    speaker = row.speaker if isinstance(row, Thought | Observation) else None
    return f"{speaker}: {candidate.text}" if speaker else candidate.text


_PARTS: Final = late_pattern(r"[\"“”„«»](?P<phrase>[^\"“”„«»]++)[\"“”„«»]?|(?P<word>[^\s\"“”„«»]++)")
_CLUSTERS: Final = late_pattern(r"\X")
_MOST_PARTS: Final = 20
_SECTION: Final = re.compile(r"#[^/#]*\Z")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class LiteralQuery:
    """Terms that a text must all contain."""

    parts: tuple[str, ...]
    """Words and phrases in normal form."""
    patterns: "tuple[regex.Pattern[str], ...]"

    def holds(self, normal: str) -> bool:
        """Return whether a text contains all terms; `normal` is in normal form (`norm_v1`)."""
        return all(part in normal for part in self.parts) and all(each.search(normal) for each in self.patterns)

    def spans(self, text: str) -> tuple[Span, ...]:
        """Return the terms' spans in a text, in order; touching or overlapping ones are merged."""
        folded, starts, ends = _folded(text)
        found = sorted(match.span() for pattern in self.patterns for match in pattern.finditer(folded))
        merged: list[Span] = []
        for start, end in ((starts[start], ends[end - 1]) for start, end in found):
            if merged and start <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(merged[-1][1], end))
            else:
                merged.append((start, end))
        return tuple(merged)


def parse_literal(words: str) -> LiteralQuery:
    """Parse search terms: words, and phrases in quotation marks.

    Raises:
        InvalidParams: no term, or too many.
    """
    parts = (str(match["phrase"] or match["word"]) for match in _PARTS.finditer(words))
    found = dict(pattern for each in parts if (pattern := phrase_pattern(each)) is not None)
    if not found:
        raise InvalidParams(messages.SEARCH_EMPTY)
    if len(found) > _MOST_PARTS:
        raise InvalidParams(messages.search_too_long(_MOST_PARTS))
    return LiteralQuery(tuple(found), tuple(found.values()))


def _folded(text: str) -> tuple[str, list[int], list[int]]:
    """Return the normal form of a text, and for each of its characters the source span."""
    folded: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for match in _CLUSTERS.finditer(text):
        cluster = match[0]
        piece = " " if cluster.isspace() else norm_v1(cluster)
        if piece == " " and folded and folded[-1] == " ":
            ends[-1] = match.end()
            continue
        folded.extend(piece)
        starts.extend([match.start()] * len(piece))
        ends.extend([match.end()] * len(piece))
    return "".join(folded), starts, ends


def is_under(place: str | None, path: str) -> bool:
    """Return whether a note is in a folder, or is the file, that `path` names.

    Args:
        place: from the import, e.g. `Garden/Gate.md#2`; None: none.
        path: the file or folder, or its last steps, in any case.
    """
    wanted = _steps(path)
    if place is None or not wanted:
        return not wanted
    there = _steps(_SECTION.sub("", place))
    return any(there[at : at + len(wanted)] == wanted for at in range(len(there) - len(wanted) + 1))


def _steps(path: str) -> list[str]:
    return [step for step in norm_v1(path.replace("\\", "/")).split("/") if step not in ("", ".")]
