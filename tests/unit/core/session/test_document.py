"""What an exported conversation discloses is part of what it says: nothing can be left out of it unseen."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from store_values import full_exchange, session
from voice.core.session.document import (
    Document,
    ImportedConversation,
    Turn,
    adopt_exchange,
    build_document,
    find_tampering,
    is_fuller,
    is_same_turn,
    redactions,
    replacement_id,
)
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
    fewer = {name: nonce for name, nonce in turn.nonces.items() if name != "status"}
    for nonces in ({**turn.nonces, "answer": "0" * 64}, {**turn.nonces, "never": "0" * 64}, fewer):
        assert find_tampering(with_turn(whole, replace(turn, nonces=nonces))) == (
            "exchanges[1].nonces: there must be exactly one for each value"
        )


def test_a_document_has_each_members_value_nonce_and_commitment() -> None:
    whole = document()
    resolved = build_document(session(topic_status="resolved"), (), key=KEY, include_private=True)
    assert (resolved.session["topic_status"], "topic_status" in whole.session) == ("resolved", False)
    assert whole.members() == {
        "format": "voice-session/1",
        "session": whole.session,
        "exchanges": [
            {"values": each.values, "nonces": each.nonces, "commitments": each.commitments, "link": each.link}
            for each in whole.turns
        ],
        "digest": whole.digest,
        "seal": whole.seal,
    }


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x:01HZZZZZZZ0123456789abcdef", "x:01HZZZZZZZf69dwwjbs5dhpj8q"),
        ("s:1", "s:z832dh83zr7hmyxgahhkz49yfq"),
        ("x:\ud800", "x:rzcfcdse8feewa4s5c9aas3y1p"),
    ],
)
def test_an_id_in_use_is_replaced_by_one_of_the_same_time(old: str, new: str) -> None:
    assert replacement_id(old, replace(arriving(document()), digest="d")) == new


HERE = replace(full_exchange(), link="a" * 64)


@pytest.mark.parametrize(
    ("arriving", "is_same"),
    [
        (replace(HERE, answer="other"), True),
        (replace(HERE, answer="other", link="b" * 64), False),
        (replace(HERE, answer="other", link="b" * 64, imported_from="a" * 64), True),
        (replace(HERE, id="x:other", prompt=None, link="b" * 64, imported_from="c" * 64), True),
        (replace(HERE, index=7, link=""), False),
    ],
)
def test_a_turn_is_known_again_by_its_link_or_by_what_it_says(arriving: DialogueExchange, *, is_same: bool) -> None:
    assert is_same_turn(HERE, arriving) is is_same
    assert is_same_turn(arriving, HERE) is is_same
    assert not is_same_turn(replace(HERE, link=""), replace(arriving, link="", imported_from=None, index=9))


def test_a_turn_is_fuller_that_tells_what_the_other_has_lost() -> None:
    lost = replace(HERE, redacted=(("answer", "c"), ("notes", "c")))
    less = replace(HERE, redacted=(("answer", "c"),))
    assert [is_fuller(HERE, lost), is_fuller(less, lost), is_fuller(lost, less), is_fuller(lost, lost)] == [
        True, True, False, False,
    ]  # fmt: skip


def test_an_arriving_turn_is_stored_under_ids_that_are_free_and_says_where_it_is_from() -> None:
    prompt = HERE.prompt and replace(HERE.prompt, window_exchange_ids=("x:0", "x:old"))
    arrived, ids = replace(HERE, id="x:old", prompt=prompt, seq=5), {"x:old": "x:new"}
    moved = adopt_exchange(arrived, session_id="s:9", ids=ids, is_own=True)
    assert moved == replace(
        arrived, id="x:new", session_id="s:9", imported_from=HERE.link, seq=0,
        prompt=prompt and replace(prompt, window_exchange_ids=("x:0", "x:new")),
    )  # fmt: skip
    own = adopt_exchange(replace(arrived, prompt=None), session_id="s:9", ids={}, is_own=True)
    assert (own.id, own.imported_from, own.prompt) == ("x:old", None, None)
    foreign = replace(arrived, imported_from="f" * 64)
    assert adopt_exchange(foreign, session_id="s:9", ids={}, is_own=False).imported_from == "f" * 64
    assert adopt_exchange(arrived, session_id="s:9", ids={}, is_own=False).imported_from == HERE.link
