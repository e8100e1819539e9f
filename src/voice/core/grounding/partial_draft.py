"""Parse a draft's citations while the reply is still streaming.

Law: reads only closed citations, so every finding holds for the complete reply if it stays one JSON object; other
replies yield nothing here. Each character is processed once; memory is bounded by one citation.
Source: docs/streaming.md; rulings A3, D8; `voice.core.grounding.draft` parses complete replies.
"""

import re
from dataclasses import dataclass, field
from typing import Final, Literal

from voice.core.grounding.draft import object_of, source_of
from voice.core.grounding.values import DraftSource

_THINKS: Final = "<think>"
_THOUGHT: Final = "</think>"
_IN_STRING: Final = re.compile(r'["\\]')  # all that matters inside a string
_BETWEEN: Final = re.compile(r'["{}\[\],:]')
# Paths of citation lists: keys, None for a list item. The second is S2's form.
_CITATIONS: Final = (("sentences", None, "sources", None), ("sources", None))
_DEPTHS: Final = frozenset(map(len, _CITATIONS))
_LONGEST_KEY: Final = 80  # none of ours is so long, even with every letter escaped


@dataclass(slots=True)
class _Open:
    """An object or list that is not closed yet."""

    is_list: bool
    key: str | None = None  # current member
    has_key: bool = False  # whether a colon has followed the key


@dataclass(slots=True)
class _Prelude:
    """Text before the object: byte-order mark, `<think>` block, prose."""

    # `after`: only white space since the thinking; `list`: no object is expected.
    _state: Literal["start", "thinking", "after", "prose", "list"] = "start"
    # A possible prefix of `<think>`, or the last characters that may begin `</think>`.
    _held: str = field(default="", repr=False)
    _has_space: bool = False

    def read(self, piece: str) -> str:
        """Consume a piece; return the part that belongs to the object, from its first brace."""
        if self._state == "start":
            piece = self._after_start(piece)
        if self._state == "thinking":
            piece = self._after_thinking(piece)
        if self._state == "after" and (piece := piece.lstrip()):
            self._state = "list" if piece.startswith("[") else "prose"
        start = piece.find("{") if self._state == "prose" else -1
        return piece[start:] if start >= 0 else ""

    def _after_start(self, piece: str) -> str:
        if not self._held:
            marked = piece if self._has_space else piece.lstrip("\ufeff")
            piece = marked.lstrip()
            self._has_space = self._has_space or len(piece) < len(marked)
        head, self._held = self._held + piece, ""
        if len(head) < len(_THINKS) and _THINKS.startswith(head):  # `<th`: wait for the rest
            self._held = head
            return ""
        if head.startswith(_THINKS):
            self._state = "thinking"
            return head[len(_THINKS) :]
        self._state = "after"
        return head

    def _after_thinking(self, piece: str) -> str:
        seen = self._held + piece
        end = seen.find(_THOUGHT)
        if end < 0:
            self._held = seen[1 - len(_THOUGHT) :]  # `</thi` may go on in the next piece
            return ""
        self._state = "after"
        return seen[end + len(_THOUGHT) :]


@dataclass(slots=True)
class PartialDraft:
    """Streaming parser of a draft; call `read` with each piece."""

    is_refusal: bool = False
    """Whether the draft has `"refused": true`."""
    _prelude: _Prelude | None = field(default_factory=_Prelude)  # what precedes the object; None once it has begun
    _open: list[_Open] = field(default_factory=list[_Open])
    _in_string: bool = False
    _is_escaped: bool = False
    _text: list[str] = field(default_factory=list[str], repr=False)  # key, literal or citation being read
    _kept: int = 0
    _in_citation: int = 0  # bracket depth at which the current citation began; 0: none
    _found: list[DraftSource] = field(default_factory=list[DraftSource], repr=False)

    def read(self, piece: str) -> tuple[DraftSource, ...]:
        """Consume a piece; return the citations that it completes."""
        self._found = []
        if self._prelude is not None:
            piece = self._prelude.read(piece)
            if piece:
                self._prelude = None
                self._open.append(_Open(is_list=False))
                piece = piece[1:]
        at = 0
        while self._open and at < len(piece):
            at = self._next(piece, at)
        return tuple(self._found)

    def _next(self, piece: str, at: int) -> int:
        """Consume up to the next structural character; return the following offset."""
        if self._is_escaped:  # whatever it is, also a quotation mark
            self._is_escaped = False
            self._keep(piece[at])
            return at + 1
        sign = (_IN_STRING if self._in_string else _BETWEEN).search(piece, at)
        if sign is None:
            self._keep(piece[at:])
            return len(piece)
        self._keep(piece[at : sign.end()])
        if self._in_string:
            self._read_in_string(sign.group())
        else:
            self._read_sign(sign.group())
        return sign.end()

    def _read_in_string(self, sign: str) -> None:
        if sign == "\\":
            self._is_escaped = True
            return
        self._in_string = False
        if self._is_at_key:
            # The JSON parser reads the key, so that escapes count: `"s\u0070an"` is `"span"`.
            found = object_of(f"{{{''.join(self._text)}:0}}")  # None: too long to be ours
            self._open[-1].key = next(iter(found)) if found else None
            self._drop()

    def _read_sign(self, sign: str) -> None:
        if sign == '"':
            self._in_string = True
            if self._is_at_key:
                self._drop()
                self._keep(sign)
        elif sign == ":":
            self._open[-1].has_key = True
            self._drop()
        elif sign in "{[":
            self._open_bracket(sign)
        else:
            self._end_member(sign)

    def _open_bracket(self, sign: str) -> None:
        path = tuple(None if each.is_list else each.key for each in self._open) if len(self._open) in _DEPTHS else ()
        # Depth first: building the path at every bracket would take quadratic time in deep JSON.
        is_citation = sign == "{" and not self._in_citation and path in _CITATIONS
        self._open.append(_Open(is_list=sign == "["))
        if is_citation:
            self._drop()
            self._in_citation = len(self._open)
            self._keep(sign)

    def _end_member(self, sign: str) -> None:
        """Handle `,`, `}` or `]`; mismatched brackets stop the parser."""
        here = self._open[-1]
        if len(self._open) == 1 and here.key == "refused" and here.has_key:
            self.is_refusal = self.is_refusal or "".join(self._text)[:-1].strip() == "true"
        if sign == ",":
            here.key, here.has_key = (here.key if here.is_list else None), False  # the next member begins
            self._drop()
            return
        if (sign == "]") is not here.is_list:  # mismatched: not JSON, so no finding would hold
            self._open.clear()
            return
        if self._in_citation == len(self._open):
            self._in_citation = 0
            if (found := source_of("".join(self._text))) is not None:
                self._found.append(found)
        self._open.pop()
        self._drop()

    @property
    def _is_at_key(self) -> bool:
        here = self._open[-1]
        return not (self._in_citation or here.is_list or here.has_key)

    def _keep(self, text: str) -> None:
        """Buffer text: a citation in full, anything else up to the longest key."""
        if self._in_citation or self._kept <= _LONGEST_KEY:
            self._text.append(text if self._in_citation else text[: _LONGEST_KEY + 1])  # bounds memory
            self._kept += len(text)

    def _drop(self) -> None:
        if not self._in_citation:
            self._text.clear()
            self._kept = 0
