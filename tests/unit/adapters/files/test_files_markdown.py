"""Reading notes: their front matter, their dates, and the folders they lie in."""

import os
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.adapters.files.front_matter import split_front_matter
from voice.adapters.files.markdown import read_note
from voice.core.errors import InvalidParams
from voice.core.interchange.lines import BadLine, FileLine, ParsedLine, ThoughtLine

_LISBON = ZoneInfo("Europe/Lisbon")


def _note(folder: Path, text: str | bytes, name: str = "note.md") -> FileLine:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    os.utime(path, (1_750_000_000, 1_750_000_000))
    return read_note(path, folder, _LISBON)


def _thought(folder: Path, text: str | bytes, name: str = "note.md") -> ThoughtLine:
    line = _note(folder, text, name)
    assert isinstance(line, ParsedLine), line
    assert isinstance(line.record, ThoughtLine)
    return line.record


def test_everything_a_note_says_about_itself_is_read(tmp_path: Path) -> None:
    front = "---\ntitle: Roof\ndate: 2025-07-01 18:30\ntags: ['#house', money]\nprivate: yes\nkind: diary\n"
    text = front + "speaker: Irma\nthread: house\nmood: 3\n---\n\nThe roofer wants 4,200 €.\n"
    line = _note(tmp_path, text)
    assert line == ParsedLine(
        where="note.md",
        record=ThoughtLine(
            content="Roof\n\nThe roofer wants 4,200 €.",
            created_at=datetime(2025, 7, 1, 17, 30, tzinfo=UTC),
            tags=("house", "money"),
            is_private=True,
            kind="diary",
            speaker="Irma",
            thread="house",
            source_ref="note.md",
        ),
        unknown_fields=("mood",),
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
        ("created_at: 2025-03-01T10:00:00+02:00", "a.md", datetime(2025, 3, 1, 8, tzinfo=UTC)),
        ("x: 1", "2025-07-01 roof.md", datetime(2025, 6, 30, 23, tzinfo=UTC)),
        ("x: 1", "diary_2025_12_01.md", datetime(2025, 12, 1, tzinfo=UTC)),
        ("date:", "12025-07-01.md", datetime.fromtimestamp(1_750_000_000, UTC)),
        ("x: 1", "2025-13-01.md", datetime.fromtimestamp(1_750_000_000, UTC)),
    ],
)
def test_a_notes_date_is_in_its_front_matter_else_its_name_else_its_time_of_change(
    tmp_path: Path, front: str, name: str, written: datetime
) -> None:
    assert _thought(tmp_path, f"---\n{front}\n---\nx", name).created_at == written


def test_tags_may_be_a_text_with_commas(tmp_path: Path) -> None:
    assert _thought(tmp_path, "---\ntags: house, , #money\n---\nx").tags == ("house",)
    assert _thought(tmp_path, "---\ntags: 'house, #money'\n---\nx").tags == ("house", "money")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is empty"),
        (" \n\t\n", "is empty"),
        ("a\x00b", "NUL"),
        (b"\xff\xfea", "not UTF-8"),
        ("a" * 1_000_001, "longer than 1,000,000"),
        ("a" * 4_000_001, "longer than 1,000,000"),
        ("---\ntitle: [\n---\nx", "not valid YAML"),
        ("---\n- a\n---\nx", "no list of"),
        ("---\nwords\n---\nx", "no list of"),
        ("---\na: &x 1\nb: *x\n---\nx", "not valid YAML"),
        ("---\n" + "[" * 5_000 + "\n---\nx", "not valid YAML"),
        ("---\n" + "a: b\n" * 20_000 + "---\nx", "more than 16 KiB"),
        ("---\ndate: someday\n---\nx", "“date” in its front matter is not a date"),
        ("---\ndate: 9999-12-31\n---\nx", "“date” in its front matter is out of range"),
        ("---\ndate: 0000-01-01\n---\nx", "“date” in its front matter is not a date"),
        ("---\ntitle: [a]\n---\nx", "“title” in its front matter must be a text"),
        ("---\ntags: {a: b}\n---\nx", "“tags” in its front matter must be a list"),
        ("---\ntags: [[a]]\n---\nx", "“tags” in its front matter must be a list"),
        ("---\nprivate: perhaps\n---\nx", "“private” in its front matter must be true or false"),
    ],
    ids=lambda value: str(value)[:24],
)
def test_a_note_that_cannot_be_read_says_why(tmp_path: Path, text: str | bytes, reason: str) -> None:
    line = _note(tmp_path, text)
    assert isinstance(line, BadLine)
    assert reason in line.reason


@pytest.mark.parametrize(
    ("word", "private"), [("true", True), ("YES", True), ("1", True), ("no", False), ("", False), ("off", False)]
)
def test_private_is_a_yes_or_a_no(tmp_path: Path, word: str, *, private: bool) -> None:
    assert _thought(tmp_path, f"---\nis_private: {word}\n---\nx").is_private is private


def test_front_matter_that_is_empty_or_never_ends_is_none(tmp_path: Path) -> None:
    assert _thought(tmp_path, "---\n---\nx").content == "x"
    assert _thought(tmp_path, "---\n# a comment\n...\nx").content == "x"
    assert _thought(tmp_path, "---\ntitle: a\nx").content == "---\ntitle: a\nx"


def test_one_note_can_be_read_alone(tmp_path: Path) -> None:
    note = tmp_path / "note.md"
    note.write_text("x", encoding="utf-8")
    line = read_note(note, note)
    assert isinstance(line, ParsedLine)
    assert line.where == "note.md"


def test_a_file_name_that_is_no_unicode_does_no_harm(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.md"))
    path.write_text("x", encoding="utf-8")
    line = read_note(path, tmp_path)
    assert line.where == "caf?.md"


@given(st.text() | st.text().map(lambda inner: f"---\n{inner}\n---\nx"))
def test_no_text_breaks_the_front_matter(text: str) -> None:
    try:
        front, body = split_front_matter(text)
    except InvalidParams:
        return
    assert text.endswith(body)
    assert isinstance(front.unknown(), tuple)
