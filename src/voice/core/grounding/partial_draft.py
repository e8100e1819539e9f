"""Parse a draft's citations while the reply is still streaming.

Law: reads only closed citations, so every finding holds for the complete reply if it stays one JSON object; other
replies yield nothing here. Each character is processed once.
Source: docs/streaming.md; rulings A3, D8; `voice.core.grounding.draft` parses complete replies.
"""

import re
from dataclasses import dataclass, field
from typing import Final

from voice.core.grounding.draft import object_of, source_of
from voice.core.grounding.values import DraftSource

_THINKS: Final = "<think>"
_THOUGHT: Final = "</think>"
_IN_STRING: Final = re.compile(r'"|\\.?', re.DOTALL)  # its end, or an escape
_BETWEEN: Final = re.compile(r'["{}\[\],:]')
# Paths of citation lists: keys, None for a list item. The second is S2's form.
_CITATIONS: Final = (("sentences", None, "sources", None), ("sources", None))
_DEPTHS: Final = frozenset(map(len, _CITATIONS))
_LONGEST_KEY: Final = 80  # none of ours is so long, even with every letter escaped


@dataclass(slots=True)
class _Open:
    """An object or list that is not closed yet."""

    is_list: bool
    start: int
    key: str | None = None  # current member
    value: int = 0  # where the member's value starts; 0: no colon has followed the key


@dataclass(slots=True)
class PartialDraft:
    """Streaming parser of a draft; call `read` with all of the reply so far."""

    is_refusal: bool = False
    """Whether the draft has `"refused": true`."""
    _at: int = 0  # what stands before was read
    _has_begun: bool = False
    _open: list[_Open] = field(default_factory=list[_Open])
    _string: int = 0  # where the open string starts; 0: none is open

    def read(self, text: str) -> tuple[DraftSource, ...]:
        """Return the citations that were completed since the last call."""
        if not self._has_begun:
            start = self._start(text)
            if start < 0:
                return ()
            self._has_begun, self._at = True, start + 1
            self._open.append(_Open(is_list=False, start=start))
        found: list[DraftSource] = []
        while self._open and (sign := self._next_sign(text)):
            if (citation := self._read_sign(sign, text)) is not None:
                found.append(citation)
        return tuple(found)

    def _start(self, text: str) -> int:
        """Return where the object starts, behind byte-order mark, `<think>` block and prose; -1 if it has not yet."""
        begins = len(text) - len(text.lstrip("\ufeff").lstrip())
        if text.startswith(_THINKS, begins):
            thought = text.find(_THOUGHT, max(begins, self._at - len(_THOUGHT)))
            if thought < 0:
                self._at = len(text)
                return -1
            begins = len(text) - len(text[thought + len(_THOUGHT) :].lstrip())
        elif _THINKS.startswith(text[begins:]):  # `<th`: wait for the rest
            return -1
        return -1 if text.startswith("[", begins) else text.find("{", begins)  # a list is no draft

    def _next_sign(self, text: str) -> str:
        """Return the next character that means something, and step behind it; "" if it has not come yet."""
        for sign in (_IN_STRING if self._string else _BETWEEN).finditer(text, self._at):
            self._at = sign.end()
            if sign[0] == "\\":  # what it escapes has not come yet
                self._at -= 1
                return ""
            if len(sign[0]) == 1:
                return sign[0]
        self._at = len(text)
        return ""

    def _read_sign(self, sign: str, text: str) -> DraftSource | None:
        """Read a sign that stands before `_at`; return the citation that it completes."""
        here = self._open[-1]
        if sign == '"':
            self._read_quotation_mark(here, text)
        elif sign == ":":
            here.value = self._at
        elif sign in "{[":
            self._open.append(_Open(is_list=sign == "[", start=self._at - 1))
        else:
            return self._end_member(here, sign, text)
        return None

    def _read_quotation_mark(self, here: _Open, text: str) -> None:
        if not self._string:
            self._string = self._at
            return
        key, self._string = text[self._string - 1 : self._at], 0
        if not (here.is_list or here.value):
            # The JSON parser reads the key, so that escapes count: `"s\u0070an"` is `"span"`.
            found = object_of(f"{{{key}:0}}") if len(key) <= _LONGEST_KEY else None
            here.key = next(iter(found)) if found else None

    def _end_member(self, here: _Open, sign: str, text: str) -> DraftSource | None:
        """Handle `,`, `}` or `]`; mismatched brackets stop the parser."""
        if len(self._open) == 1 and here.key == "refused" and here.value:
            self.is_refusal = self.is_refusal or text[here.value : self._at - 1].strip() == "true"
        if sign == ",":
            here.key, here.value = None, 0  # the next member begins
            return None
        if (sign == "]") is not here.is_list:  # mismatched: not JSON, so no finding would hold
            self._open.clear()
            return None
        self._open.pop()
        # Depth first: building the path at every bracket would take quadratic time in deep JSON.
        is_citation = len(self._open) in _DEPTHS and not here.is_list
        if not is_citation or tuple(None if each.is_list else each.key for each in self._open) not in _CITATIONS:
            return None
        return source_of(text[here.start : self._at])
