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

    def lines(self) -> Iterator[bytes]:
        """Yield the lines that come in; empty ones and those that are too long are left out."""
        while (line := self._next()) is not None:
            if len(line) > MOST_BYTES:
                os.write(2, b"voice: a message of more than 16 MiB was left out\n")
            elif line.strip():
                yield line

    def _next(self) -> bytes | None:
        """Return the next line, or None at the end; of one that is too long, no more than tells that it is."""
        seen, is_too_long = 0, False
        while (end := self._held.find(b"\n", seen)) < 0:
            seen = len(self._held)
            if seen > MOST_BYTES:
                del self._held[:]
                seen, is_too_long = 0, True
            if not self._fill():
                break
        taken = len(self._held) if end < 0 else end + 1
        line = bytes(self._held[:taken])
        del self._held[:taken]
        if is_too_long:
            return bytes(MOST_BYTES + 1)
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
