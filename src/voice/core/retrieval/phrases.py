"""Quoted phrases and literal words that must stand in a text.

Law: the words of a question rank; only what it quotes filters, and a row passes when it holds one of the quoted phrases
whole, in any case and spacing (ruling E). Whose row it is counts as its text: a quoted name finds who said it.

The very words somebody looks for, and where they stand in a text. Each word, and each phrase between quotation marks,
must stand in a text as it was typed, in any case, spacing and Unicode form, and as whole words; nothing is stemmed,
ranked or left out as too common. A place is told in code points of the text as it is stored. A note lies under a path
where the path's steps are steps of its place, one behind the other.

Source: spec nlq, 1; rulings E, A10; DESIGN 8 Web (sources browser); rulings A10, C13.
"""

import re
from collections.abc import Iterable, Iterator
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


_PARTS: Final = late_pattern(r"[\"“”„«»](?P<phrase>[^\"“”„«»]++)[\"“”„«»]?|(?P<word>[^\s\"“”„«»]++)")
_CLUSTERS: Final = late_pattern(r"\X")
_MOST_PARTS: Final = 20
_SECTION: Final = re.compile(r"#[^/#]*\Z")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class LiteralQuery:
    """Words that must all stand in a text."""

    parts: tuple[str, ...]
    """Each word and phrase, in normal form."""
    patterns: "tuple[regex.Pattern[str], ...]"

    def holds(self, normal: str) -> bool:
        """Return whether a text has all of it.

        Args:
            normal: the text in normal form (`norm_v1`).
        """
        return all(part in normal for part in self.parts) and all(each.search(normal) for each in self.patterns)

    def spans(self, text: str) -> tuple[Span, ...]:
        """Return where its words stand in a text, in their order; those that touch or overlap are one."""
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
    """Return what was typed as words that must be there.

    Args:
        words: words, and phrases between quotation marks.

    Raises:
        InvalidParams: nothing in it can be looked for, or it is too much.
    """
    found = dict(pattern for each in _parts(words) if (pattern := phrase_pattern(each)) is not None)
    if not found:
        raise InvalidParams(messages.SEARCH_EMPTY)
    if len(found) > _MOST_PARTS:
        raise InvalidParams(messages.search_too_long(_MOST_PARTS))
    return LiteralQuery(tuple(found), tuple(found.values()))


def _parts(words: str) -> Iterator[str]:
    for match in _PARTS.finditer(words):
        yield str(match["phrase"] or match["word"])


def _folded(text: str) -> tuple[str, list[int], list[int]]:
    """Return a text in normal form, and of each of its characters where what it was made of begins and ends."""
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
    """Return whether a note lies in a folder, or is a file, that somebody names.

    Args:
        place: where an import found it, e.g. `Garden/Gate.md#2`; None: nowhere.
        path: the file or folder, or its last steps, in any case.
    """
    wanted = _steps(path)
    if place is None or not wanted:
        return not wanted
    there = _steps(_SECTION.sub("", place))
    return any(there[at : at + len(wanted)] == wanted for at in range(len(there) - len(wanted) + 1))


def _steps(path: str) -> list[str]:
    return [step for step in norm_v1(path.replace("\\", "/")).split("/") if step not in ("", ".")]
