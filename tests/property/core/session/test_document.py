"""Whatever a conversation holds, it leaves and arrives unchanged, and nothing in it can be changed on the way.

Law (ruling H): a session's hash chain runs over keyed per-field commitments, so a redaction does not break it.
"""

import json
import types
from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import UTC, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from store_strategies import texts
from store_values import exchange, session
from voice.adapters.disk.values_json import from_json, to_json
from voice.adapters.files.session_file import parse_session
from voice.core.errors import DataFileError
from voice.core.grounding.values import JUDGE, SentenceVerdict
from voice.core.session.document import build_document
from voice.core.session.turn_traces import ChainCheck, plain_json, redact, with_link
from voice.core.session.values import DialogueExchange

T = TypeVar("T")
KEY, OTHER_KEY = b"k" * 32, b"o" * 32
pytestmark = [pytest.mark.requirement("sessions:portable", "ruling:H.8"), pytest.mark.slow]
_PLAIN: Mapping[object, st.SearchStrategy[Any]] = {
    str: texts,
    int: st.integers(0, 10**12),
    float: st.floats(0, 1),
    bool: st.booleans(),
    type(None): st.none(),
    datetime: st.datetimes(timezones=st.just(UTC)),
    Decimal: st.decimals(allow_nan=False, allow_infinity=False, places=9, min_value=0, max_value=10**9),
}


def anything(kind: object) -> st.SearchStrategy[Any]:
    if kind in _PLAIN:
        return _PLAIN[kind]
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        return st.sampled_from(inner)
    if origin in (Union, types.UnionType):
        return st.one_of(*(anything(each) for each in inner))
    if origin is tuple and inner[-1] is Ellipsis:
        return st.lists(anything(inner[0]), max_size=2).map(tuple)
    if origin is tuple:
        return st.tuples(*(anything(each) for each in inner))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return st.sampled_from(kind)
    record = cast("type[DialogueExchange]", kind)
    hints = get_type_hints(record)
    drawn = st.builds(record, **{each.name: anything(hints[each.name]) for each in fields(record)})
    return drawn.map(lambda made: _ordered(made, "start", "end")) if "start" in hints else drawn


def _ordered(record: T, first: str, last: str) -> T:
    ends = sorted((getattr(record, first), getattr(record, last)))
    return replace(cast("Any", record), **dict(zip((first, last), ends, strict=True)))


_drawn = cast("st.SearchStrategy[DialogueExchange]", anything(DialogueExchange))


def _plausible(turn: DialogueExchange) -> DialogueExchange:
    """Return a turn that ended one way, and whose sentences lie inside its answer."""
    end = len(turn.answer)
    return _as_judged(
        replace(
            turn,
            refused=turn.status != "answered",
            sources=tuple(_ordered(each, "span_start", "span_end") for each in turn.sources),
            evidence_found=tuple(_ordered(each, "span_start", "span_end") for each in turn.evidence_found),
            sentences=tuple(_sentence_within(each, end) for each in turn.sentences),
        )
    )


def _sentence_within(sentence: SentenceVerdict, end: int) -> SentenceVerdict:
    lexical, length = sentence.lexical, len(sentence.text)
    if lexical is not None:
        parts = tuple(replace(part, start=min(part.start, end), end=min(part.end, end)) for part in lexical.parts)
        lexical = replace(lexical, parts=parts)
    is_new_rung = sentence.rung in ("quoted", "unverified")
    missing = ((min(a, b, length), min(max(a, b), length)) for a, b in sentence.missing)
    return replace(
        sentence,
        start=min(sentence.start, end),
        end=min(sentence.end, end),
        missing=tuple(missing),
        judge=JUDGE,
        lexical=lexical,
        rung="verified" if is_new_rung and lexical is not None else sentence.rung,
    )


def _as_judged(turn: DialogueExchange) -> DialogueExchange:
    """Return a turn with what an earlier judge said as that one would have written it, and as it is read."""
    written = {"sentences": plain_json(turn.sentences), "verification": plain_json(turn.verification)}
    return from_json(DialogueExchange, to_json(DialogueExchange, turn) | written)


conversations = st.lists(_drawn, max_size=3).map(
    lambda drawn: [
        replace(
            _plausible(each),
            id=f"x:{place}",
            session_id="s:1",
            index=place,
            link="",
            redacted=(),
            deleted=False,
            idempotency="",
            request_hash="",
            seq=0,
        )
        for place, each in enumerate(drawn)
    ]
)
searched = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def written(turns: list[DialogueExchange], key: bytes = KEY, *, include_private: bool = True) -> bytes:
    return json.dumps(build_document(session(), turns, key=key, include_private=include_private).members()).encode()


@pytest.mark.slow
@searched
@given(turns=conversations)
def test_a_conversation_that_leaves_and_arrives_and_leaves_again_is_the_same(turns: list[DialogueExchange]) -> None:
    arrived = parse_session(written(turns), "a.json")
    assert [replace(each, link="") for each in arrived.exchanges] == turns
    assert arrived.is_sealed_by(KEY)
    onward = parse_session(written(list(arrived.exchanges), OTHER_KEY), "b.json")
    assert [replace(each, link="") for each in onward.exchanges] == turns
    assert (onward.session, arrived.session) == (session(), session())
    assert not onward.is_sealed_by(KEY)
    assert written(list(arrived.exchanges)) == written(turns)


@searched
@given(turns=conversations)
def test_what_a_store_keeps_has_the_link_it_was_given(turns: list[DialogueExchange]) -> None:
    check, last = ChainCheck(KEY), ""
    for turn in turns:
        made = with_link(turn, after=last, key=KEY)
        check.add(from_json(DialogueExchange, to_json(DialogueExchange, made)))
        last = made.link
    assert check.broken == []
    for turn in turns[:1]:
        check.add(replace(turn, link="f" * 64))
        assert len(check.broken) == 1


@searched
@given(turns=conversations, taken=st.sets(st.sampled_from([each.name for each in fields(DialogueExchange)])))
def test_whatever_is_redacted_the_chain_holds(turns: list[DialogueExchange], taken: set[str]) -> None:
    can_go = taken & {each.name for each in fields(DialogueExchange) if each.default in ("", (), None)}
    check, last = ChainCheck(KEY), ""
    for turn in turns:
        made = with_link(turn, after=last, key=KEY)
        check.add(redact(made, key=KEY, names=can_go))
        last = made.link
    assert check.broken == []
    for turn in turns[:1]:
        check.add(replace(turn, link="f" * 64))
        assert len(check.broken) == 1


@pytest.mark.slow
@searched
@given(turns=conversations.filter(bool), data=st.data())
def test_no_value_can_be_changed_on_the_way(turns: list[DialogueExchange], data: st.DataObject) -> None:
    document = json.loads(written(turns, include_private=data.draw(st.booleans())))
    place = data.draw(st.integers(0, len(turns) - 1))
    values = cast("dict[str, object]", document["exchanges"][place]["values"])
    name = data.draw(st.sampled_from(sorted(values)))
    changed = data.draw(anything(get_type_hints(DialogueExchange)[name]).map(lambda value: _plain(name, value)))
    if changed == values[name] and type(changed) is type(values[name]):
        return
    values[name] = changed
    with pytest.raises(DataFileError):
        parse_session(json.dumps(document).encode(), "a.json")


def _plain(name: str, value: object) -> object:
    turn = replace(exchange(), **{name: value})  # pyright: ignore[reportArgumentType]
    return to_json(DialogueExchange, turn)[name]
