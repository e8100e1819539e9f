"""A file of a conversation that cannot be read is told by its place, in one line, with nothing of it."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from store_values import full_exchange, session
from voice.adapters.files import session_file
from voice.adapters.files.session_file import LocalSessionFiles, parse_session
from voice.core.errors import DataFileError
from voice.core.session.document import build_document, digest_of
from voice.core.session.hash_chain import commitment, next_link

pytestmark = pytest.mark.requirement("sessions:portable")
Json = dict[str, object]
MEMBERS = build_document(session(), [full_exchange()], key=b"k" * 32, include_private=True).members()


def forged(change: Callable[[Json, Json], object]) -> bytes:
    """Return a file that was changed and whose chain was made anew, as a forger would."""
    document = cast("Json", json.loads(json.dumps(MEMBERS)))
    turn = cast("list[dict[str, Json]]", document["exchanges"])[0]
    header = cast("Json", document["session"])
    change(header, turn["values"])
    for name in list(turn["nonces"]):
        if name in turn["values"]:
            nonce = bytes.fromhex(str(turn["nonces"][name]))
            turn["commitments"][name] = commitment(nonce, turn["values"][name])
        else:
            del turn["nonces"][name], turn["commitments"][name]
    link = next_link("", cast("dict[str, str]", turn["commitments"]))
    cast("Json", turn)["link"] = link
    document["digest"] = digest_of(header, link)
    return json.dumps(document).encode()


def refusal(data: bytes) -> str:
    with pytest.raises(DataFileError) as caught:
        parse_session(data, "a.json")
    return caught.value.message


def test_what_a_forger_made_consistent_is_still_held_against_the_types() -> None:
    assert parse_session(forged(lambda _, __: None), "a.json").exchanges[0].my_query == full_exchange().my_query
    gone = refusal(forged(lambda _, values: values.pop("my_query")))
    assert "exchanges[0].values.my_query: it is missing, or not what can stand there" in gone
    inner = refusal(
        forged(
            lambda _, values: cast("list[Json]", values["sources"])[0].__setitem__("created_at", "2026-13-01T00:00:00Z")
        )
    )
    assert "exchanges[0].values.sources[0].created_at: it is missing" in inner
    began = refusal(forged(lambda header, _: header.__setitem__("created_at", "2026-02-30T00:00:00Z")))
    assert "session.created_at: it is missing" in began


def test_what_is_no_document_is_told_with_its_place() -> None:
    assert refusal(b"{\n 1}") == "a.json is no JSON document: line 2, column 2"
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
    said = refusal(forged(lambda _, values: values.__setitem__("answer", long)))
    assert said == "a.json cannot be imported: exchanges[0]: it is longer than any turn can be"


def test_two_turns_under_one_id_are_refused_before_anything_is_stored() -> None:
    turns = [full_exchange(index=index) for index in range(3)]
    same = [replace(each, id="x:one" if each.index != 1 else "x:two") for each in turns]
    written = build_document(session(), same, key=b"k" * 32, include_private=True)
    said = refusal(json.dumps(written.members()).encode())
    assert said == "a.json cannot be imported: exchanges[2].values.id: another turn of the file has it, too"


@pytest.mark.anyio
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
