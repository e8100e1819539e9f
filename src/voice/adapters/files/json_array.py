"""The objects of a large JSON array, one at a time.

Law: reads a stream in pieces and holds one object; finds where an object ends by its brackets alone, so that one which
is broken inside costs no other. A file that ends in the middle of an object says so as its last element.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Final

_PIECE: Final = 1024 * 1024
_MAX_OBJECT: Final = 128 * 1024 * 1024
_OUTSIDE: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["{}\[\]]', re.DOTALL)
_INSIDE: Final = re.compile(rb'["\\]')

Element = bytes | str
"""An object's source, or why there is none."""


@dataclass(slots=True)
class _Scan:
    """Where in the nesting of brackets the reading is."""

    base: int = 0
    """How deep the objects stand: 1 within an array, 0 for a file that is one object."""
    depth: int = 0
    in_text: bool = False
    skip: int = 0
    """Bytes at the head of the next piece that belong to an escape."""
    held: bytearray = field(default_factory=bytearray)
    is_too_long: bool = False

    @property
    def is_inside(self) -> bool:
        return self.depth > self.base

    def feed(self, piece: bytes) -> Iterator[Element]:
        """Yield the objects that end in a piece."""
        place, self.skip = self.skip, 0
        start = 0
        while True:
            found = (_INSIDE if self.in_text else _OUTSIDE).search(piece, place)
            if found is None:
                break
            place = found.end()
            mark = piece[found.start() : found.start() + 1]
            if mark == b"\\":
                place += 1
            elif mark == b'"':
                self.in_text = not self.in_text and found.end() - found.start() == 1
            elif mark in b"{[":
                start = start if self.is_inside else found.start()
                self.depth += 1
            elif self._closes():
                yield self._whole(piece[start:place])
        self.skip = max(0, place - len(piece))
        if self.is_inside:
            self._hold(piece[start:])

    def _closes(self) -> bool:
        """Go up one level; return whether an object ended there."""
        self.depth = max(0, self.depth - 1)
        return self.depth == self.base

    def _hold(self, piece: bytes) -> None:
        self.is_too_long = self.is_too_long or len(self.held) + len(piece) > _MAX_OBJECT
        if self.is_too_long:
            self.held.clear()
        else:
            self.held += piece

    def _whole(self, piece: bytes) -> Element:
        self._hold(piece)
        source = bytes(self.held)
        is_too_long, self.is_too_long = self.is_too_long, False
        self.held.clear()
        return f"is longer than {_MAX_OBJECT // 1024 // 1024} MiB" if is_too_long else source


def array_elements(stream: BinaryIO) -> Iterator[Element]:
    """Yield the source of each object in the array that a stream holds, or of the one object that it is.

    Raises:
        OSError: the stream cannot be read.
    """
    scan = _Scan()
    piece = stream.read(_PIECE).removeprefix(b"\xef\xbb\xbf").lstrip()
    if piece.startswith(b"["):
        scan.base = scan.depth = 1
        piece = piece[1:]
    while piece:
        yield from scan.feed(piece)
        piece = stream.read(_PIECE)
    if scan.is_inside:
        yield "is cut off because the file ends inside it; export or download the file again"
