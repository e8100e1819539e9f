"""Parse a model's reply into a typed `Draft` or a typed fault.

Law: one schema for all providers (ruling A3); every reply is validated here and nothing in it can raise. No citation
is dropped. Numbers that a model reports about itself are kept as text and never used.
In the schema `sources` precede `text`, so that a model writes its quotes first and answers from them.
S2's `{answer, sources}` is accepted: each sentence cites what its inline markers name, else all sources.

Code fences, a leading `<think>` block and prose around the JSON object are tolerated; anything else is `InvalidReply`,
whose fault names keys, types and positions but no word of the reply, so it may be logged and sent back for the one
repair (ruling D8).
Source: rulings A3, D8; spec stateful-design-v2, 4 Provider Abstraction.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal, TypeGuard

from voice.core.grounding.values import Draft, DraftSentence, DraftSource
from voice.core.messages import asking as messages
from voice.core.text.word_lists import word_set

MAX_REPLY_CHARS = 400_000  # up to `_MAX_OBJECT_STARTS` times as many are decoded

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
_MAX_OBJECT_STARTS = 32  # each may be parsed to the end: without a bound, nested ones take quadratic time


def object_in(text: str) -> Mapping[str, object]:
    """Return the first object that looks like a draft. Raises InvalidReply: none does; the first one's fault."""
    if len(text) > MAX_REPLY_CHARS:
        raise InvalidReply("too_large", messages.reply_too_long(MAX_REPLY_CHARS))
    body = _without_thinking(text)
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


def objects_in(text: str, decoder: json.JSONDecoder) -> Iterator[Mapping[str, object]]:
    """Yield the JSON objects in a reply, outer ones first, whatever stands around them."""
    for piece in _pieces(_without_thinking(text)):
        try:
            value: object = decoder.raw_decode(piece)[0]
        except (ValueError, RecursionError):  # RecursionError: nested too deeply
            continue
        if is_object(value):
            yield value


def _without_thinking(text: str) -> str:
    """Return `text` without byte-order mark and leading `<think>` block."""
    body = text.lstrip("\ufeff").strip()
    thinking = _THINKING.match(body)
    return body[thinking.end() :].strip() if thinking else body


def _pieces(body: str) -> Iterator[str]:
    """Yield the text from each possible start of an object, at most 32."""
    if body.startswith("["):  # `[1, 2]` is JSON, but no object: the fault says so
        yield body
    for brace in islice(re.finditer(r"\{", body), _MAX_OBJECT_STARTS):
        yield body[brace.start() :]


def object_of(text: str) -> Mapping[str, object] | None:
    """Return the JSON object at the start of `text`; None if there is none or a draft key is ambiguous."""
    try:
        return _decode(text)
    except InvalidReply:
        return None


def _decode(piece: str) -> Mapping[str, object]:
    try:
        value: object = _DECODER.raw_decode(piece)[0]  # prose after the object is ignored
    except json.JSONDecodeError as error:
        # Incomplete rather than broken: a reply cut at its limit.
        if error.msg.startswith("Unterminated string") or error.pos >= len(piece.rstrip()):
            raise InvalidReply("cut_off", messages.reply_cut_off(len(piece))) from None
        fault = messages.JSON_FAULTS.get(error.msg, messages.BROKEN_SYNTAX)
        raise InvalidReply("not_json", messages.reply_not_json(fault, error.pos)) from None
    except RecursionError:
        raise InvalidReply("too_deep", messages.REPLY_TOO_DEEP) from None
    if not is_object(value):
        raise InvalidReply("not_an_object", messages.reply_not_an_object(json_type(value)))
    return value


def is_object(value: object) -> TypeGuard[Mapping[str, object]]:
    """Return whether a parsed JSON value is an object."""
    return isinstance(value, Mapping)


def is_list(value: object) -> TypeGuard[Sequence[object]]:
    """Return whether a parsed JSON value is a list."""
    return isinstance(value, list)


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
    # Not strict: a string may hold bare line breaks. `NaN` becomes a `Number` like the rest.
    object_pairs_hook=_unique,
    parse_int=Number,
    parse_float=Number,
    parse_constant=Number,
    strict=False,
)

_KINDS: Mapping[type, str] = {dict: "an object", list: "a list", str: "a string", bool: "a boolean", Number: "a number"}


def json_type(value: object) -> str:
    """Return the JSON type of a value, with its article."""
    return _KINDS.get(type(value), "null")


MAX_ANSWER_CHARS = 20_000
MAX_SENTENCES = 100
MAX_SOURCES = 64
MAX_SPAN_CHARS = 4_000
MAX_NOTES_CHARS = 2_000
_MAX_ID_CHARS = 64  # an alias has 7 at most; the rest is for brackets and blanks


def object_schema(**members: object) -> Mapping[str, object]:
    """Return the schema of an object as providers enforce it: every key required, no other keys (DESIGN 7)."""
    return {"type": "object", "properties": members, "required": [*members], "additionalProperties": False}


def list_schema(**members: object) -> Mapping[str, object]:
    """Return the schema of a list of such objects."""
    return {"type": "array", "items": object_schema(**members)}


def nullable(kind: str) -> Mapping[str, object]:
    """Return the schema of a value that may be null."""
    return {"anyOf": [{"type": kind}, {"type": "null"}]}


TEXT_SCHEMA: Mapping[str, object] = {"type": "string"}
DRAFT_SCHEMA = object_schema(
    sentences=list_schema(
        sources=list_schema(source_id=TEXT_SCHEMA, span=TEXT_SCHEMA),
        text=TEXT_SCHEMA,
        kind={"type": "string", "enum": ["claim", "remark", "question"]},
    ),
    refused=nullable("boolean"),
    notes=nullable("string"),
)


def parse_draft(text: str) -> Draft | DraftFault:
    """Parse a provider's reply; never raises (rulings A3, D8; spec stateful-design-v2, 4 Provider Abstraction)."""
    try:
        return _draft_of(object_in(text))
    except InvalidReply as faulty:
        return faulty.fault


def source_of(text: str) -> DraftSource | None:
    """Parse one citation object as `parse_draft` does; None if it is faulty."""
    try:
        return _source(object_of(text), "`sources")
    except InvalidReply:
        return None


def _draft_of(value: Mapping[str, object]) -> Draft:
    refused = value.get("refused")
    if refused is not None and not isinstance(refused, bool):
        raise InvalidReply("wrong_type", messages.must_be_flag("refused", json_type(refused)))
    refused = bool(refused)
    if "sentences" in value:
        sentences = _sentences(value, refused=refused)
    else:  # S2's form: one piece that cites all sources; the judge splits it into sentences
        sources, answer = _sources(value, refused=refused), _answer(value, refused=refused)
        sentences = [DraftSentence(text=answer, sources=sources)]
    return Draft(
        sentences=() if refused else tuple(sentences),  # a refusal states nothing
        refused=refused,
        notes=_notes(value),
        self_reported=tuple(_claimed_numbers(value)),
    )


def _sentences(value: Mapping[str, object], *, refused: bool) -> list[DraftSentence]:
    items = value["sentences"]
    if refused and items is None:
        return []
    if not is_list(items):
        raise InvalidReply("wrong_type", messages.must_be_list("`sentences`", json_type(items)))
    if len(items) > MAX_SENTENCES:
        raise InvalidReply("too_large", messages.too_many_entries("`sentences`", len(items), MAX_SENTENCES))
    found = [_sentence(item, f"`sentences[{index}]") for index, item in enumerate(items)]
    if not refused and not any(sentence.text.strip() for sentence in found):
        raise InvalidReply("empty", messages.SENTENCES_EMPTY)
    if sum(len(sentence.text) for sentence in found) > MAX_ANSWER_CHARS:
        raise InvalidReply("too_large", messages.sentences_too_long(MAX_ANSWER_CHARS))
    # Twice as many, since several sentences may cite the same row.
    if sum(len(sentence.sources) for sentence in found) > 2 * MAX_SOURCES:
        raise InvalidReply("too_large", messages.too_many_citations(2 * MAX_SOURCES))
    # Citations may also stand beside the sentences; none is dropped, or an invented one would pass.
    top_level = DraftSentence(text="", sources=_sources(value, refused=True))
    return [one for one in (*found, top_level) if one.text.strip() or one.sources]


def _sentence(item: object, where: str) -> DraftSentence:
    """Parse one sentence; `where` is its path after an opening backtick, as messages show it."""
    if not is_object(item):
        raise InvalidReply("wrong_type", messages.must_be_sentence(f"{where}`", json_type(item)))
    kind = "claim" if item.get("kind") is None else item["kind"]  # the kind that is checked most
    if kind not in ("claim", "remark", "question"):
        raise InvalidReply("wrong_type", messages.sentence_kind(where))
    items = _listed(item.get("sources"), f"{where}.sources`")
    return DraftSentence(
        text=_text(item, "text", f"{where}.text`", MAX_ANSWER_CHARS),
        kind=kind,
        sources=tuple(_source(each, f"{where}.sources[{index}]") for index, each in enumerate(items)),
    )


def _sources(value: Mapping[str, object], *, refused: bool) -> tuple[DraftSource, ...]:
    if "sources" not in value and not refused:
        raise InvalidReply("missing_key", messages.SOURCES_MISSING)
    items = _listed(value.get("sources"), "`sources`")
    if len(items) > MAX_SOURCES:
        raise InvalidReply("too_large", messages.too_many_entries("`sources`", len(items), MAX_SOURCES))
    return tuple(_source(item, f"`sources[{index}]") for index, item in enumerate(items))


def _answer(value: Mapping[str, object], *, refused: bool) -> str:
    if refused and value.get("answer") is None:
        return ""
    answer = _text(value, "answer", "`answer`", MAX_ANSWER_CHARS)
    if not refused and not answer.strip():
        raise InvalidReply("empty", messages.ANSWER_EMPTY)
    return answer


def _source(item: object, where: str) -> DraftSource:
    if not is_object(item):
        raise InvalidReply("wrong_type", messages.must_be_source(where, json_type(item)))
    source_id = _text(item, "source_id", f"{where}.source_id`", _MAX_ID_CHARS).strip().strip("[]").strip()
    span = _text(item, "span", f"{where}.span`", MAX_SPAN_CHARS)
    return DraftSource(source_id=source_id, span=span)


def _notes(value: Mapping[str, object]) -> str | None:
    notes = value.get("notes")
    if notes is None:
        return None
    if not isinstance(notes, str):
        raise InvalidReply("wrong_type", messages.must_be_notes(json_type(notes)))
    return _printable(notes)[:MAX_NOTES_CHARS]


def _listed(items: object, where: str) -> Sequence[object]:
    if items is None:
        return ()
    if not is_list(items):
        raise InvalidReply("wrong_type", messages.must_be_list(where, json_type(items)))
    return items


def _text(value: Mapping[str, object], key: str, where: str, limit: int) -> str:
    if key not in value:
        raise InvalidReply("missing_key", messages.key_missing(where))
    text = value[key]
    if not isinstance(text, str):
        raise InvalidReply("wrong_type", messages.must_be_string(where, json_type(text)))
    if len(text) > limit:
        raise InvalidReply("too_large", messages.too_many_characters(where, len(text), limit))
    return _printable(text)


_UNPRINTABLE = re.compile("[\ud800-\udfff\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def _printable(text: str) -> str:
    """Replace lone surrogates and control characters one for one: they cannot be stored and may control a terminal."""
    return _UNPRINTABLE.sub("\ufffd", text)


# Known names of self-reported scores; a key of the model's choice could leak draft words ("Ida_is_ill": 1).
_CLAIMED = word_set(
    "answer_confidence certainty confidence confidence_score coverage coverage_ratio evidence_count evidence_found "
    "faithfulness groundedness grounding_score probability relevance relevance_score score similarity source_count "
    "support support_score"
)
_MAX_SELF_REPORTED = 16


def _claimed_numbers(value: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield the model's self-reported numbers; known names and short numbers only, so no draft text leaks."""
    claims = list(_numbers_in(value, ""))
    for key in ("sentences", "sources"):
        items = value.get(key)
        for index, item in enumerate(items if is_list(items) else ()):
            if is_object(item):
                claims.extend(_numbers_in(item, f"{key}[{index}]."))
    yield from claims[:_MAX_SELF_REPORTED]  # each sentence and citation may have some


def _numbers_in(value: Mapping[str, object], prefix: str) -> Iterator[tuple[str, str]]:
    for key, item in value.items():
        if isinstance(item, Number) and len(item.text) <= 40 and key in _CLAIMED:
            yield prefix + key, item.text
