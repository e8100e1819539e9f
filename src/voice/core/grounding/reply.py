"""Find the one JSON object in a model's reply.

Law: code fences, a leading `<think>` block and prose around the object are tolerated; whatever else is wrong is a
`InvalidReply`, whose fault names keys, types and positions but never a word of the reply, so that it may be logged and
be sent back for the one repair (ruling D8). Numbers are kept as they are written and never converted.

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
    """Why a reply is not a draft; `message` holds no text of the reply."""

    code: FaultCode
    message: str


@dataclass(frozen=True, slots=True)
class Number:
    """A JSON number as it was written; never converted, so a number of a million digits costs nothing."""

    text: str


class InvalidReply(Exception):
    """What is wrong with a reply, on its way to whoever parses it."""

    def __init__(self, code: FaultCode, message: str) -> None:
        super().__init__(message)
        self.fault = DraftFault(code=code, message=message)


_THINKING = re.compile(r"<think>.*?</think>", re.DOTALL)
_MAX_OBJECT_STARTS = 32


def object_in(text: str) -> Mapping[str, object]:
    """Return the object of a reply that is, or may be meant as, a draft.

    Raises:
        Faulty: there is none.
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
    """Return `text` without a byte-order mark and without a leading block of thinking aloud."""
    body = text.lstrip("\ufeff").strip()
    thinking = _THINKING.match(body)
    return body[thinking.end() :].strip() if thinking else body


def _pieces(body: str) -> Iterator[str]:
    """Yield the text from each place where an object may start; what follows the object is never looked at."""
    if body[0] == "[":
        yield body
    start = body.find("{")
    for _ in range(_MAX_OBJECT_STARTS):
        if start < 0:
            return
        yield body[start:]
        start = body.find("{", start + 1)


def object_of(text: str) -> Mapping[str, object] | None:
    """Return the JSON object that `text` begins with; None where it begins with none.

    Objects that name one of the draft's own keys twice, with different values, are none.
    """
    try:
        return _decode(text)
    except InvalidReply:
        return None


def _decode(piece: str) -> Mapping[str, object]:
    try:
        value = cast("object", _DECODER.raw_decode(piece)[0])
    except json.JSONDecodeError as error:
        if _ends_too_soon(error, piece):
            raise InvalidReply("cut_off", messages.reply_cut_off(len(piece))) from None
        fault = messages.JSON_FAULTS.get(error.msg, messages.BROKEN_SYNTAX)
        raise InvalidReply("not_json", messages.reply_not_json(fault, error.pos)) from None
    except RecursionError:
        raise InvalidReply("too_deep", messages.REPLY_TOO_DEEP) from None
    if not isinstance(value, dict):
        raise InvalidReply("not_an_object", messages.reply_not_an_object(json_type(value)))
    return cast("Mapping[str, object]", value)


def _ends_too_soon(error: json.JSONDecodeError, piece: str) -> bool:
    """Return whether nothing is wrong but that more should follow, as where a reply was cut at its longest."""
    return error.msg.startswith("Unterminated string") or error.pos >= len(piece.rstrip())


def _unique(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    """Keep the first of equal keys; two different answers under one key are no answer."""
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
    """Return what a value is called in JSON."""
    return _KINDS.get(type(value), "null")
