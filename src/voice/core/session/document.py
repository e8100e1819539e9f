"""A conversation as a portable document: export, tamper check, import.

Law: the document has each field's value, nonce and commitment; a private turn has figures and commitments only. Figures
are never omitted, since omitting one could make a private turn public or a paid one free. Only the seal, which needs
the store's key, detects a complete forgery. Faults name a place, never text.
Source: ruling H; docs/sessions.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from blake3 import blake3

from voice.core.grounding.values import SentenceVerdict
from voice.core.messages import asking as messages
from voice.core.session.turn_traces import (
    FIGURES,
    canonical_json,
    commitment,
    next_link,
    nonces,
    plain_members,
    redact,
    values_of,
    with_link,
)
from voice.core.session.values import DialogueExchange, InnerVoiceSession

FORMAT: Final = "voice-session/1"
HEADER: Final = (
    *("id", "version", "thread_topic", "status", "provider", "model", "max_prompt_tokens"),
    *("created_at", "last_interaction"),
)
"""Session members in a document."""
LATER: Final = ("topic_status",)
"""Optional session members, written only if not the default."""
_OF_ITS_PLACE: Final = frozenset({"id", "prompt", "imported_from"})  # fields that change with ids
_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"  # letters of a ULID: no i, l, o, u
_TIME_CHARS, _KEY_CHARS = 10, 26  # of a ULID: the letters of its time, and all


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One exchange of a document, before it is parsed."""

    values: Mapping[str, object]
    nonces: Mapping[str, str]
    """Hex, for every value."""
    commitments: Mapping[str, str]
    """For every value and every omitted field."""
    link: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A whole conversation for export or import."""

    session: Mapping[str, object]
    turns: tuple[Turn, ...]
    digest: str
    """Hash of the session's members and the last link; detects accidents and truncation."""
    seal: str
    """Keyed hash of the digest and the omitted fields."""

    def members(self) -> dict[str, object]:
        """Return the document as JSON members."""
        return {
            "format": FORMAT,
            "session": dict(self.session),
            "exchanges": [
                {
                    "values": dict(turn.values),
                    "nonces": dict(turn.nonces),
                    "commitments": dict(turn.commitments),
                    "link": turn.link,
                }
                for turn in self.turns
            ],
            "digest": self.digest,
            "seal": self.seal,
        }


def build_document(
    session: InnerVoiceSession, exchanges: Sequence[DialogueExchange], *, key: bytes, include_private: bool
) -> Document:
    """Export a session.

    Args:
        exchanges: all, oldest first; those without a link get one.
    """
    header = {name: value for name, value in plain_members(session).items() if name in HEADER}
    if session.topic_status != "open":
        header["topic_status"] = session.topic_status
    turns = tuple(
        _turn(each if include_private or not each.is_withheld else redact(each, key=key), key)
        for each in with_links(exchanges, key)
    )
    digest = digest_of(header, turns[-1].link if turns else "")
    withheld = tuple(_names_of(redactions(turn)) for turn in turns)  # the seal covers the names of what is left out
    return Document(session=header, turns=turns, digest=digest, seal=seal_of(digest, withheld, key))


def with_links(exchanges: Sequence[DialogueExchange], key: bytes) -> Iterator[DialogueExchange]:
    """Yield the exchanges with links computed from the first one on."""
    last = ""
    for each in exchanges:
        now = with_link(each, after=last, key=key)
        last = now.link  # every link covers the one before
        yield now


def _turn(exchange: DialogueExchange, key: bytes) -> Turn:
    values = values_of(exchange)
    keyed = nonces(key, exchange.id, tuple(values))
    own = {name: commitment(keyed[name], value) for name, value in values.items()}
    return Turn(
        values=values,
        nonces={name: nonce.hex() for name, nonce in keyed.items()},
        commitments=dict(sorted((own | dict(exchange.redacted)).items())),  # of what was redacted only the commitment
        link=exchange.link,
    )


def digest_of(session: Mapping[str, object], last_link: str) -> str:
    """Hash a session's members and its last link, hex."""
    return blake3(f"{canonical_json(session)}\n{last_link}".encode(errors="surrogatepass")).hexdigest()


def seal_of(digest: str, withheld: Sequence[Sequence[str]], key: bytes) -> str:
    """Compute the seal with the store's key, hex.

    Args:
        withheld: per exchange, the sorted names of undisclosed fields. Links do not cover them: without the seal a
            field could be removed from a file unnoticed.
    """
    return blake3(f"{FORMAT} seal {digest}\n{canonical_json(withheld)}".encode(), key=key).hexdigest()


def _names_of(redacted: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(name for name, _ in redacted)


def find_tampering(document: Document) -> str | None:
    """Return the first inconsistency of a document, in words; None if it is consistent."""
    last = ""
    for place, turn in enumerate(document.turns):
        fault = _turn_fault(turn, place, last)
        if fault is not None:
            return f"exchanges[{place}]{fault}"
        last = turn.link
    if digest_of(document.session, last) != document.digest:
        return messages.DOCUMENT_CHANGED
    return None


def _turn_fault(turn: Turn, place: int, last: str) -> str | None:
    if turn.values.get("index") != place:
        return messages.EXCHANGE_MISPLACED
    if turn.values.keys() != turn.nonces.keys():
        return messages.NONCES
    for name, value in turn.values.items():
        if commitment(bytes.fromhex(turn.nonces[name]), value) != turn.commitments.get(name):
            return messages.value_changed(name)
    left_out = min(FIGURES & turn.commitments.keys() - turn.values.keys(), default=None)  # min: the same one each time
    if left_out is not None:
        return messages.value_left_out(left_out)
    if next_link(last, turn.commitments) != turn.link:
        return messages.LINK_BROKEN
    return None


def redactions(turn: Turn) -> tuple[tuple[str, str], ...]:
    """Return (field, commitment) of the undisclosed fields."""
    return tuple(sorted((name, made) for name, made in turn.commitments.items() if name not in turn.values))


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedConversation:
    """A parsed, consistent conversation."""

    session: InnerVoiceSession
    """Header data only; its totals are still zero."""
    exchanges: tuple[DialogueExchange, ...]
    """Oldest first, with their original ids and links."""
    digest: str
    seal: str

    def is_sealed_by(self, key: bytes) -> bool:
        """Return whether the store with that key wrote it unchanged."""
        withheld = tuple(_names_of(exchange.redacted) for exchange in self.exchanges)
        return self.seal == seal_of(self.digest, withheld, key)


def replacement_id(old_id: str, arrival: ImportedConversation) -> str:
    """Return the document's replacement for an id in use, with the old key's time prefix, by which keys sort."""
    prefix, _, key = old_id.partition(":")
    # 17 bytes: 26 letters of five bits take 130 bits.
    number = int.from_bytes(blake3(f"{arrival.digest} {old_id}".encode(errors="surrogatepass")).digest(17))
    letters = "".join(_DIGITS[(number >> 5 * place) & 31] for place in range(_KEY_CHARS))
    time = key[:_TIME_CHARS] if len(key) == _KEY_CHARS else letters[:_TIME_CHARS]
    return f"{prefix}:{time}{letters[_TIME_CHARS:]}"


def is_same_turn(stored: DialogueExchange, arriving: DialogueExchange) -> bool:
    """Return whether both are one turn: by link, here or at its origin, or equal except for ids."""
    here = {stored.link, stored.imported_from} - {"", None}  # an old turn has no link
    return not here.isdisjoint({arriving.link, arriving.imported_from}) or _portable_values(stored) == _portable_values(
        arriving
    )


def is_fuller(arriving: DialogueExchange, stored: DialogueExchange) -> bool:
    """Return whether an arriving turn discloses fields that the stored one lacks."""
    return not {name for name, _ in stored.redacted} <= {name for name, _ in arriving.redacted}


def _portable_values(exchange: DialogueExchange) -> dict[str, object]:
    return {name: value for name, value in values_of(exchange).items() if name not in _OF_ITS_PLACE}


def adopt_exchange(
    exchange: DialogueExchange, *, session_id: str, ids: Mapping[str, str], is_own: bool
) -> DialogueExchange:
    """Return an arriving exchange as it is stored here, without its new link.

    Args:
        ids: replacements for ids already in use; references between turns follow them.
        is_own: whether this store wrote it, so that it is not marked as imported. A turn whose id is in use stays
            marked: it is already here, perhaps as a stub, and must not be charged twice.
    """
    prompt = exchange.prompt
    if prompt is not None:
        window = tuple(ids.get(each, each) for each in prompt.window_exchange_ids)
        prompt = replace(prompt, window_exchange_ids=window)
    is_counted_here = exchange.id in ids
    origin = exchange.imported_from if is_own and not is_counted_here else exchange.imported_from or exchange.link
    return replace(
        exchange,
        id=ids.get(exchange.id, exchange.id),
        session_id=session_id,
        prompt=prompt,
        imported_from=origin,
        seq=0,  # its store gives it one
    )


MOST_MONEY: Final = Decimal(10**9)
"""US dollars per turn or per million tokens."""


def implausible_member(exchange: DialogueExchange) -> str | None:
    """Return the first impossible member of a turn, by its place; None if there is none."""
    if exchange.refused == (exchange.status == "answered"):  # exactly one of them holds
        return "refused"
    return next((place for place, is_fine in (*_spans(exchange), *_money(exchange)) if not is_fine), None)


def _spans(exchange: DialogueExchange) -> Iterator[tuple[str, bool]]:
    """Yield each span's place and whether it is valid; without bounds for an answer whose text is not stored."""
    is_there = exchange.status == "answered" and "answer" not in dict(exchange.redacted)
    end_of_answer = len(exchange.answer) if is_there else None
    for at, sentence in enumerate(exchange.sentences):
        yield from _spans_of(sentence, f"sentences[{at}]", end_of_answer)
    for name, sources in (("sources", exchange.sources), ("evidence_found", exchange.evidence_found)):
        yield from (
            (f"{name}[{at}]", _is_span(source.span_start, source.span_end)) for at, source in enumerate(sources)
        )
    yield from (
        (f"rejected_citations[{at}]", _is_span(span.start, span.end))
        for at, span in enumerate(exchange.rejected_citations)
    )


def _spans_of(sentence: SentenceVerdict, place: str, end_of_answer: int | None) -> Iterator[tuple[str, bool]]:
    length = len(sentence.text) if sentence.text else None
    parts = sentence.lexical.parts if sentence.lexical else ()
    yield place, _is_span(sentence.start, sentence.end, end_of_answer)
    yield from ((f"{place}.receipts", _is_span(each.start, each.end)) for each in sentence.receipts)
    yield from ((f"{place}.missing", _is_span(start, end, length)) for start, end in sentence.missing)
    yield from ((f"{place}.parts", _is_span(each.start, each.end, end_of_answer)) for each in parts)


def _is_span(start: int, end: int, within: int | None = None) -> bool:
    return 0 <= start <= end and (within is None or end <= within)


def _money(exchange: DialogueExchange) -> Iterator[tuple[str, bool]]:
    yield "cost_estimate", _is_money(exchange.cost_estimate)
    yield from ((f"attempts[{at}].worst", _is_money(each.worst)) for at, each in enumerate(exchange.attempts))
    price = exchange.price
    if price is not None:
        rates = (price.input_per_million, price.output_per_million, price.cached_input_per_million)
        yield "price", all(map(_is_money, rates))


def _is_money(amount: Decimal | None) -> bool:
    return amount is None or (amount.is_finite() and 0 <= amount <= MOST_MONEY)  # first: comparing NaN raises
