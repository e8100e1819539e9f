"""What a line of `inner-voice-memory/1` may say, and what is wrong with one that cannot be read."""

import json

import pytest

from voice.core.errors import DataFileError, InvalidParams
from voice.core.interchange.memory_lines import MAX_TEXT_CHARS, HeaderLine, ObservationLine, RelationLine, ThoughtLine
from voice.core.interchange.parse import parse_line
from voice.core.records import RowStatus


def _reason(raw: bytes | dict[str, object]) -> str:
    line = raw if isinstance(raw, bytes) else json.dumps(raw).encode()
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
        (b"\xff\xfe{", "not UTF-8"),
        (b'{"type":"thought"', "not a JSON object"),
        (b'{"type":"thought","content":"a"} trailing', "not a JSON object"),
        (b'{"type":"thought","content":"a","significance":NaN}', "not a JSON object"),
        (b"[1]", "not an object"),
        (b'"secret"', "not an object"),
        (b'{"type":"thought","type":"entity"}', "twice"),
        (b"[" * 200_000, "nested too deeply"),
        (b'{"access_count":' + b"9" * 5000 + b"}", "not a JSON object"),
        ({}, "“type” is missing"),
        ({"type": "poem"}, "“type” must be one of: thought, entity"),
        ({"type": 3}, "“type” must be text"),
        (_thought(content="  \n"), "“content” is missing or empty"),
        (_thought(content="a\x00b"), "NUL"),
        (_thought(content="\ud83d"), "half of a surrogate pair"),
        (_thought(content="a" * (MAX_TEXT_CHARS + 1)), "longer than 1,000,000"),
        (_thought(content=["a"]), "“content” must be text"),
        (_thought(id="e:1"), "“id” must look like t:…"),
        (_thought(id="t:a b"), "“id” must look like t:…"),
        (_thought(id="t:"), "“id” must look like t:…"),
        (_thought(summary_of=["x:1"]), "“summary_of” must look like t:… or e:…"),
        (_thought(tags="a"), "“tags” must be a list"),
        (_thought(tags=["a", 1]), "“tags” must be text"),
        (_thought(tags=["a", " "]), "“tags” holds an empty text"),
        (_thought(is_private="yes"), "“is_private” must be true or false"),
        (_thought(significance=1.5), "“significance” must be a number from 0 to 1"),
        (_thought(significance=True), "“significance” must be a number"),
        (_thought(significance="1"), "“significance” must be a number"),
        (b'{"type":"thought","content":"a","significance":1e999}', "“significance” must be a number"),
        (_thought(access_count=-1), "“access_count” must be a whole number"),
        (_thought(access_count=1.0), "“access_count” must be a whole number"),
        (_thought(access_count=True), "“access_count” must be a whole number"),
        (_thought(vouched="yes"), "“vouched” must be one of: waiting"),
        (_thought(vouched_spans=3), "“vouched_spans” must be a list of whole numbers"),
        (_thought(vouched_spans=[1, "2"]), "“vouched_spans” must be a whole number"),
        (_thought(created_at="yesterday"), "“created_at” is not a date"),
        (_thought(created_at=1700000000), "“created_at” must be text"),
        (_thought(created_at="2026-03-05T14:00:00"), "“created_at” has no time zone"),
        (_thought(created_at="2026-02-30"), "“created_at” is not a date"),
        (_thought(created_at="0000-01-01T00:00:00Z"), "“created_at” is not a date"),
        (_thought(created_at="0001-01-01T00:00:00+14:00"), "“created_at” is out of range"),
        (_thought(created_at="9999-12-31T23:59:59Z"), "“created_at” is out of range"),
        (_thought(created_at="9999-12-31"), "“created_at” is out of range"),
        (_thought(status="asleep"), "“status” must be one of: active"),
        (_thought(scope="all"), "“scope” must be an object"),
        (_thought(scope={"user_id": 1}), "“user_id” must be text"),
        ({"type": "entity", "name": ""}, "“name” is missing"),
        ({"type": "relation", "source": "a", "rel_type": "x"}, "“target” is missing"),
        ({"type": "observation", "text": "x", "provenance": {}}, "“provenance” must be a list"),
        ({"type": "observation", "text": "x", "provenance": ["t:1"]}, "“provenance” must be an object"),
        (
            {"type": "observation", "text": "x", "provenance": [{"thought_id": "t:1", "start": 3, "end": 1}]},
            "0 <= start <= end",
        ),
        ({"type": "tombstone", "row_id": "t:1", "keyed_hash": "a", "reason": "redacted"}, "“at” is missing"),
        (
            {"type": "tombstone", "row_id": "t:1", "keyed_hash": "a", "reason": "bored", "at": "2026-01-01"},
            "“reason” must be one of",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_wrong_with_a_line_is_said(raw: bytes | dict[str, object], reason: str) -> None:
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
