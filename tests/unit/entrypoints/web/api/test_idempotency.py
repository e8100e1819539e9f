"""One request under one key, decided over values."""

import pytest

from voice.entrypoints.web.api import call
from voice.entrypoints.web.api.call import KEPT_S, IdempotencyStore, StoredResponse, fingerprint_of, key_status

_DONE = StoredResponse(fingerprint="f", at=100, status=201, body=b"{}")


@pytest.mark.requirement("http:idempotency")
@pytest.mark.parametrize(
    ("held", "fingerprint", "now", "expected"),
    [
        (None, "f", 0, "fresh"),
        (_DONE, "f", 100, "kept"),
        (_DONE, "f", 100 + KEPT_S - 1, "kept"),
        (_DONE, "f", 100 + KEPT_S, "fresh"),
        (_DONE, "g", 100, "other"),
        (StoredResponse(fingerprint="f", at=100), "f", 100, "under_way"),
        (StoredResponse(fingerprint="f", at=100), "f", 100 + 2 * KEPT_S, "under_way"),
        (StoredResponse(fingerprint="f", at=100), "g", 100, "other"),
    ],
)
def test_how_a_request_stands_to_what_is_held(
    held: StoredResponse | None, fingerprint: str, now: float, expected: str
) -> None:
    assert key_status(held, fingerprint, now) == expected


def test_requests_are_told_apart_by_each_of_their_parts_and_not_by_where_one_ends() -> None:
    asked = [
        ("POST", "/a", "", b"x"),
        ("DELETE", "/a", "", b"x"),
        ("POST", "/ax", "", b""),
        ("POST", "/a", "x", b""),
        ("POST", "/a", "", b""),
    ]
    assert len({fingerprint_of(*each) for each in asked}) == len(asked)
    assert fingerprint_of(*asked[0]) == fingerprint_of(*asked[0])


@pytest.mark.requirement("http:idempotency")
def test_the_oldest_answers_go_first_and_never_what_is_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call, "MOST_KEPT", 3)
    ledger = IdempotencyStore()
    ledger.begin("running", "r", 0)
    for number in range(4):
        ledger.begin(f"k{number}", "f", number)
        ledger.keep(f"k{number}", 200, b"{}", number)
    assert [ledger.get(key) is not None for key in ("running", "k0", "k1", "k2", "k3")] == [
        True,
        False,
        False,
        True,
        True,
    ]


def test_large_answers_make_room_for_one_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call, "MOST_BYTES", 10)
    ledger = IdempotencyStore()
    for key in ("a", "b"):
        ledger.begin(key, "f", 0)
        ledger.keep(key, 200, b"8 bytes.", 0)
    assert (ledger.get("a"), ledger.get("b") is not None) == (None, True)
    ledger.drop("b")
    ledger.drop("b")
    assert ledger.get("b") is None
