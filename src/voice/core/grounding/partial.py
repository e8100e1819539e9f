"""A reply of which only the beginning has come.

Law: it is read as far as what is closed in it, and never guessed at. Whatever is told of the beginning is told of the
whole reply, too, provided that it goes on as the one JSON object that was opened; a reply that begins otherwise tells
nothing, and is read when it is whole. Each character is looked at once, however small the pieces are, and none behind
the list of sources.

Source: docs/streaming.md; rulings A3, D8; `voice.core.grounding.draft`, which reads whole replies.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from voice.core.grounding.draft import object_of, spoken

_CLOSES: Final = {"{": "}", "[": "]"}
_IN_STRING: Final = re.compile(r'["\\]')
_BETWEEN: Final = re.compile(r'["{}\[\]]')
_IN_A_SOURCE: Final = 3
"""How many brackets are open in a source of the list: the draft's, the list's, its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Partial:
    """What has come so far."""

    value: Mapping[str, object] = field(default_factory=dict[str, object], repr=False)
    """The members of the draft that are closed; of an open list of sources its items, of an open item its members."""
    has_all_sources: bool = False
    """Whether the list of sources is closed; nothing is read behind it."""
    text: str = field(default="", repr=False)
    """What came; from the object on, once there is one, and nothing any more once all sources are known."""
    at: int = 0
    """Up to where it was looked at."""
    open: str = ""
    """The brackets that would close what is open, the outermost first."""
    in_string: bool = False
    is_escaped: bool = False

    def read(self, piece: str) -> "Partial":
        """Return what is known once `piece` has come, too."""
        if self.has_all_sources:
            return self
        grown = replace(self, text=self.text + piece)
        return _looked_at(grown if self.at else _begun(grown))


def _begun(partial: Partial) -> Partial:
    """Return the reply from its object on, where that has begun."""
    body = spoken(partial.text)
    start = body.find("{")
    if start < 0 or body.startswith(("[", "<")):
        return partial
    tail = partial.text[len(partial.text.rstrip()) :]
    return replace(partial, text=body[start:] + tail, at=1, open="}")


def _looked_at(partial: Partial) -> Partial:
    """Return what is known once every character was looked at that has come."""
    while partial.open and partial.at < len(partial.text) and not partial.has_all_sources:
        partial = _next(partial)
    return partial


def _next(partial: Partial) -> Partial:
    """Return the reply read up to and with the next sign that means something."""
    found = (_IN_STRING if partial.in_string else _BETWEEN).search(partial.text, partial.at)
    at = partial.at if partial.is_escaped else found.start() if found else len(partial.text)
    if at == len(partial.text):
        return replace(partial, at=at)
    char, moved = partial.text[at], replace(partial, at=at + 1)
    if partial.in_string:
        return _in_string(moved, char)
    if char == '"':
        return replace(moved, in_string=True)
    if char in _CLOSES:
        return replace(moved, open=partial.open + _CLOSES[char])
    if char == partial.open[-1]:
        return _closed(replace(moved, open=partial.open[:-1]))
    return moved


def _in_string(moved: Partial, char: str) -> Partial:
    if moved.is_escaped or char == "\\":
        return replace(moved, is_escaped=not moved.is_escaped)
    ended = replace(moved, in_string=False)
    return _told(ended) if len(ended.open) == _IN_A_SOURCE else ended


def _closed(moved: Partial) -> Partial:
    """Return what is known once a bracket was closed: with a list, perhaps that of the sources."""
    if len(moved.open) != 1:
        return moved
    told = _told(moved)
    return replace(told, has_all_sources=True, text="") if "sources" in told.value else told


def _told(moved: Partial) -> Partial:
    """Return the members there are, where what has come is an object as soon as its brackets are closed.

    It is none between a key and its value.
    """
    value = object_of(moved.text[: moved.at] + moved.open[::-1])
    return moved if value is None else replace(moved, value=value)
