"""Lines of JSON that another program wrote: a field means what the person says, and raises nobody's origin."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from interchange_values import thought_of
from tables import tables
from voice.core.errors import InvalidParams
from voice.core.interchange.json_fields import as_instant, as_list, as_map, as_text, guessed, mapped_line, parse_mapping
from voice.core.interchange.memory_lines import MAX_TEXT_CHARS
from voice.core.records import Origin

ROME = ZoneInfo("Europe/Rome")


@pytest.mark.requirement("imports:lines")
def test_fields_are_taken_by_the_names_the_person_gives() -> None:
    mapping = parse_mapping(["content=body", "speaker=author.name", "created_at=ts", "thread=room", "tags=marks"])
    members: dict[str, object] = {
        "body": "It is hot.",
        "author": {"name": "Paul"},
        "ts": 1741000000000,
        "room": 7,
        "marks": "#kiln, house",
        "mood": "low",
    }
    line, unknown = mapped_line(members, mapping, ROME)
    assert (line.content, line.speaker, line.thread, line.tags) == ("It is hot.", "Paul", "7", ("kiln", "house"))
    assert line.created_at == datetime.fromtimestamp(1741000000, UTC)
    assert unknown == ("mood",)


def test_well_known_names_are_found_where_the_person_says_nothing() -> None:
    members: dict[str, object] = {"text": "It is hot.", "date": "2025-03-01 09:00", "id": "7", "private": "yes"}
    line, unknown = mapped_line(members, guessed(members, {}), ROME)
    assert (line.content, line.source_ref, line.is_private, unknown) == ("It is hot.", "7", True, ())
    assert line.created_at == datetime(2025, 3, 1, 8, tzinfo=UTC)
    assert guessed(members, {"created_at": "text"}) == {
        "created_at": "text",
        "source_ref": "id",
        "is_private": "private",
    }


@pytest.mark.requirement("imports:lines", "ruling:A12")
@pytest.mark.parametrize(
    ("members", "origin"),
    [
        ({"text": "a", "role": "assistant", "origin": "human"}, Origin.MODEL),
        ({"text": "a", "author": "Paul", "origin": "human"}, Origin.TOOL),
        ({"text": "a", "origin": "model"}, Origin.HUMAN),
    ],
)
def test_no_field_of_theirs_is_an_origin(members: dict[str, object], origin: Origin) -> None:
    line, unknown = mapped_line(members, guessed(members, {}), UTC)
    assert thought_of(line).origin is origin
    assert unknown == ("origin",)


@pytest.mark.parametrize(
    ("members", "mapping", "told"),
    [
        *tables(__file__)["a_line_that_cannot_be_read_says_why"],
        ({"text": "a" * (MAX_TEXT_CHARS + 1)}, {"content": "text"}, "is longer than"),
    ],
)
def test_a_line_that_cannot_be_read_says_why(members: dict[str, object], mapping: dict[str, str], told: str) -> None:
    with pytest.raises(InvalidParams, match=told.replace(".", r"\.")):
        mapped_line(members, mapping, UTC)


@pytest.mark.parametrize("entry", ["content", "content=", "origin=x", "=x"])
def test_a_mapping_that_is_none_is_refused(entry: str) -> None:
    with pytest.raises(InvalidParams, match="OURS=THEIRS"):
        parse_mapping([entry])


@pytest.mark.parametrize("value", [True, None, "soon", 1e300, float("nan"), -1e17, [], "9999-12-31T00:00:00Z"])
def test_what_names_no_instant_is_none(value: object) -> None:
    assert as_instant(value) is None
    assert as_instant("2026-03-01T00:00:00Z") is not None


def test_values_of_other_types_are_as_good_as_left_out() -> None:
    assert (as_map([]), as_list({}), as_text(7)) == ({}, [], "")
    assert as_text("a\x00\ud83d\r\nb \n") == "a\ufffd\nb"
