"""Find the JSON object in a model's reply.

Law: code fences, a leading `<think>` block and surrounding prose are tolerated; everything else raises `InvalidReply`,
whose fault names keys, types and positions but no word of the reply, so it may be logged and sent back for the one
repair (ruling D8). Numbers stay text.
Source: rulings A3, D8; spec stateful-design-v2, 4 Provider Abstraction.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from voice.core.messages import asking as messages

MAX_REPLY_CHARS = 400_000

FaultCode = Literal[
    "empty",
    "too_large",
    "not_json",
    "cut_off",
    "too_deep",
    "not_an_object",
    "missing_key",
    "duplicate_key",
    "wrong_type",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftFault:
    """Why a reply is not a draft; `message` contains no text of the reply."""

    code: FaultCode
    message: str


@dataclass(frozen=True, slots=True)
class Number:
    """A JSON number as text; not converted, because a million digits would be slow."""

    text: str


class InvalidReply(Exception):
    """A fault in a reply."""

    def __init__(self, code: FaultCode, message: str) -> None:
        super().__init__(message)
        self.fault = DraftFault(code=code, message=message)


_THINKING = re.compile(r"<think>.*?</think>", re.DOTALL)
_MAX_OBJECT_STARTS = 32


def object_in(text: str) -> Mapping[str, object]:
    """Return the first object that looks like a draft.

    Raises:
        InvalidReply: there is none; the fault is that of the first candidate.
    """
    if len(text) > MAX_REPLY_CHARS:
        raise InvalidReply("too_large", messages.reply_too_long(MAX_REPLY_CHARS))
    body = without_thinking(text)
    if not body:
        raise InvalidReply("empty", messages.REPLY_EMPTY)
    first: InvalidReply | None = None
    for piece in _pieces(body):
        try:
            value = _decode(piece)
            if "sentences" in value or "answer" in value:
                return value
            fault = InvalidReply("missing_key", messages.SENTENCES_MISSING)
        except InvalidReply as faulty:
            fault = faulty
        first = first or fault
    raise first or InvalidReply("not_json", messages.REPLY_WITHOUT_JSON)


def without_thinking(text: str) -> str:
    """Return `text` without byte-order mark and leading `<think>` block."""
    body = text.lstrip("\ufeff").strip()
    thinking = _THINKING.match(body)
    return body[thinking.end() :].strip() if thinking else body


def _pieces(body: str) -> Iterator[str]:
    """Yield the text from each possible start of an object, at most 32."""
    if body[0] == "[":
        yield body
    start = body.find("{")
    for _ in range(_MAX_OBJECT_STARTS):
        if start < 0:
            return
        yield body[start:]
        start = body.find("{", start + 1)


def object_of(text: str) -> Mapping[str, object] | None:
    """Return the JSON object at the start of `text`; None if there is none or a draft key is ambiguous."""
    try:
        return _decode(text)
    except InvalidReply:
        return None


def _decode(piece: str) -> Mapping[str, object]:
    try:
        value = cast("object", _DECODER.raw_decode(piece)[0])
    except json.JSONDecodeError as error:
        # Incomplete rather than broken: a reply cut at its limit.
        if error.msg.startswith("Unterminated string") or error.pos >= len(piece.rstrip()):
            raise InvalidReply("cut_off", messages.reply_cut_off(len(piece))) from None
        fault = messages.JSON_FAULTS.get(error.msg, messages.BROKEN_SYNTAX)
        raise InvalidReply("not_json", messages.reply_not_json(fault, error.pos)) from None
    except RecursionError:
        raise InvalidReply("too_deep", messages.REPLY_TOO_DEEP) from None
    if not isinstance(value, dict):
        raise InvalidReply("not_an_object", messages.reply_not_an_object(json_type(value)))
    return cast("Mapping[str, object]", value)


def _unique(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    """Keep the first of duplicate keys; conflicting values of a draft key are a fault."""
    value: dict[str, object] = {}
    for key, item in pairs:
        if key in value and key in _OWN_KEYS and value[key] != item:
            raise InvalidReply("duplicate_key", messages.key_twice(key))
        value.setdefault(key, item)
    return value


_OWN_KEYS = frozenset({"sentences", "text", "kind", "answer", "sources", "refused", "notes", "source_id", "span"})
_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_int=Number, parse_float=Number, parse_constant=Number, strict=False
)

_KINDS: Mapping[type, str] = {dict: "an object", list: "a list", str: "a string", bool: "a boolean", Number: "a number"}


def json_type(value: object) -> str:
    """Return the JSON type of a value, with its article."""
    return _KINDS.get(type(value), "null")
