"""Lines in and lines out: the two streams that a host speaks over.

Law: what comes out is protocol and nothing else. Both streams are taken over first: whatever prints goes to stderr, and
a child process reads nothing. Lines are read from the descriptor itself, so that a thread which waits for the next one
holds nothing that the program needs to end.

Source: DESIGN 8 MCP; the Model Context Protocol, stdio transport.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field

_CHUNK = 65_536
MOST_BYTES = 16 * 1024 * 1024
"""What one message may take; more is no message any more."""
_SHOWN = 4_096


@dataclass(frozen=True, slots=True, kw_only=True)
class TooLong:
    """What is known of a line that takes more than a message may: how it begins and how it ends."""

    head: bytes
    tail: bytes


@dataclass(slots=True)
class Wire:
    """The streams of one connection."""

    reads: int
    writes: int
    _held: bytearray = field(default_factory=bytearray)
    """What was read and not handed out yet."""
    _at_end: bool = False

    @classmethod
    def taken(cls) -> "Wire":
        """Take over the standard streams of this process."""
        wire = cls(os.dup(0), os.dup(1))
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        return wire

    def lines(self) -> Iterator[bytes | TooLong]:
        """Yield the lines that come in but for empty ones; of one that is too long, what is known of it."""
        while (line := self._next()) is not None:
            if isinstance(line, TooLong) or line.strip():
                yield line

    def _next(self) -> bytes | TooLong | None:
        """Return the next line, or None at the end; no more of it is held than a message may take."""
        seen, head = 0, b""
        while (end := self._held.find(b"\n", seen)) < 0:
            seen = len(self._held)
            if seen > MOST_BYTES:
                head = head or bytes(self._held[:_SHOWN])
                del self._held[:-_SHOWN]
                seen = _SHOWN
            if not self._fill():
                break
        taken = len(self._held) if end < 0 else end + 1
        line = bytes(self._held[:taken])
        del self._held[:taken]
        if head or taken > MOST_BYTES + 1:
            return TooLong(head=head or line[:_SHOWN], tail=line[-_SHOWN:])
        return line or None

    def _fill(self) -> bool:
        """Read more; return whether there was any."""
        if self._at_end:
            return False
        chunk = os.read(self.reads, _CHUNK)
        self._at_end = not chunk
        self._held += chunk
        return bool(chunk)

    def write(self, line: bytes) -> None:
        """Write one line, whole.

        Raises:
            OSError: nobody reads any more.
        """
        left = memoryview(line + b"\n")
        while left:
            left = left[os.write(self.writes, left) :]
