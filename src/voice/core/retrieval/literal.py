"""The very words somebody looks for, and where they stand in a text.

Law: each word, and each phrase between quotation marks, must stand in a text as it was typed, in any case, spacing and
Unicode form, and as whole words; nothing is stemmed, ranked or left out as too common. A place is told in code points
of the text as it is stored. A note lies under a path where the path's steps are steps of its place, one behind the
other.

Source: DESIGN 8 Web (sources browser); rulings A10, C13.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import regex

from voice.core.errors import InvalidParams
from voice.core.retrieval.phrases import phrase_pattern
from voice.core.text.lazy import late_pattern
from voice.core.text.normalise import norm_v1

_PARTS: Final = late_pattern(r"[\"“”„«»](?P<phrase>[^\"“”„«»]++)[\"“”„«»]?|(?P<word>[^\s\"“”„«»]++)")
_CLUSTERS: Final = late_pattern(r"\X")
_MOST_PARTS: Final = 20
_SECTION: Final = re.compile(r"#[^/#]*\Z")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Literal:
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


def literal_of(words: str) -> Literal:
    """Return what was typed as words that must be there.

    Args:
        words: words, and phrases between quotation marks.

    Raises:
        InvalidParams: nothing in it can be looked for, or it is too much.
    """
    found = dict(pattern for each in _parts(words) if (pattern := phrase_pattern(each)) is not None)
    if not found:
        raise InvalidParams("there is no word to look for; type one")
    if len(found) > _MOST_PARTS:
        raise InvalidParams(f"a search holds at most {_MOST_PARTS} words; put quotation marks around a phrase")
    return Literal(tuple(found), tuple(found.values()))


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
