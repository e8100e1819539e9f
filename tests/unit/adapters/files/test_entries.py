"""What is read of a folder: its own files alone, whatever links in it lead to."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from interchange_values import broken, left_out
from read_files import lay_out, read
from voice.adapters.files.detection import detect_format
from voice.adapters.files.entries import LINKS_OUT, LINKS_WITHIN, NOTE_SUFFIXES, relative_name, scan_folder
from voice.core.errors import DataFileError
from voice.core.interchange.memory_lines import BadLine, FileLine, Omission, ParsedLine
from voice.ports.files import FileFormat


def written(folder: Path, *names: str) -> Path:
    return lay_out(folder, {name: f"This stands in {name}." for name in names})


@pytest.fixture
def linked(tmp_path: Path) -> Path:
    """A folder with a note, and links of every kind out of it and within it."""
    outside = written(tmp_path / "outside", "secret.md", "secret.txt", "deep/secret.md")
    inside = written(tmp_path / "inside", "note.md", "note.txt", "sub/other.md")
    (inside / "file.md").symlink_to(outside / "secret.md")
    (inside / "file.txt").symlink_to(Path("..", "outside", "secret.txt"))
    (inside / "folder").symlink_to(outside)
    (inside / "sub" / "deep").symlink_to(outside / "deep")
    (inside / "twice.md").symlink_to(inside / "folder" / "secret.md")
    (inside / "again.md").symlink_to("note.md")
    (inside / "sub" / "up").symlink_to(inside)
    (inside / "lost.md").symlink_to("gone.md")
    (inside / "loop.md").symlink_to("loop.md")
    (inside / ".hidden.md").symlink_to(outside / "secret.md")
    return inside


def of_reason(lines: list[FileLine], reason: str) -> list[str]:
    return [where for where, why in left_out(lines) if why == reason]


@pytest.mark.requirement("ruling:I7")
@pytest.mark.parametrize(
    ("form", "found"),
    [
        (FileFormat.MARKDOWN, ["note.md", "sub/other.md"]),
        (FileFormat.OBSIDIAN, ["note.md", "sub/other.md"]),
        (FileFormat.TEXT, ["note.txt line 1"]),
    ],
)
def test_no_link_is_followed_and_every_link_is_named(linked: Path, form: FileFormat, found: list[str]) -> None:
    lines = read(linked, format=form)
    assert [line.where for line in lines if isinstance(line, ParsedLine)] == found
    assert of_reason(lines, LINKS_OUT) == ["file.md", "file.txt", "folder", "sub/deep", "twice.md"]
    assert of_reason(lines, LINKS_WITHIN) == ["again.md", "loop.md", "lost.md", "sub/up"]
    assert broken(lines) == []


@pytest.mark.requirement("ruling:I7")
def test_a_folder_that_is_itself_a_link_was_named_by_the_person_and_is_read(tmp_path: Path, linked: Path) -> None:
    (tmp_path / "named").symlink_to(linked)
    lines = read(tmp_path / "named", format=FileFormat.MARKDOWN)
    assert [line.where for line in lines if isinstance(line, ParsedLine)] == ["note.md", "sub/other.md"]
    assert of_reason(lines, LINKS_WITHIN) == ["again.md", "loop.md", "lost.md", "sub/up"]


@pytest.mark.requirement("ruling:I7")
def test_settings_of_a_vault_that_are_a_link_are_not_read(tmp_path: Path) -> None:
    vault = written(tmp_path / "vault", "forms/form.md", ".obsidian/app.json")
    (tmp_path / "templates.json").write_text('{"folder": "forms"}', encoding="utf-8")
    (vault / ".obsidian" / "templates.json").symlink_to(tmp_path / "templates.json")
    assert isinstance(read(vault, format=FileFormat.OBSIDIAN)[0], ParsedLine)
    (vault / ".obsidian" / "templates.json").unlink()
    (vault / ".obsidian" / "templates.json").write_bytes((tmp_path / "templates.json").read_bytes())
    assert isinstance(read(vault, format=FileFormat.OBSIDIAN)[0], Omission)


def test_a_pipe_that_is_called_a_note_is_counted_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(written(tmp_path, "note.md") / "pipe.md")
    told = left_out(read(tmp_path, format=FileFormat.MARKDOWN))
    assert [reason for _, reason in told] == ["pipes (or sockets, devices)"]
    with pytest.raises(DataFileError, match="is a pipe, socket or device"):
        detect_format(tmp_path / "pipe.md")


def test_files_come_by_path_and_hidden_ones_do_not_come_at_all(tmp_path: Path) -> None:
    written(tmp_path, "b.md", "a/z.markdown", "a/b/c.MD", "A.md", ".hidden.md", ".git/x.md", "picture.png")
    found = [relative_name(tmp_path, note) for note in scan_folder(tmp_path).of(NOTE_SUFFIXES)]
    assert found == ["A.md", "a/b/c.MD", "a/z.markdown", "b.md"]


def test_a_file_is_a_folder_of_itself(tmp_path: Path) -> None:
    note = written(tmp_path, "note.md") / "note.md"
    assert scan_folder(note).of(NOTE_SUFFIXES) == [note]


def test_a_folder_that_may_not_be_entered_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = written(tmp_path, "note.md", "closed/in.md") / "closed"
    look = os.scandir

    def refuse(folder: Path) -> Iterator["os.DirEntry[str]"]:
        if folder in shut:
            raise PermissionError(13, "Permission denied")
        return look(folder)

    shut = {closed}
    monkeypatch.setattr(os, "scandir", refuse)
    assert scan_folder(tmp_path).of(NOTE_SUFFIXES) == [closed, tmp_path / "note.md"]
    lines = read(tmp_path, format=FileFormat.MARKDOWN)
    assert [type(line) for line in lines] == [BadLine, ParsedLine]
    shut.add(tmp_path)
    with pytest.raises(PermissionError):
        scan_folder(tmp_path)
