"""A reply that comes piece by piece.

Law: whoever asked hears every piece of text once and in order, and says when it is enough; then the connection is
closed beneath the vendor's library, so that the provider stops writing what nobody will read. A library may keep a
connection open although its stream was closed (litellm does, for Anthropic): so its next read is cancelled instead.

Source: docs/streaming.md; rulings D18, D25.
"""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import TypeVar

import anyio

from voice.ports.llm import LlmReply, OnText

T = TypeVar("T")


@dataclass(slots=True)
class StreamedText:
    """The text that has come so far."""

    on_text: OnText
    pieces: list[str] = field(default_factory=list[str])
    is_enough: bool = False

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self.pieces)

    def hear(self, piece: str) -> bool:
        """Take one more piece, which may be empty; return whether enough was heard."""
        if piece:
            self.pieces.append(piece)
            self.is_enough = self.on_text(piece)
        return self.is_enough


async def read_stream(stream: AsyncIterator[T], hear: Callable[[T], bool]) -> None:
    """Hand each part of a stream to `hear`, until its end or until that was enough; then it is hung up.

    Raises whatever reading the stream raises.
    """
    async for part in stream:
        if hear(part):
            await close_stream(stream)
            return


async def close_stream(stream: AsyncIterator[object]) -> None:
    """Close the connection under a stream: a read that is cancelled closes what it reads from."""
    with anyio.CancelScope() as scope:
        scope.cancel()
        async for _ in stream:  # what had come already is read without waiting, and dropped
            continue


def deliver_whole(reply: LlmReply, on_text: OnText | None) -> LlmReply:
    """Return a reply that was there all at once, after telling who wants to hear it; there is nothing left to stop."""
    if on_text is not None and reply.text:
        on_text(reply.text)
    return reply
