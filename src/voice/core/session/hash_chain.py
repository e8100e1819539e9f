"""The hash chain of a conversation.

Law: an exchange's link is a hash over the link before it and one keyed commitment per field, in the order of the
fields' names. A commitment hides its value from whoever lacks the field's nonce, so a field can be taken away, or left
out of an export, and the chain still verifies: its commitment stays in its place (ruling H).

    nonce_f  = BLAKE3(f, key = BLAKE3("voice-session/1 nonces " + exchange id, key = the store's key))
    commit_f = BLAKE3(canonical JSON of f's value, key = nonce_f)
    link_i   = BLAKE3(link_(i-1) and a line "f commit_f" for each field f)

A field that holds its empty default (None, "", (), 0, False) is not committed to and not written: a field that a later
version adds, empty by default, breaks no chain. What an earlier judge said is committed to in the form that it was
written in (`voice.core.session.exchange`). Canonical JSON is RFC 8785's for these values: sorted names, no spaces,
a whole number without a fraction; money is text, instants are UTC.

Source: ruling H, "A session's hash chain".
"""

import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from datetime import datetime
from decimal import Decimal
from functools import cache
from typing import ClassVar, Final, NamedTuple, Protocol, cast

from blake3 import blake3

from voice.core.errors import InvalidParams
from voice.core.grounding.values import SentenceVerdict
from voice.core.grounding.verifier_values import Verification
from voice.core.messages import asking as messages
from voice.core.session.exchange import as_written
from voice.core.session.values import DialogueExchange
from voice.core.text.instants import render_instant
from voice.core.text.normalise import clean_text

Commitments = Mapping[str, str]
"""Field name to commitment, hex."""
CALL: Final = ("idempotency", "request_hash")
"""By which call an exchange was asked for: that counts in its own store alone."""
_APART: Final = frozenset({"session_id", "seq", "link", "redacted", "deleted", *CALL})
"""Where an exchange lies and whether it does any more, the call, and the chain itself; a fork shares the exchanges of
the session it left."""
FIGURES: Final = frozenset(
    {
        "id", "index", "timestamp", "status", "reason", "stance", "refused", "is_private", "confidence",
        "coverage_ratio", "prompt_tokens", "completion_tokens", "cached_tokens", "latency_ms", "cost_estimate",
        "price_source", "price", "provider", "model", "policy", "attempts", "imported_from", "conflict",
    }
)  # fmt: skip
"""What tells nothing of what was said; every other field, one that a later version adds among them, does."""
_BLANK: Final[Mapping[str, object]] = {
    "my_query": "",
    "answer": "",
    "sources": (),
    "memories_referenced": (),
    "prompt_hash": None,
}
"""How a field without a default looks once it is gone."""
_WHOLE: Final = 2**53
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True)


class _Record(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Field[object]]]


class _Member(NamedTuple):
    """One field of a kind of record, with the empty default under which it is left out."""

    name: str
    is_kept_empty: bool
    """Whether it is written whatever it holds: it has no default, or one that says something."""
    empty: object


@cache
def _members(kind: type[_Record]) -> tuple[_Member, ...]:
    """Return a record's fields in the order of their names."""
    found = [_Member(each.name, each.default is MISSING or bool(each.default), each.default) for each in fields(kind)]
    return tuple(sorted(found, key=lambda member: member.name))


def plain_json(value: object) -> object:
    """Return `value` as plain JSON members, empty defaults left out, every text as it may be stored.

    Raises:
        InvalidParams: it is of no kind that is stored, or a number is not finite.
    """
    if isinstance(value, str):
        return value if type(value) is str and value.isascii() and "\x00" not in value else clean_text(value)
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, (tuple, list)):
        return [plain_json(each) for each in cast("Sequence[object]", value)]
    if is_dataclass(value):
        return plain_members(_written(value))
    if isinstance(value, datetime):
        return render_instant(value)
    if isinstance(value, Decimal):
        return str(value)
    raise InvalidParams(messages.not_recordable(type(value).__name__))


def _written(value: object) -> _Record:
    """Return a record in the form it is committed to: its own, or the one in which an earlier judge wrote it."""
    earlier = as_written(value) if isinstance(value, SentenceVerdict | Verification) else None
    return cast("_Record", earlier or value)


def _number(value: float) -> float | int:
    if not math.isfinite(value):
        raise InvalidParams(messages.NUMBER_NOT_FINITE)
    return int(value) if value.is_integer() and abs(value) < _WHOLE else value


def plain_members(record: _Record, *, apart: frozenset[str] = frozenset()) -> dict[str, object]:
    """Return the members of a record that are not empty, but for those `apart`, in the order of their names."""
    found: dict[str, object] = {}
    for name, is_kept_empty, empty in _members(type(record)):
        value: object = getattr(record, name)
        if (is_kept_empty or value != empty) and name not in apart:
            found[name] = plain_json(value)
    return found


def canonical_json(members: object) -> str:
    """Return plain members as canonical JSON: sorted, compact, readable."""
    return _ENCODER.encode(members)


def values_of(exchange: DialogueExchange) -> dict[str, object]:
    """Return what the chain commits to of an exchange, field by field, as plain JSON; redacted fields are not in it."""
    gone = frozenset(name for name, _ in exchange.redacted)
    return plain_members(exchange, apart=_APART | gone)


def nonces(key: bytes, exchange_id: str, names: Sequence[str]) -> dict[str, bytes]:
    """Return the nonces of the fields of one exchange; `key` is the store's 32 bytes."""
    own = blake3(f"voice-session/1 nonces {exchange_id}".encode("utf-8", "surrogatepass"), key=key).digest()
    return {name: blake3(name.encode(), key=own).digest() for name in names}


def commitment(nonce: bytes, value: object) -> str:
    """Return what is published of a field instead of its plain value, hex."""
    return blake3(canonical_json(value).encode("utf-8", "surrogatepass"), key=nonce).hexdigest()


def commitments(exchange: DialogueExchange, key: bytes) -> dict[str, str]:
    """Return the commitments of an exchange: of its values, and those that were kept of redacted fields."""
    values = values_of(exchange)
    keyed = nonces(key, exchange.id, tuple(values))
    return {name: commitment(keyed[name], value) for name, value in values.items()} | dict(exchange.redacted)


def next_link(before: str, committed: Commitments) -> str:
    """Return the link that follows `before` ("" before the first), hex."""
    lines = "".join(f"{name} {committed[name]}\n" for name in sorted(committed))
    return blake3(f"{before}\n{lines}".encode("utf-8", "surrogatepass")).hexdigest()


def with_link(exchange: DialogueExchange, *, after: str, key: bytes) -> DialogueExchange:
    """Return the exchange with its link.

    Args:
        exchange: as it will be stored; another index or id makes another link.
        after: the link of the one before it, "" where there is none.
        key: the store's 32 bytes.
    """
    return replace(exchange, link=next_link(after, commitments(exchange, key)))


def redact(exchange: DialogueExchange, *, key: bytes, names: Collection[str] | None = None) -> DialogueExchange:
    """Return the exchange without the values of some fields, their commitments in their place; its link stays true.

    Args:
        exchange: as it is stored.
        key: the store's 32 bytes.
        names: of the fields; None is all but the figures. Empty ones have nothing to hide and stay as they are.

    What is left answers no repeated call any more.
    """
    committed = commitments(exchange, key)
    unwanted = committed.keys() - FIGURES if names is None else committed.keys() & set(names)
    gone = dict(exchange.redacted) | {name: committed[name] for name in unwanted}
    return replace(without_fields(exchange, {*gone, *CALL}), redacted=tuple(sorted(gone.items())))


def without_fields(exchange: DialogueExchange, names: Collection[str]) -> DialogueExchange:
    """Return the exchange with nothing in the fields of those names."""
    blank = {each.name: _BLANK.get(each.name, each.default) for each in fields(exchange) if each.name in names}
    return replace(exchange, **blank)  # pyright: ignore[reportArgumentType]


class ChainCheck:
    """Follows one session's links, exchange by exchange; texts are not kept."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._last = ""
        self.broken: list[int] = []
        """The indexes of exchanges that are not what was kept, or not in their place."""

    @property
    def last(self) -> str:
        """The newest link that was seen."""
        return self._last

    def add(self, exchange: DialogueExchange) -> None:
        """Look at the next exchange; those from before there were links, the oldest ones, pass without."""
        if exchange.link or self._last:
            if exchange.link != next_link(self._last, commitments(exchange, self._key)):
                self.broken.append(exchange.index)
            self._last = exchange.link or self._last
