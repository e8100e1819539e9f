"""Exports of several files, as folders and as ZIP archives: all of them come in, and nothing from outside."""

import json
import shutil
import stat
import zipfile
from pathlib import Path

import pytest

from interchange_values import broken, contents, left_out, record_of
from read_files import lay_out
from voice.adapters.files import archives
from voice.adapters.files.detection import detect_format
from voice.adapters.files.entries import ENCRYPTED, LEADING_OUT
from voice.adapters.files.opening import open_reading
from voice.core.errors import DataFileError
from voice.core.interchange.memory_lines import FileLine, Omission
from voice.ports.files import FileFormat, ReadRequest


def chatgpt(name: str) -> bytes:
    message = {"author": {"role": "user"}, "create_time": 1.0, "content": {"content_type": "text", "parts": [name]}}
    mapping = {"a": {"id": "a", "parent": None, "message": message}}
    return json.dumps([{"id": name, "current_node": "a", "mapping": mapping}]).encode()


SHARDS = {
    "chat.html": b"<html></html>",
    "conversations-000.json": chatgpt("Zero."),
    "conversations-001.json": chatgpt("One."),
    "user.json": b"{}",
}


def laid_out(root: Path, files: dict[str, bytes], *, packed: bool) -> Path:
    """Write files into a folder, or into an archive."""
    if packed:
        with zipfile.ZipFile(root / "export.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        return root / "export.zip"
    return lay_out(root / "export", files)


def read(path: Path, kind: FileFormat | None = None) -> list[FileLine]:
    reading = open_reading(ReadRequest(path=str(path), format=kind))
    lines = list(reading.lines)
    assert reading.position is None or reading.position() == reading.total
    reading.close()
    return lines


@pytest.mark.requirement("imports:several")
@pytest.mark.parametrize("packed", [False, True], ids=["folder", "archive"])
def test_an_export_of_several_files_comes_in_whole(tmp_path: Path, *, packed: bool) -> None:
    path = laid_out(tmp_path, SHARDS, packed=packed)
    assert detect_format(path) is FileFormat.CHATGPT
    lines = read(path)
    assert contents(lines) == ["Zero.", "One."]
    assert lines[0].where == "conversations-000.json: conversation 1, message 1"
    (rest,) = [line for line in lines if isinstance(line, Omission)]
    assert (rest.reason, rest.count) == ("files of other kinds (.html, .json)", 2)


@pytest.mark.requirement("imports:several")
def test_notes_and_a_chat_come_out_of_an_archive(tmp_path: Path) -> None:
    notes = laid_out(tmp_path, {"a/2025-03-01.md": b"---\ntags: x\n---\nHot.", "__MACOSX/b.md": b"x"}, packed=True)
    assert detect_format(notes) is FileFormat.MARKDOWN
    (note,) = read(notes)
    record = record_of(note)
    assert (record.source_ref, record.tags, note.where) == ("a/2025-03-01.md", ("x",), "a/2025-03-01.md")
    chat = laid_out(tmp_path, {"_chat.txt": b"[05.03.24, 14:02:11] Irma: Hot.", "photo.jpg": b"x"}, packed=True)
    named = chat.rename(tmp_path / "WhatsApp Chat - Paul.zip")
    assert detect_format(named) is FileFormat.WHATSAPP
    assert read(named)[0].where == "Paul line 1"


@pytest.mark.requirement("imports:archives", "ruling:I7")
def test_nothing_of_an_archive_leads_out_of_it(tmp_path: Path) -> None:
    link = zipfile.ZipInfo("link.md")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(link, "/etc/passwd")
        for name in ("../out.md", "/abs.md", "in.md"):
            archive.writestr(name, "Hot.")
    lines = read(path)
    assert contents(lines) == ["Hot."]
    names = ("link.md", "../out.md", "/abs.md")
    assert left_out(lines) == [(f"{path}: {name}", LEADING_OUT) for name in names]
    assert [each.name for each in tmp_path.iterdir()] == ["a.zip"]


@pytest.mark.requirement("imports:archives")
@pytest.mark.parametrize(
    ("limit", "most", "said"),
    [("MOST_FILES", 1, "more than 1 files"), ("MOST_BYTES", 10, "unpacks to more"), ("_SMALL", 10, "times its size")],
)
def test_an_archive_that_is_too_much_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, most: int, said: str
) -> None:
    path = laid_out(tmp_path, {"a.md": b"a" * 3_000_000, "b.md": b"b"}, packed=True)
    monkeypatch.setattr(archives, limit, most)
    with pytest.raises(DataFileError, match=said):
        detect_format(path)


@pytest.mark.requirement("imports:archives", "imports:refused")
def test_an_archive_that_is_broken_encrypted_or_of_nothing_known_is_called_that(tmp_path: Path) -> None:
    path = laid_out(tmp_path, {"a.png": b"x"}, packed=True)
    with pytest.raises(DataFileError, match="holds only unknown formats"):
        detect_format(path)
    path.write_bytes(path.read_bytes()[:20])
    with pytest.raises(DataFileError, match="is a broken ZIP archive"):
        detect_format(path)
    stored = laid_out(tmp_path, {"b.md": b"Cold."}, packed=True)
    source = bytearray(stored.read_bytes())
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        source[source.index(mark) + at] |= 1
    stored.write_bytes(source)
    assert [reason for _, reason in left_out(read(stored, FileFormat.MARKDOWN))] == [ENCRYPTED]


def test_a_file_of_an_archive_that_is_broken_costs_no_other(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("a.md", "Cold and cold.")
        archive.writestr("b.md", "Hot.")
    path.write_bytes(path.read_bytes().replace(b"Cold and cold.", b"Cold and colt."))
    lines = read(path, FileFormat.MARKDOWN)
    assert contents(lines) == ["Hot."]
    assert [where for where, _ in broken(lines)] == ["a.md"]


@pytest.mark.requirement("imports:talk", "ruling:I6")
@pytest.mark.parametrize(
    "log", ["[14:02] <Irma> Hot?\n[14:03] <Paul> Hot.\n", "2024-03-05 14:02 Irma: Hot?\n2024-03-05 14:03 Paul: Hot.\n"]
)
def test_a_chat_log_of_an_unknown_form_is_called_that_and_is_nobodys_text(tmp_path: Path, log: str) -> None:
    (tmp_path / "log.txt").write_text(log, encoding="utf-8")
    with pytest.raises(DataFileError, match="is a chat log in an unknown format"):
        detect_format(tmp_path / "log.txt")


@pytest.mark.requirement("imports:several")
def test_a_mailbox_without_an_ending_is_known_in_its_folder(tmp_path: Path) -> None:
    mail = "From irma@example.org Sat Mar 01 09:00:00 2025\nFrom: Irma <irma@example.org>\n\nHot.\n"
    lay_out(tmp_path, {"mbox": mail, "table_of_contents": b"\x00\x01"})
    assert detect_format(tmp_path) is FileFormat.MBOX
    packed = shutil.make_archive(str(tmp_path.with_suffix("")) + "-packed", "gztar", tmp_path)
    assert detect_format(Path(packed)) is FileFormat.MBOX
