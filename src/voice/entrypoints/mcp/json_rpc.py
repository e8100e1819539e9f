"""JSON-RPC messages, line by line over the standard streams.

Law: whoever waits for an answer gets one. A line that is no JSON is answered with -32700, JSON that is no message with
-32600, under the id of the request where it can be read, else under null; what nobody waits for (a notification or an
answer out of shape) is left out. A lone surrogate, which is how many programs write an emoji they cut in half, becomes
U+FFFD, and the message goes on. What is said of a fault never repeats the line.

What comes out is protocol and nothing else. Both streams are taken over first: whatever prints goes to stderr, and a
child process reads nothing. Lines are read from the descriptor itself, so that a thread which waits for the next one
holds nothing that the program needs to end.

Source: JSON-RPC 2.0, 4.2 and 5.1; the Model Context Protocol, base protocol and stdio transport; STYLE 9; DESIGN 8 MCP.
"""

import json
import math
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, cast

from voice.core.text.display import escape_json

_CHUNK = 65_536  # bytes asked for at once
MAX_MESSAGE_BYTES = 16 * 1024 * 1024
"""What one message may take; more is no message any more."""
_SHOWN = 4_096  # bytes kept of each end of an oversized line; its id is looked for there


@dataclass(frozen=True, slots=True, kw_only=True)
class OversizedLine:
    """What is known of a line that takes more than a message may: how it begins and how it ends."""

    head: bytes
    tail: bytes


@dataclass(slots=True)
class StdioStreams:
    """The streams of one connection."""

    reads: int
    writes: int
    _held: bytearray = field(default_factory=bytearray)  # what was read and not handed out yet
    _at_end: bool = False

    @classmethod
    def taken(cls) -> "StdioStreams":
        """Take over the standard streams of this process."""
        wire = cls(os.dup(0), os.dup(1))
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)  # a child process that reads finds the end, and takes no line of the host
        os.close(nothing)
        os.dup2(2, 1)  # stdout now goes to stderr: a stray print is no protocol
        return wire

    def lines(self) -> Iterator[bytes | OversizedLine]:
        """Yield the lines that come in but for empty ones; of one that is too long, what is known of it."""
        while (line := self._next()) is not None:
            if isinstance(line, OversizedLine) or line.strip():
                yield line

    def _next(self) -> bytes | OversizedLine | None:
        """Return the next line, or None at the end; no more of it is held than a message may take."""
        seen, head = 0, b""
        while (end := self._held.find(b"\n", seen)) < 0:  # from `seen` on: no byte is searched twice
            seen = len(self._held)
            if seen > MAX_MESSAGE_BYTES:
                head = head or bytes(self._held[:_SHOWN])
                del self._held[:-_SHOWN]  # a line without an end must not fill the memory; its tail may hold the id
                seen = _SHOWN
            if not self._fill():
                break
        taken = len(self._held) if end < 0 else end + 1
        line = bytes(self._held[:taken])
        del self._held[:taken]
        if head or taken > MAX_MESSAGE_BYTES + 1:  # + 1: the line feed
            return OversizedLine(head=head or line[:_SHOWN], tail=line[-_SHOWN:])
        return line or None  # an empty one is the end: lines in between hold at least their line feed

    def _fill(self) -> bool:
        if self._at_end:  # at its end, a terminal would wait for more
            return False
        chunk = os.read(self.reads, _CHUNK)
        self._at_end = not chunk
        self._held += chunk
        return bool(chunk)

    def write(self, line: bytes) -> None:
        """Write one line, whole. Raises OSError: nobody reads any more."""
        left = memoryview(line + b"\n")
        while left:
            left = left[os.write(self.writes, left) :]  # a pipe that is full takes a part


PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
_MOST_NESTED: Final = 200  # how deep lists and objects may nest; the protocol's library reads no deeper either
_MEMBERS: Final = ("jsonrpc", "id", "method", "params")  # of a request; a `result` beside them means nothing
_LONE: Final = re.compile("[\ud800-\udfff]")  # half a character, which cannot be encoded again
_STRING: Final = r'"(?:[^"\\]|\\.)*+"'  # possessive (*+): a text of millions of quotes is read once
# A text that never ends is one token to the end of the line: were it none, each quote within would be tried as a
# beginning, and each try would read to the end.
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[{}\[\]]', re.DOTALL)
# Takes `: 7`, `: -1.5` and `: "a"`; refuses 1e9 and numbers with more than 30 digits in a row.
_ID: Final = re.compile(rf"\s*:\s*({_STRING}|-?\d{{1,30}}(?:\.\d{{1,30}})?(?![\d.eE]))", re.DOTALL)
# Takes `"id": 7}` at the very end, behind it `jsonrpc` or `method` at most; refuses `"id": 3}}`: that id is nested.
_ID_LAST: Final = re.compile(
    rf'"id"\s*+:\s*+({_STRING}|-?\d{{1,30}}+)\s*+(?:,\s*+"(?:jsonrpc|method)"\s*+:\s*+{_STRING}\s*+)*+\}}\s*+$'
)
Id = str | int | float
Message = Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonRpcError:
    """What is answered to a line that is no message."""

    id: Id | None
    code: int
    message: str

    def line(self) -> bytes:
        """Return the answer as it goes out."""
        return encode_message({"jsonrpc": "2.0", "id": self.id, "error": {"code": self.code, "message": self.message}})


def encode_message(message: Message) -> bytes:
    """Return a message as it goes out."""
    return escape_json(json.dumps(message, ensure_ascii=False, separators=(",", ":"))).encode()


def parse_line(line: bytes | OversizedLine) -> Message | JsonRpcError | None:
    """Return the message of a line, what is answered where there is none, or None: nothing is."""
    if isinstance(line, OversizedLine):
        # Of a long line beginning and end are known: the id is one of its first members or its last.
        id_ = _id_in(line.head.decode("utf-8", "replace"))
        last = _ID_LAST.search(line.tail.decode("utf-8", "replace")) if id_ is None else None
        why = f"a message may take {MAX_MESSAGE_BYTES // 1024 // 1024} MiB"
        return JsonRpcError(id=_read_id(last.group(1)) if last else id_, code=INVALID_REQUEST, message=why)
    try:
        # Half an emoji passes here; a byte order mark goes.
        text = line.decode("utf-8", "surrogatepass").lstrip("\ufeff")
    except UnicodeDecodeError:
        return _parse_error(line.decode("utf-8", "replace"), "it is not UTF-8")
    try:
        read = _without_lone_halves(json.loads(text), _MOST_NESTED)
    except RecursionError:
        return _parse_error(text, f"it is nested more than {_MOST_NESTED} deep")
    except json.JSONDecodeError:
        return _parse_error(text, "it is not valid JSON")
    except ValueError:  # Python refuses to read whole numbers of more than 4,300 digits
        return _parse_error(text, "a number in it has too many digits")
    return _validated(read)


def _parse_error(text: str, why: str) -> JsonRpcError:
    return JsonRpcError(id=_id_in(text), code=PARSE_ERROR, message=f"the line cannot be read: {why}")


def _without_lone_halves(value: object, depth: int) -> object:
    """Return a value whose texts can be written again: a lone half of a character is replaced."""
    if isinstance(value, str):
        return _LONE.sub("\ufffd", value)
    if not isinstance(value, dict | list):
        return value
    if not depth:
        raise RecursionError  # the same error as `json.loads` raises for deeper nesting
    if isinstance(value, list):
        return [_without_lone_halves(each, depth - 1) for each in cast("list[object]", value)]
    members = cast("dict[str, object]", value)
    return {_LONE.sub("\ufffd", name): _without_lone_halves(each, depth - 1) for name, each in members.items()}


def _validated(read: object) -> Message | JsonRpcError | None:
    if not isinstance(read, dict):
        return _invalid_request(None, "a line is one JSON object; batches are not answered")
    message = cast("Message", read)
    id_ = _id_of(message.get("id"))
    if "method" not in message:
        is_answer = "result" in message or "error" in message  # the library checks the rest of one
        return message if is_answer else _invalid_request(id_, "a request has a method")
    if message.get("jsonrpc") != "2.0" or not isinstance(message["method"], str):
        return _invalid_request(id_, 'a message has "jsonrpc": "2.0" and a method that is a text')
    if "id" in message and type(message["id"]) not in (str, int):  # `type`, because True is an int to `isinstance`
        return _invalid_request(id_, "the id of a request is a text or a whole number")
    if not isinstance(message.get("params"), dict | None):  # null is allowed; a notification is never answered
        return _invalid_request(id_, "params is an object") if "id" in message else None
    return {name: message[name] for name in _MEMBERS if name in message}


def _invalid_request(id_: Id | None, why: str) -> JsonRpcError:
    return JsonRpcError(id=id_, code=INVALID_REQUEST, message=f"this is not a request: {why}")


def _id_of(value: object) -> Id | None:
    # A bool is an int in Python; NaN, which Python reads, is not JSON.
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _id_in(text: str) -> Id | None:
    """Return the id of the object that a text is the unreadable JSON of; None where it has none."""
    depth = 0
    if not text.lstrip().startswith("{"):
        return None
    for token in _TOKEN.finditer(text):
        found = token.group()
        if found in "{[":  # no text is in these: tokens of texts begin with a quote
            depth += 1
        elif found in "}]":
            depth -= 1
        # At depth 1: an id within the params is not the request's.
        elif depth == 1 and found == '"id"' and (said := _ID.match(text, token.end())):
            return _read_id(said.group(1))
    return None


def _read_id(text: str) -> Id | None:
    try:
        return _id_of(_without_lone_halves(json.loads(text), 1))
    except ValueError:  # a broken escape, such as \q
        return None
