"""What forgetting takes out of the records of other frameworks' programs, and what it leaves."""

import json
from dataclasses import replace

import pytest

from voice.core.session.agent_records import (
    AgentRecord,
    RecordKind,
    json_bytes,
    pack_parts,
    packed_texts,
    record_without,
    unpack_parts,
)
from voice.core.session.forgetting import TOPIC_GONE, ForgottenContent
from voice.core.text.leakage import leak_markers_of

pytestmark = pytest.mark.requirement("frameworks:forget")
SECRET = "The safe opens with 4711."
GONE = ForgottenContent(ids=frozenset(), giveaway=leak_markers_of([SECRET], []), keeps_hashes=False)


def record(
    value: object, kind: RecordKind = RecordKind.ITEM, *, owner: str = "support", name: str | None = None
) -> AgentRecord:
    packed = value if isinstance(value, bytes) else json_bytes(value)
    return AgentRecord(id=1, kind=kind, owner=owner, name=name, value=packed, made="2026", changed="2026")


def left(value: object) -> object:
    bare = record_without(record(value), GONE)
    assert bare is not None
    return json.loads(bare.value)


def test_a_string_that_quotes_it_makes_way_and_what_holds_it_stays() -> None:
    call = {"type": "function_call_output", "call_id": "c1", "output": json.dumps({"text": SECRET})}
    assert left([call, 7, None, "Hello."]) == [{**call, "output": TOPIC_GONE}, 7, None, "Hello."]


@pytest.mark.parametrize("note", ['"Bertha" opens with 4711.', 'Bertha\'s "safe" opens.', "Öffnet mit\n4711 🔥."])
def test_a_tools_result_quotes_it_in_whatever_it_is_kept_as(note: str) -> None:
    gone = replace(GONE, giveaway=leak_markers_of([note], []))
    told = {"snippets": [{"text": note, "score": None}]}
    for text in (json.dumps(told), json.dumps(told, ensure_ascii=False), str(told), json.dumps([json.dumps(told)])):
        for kind, kept in (RecordKind.ITEM, {"output": TOPIC_GONE}), (RecordKind.CHECKPOINT, None):
            bare = record_without(record({"output": text}, kind), gone)
            assert (bare and json.loads(bare.value)) == kept
            other = record({"output": text.replace("o", "u").replace("Ö", "u").replace("00d6", "0075")}, kind)
            assert record_without(other, gone) is other


def test_the_name_of_a_member_is_a_text_too() -> None:
    assert left({SECRET: 1, "other": 2}) == {TOPIC_GONE: 1, "other": 2}


def test_of_many_lines_those_that_quote_it_make_way() -> None:
    assert left(f"# Home\n{SECRET}\nThe gate is green.") == f"# Home\n{TOPIC_GONE}\nThe gate is green."


def test_where_it_runs_over_two_lines_the_text_makes_way() -> None:
    assert left("The safe opens\nwith 4711.") == TOPIC_GONE


def test_what_no_text_can_hold_is_kept_as_it_is() -> None:
    assert json_bytes("é\ud800") == b'"\xc3\xa9\xed\xa0\x80"'
    assert list(packed_texts(b"\xa2\xffa")) == ["\ufffda", "\ufffd\ufffda"]
    assert len(list(packed_texts(b"\xc6" * 100_000))) == 1  # a grey picture reads as bytes in bytes, level upon level


def test_what_says_nothing_of_it_is_the_record_itself() -> None:
    other = record({"role": "user", "content": "Where is the kiln?" + "\\" * 99})  # deeper than anybody escapes
    assert record_without(other, GONE) is other
    assert record_without(replace(other, value=json_bytes(SECRET)), GONE) != other


def test_a_record_that_is_called_by_it_goes() -> None:
    assert record_without(record("x", owner=SECRET), GONE) is None
    assert record_without(record("x", name=SECRET), GONE) is None
    assert record_without(record("x", owner="The gate is green.", name="gate"), GONE) is not None


@pytest.mark.parametrize("kind", [RecordKind.CHECKPOINT, RecordKind.WRITE])
def test_a_value_that_only_its_framework_can_take_apart_goes(kind: RecordKind) -> None:
    text = SECRET.encode()
    assert record_without(record(b"\x81\xa1t\xd9" + bytes([len(text)]) + text, kind), GONE) is None
    other = record(b"\x81\xa1t\xa5hello", kind)
    assert record_without(other, GONE) is other


@pytest.mark.parametrize(
    ("packed", "texts"),
    [
        (b"\xa2hi", ["hi"]),
        (b"\xd9\x02hi\xda\x00\x02ho\xdb\x00\x00\x00\x02hu", ["hi", "ho", "hu"]),
        (b"\x92\xa1a\xdc\x00\x01\xa1b\xdd\x00\x00\x00\x01\xa1c", ["a", "b", "c"]),
        (b"\x81\xa1a\x01\xde\x00\x01\xa1b\xff\xdf\x00\x00\x00\x01\xa1c\xc3", ["a", "b", "c"]),
        (b"\xca\xa1aaa\xcb\xa1aaaaaaa\xcc\xa1\xcd\xa1a\xa1b", ["b"]),
        (b"\xce\xa1aaa\xcf\xa1aaaaaaa\xd0\xa1\xd1\xa1a\xd2\xa1aaa\xd3\xa1aaaaaaa\xa1b", ["b"]),
        (b"\xc4\x02\xa1a\xc5\x00\x02\xa1b\xc6\x00\x00\x00\x02\xa1c", ["a", "b", "c"]),
        (b"\xc7\x02\x05\xa1a\xc8\x00\x02\x05\xa1b\xc9\x00\x00\x00\x02\x05\xa1c", ["a", "b", "c"]),
        (b"\xd4\xa1\x01\xd8\xa1\xa3abc" + b"\x01" * 12 + b"\xc0\xa1z", ["abc", "z"]),
        (b"\xd4\x05\xa0\xd5\x05\xa1a\xd6\x05\xa3abc\xa1z", ["", "a", "abc", "z"]),
        (b"\xd9", [""]),
    ],
)
def test_texts_are_found_in_whatever_was_packed(packed: bytes, texts: list[str]) -> None:
    *found, whole = packed_texts(packed)
    assert found == texts
    assert whole == packed.decode("utf-8", "replace")


def test_what_is_framed_comes_apart_again_and_its_texts_are_found() -> None:
    parts = (b"msgpack", b"\xa5hello", b"", b"\x00" * 300)
    assert unpack_parts(pack_parts(*parts)) == parts
    assert unpack_parts(b"") == ()
    assert unpack_parts(pack_parts(bytes(2**24))) == (bytes(2**24),)
    assert "hello" in list(packed_texts(pack_parts(*parts)))
    written = pack_parts(b"\xd9" + bytes([len(SECRET)]) + SECRET.encode())
    assert record_without(record(written, RecordKind.WRITE), GONE) is None


def test_a_value_that_is_no_json_goes_whole_where_it_quotes_it() -> None:
    assert record_without(record(b'{"text": ' + SECRET.encode()), GONE) is None
    other = record(b"\xff{not json")
    assert record_without(other, GONE) is other
    for deep in (b"[" * 100_000, b"[" * 700 + b"]" * 700):
        assert record_without(record(deep), GONE) == record(deep)
