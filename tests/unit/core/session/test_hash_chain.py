"""A conversation's hash chain: what it shows, what it hides, and what it outlasts."""

import json
import re
from dataclasses import fields, replace
from datetime import datetime, timedelta, timezone
from decimal import Decimal

import pytest
from blake3 import blake3

from store_values import exchange, full_exchange
from voice.adapters.disk.values_json import from_json, to_json
from voice.core.errors import InvalidParams
from voice.core.messages.asking import NUMBER_NOT_FINITE, not_recordable
from voice.core.session.document import digest_of, seal_of
from voice.core.session.turn_traces import (
    ChainCheck,
    canonical_json,
    commitment,
    commitments,
    next_link,
    nonces,
    plain_json,
    redact,
    values_of,
    with_link,
)
from voice.core.session.values import DialogueExchange

KEY = b"k" * 32
FULL = full_exchange()
pytestmark = pytest.mark.requirement("ruling:H.8")


def chain(*exchanges: DialogueExchange) -> list[DialogueExchange]:
    made: list[DialogueExchange] = []
    for each in exchanges:
        made.append(with_link(each, after=made[-1].link if made else "", key=KEY))
    return made


def broken(exchanges: list[DialogueExchange], key: bytes = KEY) -> list[int]:
    check = ChainCheck(key)
    for each in exchanges:
        check.add(each)
    return check.broken


THREE = chain(*(replace(full_exchange(index=index), id=f"x:{index}") for index in range(3)))


def test_a_chain_that_nobody_touched_holds() -> None:
    assert broken(THREE) == []
    assert len({each.link for each in THREE}) == 3


COMMITTED = list(values_of(FULL))


@pytest.mark.parametrize("name", COMMITTED)
def test_no_field_can_be_changed_unseen(name: str) -> None:
    other = {str: "other", int: 12_345, float: 0.125, bool: False, tuple: (), type(None): 7}
    value: object = getattr(THREE[1], name)
    changed = replace(THREE[1], **{name: next((to for kind, to in other.items() if type(value) is kind), None)})
    assert changed != THREE[1]
    assert broken([THREE[0], changed, THREE[2]]) == [changed.index]


def test_the_fields_that_the_chain_leaves_apart_are_named_here() -> None:
    held = replace(FULL, seq=1, imported_from="f" * 64, link="e" * 64, redacted=(("unknown", "d" * 64),))
    full = {each.name for each in fields(DialogueExchange) if getattr(held, each.name) != each.default}
    assert full - set(values_of(held)) == {"session_id", "seq", "link", "redacted"}


def test_an_exchange_cannot_be_left_out_moved_or_put_in() -> None:
    assert broken([THREE[0], THREE[2]]) == [2]
    assert broken([THREE[1], THREE[0], THREE[2]]) != []
    assert broken([THREE[0], THREE[0], THREE[1]]) != []
    assert broken(THREE, key=b"o" * 32) == [0, 1, 2]


def test_a_value_put_where_there_was_none_is_seen() -> None:
    bare = chain(exchange())
    assert broken([replace(bare[0], imported_from="f" * 64)]) == [0]


def test_what_is_redacted_is_gone_and_the_chain_still_holds() -> None:
    gone = redact(THREE[1], key=KEY)
    assert broken([THREE[0], gone, THREE[2]]) == []
    assert redact(gone, key=KEY) == gone
    assert (gone.my_query, gone.answer, gone.sources, gone.prompt) == ("", "", (), None)
    assert gone.cost_estimate == THREE[1].cost_estimate
    assert "my_query" not in values_of(gone)
    assert dict(gone.redacted)["answer"] == commitments(THREE[1], KEY)["answer"]


def test_a_text_cannot_be_put_back_under_another_commitment() -> None:
    gone = redact(THREE[1], key=KEY, names=["answer"])
    assert gone.my_query == THREE[1].my_query
    forged = replace(gone, redacted=(("answer", "0" * 64),))
    assert broken([THREE[0], forged, THREE[2]]) == [1]


def test_equal_texts_have_unequal_commitments() -> None:
    one, two = commitments(THREE[0], KEY), commitments(THREE[1], KEY)
    assert THREE[0].answer == THREE[1].answer
    assert one["answer"] != two["answer"]
    assert one["answer"] != blake3(canonical_json(THREE[0].answer).encode(), key=KEY).hexdigest()


def test_exchanges_from_before_there_were_links_pass_until_the_first_link() -> None:
    old = replace(exchange(), id="x:old")
    new = with_link(replace(exchange(index=1), id="x:new"), after="", key=KEY)
    assert broken([old, new]) == []
    assert broken([new, replace(old, index=2)]) == [2]


def test_what_is_stored_is_what_was_committed_to() -> None:
    """Texts are cleaned, instants are UTC and numbers are of one kind before they are hashed, as a store keeps them."""
    odd = replace(
        FULL,
        my_query="a\x00b \ud800",
        confidence=1,
        timestamp=datetime(2026, 3, 1, 12, tzinfo=timezone(timedelta(hours=2))),
    )
    made = with_link(odd, after="", key=KEY)
    stored = from_json(DialogueExchange, to_json(DialogueExchange, made))
    assert broken([stored]) == []
    assert stored.my_query == "ab "


def test_what_is_committed_to_describes_the_exchange_wholly() -> None:
    members = json.loads(canonical_json(values_of(FULL)))
    assert from_json(DialogueExchange, {**members, "session_id": FULL.session_id, "seq": FULL.seq}) == FULL


def test_empty_defaults_are_left_out_at_every_depth() -> None:
    written = canonical_json(values_of(exchange()))
    assert '"notes"' not in written
    assert '"single_source_of"' not in written
    assert '"min_coverage"' in written


def test_whole_numbers_are_written_without_a_fraction() -> None:
    assert canonical_json(plain_json([1.0, 1, 0.5, -0.0, 1e300, Decimal("1.50")])) == '[1,1,0.5,0,1e+300,"1.50"]'


@pytest.mark.parametrize(
    ("value", "told"),
    [(float("nan"), NUMBER_NOT_FINITE), (float("inf"), NUMBER_NOT_FINITE), (b"bytes", not_recordable("bytes"))],
)
def test_what_no_store_keeps_is_refused(value: object, told: str) -> None:
    with pytest.raises(InvalidParams, match=re.escape(told)):
        plain_json(value)


def test_a_link_of_today_is_still_the_same_link() -> None:
    """Fails when a change of the values would break every chain that is stored."""
    one = {"b": "2", "a": "1"}
    assert next_link("", one) == blake3(b"\na 1\nb 2\n").hexdigest()
    assert nonces(KEY, "x:\ud800", ("a",)) == {
        "a": blake3(b"a", key=blake3(b"voice-session/1 nonces x:\xed\xa0\x80", key=KEY).digest()).digest()
    }
    assert commitment(KEY, "\ud800") == blake3(b'"\xed\xa0\x80"', key=KEY).hexdigest()
    assert next_link("\ud800", {}) == blake3(b"\xed\xa0\x80\n").hexdigest()
    assert digest_of({"b": "\ud800", "a": 1}, "l") == blake3(b'{"a":1,"b":"\xed\xa0\x80"}\nl').hexdigest()
    sealed = b'voice-session/1 seal d\n[["answer"],[]]'
    assert seal_of("d", [("answer",), ()], KEY) == blake3(sealed, key=KEY).hexdigest()
