"""What a line of `inner-voice-memory/1` may say, and what is wrong with one that cannot be read."""

import json

import pytest

from tables import tables
from voice.core.errors import DataFileError, InvalidParams
from voice.core.interchange.memory_lines import MAX_TEXT_CHARS, HeaderLine, ObservationLine, RelationLine, ThoughtLine
from voice.core.interchange.parse import parse_line
from voice.core.records import RowStatus

TABLES = tables(__file__)


def _reason(raw: bytes | str | dict[str, object]) -> str:
    line = raw if isinstance(raw, bytes) else (raw if isinstance(raw, str) else json.dumps(raw)).encode()
    with pytest.raises(InvalidParams) as caught:
        parse_line(line)
    return caught.value.message


def _thought(**fields: object) -> dict[str, object]:
    return {"type": "thought", "content": "It rained.", **fields}


def test_a_thought_needs_only_its_type_and_its_words() -> None:
    record, unknown = parse_line('{"type":"thought","content":"Müde – 🌧"}'.encode())
    assert record == ThoughtLine(content="Müde – 🌧")
    assert unknown == ()


def test_the_header_is_known_by_its_format() -> None:
    assert parse_line(b'{"format":"inner-voice-memory/1","title":"Mine"}') == (HeaderLine(), ())


@pytest.mark.parametrize("name", ["inner-voice-memory/2", "memory-bench/1"])
def test_the_header_of_another_format_stops_the_reading(name: str) -> None:
    with pytest.raises(DataFileError, match="reads inner-voice-memory/1"):
        parse_line(json.dumps({"format": name}).encode())


def test_graph_lines_written_by_hand_may_name_their_entities() -> None:
    observation, _ = parse_line(b'{"type":"observation","text":"x","entities":["Ana Sol","e:b"]}')
    assert observation == ObservationLine(text="x", entities=("Ana Sol", "e:b"))
    relation, _ = parse_line(b'{"type":"relation","source":"Ana","target":"Bo","rel_type":"knows"}')
    assert relation == RelationLine(source="Ana", target="Bo", rel_type="knows")


def test_null_is_left_out_and_unknown_fields_are_named() -> None:
    record, unknown = parse_line(json.dumps(_thought(speaker=None, colour="red", size=None)).encode())
    assert record == ThoughtLine(content="It rained.")
    assert unknown == ("colour", "size")


def test_a_redacted_row_may_be_empty() -> None:
    assert parse_line(b'{"type":"thought","status":"redacted"}')[0] == ThoughtLine(
        content="", status=RowStatus.REDACTED
    )
    assert parse_line(b'{"type":"observation","text":"","status":"redacted"}')[0] == ObservationLine(
        text="", status=RowStatus.REDACTED
    )


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        *TABLES["what_is_wrong_with_a_line_is_said"],
        (b"\xff\xfe{", "not UTF-8"),
        (b"[" * 200_000, "nested too deeply"),
        (b'{"access_count":' + b"9" * 5000 + b"}", "not a JSON object"),
        (_thought(content="a" * (MAX_TEXT_CHARS + 1)), "longer than 1,000,000"),
    ],
    ids=lambda value: "" if isinstance(value, bytes | dict) else value[:60],
)
def test_what_is_wrong_with_a_line_is_said(raw: bytes | str | dict[str, object], reason: str) -> None:
    assert reason in _reason(raw)


def test_no_reason_holds_any_of_the_lines_text() -> None:
    canary = "canary-7f3a"
    for raw in (
        json.dumps({"type": canary}).encode(),
        json.dumps(_thought(content=canary, created_at=canary)).encode(),
        json.dumps(_thought(content=canary, id=canary)).encode(),
        json.dumps(_thought(content=canary, status=canary)).encode(),
        f'{{"content":"{canary}'.encode(),
    ):
        assert canary not in _reason(raw)
        assert _reason(raw)
