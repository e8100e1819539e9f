"""What an exported conversation discloses is part of what it says: nothing can be left out of it unseen."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from store_values import full_exchange, session
from voice.core.session.document import Document, ImportedConversation, Turn, build_document, find_tampering, redactions
from voice.core.session.turn_traces import FIGURES, redact, with_link
from voice.core.session.values import DialogueExchange

KEY, OTHER_KEY = b"k" * 32, b"o" * 32
pytestmark = pytest.mark.requirement("sessions:portable", "ruling:H.8")


def document(*, is_private: bool = True, include_private: bool = True) -> Document:
    turns = [replace(full_exchange(index=index), id=f"x:{index}", is_private=is_private) for index in range(2)]
    return build_document(session(), turns, key=KEY, include_private=include_private)


def with_turn(whole: Document, turn: Turn) -> Document:
    return replace(whole, turns=(whole.turns[0], turn))


def leaving_out(turn: Turn, name: str) -> Turn:
    """Return a turn of which a value and its nonce are taken away: every link and commitment still holds."""

    def fewer(members: Mapping[str, object]) -> dict[str, object]:
        return {each: value for each, value in members.items() if each != name}

    return replace(turn, values=fewer(turn.values), nonces=fewer(turn.nonces))


def arriving(whole: Document) -> ImportedConversation:
    """Return a document as it is read, as far as its seal goes."""
    turns = tuple(
        replace(full_exchange(index=place), redacted=redactions(turn)) for place, turn in enumerate(whole.turns)
    )
    return ImportedConversation(session=session(), exchanges=turns, digest=whole.digest, seal=whole.seal)


@pytest.mark.parametrize("name", sorted(FIGURES & document().turns[1].values.keys() - {"index"}))
def test_no_figure_can_be_left_out(name: str) -> None:
    whole = document()
    assert find_tampering(whole) is None
    fault = find_tampering(with_turn(whole, leaving_out(whole.turns[1], name)))
    assert fault == f"exchanges[1].values.{name}: it is missing; only texts may be left out"


def test_a_private_turn_cannot_become_a_public_one() -> None:
    for include_private in (True, False):
        whole = document(include_private=include_private)
        assert whole.turns[1].values["is_private"] is True
        fault = find_tampering(with_turn(whole, leaving_out(whole.turns[1], "is_private")))
        assert fault is not None
        assert "is_private: it is missing" in fault


@pytest.mark.parametrize("name", ["sentences", "answer", "notes", "sources"])
def test_what_was_said_can_be_left_out_and_then_the_store_that_wrote_it_does_not_know_it(name: str) -> None:
    whole = document()
    fewer = with_turn(whole, leaving_out(whole.turns[1], name))
    assert find_tampering(fewer) is None
    assert arriving(whole).is_sealed_by(KEY)
    assert not arriving(fewer).is_sealed_by(KEY)
    assert not arriving(whole).is_sealed_by(OTHER_KEY)


def test_what_a_store_itself_leaves_out_it_knows_again() -> None:
    assert arriving(document(include_private=False)).is_sealed_by(KEY)
    assert document(include_private=False).seal != document(include_private=True).seal


def test_what_was_redacted_before_stays_sealed() -> None:
    turn: DialogueExchange = redact(with_link(full_exchange(index=0), after="", key=KEY), key=KEY, names={"answer"})
    whole = build_document(session(), [turn], key=KEY, include_private=True)
    assert find_tampering(whole) is None
    arrival = ImportedConversation(session=session(), exchanges=(turn,), digest=whole.digest, seal=whole.seal)
    assert arrival.is_sealed_by(KEY)


def test_each_value_has_one_nonce_and_no_nonce_stands_alone() -> None:
    whole = document(include_private=False)
    turn = whole.turns[1]
    for nonces in ({**turn.nonces, "answer": "0" * 64}, {**turn.nonces, "never": "0" * 64}):
        assert find_tampering(with_turn(whole, replace(turn, nonces=nonces))) == (
            "exchanges[1].nonces: there must be exactly one for each value"
        )
    fewer = {name: nonce for name, nonce in turn.nonces.items() if name != "status"}
    fault = find_tampering(with_turn(whole, replace(turn, nonces=fewer)))
    assert fault == "exchanges[1].nonces: there must be exactly one for each value"
