"""A packed body comes back byte for byte, and what is no body any more says so."""

import zlib

import pytest
from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st

from store_values import full_exchange
from voice.adapters.disk.values_json import to_json, to_text
from voice.adapters.surreal.stores import session_codec
from voice.adapters.surreal.stores.session_codec import PRIMER, pack, unpack
from voice.core.errors import InvalidParams
from voice.core.session.values import DialogueExchange


@pytest.mark.requirement("ruling:B8")
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_comes_back(text: str) -> None:
    assert unpack(pack(text)) == text


def test_the_primer_is_the_one_that_stores_were_written_with() -> None:
    digest = "82c677ad5a20d032a10e4bba5c7ab7354314656eab4d19107fdb56851d551692"
    assert blake3(PRIMER).hexdigest() == digest


def test_a_body_from_before_bodies_were_packed_is_read_as_it_stands() -> None:
    assert unpack('{"answer":"In Porto."}') == '{"answer":"In Porto."}'


def test_a_turn_takes_less_than_half_its_text() -> None:
    text = to_text(to_json(DialogueExchange, full_exchange()))
    assert len(pack(text)) < len(text.encode()) / 2


@pytest.mark.parametrize(
    "stored", [b"", b"no body", pack("In Porto.")[:-1], pack("In Porto.") + b"!", zlib.compress(b"\xff"), None, 7]
)
def test_what_is_no_body_is_told_and_not_guessed(stored: object) -> None:
    with pytest.raises((ValueError, TypeError)):
        unpack(stored)


def test_nothing_is_written_that_would_not_be_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "ö" * 50
    monkeypatch.setattr(session_codec, "_MOST", 100)
    assert unpack(pack(text)) == text
    with pytest.raises(InvalidParams, match="101 bytes cannot be stored; at most 100"):
        pack(f"{text}.")


def test_what_was_written_before_there_was_a_bound_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    stored = pack("ö" * 500)
    monkeypatch.setattr(session_codec, "_MOST", 100)
    assert unpack(stored) == "ö" * 500
    monkeypatch.setattr(session_codec, "_READ", 999)
    with pytest.raises(session_codec.UnreadableBody):
        unpack(stored)
