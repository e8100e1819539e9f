"""Reading notes: their front matter, their dates, and the folders they lie in."""

import os
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import tables
from voice.adapters.files.front_matter import split_front_matter
from voice.adapters.files.opening import open_reading
from voice.core.interchange.memory_lines import BadLine, FileLine, Omission, ParsedLine, ThoughtLine
from voice.ports.files import FileFormat, ReadRequest

TABLES = tables(__file__)

_LISBON = ZoneInfo("Europe/Lisbon")


def _note(folder: Path, text: str | bytes, name: str = "note.md") -> FileLine:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    request = ReadRequest(path=str(folder), format=FileFormat.MARKDOWN, zone=_LISBON, only=frozenset({name}))
    return next(open_reading(request).lines)


def _thought(folder: Path, text: str | bytes, name: str = "note.md") -> ThoughtLine:
    line = _note(folder, text, name)
    assert isinstance(line, ParsedLine), line
    assert isinstance(line.record, ThoughtLine)
    return line.record


def test_everything_a_note_says_about_itself_is_read(tmp_path: Path) -> None:
    front = "---\ntitle: Roof\ndate: 2025-07-01 18:30\ntags: ['#house', money]\nprivate: yes\nkind: diary\n"
    more = "mood: 3\nslug: roof\nempty:\nbuilders: [Ana, Bo]\nx-plugin: y\n---\n\nThe roofer wants 4,200 €.\n"
    text = f"{front}speaker: Irma\nthread: house\n{more}"
    line = _note(tmp_path, text)
    assert line == ParsedLine(
        where="note.md",
        record=ThoughtLine(
            content="Roof\n\nmood: 3\nbuilders: Ana, Bo\n\nThe roofer wants 4,200 €.",
            created_at=datetime(2025, 7, 1, 17, 30, tzinfo=UTC),
            tags=("house", "money"),
            is_private=True,
            kind="diary",
            speaker="Irma",
            thread="house",
            source_ref="note.md",
        ),
        unknown_fields=("empty", "slug", "x-plugin"),
    )


def test_a_title_that_the_text_opens_with_is_not_said_twice(tmp_path: Path) -> None:
    assert _thought(tmp_path, "---\ntitle: Roof\n---\n# Roof\n\nx").content == "# Roof\n\nx"


def test_a_title_alone_is_a_thought(tmp_path: Path) -> None:
    assert _thought(tmp_path, "---\ntitle: Buy milk\n---\n").content == "Buy milk"


def test_the_body_is_kept_as_it_stands(tmp_path: Path) -> None:
    text = "\ufeff\n  indented\r\n\r\n---\r\nnot front matter\r\n---\r\n"
    assert _thought(tmp_path, text).content == "  indented\n\n---\nnot front matter\n---"


@pytest.mark.parametrize(
    ("front", "name", "written"),
    [
        ("created: 2025-03-01", "2024-01-01.md", datetime(2025, 3, 1, tzinfo=UTC)),
        ("datetime: 2025-03-01", "a.md", datetime(2025, 3, 1, tzinfo=UTC)),
        ("creation date: 2025-03-01", "a.md", datetime(2025, 3, 1, tzinfo=UTC)),
        ("created_at: 2025-03-01T10:00:00+02:00", "a.md", datetime(2025, 3, 1, 8, tzinfo=UTC)),
        ("x: 1", "2025-07-01 roof.md", datetime(2025, 6, 30, 23, tzinfo=UTC)),
        ("x: 1", "diary_2025_12_01.md", datetime(2025, 12, 1, tzinfo=UTC)),
        ("date:", "12025-07-01.md", None),
        ("x: 1", "2025-13-01.md", None),
        ("x: 1", "Journal/2024/May/1.md", datetime(2024, 4, 30, 23, tzinfo=UTC)),
    ],
)
def test_a_notes_date_is_in_its_front_matter_else_its_name_and_never_its_time_of_change(
    tmp_path: Path, front: str, name: str, written: datetime | None
) -> None:
    assert _thought(tmp_path, f"---\n{front}\n---\nx", name).created_at == written


def test_tags_may_be_a_text_with_commas(tmp_path: Path) -> None:
    assert _thought(tmp_path, "---\ntags: house, , #money\n---\nx").tags == ("house",)
    assert _thought(tmp_path, "---\ntags: 'house, #money'\n---\nx").tags == ("house", "money")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a\x00b", "NUL"),
        (b"\xff\xfea", "not UTF-8"),
        ("a" * 1_000_001, "longer than 1,000,000"),
        ("a" * 4_000_001, "longer than 1,000,000"),
    ],
    ids=lambda value: str(value)[:24],
)
def test_a_note_that_cannot_be_read_says_why(tmp_path: Path, text: str | bytes, reason: str) -> None:
    line = _note(tmp_path, text)
    assert isinstance(line, BadLine)
    assert reason in line.reason


@pytest.mark.requirement("imports:left-out")
@pytest.mark.parametrize("text", ["", " \n\t\n", "---\ntags: [house]\n---\n"])
def test_a_note_without_words_is_left_out_by_that_name(tmp_path: Path, text: str) -> None:
    line = _note(tmp_path, text)
    assert isinstance(line, Omission)
    assert line.reason == "notes without text"


BODY = "The roof leaks."


def _partly(line: FileLine) -> list[str]:
    assert isinstance(line, ParsedLine), line
    return [each.reason.partition("(")[2].rstrip(")") for each in line.partly]


@pytest.mark.requirement("ruling:I6", "imports:by-field")
@pytest.mark.parametrize(
    ("front", "broken"),
    [
        *TABLES["a_field_that_cannot_be_read_costs_itself_and_is_named"],
        ("tags: " + "[" * 5_000 + "\ndate: 2025-03-01", ["tags"]),
        ("date: 2025-03-01\n" + "".join(f"k{n}: {'b' * 200}\n" for n in range(100)), [f"k{n}" for n in range(79, 100)]),
    ],
    ids=lambda value: str(value)[:24],
)
def test_a_field_that_cannot_be_read_costs_itself_and_is_named(tmp_path: Path, front: str, broken: list[str]) -> None:
    line = _note(tmp_path, f"---\n{front}\n---\n{BODY}")
    assert set(_partly(line)) == set(broken)
    assert isinstance(line, ParsedLine)
    assert isinstance(line.record, ThoughtLine)
    assert line.record.content.endswith(BODY)
    assert line.record.created_at == (datetime(2025, 3, 1, tzinfo=UTC) if "2025-03-01" in front else None)


@pytest.mark.requirement("ruling:I6", "imports:by-field")
@pytest.mark.parametrize(("value", "day"), TABLES["a_date_is_read_in_every_form_that_means_one_day"])
def test_a_date_is_read_in_every_form_that_means_one_day(tmp_path: Path, value: str, day: str) -> None:
    at = _thought(tmp_path, f"---\nday: {value}\n---\n{BODY}").created_at
    assert at is not None
    assert f"{at:%Y-%m-%dT%H:%M}" == day


@pytest.mark.requirement("imports:by-field")
@pytest.mark.parametrize(
    "front",
    TABLES["front_matter_is_yaml_toml_or_json"],
    ids=["toml", "toml with a broken field", "json", "yaml with a broken field", "capitals"],
)
def test_front_matter_is_yaml_toml_or_json(tmp_path: Path, front: str) -> None:
    note = _thought(tmp_path, front + BODY)
    assert note.content == f"Roof\n\n{BODY}"
    assert (note.created_at, note.tags, note.is_private) == (datetime(2025, 3, 1, tzinfo=UTC), ("house",), True)


@pytest.mark.requirement("imports:by-field")
@pytest.mark.parametrize(
    "text", [*TABLES["what_only_looks_like_front_matter_is_the_notes_own_text"], '{"a": ' + "[" * 20_000]
)
def test_what_only_looks_like_front_matter_is_the_notes_own_text(tmp_path: Path, text: str) -> None:
    line = _note(tmp_path, text)
    assert isinstance(line, ParsedLine)
    assert isinstance(line.record, ThoughtLine)
    assert (line.record.content, line.partly) == (text, ())


@pytest.mark.requirement("imports:by-field")
@pytest.mark.parametrize("word", ["perhaps", "[", "[a]", "'"])
def test_a_note_of_which_it_cannot_be_known_is_private(tmp_path: Path, word: str) -> None:
    line = _note(tmp_path, f"---\nprivate: {word}\n---\nx")
    assert isinstance(line, ParsedLine)
    assert isinstance(line.record, ThoughtLine)
    assert line.record.is_private
    assert _partly(line) == ["private; the note is private"]


def test_a_plain_value_keeps_its_second_colon(tmp_path: Path) -> None:
    assert _thought(tmp_path, "---\ntitle: A note: with a colon\n---\nx").content == "A note: with a colon\n\nx"


@pytest.mark.parametrize(
    ("word", "private"), [("true", True), ("YES", True), ("1", True), ("no", False), ("", False), ("off", False)]
)
def test_private_is_a_yes_or_a_no(tmp_path: Path, word: str, *, private: bool) -> None:
    assert _thought(tmp_path, f"---\nis_private: {word}\n---\nx").is_private is private


def test_front_matter_that_is_empty_or_never_ends_is_none(tmp_path: Path) -> None:
    assert _thought(tmp_path, "---\n---\nx").content == "x"
    assert _thought(tmp_path, "---\n# a comment\n...\nx").content == "x"
    assert _thought(tmp_path, "---\ntitle: a\nx").content == "---\ntitle: a\nx"


def test_a_file_name_that_is_no_unicode_does_no_harm(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.md"))
    path.write_text("x", encoding="utf-8")
    (line,) = open_reading(ReadRequest(path=str(tmp_path))).lines
    assert line.where == "caf?.md"


@given(st.text() | st.text().map(lambda inner: f"---\n{inner}\n---\nx"))
def test_no_text_breaks_the_front_matter(text: str) -> None:
    front, body = split_front_matter(text)
    assert text.endswith(body)
    assert isinstance(front.unknown(), tuple)
