"""Lines that are no message are answered, and by what can be read of them."""

import json
import os
import threading
from collections.abc import Mapping
from typing import cast

import pytest

from tables import tables
from voice.entrypoints.mcp.json_rpc import (
    INVALID_REQUEST,
    MAX_MESSAGE_BYTES,
    PARSE_ERROR,
    JsonRpcError,
    OversizedLine,
    StdioStreams,
    parse_line,
)

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("mcp:faults")

NESTED = "[" * 3_000 + "]" * 3_000
QUOTED = '\\"id\\": 7, ' * 100_000
HEAD = '{"jsonrpc": "2.0", "id": 7, "method": "ping"'


@pytest.mark.parametrize(
    ("line", "code", "id_"),
    [
        ("nonsense", PARSE_ERROR, None),
        ('{"jsonrpc": "2.0", "id": 3', PARSE_ERROR, 3),
        (f'{HEAD}, "params": {{"n": {"9" * 5_000}}}}}', PARSE_ERROR, 7),
        (f'{{"params": {{"id": 4, "a": {NESTED}}}, "id": "q\\"1"}}', PARSE_ERROR, 'q"1'),
        (f'{{"params": {NESTED}}}', PARSE_ERROR, None),
        ('{"id": 5.5e3, "method": }', PARSE_ERROR, None),
        ('{"id": {"id": 1}, "method": }', PARSE_ERROR, None),
        ("[]", INVALID_REQUEST, None),
        (f"[{HEAD}}}]", INVALID_REQUEST, None),
        ('"text"', INVALID_REQUEST, None),
        ("7", INVALID_REQUEST, None),
        ("{}", INVALID_REQUEST, None),
        ('{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', INVALID_REQUEST, 1.5),
        ('{"jsonrpc": "2.0", "id": null, "method": "ping"}', INVALID_REQUEST, None),
        ('{"jsonrpc": "2.0", "id": true, "method": "ping"}', INVALID_REQUEST, None),
        ('{"jsonrpc": "2.0", "id": 1e999, "method": "ping"}', INVALID_REQUEST, None),
        ('{"jsonrpc": "1.0", "id": 1, "method": "ping"}', INVALID_REQUEST, 1),
        ('{"jsonrpc": "2.0", "id": 1, "method": 7}', INVALID_REQUEST, 1),
        ('{"jsonrpc": "2.0", "id": 1}', INVALID_REQUEST, 1),
        ('{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}', INVALID_REQUEST, 1),
    ],
)
def test_a_line_that_is_no_request_is_answered_under_the_id_that_can_be_read(line: str, code: int, id_: object) -> None:
    fault = parse_line(line.encode())
    assert isinstance(fault, JsonRpcError)
    answer = json.loads(fault.line())
    assert (answer["jsonrpc"], answer["id"], answer["error"]["code"]) == ("2.0", id_, code)
    assert len(answer["error"]["message"]) < 120


@pytest.mark.parametrize("end", ["", "\\", "\\\\"])
def test_a_line_that_ends_within_a_text_of_millions_of_quotes_is_answered_by_reading_it_once(end: str) -> None:
    fault = parse_line(f'{{"jsonrpc": "2.0", "params": {{"text": "{QUOTED}{end}'.encode())
    assert isinstance(fault, JsonRpcError)
    assert (fault.id, fault.code) == (None, PARSE_ERROR)
    with_its_id = parse_line(f'{{"id": 8, "params": {{"text": "{QUOTED}{end}'.encode())
    assert isinstance(with_its_id, JsonRpcError)
    assert with_its_id.id == 8


@pytest.mark.parametrize("line", ['{"jsonrpc": "2.0", "method": "notifications/initialized", "params": [1]}'])
def test_what_nobody_waits_for_is_not_answered(line: str) -> None:
    assert parse_line(line.encode()) is None
    assert parse_line(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}') is not None


@pytest.mark.parametrize(
    ("content", "meant"),
    [
        (b'"a \\ud83d b"', "a \ufffd b"),
        (b'"\\ude00"', "\ufffd"),
        (b'"\xed\xa0\xbd"', "\ufffd"),
        (b'"\\ud83d\\ude00"', "\U0001f600"),
        (b'"\\\\ud83d"', "\\ud83d"),
    ],
)
def test_half_a_character_is_replaced_and_the_message_goes_on(content: bytes, meant: str) -> None:
    read = parse_line(HEAD.encode() + b', "params": {"content": [{"k": ' + content + b"}]}}")
    assert isinstance(read, Mapping)
    (one,) = cast("list[Mapping[str, str]]", cast("Mapping[str, object]", read["params"])["content"])
    assert one["k"] == meant
    json.dumps(dict(read), ensure_ascii=False).encode()


def test_a_request_is_read_as_it_is_and_its_other_members_are_left_out() -> None:
    read = parse_line(b'\xef\xbb\xbf{"method": "ping", "id": "a", "jsonrpc": "2.0", "params": null, "result": {}}')
    assert read == {"jsonrpc": "2.0", "id": "a", "method": "ping", "params": None}
    answer: dict[str, object] = {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert parse_line(json.dumps(answer).encode()) == answer


@pytest.mark.parametrize(("form", "id_"), TABLES["a_message_that_is_too_long_is_answered_and_the_next_one_is_read"])
def test_a_message_that_is_too_long_is_answered_and_the_next_one_is_read(form: str, id_: object) -> None:
    reads, writes = os.pipe()
    long = (form % ("x" * (MAX_MESSAGE_BYTES + 70_000))).encode()

    def speak() -> None:
        with os.fdopen(writes, "wb") as out:
            out.write(b"\n" + long + b"\n" + HEAD.encode() + b"}\n" + long)

    speaker = threading.Thread(target=speak)
    speaker.start()
    first, second, third = list(StdioStreams(reads, -1).lines())
    speaker.join()
    os.close(reads)
    assert isinstance(first, OversizedLine)
    assert isinstance(third, OversizedLine)
    for each in (first, third):
        fault = parse_line(each)
        assert isinstance(fault, JsonRpcError)
        assert (fault.id, fault.code) == (id_, INVALID_REQUEST)
        assert "16 MiB" in fault.message
    assert isinstance(parse_line(second), Mapping)
