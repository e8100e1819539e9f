"""Records that other agent frameworks keep beside a memory, and forgetting in them.

Law: such a record is a program's own and most of it a model's words: it is never a note, never evidence and in no
prompt of ours. Forgetting reaches it all the same: in a record of JSON each line, or string, that quotes what goes
makes way for `[forgotten]`, so that what holds it together stays; a record that is called by such words goes, and
so does one that is no JSON and quotes it. A checkpoint is a value only its framework can take apart: where one quotes
what goes, its whole thread goes.
What a model said in other words is not found.

Source: promise 6; rulings G, H.
"""

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, cast

from voice.core.session.forgetting import TOPIC_GONE, ForgottenContent
from voice.core.text.leakage import LeakMarkers


class RecordKind(StrEnum):
    """What a record is to the framework that wrote it."""

    ITEM = "item"
    """One item of a conversation of the OpenAI Agents SDK."""
    STORED = "stored"
    """A value of LangGraph's store."""
    FILE = "file"
    """A file of Anthropic's memory tool."""
    CHECKPOINT = "checkpoint"
    """A checkpoint of a LangGraph thread."""
    WRITE = "write"
    """What a task of a LangGraph thread wrote before the next checkpoint."""


THREAD_KINDS: Final = frozenset({RecordKind.CHECKPOINT, RecordKind.WRITE})
"""Records that only their framework can take apart: they go with the thread that owns them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRecord:
    """One record."""

    id: int
    """Its place among all that were ever written; never given twice."""
    kind: RecordKind
    owner: str
    """The session, namespace, folder or thread that it is part of."""
    name: str | None
    """What it is called there; None where its place is all that counts."""
    value: bytes = field(repr=False)
    """JSON in UTF-8; of a thread whatever its framework made."""
    made: str
    """When it was first written, in ISO 8601."""
    changed: str
    """When it was last written."""


def record_without(record: AgentRecord, gone: ForgottenContent) -> AgentRecord | None:
    """Return what is left of a record, itself where it holds nothing of what goes, or None where nothing is left."""
    if gone.giveaway.is_quoted_in(record.owner, record.name):
        return None
    if record.kind not in THREAD_KINDS:
        with suppress(
            ValueError, RecursionError
        ):  # damaged, nested too deeply, or another program's: it can only go whole
            return _without_strings(record, gone.giveaway)
    return None if gone.giveaway.is_quoted_in(*packed_texts(record.value)) else record


def _without_strings(record: AgentRecord, giveaway: LeakMarkers) -> AgentRecord:
    value = json.loads(record.value)
    bare = _bare(value, giveaway)
    return record if bare == value else replace(record, value=json_bytes(bare))


def json_bytes(value: object) -> bytes:
    """Return a value as JSON in UTF-8."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _bare(value: object, giveaway: LeakMarkers) -> object:
    if isinstance(value, str):
        return _bare_text(value, giveaway)
    if isinstance(value, list):
        return [_bare(each, giveaway) for each in cast("list[object]", value)]
    if isinstance(value, dict):
        members = cast("dict[str, object]", value)
        return {_bare_text(name, giveaway): _bare(each, giveaway) for name, each in members.items()}
    return value


def _bare_text(text: str, giveaway: LeakMarkers) -> str:
    """Return a text without its lines that quote it; JSON within a text, as of a tool's call, is one line."""
    if not giveaway.is_quoted_in(text):
        return text
    lines = [TOPIC_GONE if giveaway.is_quoted_in(line) else line for line in text.split("\n")]
    left = "\n".join(lines)
    return TOPIC_GONE if giveaway.is_quoted_in(left) else left


def pack_parts(*parts: bytes) -> bytes:
    """Return parts as one value, packed as MessagePack packs bytes."""
    return b"".join(b"\xc6" + len(part).to_bytes(4, "big") + part for part in parts)


def unpack_parts(value: bytes) -> tuple[bytes, ...]:
    """Return the parts of a value that `pack_parts` made."""
    parts: list[bytes] = []
    at = 0
    while at < len(value):
        end = at + 5 + int.from_bytes(value[at + 1 : at + 5], "big")
        parts.append(value[at + 5 : end])
        at = end
    return tuple(parts)


_FIXED: Final = {0xCA: 4, 0xCB: 8, 0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8}
"""How many bytes follow the mark of a number."""
_COUNTED: Final = {0xDC: 2, 0xDD: 4, 0xDE: 2, 0xDF: 4}
"""How many bytes of a length follow the mark of a list or a map; what is in it follows as if it stood alone."""
_SIZED: Final = {0xC4: 1, 0xC5: 2, 0xC6: 4, 0xC7: 1, 0xC8: 2, 0xC9: 4, 0xD9: 1, 0xDA: 2, 0xDB: 4}
"""How many bytes of a size follow the mark of bytes, of an extension, or of a text."""
_TYPED: Final = frozenset({0xC7, 0xC8, 0xC9})
"""Marks of an extension: a byte that names its type stands before its content."""


def packed_texts(data: bytes) -> Iterator[str]:
    """Yield the texts in a value that was packed with MessagePack, whatever it holds; and such data as one text.

    The whole of it is the last text: what is packed otherwise (as JSON, or pickled) is read there as far as it shows.
    """
    yield from _texts(data)
    yield data.decode("utf-8", "replace")


def _texts(data: bytes) -> Iterator[str]:
    at = 0
    while at < len(data):
        mark = data[at]
        at += 1
        size, skipped = _extent(mark, data, at)
        at += skipped
        content = data[at : at + size]
        at += size
        if mark in _TYPED or 0xC4 <= mark <= 0xC6 or 0xD4 <= mark <= 0xD8:
            yield from _texts(content)
        elif 0xA0 <= mark <= 0xBF or 0xD9 <= mark <= 0xDB:
            yield content.decode("utf-8", "replace")


def _extent(mark: int, data: bytes, at: int) -> tuple[int, int]:
    """Return how long the content of what a mark begins is, and how many bytes stand between the two."""
    if 0xA0 <= mark <= 0xBF:
        return mark - 0xA0, 0
    if mark in _SIZED:
        width = _SIZED[mark]
        return int.from_bytes(data[at : at + width], "big"), width + (mark in _TYPED)
    if 0xD4 <= mark <= 0xD8:
        return 1 << (mark - 0xD4), 1
    return 0, _FIXED.get(mark, 0) + _COUNTED.get(mark, 0)
