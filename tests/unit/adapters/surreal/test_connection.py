"""What the engine answers becomes a result or one of our errors, and its words stay inside."""

import pytest

from tables import tables
from voice.adapters.disk.private_files import DiskFull
from voice.adapters.surreal.connection import SignedOut, ThrownCode, Unread, WriteConflict, result_of, unreachable
from voice.core.errors import ConfigurationError, StoreDamaged, StoreError, StoreHeld, StoreUnavailable, VoiceError

SECRET = "the secret diary"
_FILES = "There was a problem with the key-value store: There was a problem with a transaction"
ERRORS: dict[str, type[VoiceError]] = {
    each.__name__: each
    for each in (
        ConfigurationError, DiskFull, SignedOut, StoreDamaged, StoreError, StoreHeld, StoreUnavailable, ThrownCode,
        Unread, WriteConflict,
    )
}  # fmt: skip
TABLES = tables(__file__)


def _failed(result: str, kind: str = "Internal", **members: object) -> dict[str, object]:
    return {"result": [{"status": "ERR", "result": result, "kind": kind, **members}]}


def test_the_result_of_one_statement_is_handed_on() -> None:
    assert result_of("look", {"result": [{"status": "OK", "result": [1]}]}) == [1]


@pytest.mark.requirement("ruling:B14")
@pytest.mark.parametrize(
    ("response", "error"),
    [
        *((_failed(said, kind), ERRORS[name]) for said, kind, name in TABLES["failures"]),
        (_failed("x", "Query", details={"kind": "TransactionConflict"}), WriteConflict),
        (_failed(f"{_FILES}: corrupted block", "Query", details={"kind": "NotExecuted"}), StoreDamaged),
        ({"error": {"kind": "Validation", "message": f"Parse error near {SECRET}"}}, StoreError),
        ({"result": [{"status": "OK"}, {"status": "OK"}]}, StoreError),
        ({"result": []}, StoreError),
        ({}, StoreError),
        (None, StoreError),
    ],
)
def test_a_failure_is_our_error_and_quotes_nothing(response: object, error: type[VoiceError]) -> None:
    with pytest.raises(StoreError) as caught:
        result_of("write rows", response)
    assert type(caught.value) is error
    assert SECRET not in str(caught.value)


def test_a_thrown_code_is_kept_and_a_refused_field_is_named() -> None:
    with pytest.raises(ThrownCode) as thrown:
        result_of("save", _failed("An error occurred: seq_moved", "Thrown"))
    assert thrown.value.thrown == "seq_moved"
    with pytest.raises(StoreError, match=r"refused to save \(Internal, field content\)"):
        result_of("save", _failed("Couldn't coerce value for field `content` of `t:1`"))


@pytest.mark.parametrize(("text", "error"), TABLES["an_engine_that_fails_is_understood_by_its_words"])
def test_an_engine_that_fails_is_understood_by_its_words(text: str, error: str) -> None:
    found = unreachable("open it", text)
    assert type(found) is ERRORS[error]
    assert SECRET not in found.message
