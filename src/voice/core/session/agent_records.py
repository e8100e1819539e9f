"""Records that other agent frameworks store beside a memory, and forgetting in them.

Law: such a record is never a note, evidence or part of a prompt. Forgetting replaces quoting lines of JSON strings with
`[forgotten]`; a record named by forgotten words, or quoting them outside JSON, is deleted. A quoting checkpoint deletes
its whole thread, because only its framework can parse it. What JSON or Python escaped is found, a paraphrase is not.
Source: promise 6; rulings G, H.
"""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from voice.core.grounding.draft import is_list, is_object
from voice.core.session.forgetting import TOPIC_GONE, ForgottenContent
from voice.core.text.leakage import LeakMarkers


class RecordKind(StrEnum):
    """What a record is in its framework."""

    ITEM = "item"  # of a conversation of the OpenAI Agents SDK
    STORED = "stored"  # a value of LangGraph's store
    FILE = "file"  # of Anthropic's memory tool
    CHECKPOINT = "checkpoint"  # of a LangGraph thread
    WRITE = "write"  # what a LangGraph task wrote, before the next checkpoint


THREAD_KINDS: Final = frozenset({RecordKind.CHECKPOINT, RecordKind.WRITE})  # opaque, deleted with their thread
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)  # JSON's, and Python's
_LEVELS: Final = 4  # JSON that is a text in JSON has its escapes escaped


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRecord:
    """One record."""

    id: int  # insertion order; never reused
    kind: RecordKind
    owner: str  # its session, namespace, folder or thread
    name: str | None  # its name there; None if only its position counts
    value: bytes = field(repr=False)  # JSON in UTF-8; for a thread, the framework's own bytes
    made: str  # when, ISO 8601
    changed: str


def record_without(record: AgentRecord, gone: ForgottenContent) -> AgentRecord | None:
    """Return a record without forgotten content, unchanged if it has none; None if it must be deleted."""
    if _is_quoted(gone.giveaway, record.owner, record.name or ""):  # a name cannot lose words
        return None
    if record.kind not in THREAD_KINDS:
        # What is damaged, nested too deeply, or another program's can only go whole.
        with suppress(ValueError, RecursionError):
            value = json.loads(record.value)
            bare = _bare(value, gone.giveaway)
            return record if bare == value else replace(record, value=json_bytes(bare))
    return None if _is_quoted(gone.giveaway, *packed_texts(record.value)) else record


def json_bytes(value: object) -> bytes:
    """Encode a value as JSON in UTF-8; lone surrogates are kept."""
    return json.dumps(value, ensure_ascii=False).encode(errors="surrogatepass")


def _bare(value: object, giveaway: LeakMarkers) -> object:
    if isinstance(value, str):
        return _bare_text(value, giveaway)
    if is_list(value):
        return [_bare(each, giveaway) for each in value]
    if is_object(value):
        return {_bare_text(name, giveaway): _bare(each, giveaway) for name, each in value.items()}  # a name may quote
    return value


def _bare_text(text: str, giveaway: LeakMarkers) -> str:
    """Replace the lines that quote forgotten content; JSON within a text, as in a tool call, counts as one line."""
    if not _is_quoted(giveaway, text):
        return text
    left = "\n".join(TOPIC_GONE if _is_quoted(giveaway, line) else line for line in text.split("\n"))
    return TOPIC_GONE if _is_quoted(giveaway, left) else left  # a phrase may run over lines


def _is_quoted(giveaway: LeakMarkers, *texts: str) -> bool:
    return any(giveaway.is_quoted_in(*_readings(text)) for text in texts)


def _readings(text: str) -> Iterator[str]:
    """Yield a text as it stands, then with its escapes undone, level by level."""
    yield text
    for _ in range(_LEVELS):
        if "\\" not in text:
            return
        # An emoji is two escapes.
        text = _ESCAPE.sub(_unescaped, text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        yield text


def _unescaped(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2]
    return chr(int(code, 16)) if code else " " if escape[3] in "nrt" else escape[3]


def pack_parts(*parts: bytes) -> bytes:
    """Concatenate parts as MessagePack bytes."""
    return b"".join(b"\xc6" + len(part).to_bytes(4) + part for part in parts)  # 0xC6: bytes behind a size of four bytes


def unpack_parts(value: bytes) -> tuple[bytes, ...]:
    """Split a value made by `pack_parts`."""
    parts: list[bytes] = []
    at = 0
    while at < len(value):
        end = at + 5 + int.from_bytes(value[at + 1 : at + 5])  # 5: the mark and its size
        parts.append(value[at + 5 : end])
        at = end
    return tuple(parts)


# Content bytes after the mark of a number.
_FIXED: Final = {0xCA: 4, 0xCB: 8, 0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8}
# Length bytes after the mark of a list or map, whose items then follow on their own.
_COUNTED: Final = {0xDC: 2, 0xDD: 4, 0xDE: 2, 0xDF: 4}
# Size bytes after the mark of bytes, an extension or a string.
_SIZED: Final = {0xC4: 1, 0xC5: 2, 0xC6: 4, 0xC7: 1, 0xC8: 2, 0xC9: 4, 0xD9: 1, 0xDA: 2, 0xDB: 4}
_TYPED: Final = frozenset({0xC7, 0xC8, 0xC9})  # marks of extensions: a type byte precedes the content


def packed_texts(data: bytes) -> Iterator[str]:
    """Yield the strings in a MessagePack value, then all bytes as one text, for other encodings (JSON, pickle)."""
    yield from _texts(data)
    yield data.decode(errors="replace")


def _texts(data: bytes) -> Iterator[str]:
    left = [memoryview(data)]  # what is to be read, the next one last: of levels there may be as many as bytes
    while left:
        if not (rest := left.pop()):
            continue
        start, size = _extent(rest)
        mark, content = rest[0], rest[start : start + size]
        left.append(rest[start + size :])
        if mark in _TYPED or 0xC4 <= mark <= 0xC6 or 0xD4 <= mark <= 0xD8:  # may hold MessagePack again
            left.append(content)
        elif 0xA0 <= mark <= 0xBF or 0xD9 <= mark <= 0xDB:
            yield bytes(content).decode(errors="replace")


def _extent(data: memoryview) -> tuple[int, int]:
    """Return where the content of the first value begins, and its length."""
    mark = data[0]
    if 0xA0 <= mark <= 0xBF:  # a short string has its length in the mark
        return 1, mark - 0xA0
    if mark in _SIZED:
        width = _SIZED[mark]
        return 1 + width + (mark in _TYPED), int.from_bytes(data[1 : 1 + width])
    if 0xD4 <= mark <= 0xD8:  # extensions of 1, 2, 4, 8 or 16 bytes, behind a type byte
        return 2, 1 << (mark - 0xD4)
    return 1 + _FIXED.get(mark, 0) + _COUNTED.get(mark, 0), 0
