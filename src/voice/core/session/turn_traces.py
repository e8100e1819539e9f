"""What stays of a turn without its words: its link in the hash chain, and stubs of figures alone.

Law: a link hashes the previous link and one keyed commitment per field, sorted by name. A commitment hides its value
without the nonce, so a field can be removed and the chain still verifies (ruling H).

  nonce_f  = BLAKE3(f, key = BLAKE3("voice-session/1 nonces " + exchange id, key = the store's key))
  commit_f = BLAKE3(canonical JSON of f's value, key = nonce_f)
  link_i   = BLAKE3(link_(i-1) and a line "f commit_f" for each field f)

Fields with their empty default (None, "", (), 0, False) are omitted, so that new fields break no chain. Canonical JSON
is RFC 8785's for these values; money is text, instants are UTC.

A stub, of a deleted session's turn or of calls outside any session, keeps figures only (time, model, template, outcome,
usage): no text, row, hash or origin. Spending therefore stays counted in reports and caps.
Source: ruling H, "A session's hash chain"; rulings D6, D18; docs/sessions.md; promise 7; docs/budgets.md.
"""

import json
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from datetime import datetime
from decimal import Decimal
from functools import cache
from typing import ClassVar, Final, NamedTuple, Protocol, cast

from blake3 import blake3

from voice.core.errors import InvalidParams
from voice.core.grounding.values import SentenceVerdict, Stance
from voice.core.grounding.verifier_values import Verification
from voice.core.messages import asking as messages
from voice.core.session.exchange import TurnFacts, as_written, total_cost, total_usage
from voice.core.session.values import Attempt, DialogueExchange, PromptRecord
from voice.core.text.instants import render_instant
from voice.core.text.normalise import clean_text

Commitments = Mapping[str, str]
"""Field name to commitment, hex."""
CALL: Final = ("idempotency", "request_hash")
"""The idempotent call of an exchange; valid in its own store only."""
# Fields outside the chain: storage location, deletion, call, and the chain itself; forks share exchanges.
_APART: Final = frozenset({"session_id", "seq", "link", "redacted", "deleted", *CALL})
FIGURES: Final = frozenset(
    {
        "id", "index", "timestamp", "status", "reason", "stance", "refused", "is_private", "confidence",
        "coverage_ratio", "prompt_tokens", "completion_tokens", "cached_tokens", "latency_ms", "cost_estimate",
        "price_source", "price", "provider", "model", "policy", "attempts", "imported_from", "conflict",
    }
)  # fmt: skip
"""Fields that reveal no content; any other field, including future ones, may."""
BLANK: Final[Mapping[str, object]] = {
    "my_query": "",
    "answer": "",
    "sources": (),
    "memories_referenced": (),
    "prompt_hash": None,
}
"""Blank values of fields without a default."""
_WHOLE: Final = 2**53  # beyond it a float no longer tells one integer from the next
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True)


class _Record(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Field[object]]]


class _Member(NamedTuple):
    """A record's field with the empty default under which it is omitted."""

    name: str
    is_kept_empty: bool  # whether it is always written: no default, or a non-empty one
    empty: object


@cache
def _members(kind: type[_Record]) -> tuple[_Member, ...]:
    """Return a record's fields sorted by name."""
    found = [_Member(each.name, each.default is MISSING or bool(each.default), each.default) for each in fields(kind)]
    return tuple(sorted(found, key=lambda member: member.name))


def plain_json(value: object) -> object:
    """Convert `value` to plain JSON without empty defaults. Raises InvalidParams: unsupported type, or not finite."""
    if isinstance(value, str):
        # `clean_text` also makes a plain text of a member of a `StrEnum`.
        return value if type(value) is str and value.isascii() and "\x00" not in value else clean_text(value)
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, (tuple, list)):
        return [plain_json(each) for each in cast("Sequence[object]", value)]
    if is_dataclass(value) and not isinstance(value, type):
        return plain_members(_committed_form(value))
    if isinstance(value, datetime):
        return render_instant(value)
    if isinstance(value, Decimal):
        return str(value)
    raise InvalidParams(messages.not_recordable(type(value).__name__))


def _committed_form(value: _Record) -> _Record:
    """Return a record in its committed form: its own, or the lexical judge's."""
    return (as_written(value) or value) if isinstance(value, SentenceVerdict | Verification) else value


def _number(value: float) -> float | int:
    if not math.isfinite(value):
        raise InvalidParams(messages.NUMBER_NOT_FINITE)
    # JSON does not tell 1.0 from 1: both must be committed alike.
    return int(value) if value.is_integer() and abs(value) < _WHOLE else value


def plain_members(record: _Record, *, apart: frozenset[str] = frozenset()) -> dict[str, object]:
    """Return a record's non-empty members, except `apart`, sorted by name."""
    found: dict[str, object] = {}  # the empty default is left out, so that a new field breaks no old chain
    for name, is_kept_empty, empty in _members(type(record)):
        value: object = getattr(record, name)
        if (is_kept_empty or value != empty) and name not in apart:
            found[name] = plain_json(value)
    return found


def canonical_json(members: object) -> str:
    """Encode plain members as sorted, compact JSON."""
    return _ENCODER.encode(members)


def values_of(exchange: DialogueExchange) -> dict[str, object]:
    """Return the committed fields of an exchange as plain JSON, without redacted ones."""
    gone = frozenset(name for name, _ in exchange.redacted)
    return plain_members(exchange, apart=_APART | gone)  # their values are gone, their commitments stay


def nonces(key: bytes, exchange_id: str, names: Sequence[str]) -> dict[str, bytes]:
    """Derive the nonces of an exchange's fields; `key` is the store's 32 bytes."""
    own = blake3(f"voice-session/1 nonces {exchange_id}".encode(errors="surrogatepass"), key=key).digest()
    return {name: blake3(name.encode(), key=own).digest() for name in names}


def commitment(nonce: bytes, value: object) -> str:
    """Return the commitment to a value, hex."""
    return blake3(canonical_json(value).encode(errors="surrogatepass"), key=nonce).hexdigest()


def commitments(exchange: DialogueExchange, key: bytes) -> dict[str, str]:
    """Return an exchange's commitments: of its values, and the stored ones of redacted fields."""
    values = values_of(exchange)
    keyed = nonces(key, exchange.id, tuple(values))
    return {name: commitment(keyed[name], value) for name, value in values.items()} | dict(exchange.redacted)


def next_link(before: str, committed: Commitments) -> str:
    """Return the link after `before` ("" at the start), hex."""
    lines = "".join(f"{name} {committed[name]}\n" for name in sorted(committed))  # sorted, not in the order of fields
    return blake3(f"{before}\n{lines}".encode(errors="surrogatepass")).hexdigest()


def with_link(exchange: DialogueExchange, *, after: str, key: bytes) -> DialogueExchange:
    """Return the exchange, whose index and id are final, with its link.

    `after` is the previous link, "" at the start; `key` the store's 32 bytes.
    """
    return replace(exchange, link=next_link(after, commitments(exchange, key)))


def redact(exchange: DialogueExchange, *, key: bytes, names: Collection[str] | None = None) -> DialogueExchange:
    """Blank fields of an exchange and keep their commitments; its link stays valid.

    The result no longer serves idempotent calls.

    Args:
        names: None: all but the figures. Empty fields stay unchanged.
    """
    committed = commitments(exchange, key)
    unwanted = committed.keys() - FIGURES if names is None else committed.keys() & set(names)
    gone = dict(exchange.redacted) | {name: committed[name] for name in unwanted}
    return replace(without_fields(exchange, {*gone, *CALL}), redacted=tuple(sorted(gone.items())))


def without_fields(exchange: DialogueExchange, names: Collection[str]) -> DialogueExchange:
    """Return the exchange with those fields blank."""
    blank = {each.name: BLANK.get(each.name, each.default) for each in fields(exchange) if each.name in names}
    return replace(exchange, **blank)  # pyright: ignore[reportArgumentType]


class ChainCheck:
    """Verifies one session's links, exchange by exchange; stores no text."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self.last = ""
        """The last link seen."""
        self.broken: list[int] = []
        """The indexes of exchanges that are not what was kept, or not in their place."""

    def add(self, exchange: DialogueExchange) -> None:
        """Verify the next exchange; leading ones without links are skipped."""
        if exchange.link or self.last:
            if exchange.link != next_link(self.last, commitments(exchange, self._key)):
                self.broken.append(exchange.index)
            self.last = exchange.link or self.last  # after a turn without link the chain goes on


# `imported_from` is a hash of content: only its presence is kept, as "", because spending depends on it.
_KEPT: Final = (FIGURES - {"imported_from"}) | {"session_id", "seq"}


def turn_stub(exchange: DialogueExchange) -> DialogueExchange:
    """Reduce a turn to its stub; idempotent."""
    names = frozenset(each.name for each in fields(exchange)) - _KEPT
    return replace(
        without_fields(exchange, names),
        prompt=None if exchange.prompt is None else _template_of(exchange.prompt),
        imported_from=None if exchange.imported_from is None else "",
        attempts=tuple(replace(each, draft_hash=None) for each in exchange.attempts),  # a hash of words goes as well
        deleted=True,
    )


def turn_figures(exchange: DialogueExchange) -> DialogueExchange:
    """Reduce a turn to what reports count, the ids of the rows it cites, and whether it is withheld or deleted."""
    return replace(
        turn_stub(exchange),
        memories_referenced=tuple(dict.fromkeys(source.source_id for source in exchange.sources)),
        sentences=exchange.sentences if exchange.states_nothing else (),  # small talk is told by its remarks
        is_private=exchange.is_withheld,
        deleted=exchange.deleted,
    )


def unreadable_turn_stub(*, exchange_id: str, session_id: str, index: int, timestamp: datetime) -> DialogueExchange:
    """Return a stub of a turn whose record is unreadable; its cost is unknown."""
    return DialogueExchange(
        id=exchange_id,
        session_id=session_id,
        index=index,
        timestamp=timestamp,
        my_query="",
        answer="",
        sources=(),
        confidence=0.0,
        coverage_ratio=0.0,
        refused=True,
        memories_referenced=(),
        prompt_tokens=None,
        completion_tokens=None,
        latency_ms=0,
        cost_estimate=None,
        prompt_hash=None,
        status="error",
        stance=Stance.SYNTHESIZE,
        deleted=True,
    )


def _template_of(prompt: PromptRecord) -> PromptRecord:
    """Keep the template's name and the prompt's size, which reports use."""
    return PromptRecord(
        prompt_hash="",
        template=prompt.template,
        template_hash="",
        prompt_tokens_estimated=prompt.prompt_tokens_estimated,
    )


def stub_faults(exchange: DialogueExchange) -> Iterator[str]:
    """Yield a message if a deleted session's turn has more than its figures."""
    if exchange != turn_stub(exchange):
        yield messages.text_left(exchange.id)


_ALONE: Final = frozenset({"reach", "extract", "calibrate"})  # purposes of calls outside any turn


def sessionless_calls(attempts: Sequence[Attempt], facts: TurnFacts) -> DialogueExchange:
    """Return the stub of calls to `reach`, `extract` or `calibrate`, under an id and a session id of its own."""
    usage = total_usage(attempts)
    return turn_stub(
        replace(
            unreadable_turn_stub(
                exchange_id=facts.exchange_id, session_id=facts.session_id, index=facts.index, timestamp=facts.timestamp
            ),
            prompt_tokens=usage.input_tokens,
            completion_tokens=usage.output_tokens,
            cached_tokens=usage.cached_input_tokens,
            latency_ms=sum(attempt.latency_ms for attempt in attempts),
            cost_estimate=total_cost(attempts, facts.price),
            stance=facts.stance,
            attempts=tuple(attempts),
            price_source=f"{facts.price.source} {facts.price.as_of}" if facts.price else None,
            price=facts.price,
            provider=facts.provider,
            model=facts.model,
            policy=facts.policy,
        )
    )


def sessionless_turn(exchange: DialogueExchange, *, session_id: str) -> DialogueExchange:
    """Return the stub of a paid turn without a session; `session_id` is a new one, of no session."""
    return turn_stub(replace(exchange, session_id=session_id, index=0))


def is_sessionless_call(exchange: DialogueExchange) -> bool:
    """Return whether a stub is of a call outside any turn."""
    return exchange.deleted and any(attempt.purpose in _ALONE for attempt in exchange.attempts)
