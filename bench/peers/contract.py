"""What every peer is asked to do, in words of the standard library.

Law: this module, the worker and the adapters of foreign peers run in environments that know nothing of this program,
so they import the standard library and their peer alone. A peer is given texts and their vectors and gives ids back.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

TOP_K = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One row to remember."""

    id: str
    text: str
    """In context, `[8 May 2023] Ann: words`: what this program indexes, given to every peer."""
    words: str
    """Without date and speaker."""
    created_at: str
    speaker: str | None
    thread: str | None
    kind: str
    vector: bytes
    """Little-endian float32 of `text`, length 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One query."""

    shape: str
    text: str
    terms: tuple[str, ...]
    """Its words in lower case without stop words, for peers whose documentation asks for that."""
    vector: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a peer keeps a memory, and what it may know of the vectors."""

    directory: Path
    dim: int
    model: str
    vectors: Mapping[str, bytes]
    """By text: what a peer's embedding hook answers with."""


class OpenStore(Protocol):
    """An open memory of one peer."""

    def add(self, items: Sequence[Item]) -> None:
        """Keep the items; they are durable as far as the peer promises when this returns."""
        ...

    def ask(self, mode: str, question: Question) -> list[str]:
        """Return the ids of the best `TOP_K` items, best first."""
        ...

    def close(self) -> None:
        """Release what is open."""
        ...


class Peer(Protocol):
    """One thing to measure."""

    modes: tuple[str, ...]
    """Ways of asking, each measured by itself."""
    modules: tuple[str, ...]
    """What it imports; loaded before anything is timed, and timed by itself."""
    batch: int
    """Items given to one `add`; 1 where its interface takes one at a time."""

    def open(self, place: Place) -> OpenStore:
        """Open the memory there, making it when there is none."""
        ...


def write_lines(path: Path, values: Sequence[Item] | Sequence[Question]) -> None:
    """Write items or questions; vectors stand as hexadecimal digits."""
    with path.open("w", encoding="utf-8") as file:
        for value in values:
            members = {name: getattr(value, name) for name in value.__slots__}
            file.write(json.dumps({**members, "vector": value.vector.hex()}) + "\n")


def read_items(path: Path) -> list[Item]:
    """Return what `write_lines` wrote."""
    return [
        Item(
            id=str(line["id"]),
            text=str(line["text"]),
            words=str(line["words"]),
            created_at=str(line["created_at"]),
            speaker=cast("str | None", line["speaker"]),
            thread=cast("str | None", line["thread"]),
            kind=str(line["kind"]),
            vector=bytes.fromhex(str(line["vector"])),
        )
        for line in _lines(path)
    ]


def read_questions(path: Path) -> list[Question]:
    """Return what `write_lines` wrote."""
    return [
        Question(
            shape=str(line["shape"]),
            text=str(line["text"]),
            terms=tuple(cast("list[str]", line["terms"])),
            vector=bytes.fromhex(str(line["vector"])),
        )
        for line in _lines(path)
    ]


def _lines(path: Path) -> list[dict[str, object]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]
