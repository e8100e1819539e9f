"""Reading notes: their front matter, their dates, and the folders they lie in."""

import os
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interchange_values import broken, left_out, record_of
from read_files import lay_out, read
from tables import tables
from voice.adapters.files.front_matter import split_front_matter
from voice.adapters.files.markdown import BROKEN_FIELDS
from voice.core.interchange.memory_lines import FileLine, ParsedLine, ThoughtLine
from voice.ports.files import FileFormat

TABLES = tables(__file__)

_LISBON = ZoneInfo("Europe/Lisbon")


def _note(folder: Path, text: str | bytes, name: str = "note.md") -> FileLine:
    lay_out(folder, {name: text})
    return read(folder, format=FileFormat.MARKDOWN, zone=_LISBON, only=frozenset({name}))[0]


def _thought(folder: Path, text: str | bytes, name: str = "note.md") -> ThoughtLine:
    return record_of(_note(folder, text, name))


def test_everything_a_note_says_about_itself_is_read(tmp_path: Path) -> None:
    front = "---\ntitle: Roof\ndate: 2025-07-01 18:30\ntags: ['#house', money]\nprivate: yes\nkind: diary\n"
    more = "mood: 3\nslug: roof\nempty:\nbuilders: [Ana, Bo]\nx-plugin: y\n---\n\nThe roofer wants 4,200 €.\n"
    text = f"{front}speaker: Irma\nthread: house\n{more}"
    line = _note(tmp_path, text)
    assert line == ParsedLine(
        where="note.md",
        record=ThoughtLine(
            content="# Roof\n\nmood: 3\nbuilders: Ana, Bo\n\nThe roofer wants 4,200 €.",
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


TEXTS = TABLES["a_note_says_its_title_and_its_body_once_and_as_they_stand"]


@pytest.mark.parametrize("case", TEXTS)
def test_a_note_says_its_title_and_its_body_once_and_as_they_stand(tmp_path: Path, case: str) -> None:
    text, said = TEXTS[case]
    assert _thought(tmp_path, text).content == said


@pytest.mark.parametrize(
    ("front", "name", "written"),
    TABLES["a_notes_date_is_in_its_front_matter_else_its_name_and_never_its_time_of_change"],
)
def test_a_notes_date_is_in_its_front_matter_else_its_name_and_never_its_time_of_change(
    tmp_path: Path, front: str, name: str, written: str | None
) -> None:
    at = _thought(tmp_path, f"---\n{front}\n---\nx", name).created_at
    assert (at and at.isoformat()) == written


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
    ((_, told),) = broken([_note(tmp_path, text)])
    assert reason in told


@pytest.mark.requirement("imports:left-out")
@pytest.mark.parametrize("text", ["", " \n\t\n", "---\ntags: [house]\n---\n"])
def test_a_note_without_words_is_left_out_by_that_name(tmp_path: Path, text: str) -> None:
    assert left_out([_note(tmp_path, text)]) == [("note.md", "notes without text")]


BODY = "The roof leaks."


def _partly(line: FileLine) -> list[str]:
    assert isinstance(line, ParsedLine), line
    return [each.reason.removeprefix(f"{BROKEN_FIELDS} (").rstrip(")") for each in line.partly]


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
    assert record_of(line).content.endswith(BODY)
    assert record_of(line).created_at == (datetime(2025, 3, 1, tzinfo=UTC) if "2025-03-01" in front else None)


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
    assert note.content == f"# Roof\n\n{BODY}"
    assert (note.created_at, note.tags, note.is_private) == (datetime(2025, 3, 1, tzinfo=UTC), ("house",), True)


@pytest.mark.requirement("imports:by-field")
@pytest.mark.parametrize(
    "text", [*TABLES["what_only_looks_like_front_matter_is_the_notes_own_text"], '{"a": ' + "[" * 20_000]
)
def test_what_only_looks_like_front_matter_is_the_notes_own_text(tmp_path: Path, text: str) -> None:
    line = _note(tmp_path, text)
    assert (record_of(line).content, _partly(line)) == (text, [])


@pytest.mark.requirement("imports:by-field")
@pytest.mark.parametrize("word", ["perhaps", "[", "[a]", "'"])
def test_a_note_of_which_it_cannot_be_known_is_private(tmp_path: Path, word: str) -> None:
    line = _note(tmp_path, f"---\nprivate: {word}\n---\nx")
    assert record_of(line).is_private
    assert _partly(line) == ["private; the note is private"]


@pytest.mark.parametrize(
    ("word", "private"), [("true", True), ("YES", True), ("1", True), ("no", False), ("", False), ("off", False)]
)
def test_private_is_a_yes_or_a_no(tmp_path: Path, word: str, *, private: bool) -> None:
    assert _thought(tmp_path, f"---\nis_private: {word}\n---\nx").is_private is private


def test_a_file_name_that_is_no_unicode_does_no_harm(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.md"))
    path.write_text("x", encoding="utf-8")
    (line,) = read(tmp_path)
    assert line.where == "caf?.md"


@given(st.text() | st.text().map(lambda inner: f"---\n{inner}\n---\nx"))
def test_no_text_breaks_the_front_matter(text: str) -> None:
    front, body = split_front_matter(text)
    assert text.endswith(body)
    assert isinstance(front.unknown(), tuple)
