"""The model's words, from text to a typed `Draft` or a typed fault.

Law: one hand-written schema for every provider (ruling A3), and the provider's promise to obey it is never believed:
each reply is parsed and checked here. Nothing in a reply can make this module raise: whatever is not a draft is a
`DraftFault`, whose message names keys, types and positions but never a word of the reply, so that it may be logged and
be sent back for the one repair (ruling D8). Numbers that a model claims about itself under a known name are kept as
text and never used.

In the schema `sources` stands before `answer`: a model that must write its quotes first answers from them.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from voice.core.grounding.values import Draft, DraftSource
from voice.core.text.wordlists import word_set

MAX_REPLY_CHARS = 400_000
MAX_ANSWER_CHARS = 20_000
MAX_SOURCES = 64
MAX_SPAN_CHARS = 4_000
MAX_NOTES_CHARS = 2_000

_NULLABLE_TEXT: Mapping[str, object] = {"anyOf": [{"type": "string"}, {"type": "null"}]}
DRAFT_SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "sources": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"source_id": {"type": "string"}, "span": {"type": "string"}},
                "required": ["source_id", "span"],
                "additionalProperties": False,
            },
        },
        "answer": {"type": "string"},
        "refused": {"anyOf": [{"type": "boolean"}, {"type": "null"}]},
        "notes": _NULLABLE_TEXT,
    },
    "required": ["sources", "answer", "refused", "notes"],
    "additionalProperties": False,
}
"""What providers are asked to enforce: every key required, nullable by `anyOf`, nothing else allowed (DESIGN 7)."""

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
class _Number:
    """A JSON number as it was written; never converted, so a number of a million digits costs nothing."""

    text: str


class _Faulty(Exception):
    def __init__(self, code: FaultCode, message: str) -> None:
        super().__init__(message)
        self.fault = DraftFault(code=code, message=message)


def parse_draft(text: str) -> Draft | DraftFault:
    """Return the draft that a provider's reply holds, or what is wrong with it; never raises.

    Code fences, a leading `<think>` block, prose around the object and unknown keys are tolerated.
    Source: rulings A3, D8; spec stateful-design-v2, 4 Provider Abstraction.
    """
    try:
        return _draft_of(_object_in(text))
    except _Faulty as faulty:
        return faulty.fault


def object_of(text: str) -> Mapping[str, object] | None:
    """Return the one JSON object that `text` is, its numbers as they are written; None where it is none.

    Objects that name one of the draft's own keys twice, with different values, are none.
    """
    try:
        return _decode(text)
    except _Faulty:
        return None


def sources_of(value: Mapping[str, object]) -> tuple[DraftSource, ...] | None:
    """Return the sources of a draft's object as `parse_draft` reads them; None where it would find a fault in them."""
    try:
        items = _items(value, refused=False)
        return None if len(items) > MAX_SOURCES else tuple(_source(item, index) for index, item in enumerate(items))
    except _Faulty:
        return None


def source_id_of(item: object) -> str | None:
    """Return the id that one item of a list of sources cites, as `parse_draft` reads it; None while there is none."""
    try:
        return _source_id(cast("Mapping[str, object]", item), "") if isinstance(item, dict) else None
    except _Faulty:
        return None


_THINKING = re.compile(r"<think>.*?</think>", re.DOTALL)
_MAX_OBJECT_STARTS = 32


def _object_in(text: str) -> Mapping[str, object]:
    if len(text) > MAX_REPLY_CHARS:
        raise _Faulty("too_large", f"the reply has more than {MAX_REPLY_CHARS} characters; answer more briefly")
    body = spoken(text)
    if not body:
        raise _Faulty("empty", "the reply is empty; reply with one JSON object")
    first: _Faulty | None = None
    for piece in _pieces(body):
        try:
            value = _decode(piece)
            if "answer" in value:
                return value
            fault = _Faulty("missing_key", "the key `answer` is missing")
        except _Faulty as faulty:
            fault = faulty
        first = first or fault
    raise first or _Faulty("not_json", "the reply holds no JSON object; reply with one JSON object and nothing else")


def spoken(text: str) -> str:
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


def _decode(piece: str) -> Mapping[str, object]:
    try:
        value = cast("object", _DECODER.raw_decode(piece)[0])
    except json.JSONDecodeError as error:
        if _ends_too_soon(error, piece):
            raise _Faulty(
                "cut_off",
                f"the reply ends at character {len(piece)}, before its object does; be brief and close what is open",
            ) from None
        raise _Faulty(
            "not_json",
            f"the reply is not JSON: {_SYNTAX.get(error.msg, 'broken syntax')} at character {error.pos}",
        ) from None
    except RecursionError:
        raise _Faulty("too_deep", "the reply nests too many objects or lists; use the given schema") from None
    if not isinstance(value, dict):
        raise _Faulty("not_an_object", f"the reply is {_kind(value)}; reply with one JSON object")
    return cast("Mapping[str, object]", value)


def _ends_too_soon(error: json.JSONDecodeError, piece: str) -> bool:
    """Return whether nothing is wrong but that more should follow, as where a reply was cut at its longest."""
    return error.msg.startswith("Unterminated string") or error.pos >= len(piece.rstrip())


_SYNTAX = {
    "Expecting value": "a value is missing",
    "Expecting ',' delimiter": "a comma or closing bracket is missing",
    "Expecting ':' delimiter": "a colon is missing",
    "Expecting property name enclosed in double quotes": "a key in double quotes is missing",
    "Invalid control character at": "a line break or control character stands unescaped in a string",
    "Invalid \\escape": "an invalid escape stands in a string",
}


def _unique(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    """Keep the first of equal keys; two different answers under one key are no answer."""
    value: dict[str, object] = {}
    for key, item in pairs:
        if key in value and key in _OWN_KEYS and value[key] != item:
            raise _Faulty("duplicate_key", f"the key `{key}` stands twice with different values")
        value.setdefault(key, item)
    return value


_OWN_KEYS = frozenset({"answer", "sources", "refused", "notes", "source_id", "span"})
_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique, parse_int=_Number, parse_float=_Number, parse_constant=_Number, strict=False
)


def _draft_of(value: Mapping[str, object]) -> Draft:
    refused = _optional_bool(value, "refused")
    items = _items(value, refused=refused)
    if len(items) > MAX_SOURCES:
        raise _Faulty("too_large", f"`sources` has {len(items)} entries; give at most {MAX_SOURCES}")
    answer = _answer(value, refused=refused)
    sources = [_source(item, index) for index, item in enumerate(items)]
    return Draft(
        answer=answer,
        sources=tuple(sources),
        refused=refused,
        notes=_notes(value),
        self_reported=tuple(_claimed_numbers(value, items)),
    )


def _answer(value: Mapping[str, object], *, refused: bool) -> str:
    if refused and value.get("answer") is None:
        return ""
    answer = _text(value, "answer", "`answer`", MAX_ANSWER_CHARS)
    if not refused and not answer.strip():
        raise _Faulty("empty", "`answer` is empty; answer, or set `refused` to true")
    return answer


def _source(item: object, index: int) -> DraftSource:
    where = f"`sources[{index}]`"
    if not isinstance(item, dict):
        raise _Faulty("wrong_type", f"{where} is {_kind(item)}; it must be an object with `source_id` and `span`")
    fields = cast("Mapping[str, object]", item)
    source_id = _source_id(fields, f"`sources[{index}].source_id`")
    span = _text(fields, "span", f"`sources[{index}].span`", MAX_SPAN_CHARS)
    return DraftSource(source_id=source_id, span=span)


def _source_id(fields: Mapping[str, object], where: str) -> str:
    return _text(fields, "source_id", where, 64).strip().strip("[]").strip()


def _notes(value: Mapping[str, object]) -> str | None:
    notes = value.get("notes")
    if notes is None:
        return None
    if not isinstance(notes, str):
        raise _Faulty("wrong_type", f"`notes` is {_kind(notes)}; it must be a string or null")
    return _printable(notes)[:MAX_NOTES_CHARS]


def _optional_bool(value: Mapping[str, object], key: str) -> bool:
    flag = value.get(key)
    if flag is not None and not isinstance(flag, bool):
        raise _Faulty("wrong_type", f"`{key}` is {_kind(flag)}; it must be true, false or null")
    return bool(flag)


def _items(value: Mapping[str, object], *, refused: bool) -> Sequence[object]:
    if "sources" not in value and not refused:
        raise _Faulty("missing_key", "the key `sources` is missing")
    items = value.get("sources")
    if items is None:
        return ()
    if not isinstance(items, list):
        raise _Faulty("wrong_type", f"`sources` is {_kind(items)}; it must be a list")
    return cast("Sequence[object]", items)


def _text(value: Mapping[str, object], key: str, where: str, limit: int) -> str:
    if key not in value:
        raise _Faulty("missing_key", f"the key {where} is missing")
    text = value[key]
    if not isinstance(text, str):
        raise _Faulty("wrong_type", f"{where} is {_kind(text)}; it must be a string")
    if len(text) > limit:
        raise _Faulty("too_large", f"{where} has {len(text)} characters; give at most {limit}")
    return _printable(text)


_UNPRINTABLE = re.compile("[\ud800-\udfff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def _printable(text: str) -> str:
    """Replace lone surrogates and control characters one for one: they cannot be stored and may steer a terminal."""
    return _UNPRINTABLE.sub("\ufffd", text)


_CLAIMED = word_set(
    "answer_confidence certainty confidence confidence_score coverage coverage_ratio evidence_count evidence_found "
    "faithfulness groundedness grounding_score probability relevance relevance_score score similarity source_count "
    "support support_score"
)
"""What a model may claim of itself; a key of its own choice may hold words of the draft ("Ida_is_ill": 1)."""
_MAX_SELF_REPORTED = 16


def _claimed_numbers(value: Mapping[str, object], items: Sequence[object]) -> Iterator[tuple[str, str]]:
    """Yield what the model claims of itself: known names and short numbers only, so no draft text slips through."""
    claims = list(_numbers_in(value, ""))
    for index, item in enumerate(items):
        claims.extend(_numbers_in(cast("Mapping[str, object]", item), f"sources[{index}]."))
    yield from claims[:_MAX_SELF_REPORTED]


def _numbers_in(value: Mapping[str, object], prefix: str) -> Iterator[tuple[str, str]]:
    for key, item in value.items():
        if isinstance(item, _Number) and len(item.text) <= 40 and key in _CLAIMED:
            yield prefix + key, item.text


_KINDS: Mapping[type, str] = {
    dict: "an object",
    list: "a list",
    str: "a string",
    bool: "a boolean",
    _Number: "a number",
}


def _kind(value: object) -> str:
    return _KINDS.get(type(value), "null")
