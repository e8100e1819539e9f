"""Reading `inner-voice-memory/1` from damaged, foreign and hand-written files."""

import io

import pytest

from voice.adapters.files.opening import read_own_jsonl
from voice.core.errors import DataFileError
from voice.core.interchange.memory_lines import MAX_LINE_BYTES, BadLine, ParsedLine, ThoughtLine

_HEADER = b'{"format":"inner-voice-memory/1"}\n'


def _read(data: bytes) -> list[ParsedLine | BadLine]:
    return list(read_own_jsonl(io.BytesIO(data)))


def _thought(content: str, **fields: str) -> ParsedLine:
    return ParsedLine(where=fields.pop("where"), record=ThoughtLine(content=content, id=fields.get("id")))


def test_a_hand_written_file_without_a_header_is_read() -> None:
    assert _read(b'{"type":"thought","content":"a"}') == [_thought("a", where="line 1")]


def test_a_byte_order_mark_carriage_returns_and_blank_lines_do_not_matter() -> None:
    data = b"\xef\xbb\xbf" + _HEADER.replace(b"\n", b"\r\n") + b'\r\n{"type":"thought","content":"a"}\r\n \t\n'
    assert _read(data) == [_thought("a", where="line 3")]


def test_a_bad_line_is_reported_with_its_number_and_the_rest_is_read() -> None:
    lines = _read(_HEADER + b'{"type":"thought","content":"a"}\n\xff\xfe\n{"type":"thought","content":"b"}\nrest')
    assert lines == [
        _thought("a", where="line 2"),
        BadLine(where="line 3", reason="is not UTF-8 text"),
        _thought("b", where="line 4"),
        BadLine(where="line 5", reason="is not a JSON object; each line holds exactly one, like {…}"),
    ]


def test_a_text_of_a_megabyte_is_read_and_a_longer_line_than_allowed_is_reported() -> None:
    big = b'{"type":"thought","content":"' + b"a" * 1_000_000 + b'"}\n'
    endless = b'{"type":"thought","content":"' + b"a" * (2 * MAX_LINE_BYTES) + b'"}\n'
    read = _read(_HEADER + big + endless + b'{"type":"thought","content":"b"}')
    assert isinstance(read[0], ParsedLine)
    assert read[1:] == [BadLine(where="line 3", reason="is longer than 8 MiB; split it"), _thought("b", where="line 4")]


def test_a_line_that_is_too_long_may_end_with_the_file() -> None:
    assert _read(b"a" * (MAX_LINE_BYTES + 5)) == [BadLine(where="line 1", reason="is longer than 8 MiB; split it")]


def test_the_second_line_with_an_id_is_reported_with_the_first() -> None:
    line = b'{"type":"thought","id":"t:1","content":"a"}\n'
    stone = b'{"type":"tombstone","row_id":"t:1","keyed_hash":"a","reason":"forgotten","at":"2026-01-01"}\n'
    read = _read(line + stone + line + stone)
    assert read[2:] == [
        BadLine(where="line 3", reason="has the id of line 1; ids must be unique"),
        BadLine(where="line 4", reason="has the id of line 2; ids must be unique"),
    ]


def test_files_put_one_after_the_other_are_read_as_one() -> None:
    one = _HEADER + b'{"type":"thought","content":"a"}\n'
    assert [line.where for line in _read(one + one)] == ["line 2", "line 4"]


def test_the_header_of_another_version_ends_the_reading_at_once() -> None:
    with pytest.raises(DataFileError, match="another version"):
        _read(b'{"format":"inner-voice-memory/2"}\n{"type":"thought","content":"a"}')


def test_the_header_of_another_version_further_down_is_one_bad_line() -> None:
    read = _read(_HEADER + b'{"type":"thought","content":"a"}\n{"format":"inner-voice-memory/2"}\n')
    assert [type(line) for line in read] == [ParsedLine, BadLine]


def test_an_empty_stream_holds_nothing() -> None:
    assert _read(b"") == []
