"""A file of a conversation that cannot be read is told by its place, in one line, with nothing of it.

A file whose chain a forger made anew is still held against what a turn can be, and told by its place.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from store_values import full_exchange, session
from tables import tables
from voice.adapters.files import session_file
from voice.adapters.files.session_file import LocalSessionFiles, parse_session
from voice.core.errors import DataFileError
from voice.core.session.document import build_document, digest_of
from voice.core.session.turn_traces import commitment, next_link
from voice.core.session.values import SESSION_SCHEMA_VERSION

pytestmark = pytest.mark.requirement("sessions:portable")
TABLES = tables(__file__)
Json = dict[str, object]
MEMBERS = build_document(session(), [full_exchange()], key=b"k" * 32, include_private=True).members()
SOURCE = cast("list[dict[str, dict[str, list[Json]]]]", MEMBERS["exchanges"])[0]["values"]["sources"][0]


def forged(header: Json | None = None, turn_values: Json | None = None, *, without: str = "") -> bytes:
    """Return a file whose session or turn was changed and whose chain was made anew, as a forger would."""
    document = cast("Json", json.loads(json.dumps(MEMBERS)))
    turn = cast("list[dict[str, Json]]", document["exchanges"])[0]
    told = {**cast("Json", document["session"]), **(header or {})}
    turn["values"].update(turn_values or {})
    for part in (turn["values"], turn["nonces"], turn["commitments"]):
        part.pop(without, None)
    for name, value in turn["values"].items():
        nonce = str(turn["nonces"].setdefault(name, "1" * 64))
        turn["commitments"][name] = commitment(bytes.fromhex(nonce), value)
    link = next_link("", cast("dict[str, str]", turn["commitments"]))
    return json.dumps({
        **document, "session": told, "exchanges": [{**turn, "link": link}], "digest": digest_of(told, link)
    }).encode()  # fmt: skip


def refusal(data: bytes) -> str:
    with pytest.raises(DataFileError) as caught:
        parse_session(data, "a.json")
    return caught.value.message


def test_what_a_forger_made_consistent_is_still_held_against_the_types() -> None:
    assert parse_session(forged(), "a.json").exchanges[0].my_query == full_exchange().my_query
    gone = refusal(forged(without="my_query"))
    assert "exchanges[0].values.my_query: it is missing, or not what can stand there" in gone
    inner = refusal(forged(turn_values={"sources": [{**SOURCE, "created_at": "2026-13-01T00:00:00Z"}]}))
    assert "exchanges[0].values.sources[0].created_at: it is missing" in inner
    assert "session.created_at: it is missing" in refusal(forged({"created_at": "2026-02-30T00:00:00Z"}))


def test_what_is_no_document_is_told_with_its_place() -> None:
    assert refusal(b"{\n 1}") == "a.json is not valid JSON: line 2, column 2"
    assert refusal(b"\xff") == "a.json is not UTF-8 text (byte 0); convert it first"
    assert "not an exported conversation" in refusal(b"[]")


def test_a_memory_is_told_with_the_command_that_brings_it_in() -> None:
    rows = b'{"format":"inner-voice-memory/1"}\n{"type":"thought","content":"The kiln is hot."}\n'
    assert refusal(rows) == "a.json is a memory, not a conversation; import it with `voice import`"


def test_a_place_quotes_no_name_of_the_file() -> None:
    document = json.loads(json.dumps(MEMBERS))
    document["exchanges"][0]["nonces"]["Secret Name"] = 5
    assert "Secret" not in refusal(json.dumps(document).encode())
    assert "nonces" in refusal(json.dumps(document).encode())


def test_a_file_larger_than_any_conversation_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_file, "MAX_BYTES", 10)
    assert "larger than any conversation" in refusal(b" " * 11)


def test_a_turn_that_no_store_would_read_again_is_refused() -> None:
    long = "kiln " * (session_file.MAX_TURN_BYTES // 5)
    said = refusal(forged(turn_values={"answer": long}))
    assert said == "a.json cannot be imported: exchanges[0]: it is longer than any turn can be"


def test_two_turns_under_one_id_are_refused_before_anything_is_stored() -> None:
    turns = [full_exchange(index=index) for index in range(3)]
    same = [replace(each, id="x:one" if each.index != 1 else "x:two") for each in turns]
    written = build_document(session(), same, key=b"k" * 32, include_private=True)
    said = refusal(json.dumps(written.members()).encode())
    assert said == "a.json cannot be imported: exchanges[2].values.id: another turn of the file has the same id"


async def test_a_file_is_written_whole_and_only_over_another_when_that_is_said(tmp_path: Path) -> None:
    files, path = LocalSessionFiles(), tmp_path / "a.json"
    await files.write(str(path), "one")
    with pytest.raises(DataFileError, match="already there"):
        await files.write(str(path), "two")
    await files.write(str(path), "two", overwrite=True)
    assert path.read_text() == "two"
    assert [each.name for each in tmp_path.iterdir()] == ["a.json"]
    with pytest.raises(DataFileError, match="cannot be written"):
        await files.write(str(tmp_path), "x", overwrite=True)
    with pytest.raises(DataFileError, match="cannot be read"):
        await files.read(str(tmp_path / "none.json"))


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        *TABLES["a_figure_that_no_turn_can_have_is_refused"],
        ("sources", [{**SOURCE, "span_start": 50}], "no turn has it"),
    ],
)
def test_a_figure_that_no_turn_can_have_is_refused(name: str, value: object, why: str) -> None:
    said = refusal(forged(turn_values={name: value}))
    assert said.startswith("a.json cannot be imported: exchanges[0].values")
    assert why in said


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        *TABLES["a_session_that_cannot_be_is_refused"],
        ("version", SESSION_SCHEMA_VERSION + 1, "the number is too large"),
        ("id", f"s:{'a' * 200}", "it is longer than it can be"),
    ],
)
def test_a_session_that_cannot_be_is_refused(name: str, value: object, why: str) -> None:
    said = refusal(forged({name: value}))
    assert said.startswith(f"a.json cannot be imported: session.{name}: ")
    assert why in said


@pytest.mark.parametrize("amount", ["0", "0.000123", "12", "0E-9", "1.25E-7", "1E+3"])
def test_money_is_read_as_decimals_are_written(amount: str) -> None:
    arrived = parse_session(forged(turn_values={"cost_estimate": amount}), "a.json")
    assert str(arrived.exchanges[0].cost_estimate) == amount


def test_a_topic_comes_in_as_one_that_is_given_here() -> None:
    arrived = parse_session(forged({"thread_topic": " the\n kiln\x00 "}), "a.json")
    assert arrived.session.thread_topic == "the kiln"
    long = parse_session(forged({"thread_topic": "x" * 100_000}), "a.json")
    assert long.session.thread_topic == "x" * 199 + "…"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b'{"a": 1, "a": 2}', "an object has the same name twice"),
        (b'{"a": 1e999}', "a number is too large"),
        (b'{"a": NaN}', "NaN is not a number"),
        (b'{"a": -Infinity}', "-Infinity is not a number"),
        (b'{"a": ' + b"9" * 5000 + b"}", "a number has more than 1000 digits"),
        (b"[" * 100_000, "it is nested too deeply"),
    ],
)
def test_what_is_wrong_with_the_json_is_said(data: bytes, why: str) -> None:
    assert refusal(data) == f"a.json cannot be read as JSON: {why}"
