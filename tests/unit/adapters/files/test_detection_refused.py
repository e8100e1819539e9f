"""What cannot come in is called what it is, with what can be done instead."""

import io
import zipfile
from pathlib import Path

import pytest

from tables import tables
from voice.adapters.files.detection import detect_format
from voice.core.errors import DataFileError
from voice.ports.files import FileFormat

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("imports:refused")


def document(*names: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in names:
            archive.writestr(name, "<x/>")
    return out.getvalue()


KINDS = {
    "a.docx": (document("[Content_Types].xml", "word/document.xml"), "is a Word document; save it as Markdown"),
    "a.xlsx": (document("[Content_Types].xml", "xl/workbook.xml"), "is an Excel workbook"),
    "a.pptx": (document("[Content_Types].xml", "ppt/presentation.xml"), "is a PowerPoint presentation"),
    "a.odt": (document("mimetype", "META-INF/manifest.xml"), "is an OpenDocument file"),
    "a.epub": (document("mimetype", "META-INF/container.xml"), "is a book"),
    "a.pages": (document("Index/Document.iwa"), "is a document of Pages"),
    "empty.zip": (document(), "is an archive that holds nothing voice can read"),
    "a.pdf": (b"%PDF-1.7\n", "is a PDF; save it as Markdown or plain text"),
    "a.rtf": (b"{\\rtf1\\ansi Hot.}", "is a rich text document"),
    "a.one": (bytes.fromhex("e4525c7b8cd8a74daeb15378d02996d3"), "is a section of OneNote"),
    "a.onepkg": (b"MSCF\x00\x00", "is a CAB archive"),
    "a.doc": (bytes.fromhex("d0cf11e0a1b11ae1"), "is a document of an older Office"),
    "a.pst": (b"!BDN\x00", "is a mailbox of Outlook"),
    "a.sqlite": (b"SQLite format 3\x00", "is a SQLite database; export it from its program"),
    "a.plist": (b"bplist00", "is a property list"),
    "a.png": (b"\x89PNG\r\n\x1a\n", "is an image"),
    "a.jpg": (b"\xff\xd8\xff\xe0", "is an image"),
    "a.heic": (b"\x00\x00\x00\x18ftypheic", "is an image"),
    "a.webp": (b"RIFF\x00\x00\x00\x00WEBP", "is an image"),
    "a.m4a": (b"\x00\x00\x00\x18ftypM4A ", "is a video or recording"),
    "a.opus": (b"OggS\x00", "is a recording"),
    "a.7z": (b"7z\xbc\xaf\x27\x1c", "is a 7z archive; unpack it"),
    "a.rar": (b"Rar!\x1a\x07\x00", "is a RAR archive; unpack it"),
    "a.gz": (b"\x1f\x8b\x08\x00", "is compressed with gzip; unpack it"),
    "a.vcf": (b"BEGIN:VCARD\r\n", "is address cards"),
    "a.ics": (b"BEGIN:VCALENDAR\r\n", "is a calendar"),
    "a.html": (b"<!DOCTYPE html><html><body>Hot.</body></html>", "is an HTML page of no program that is known"),
    "a.opml": (b'<?xml version="1.0"?>\n<opml version="2.0">', "is an outline"),
    "a.xml": (b'<?xml version="1.0"?><a/>', "is an XML file"),
    "a.csv": (b"a,b\n1,2\n", "is a table"),
    "a.txt": (b"\xff\xfeH\x00", "is a text in UTF-16; save it as UTF-8"),
    "a.exe": (b"MZ\x90\x00", "is a program"),
    "a.org": (b"* Kiln\nIt is hot.\n", "is a text file; import it with `--format text`"),
    "hello.tar.gz": (b"hello", "is named like an archive, but is not one"),
    "hello": (b"hello", "is a text file; import it with `--format text`"),
    "a.raw": (b"\xfe\n\x80", "is in an unknown format"),
    "a.bin": (b"\x00\x01", "is in an unknown format"),
    "a.dat": (b"", "is empty"),
}


@pytest.mark.parametrize("name", KINDS)
def test_a_file_is_called_what_it_is(tmp_path: Path, name: str) -> None:
    content, said = KINDS[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataFileError) as refused:
        detect_format(tmp_path / name)
    assert said in refused.value.message


@pytest.mark.parametrize("begins", ["MZ is a title.", "ID3 tags", "BEGIN:VCARD is how it begins.", "GIF89a"])
def test_a_text_that_begins_as_such_a_file_does_is_a_text(tmp_path: Path, begins: str) -> None:
    (tmp_path / "note.txt").write_text(begins, encoding="utf-8")
    assert detect_format(tmp_path / "note.txt") is FileFormat.TEXT


def test_a_single_mail_is_known_by_its_headers(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_text("From: Irma <irma@x.de>\nSubject: Kiln\n\nHot.\n", encoding="utf-8")
    assert detect_format(tmp_path / "a.eml") is FileFormat.MBOX


LOGS = TABLES["logs"]


@pytest.mark.requirement("imports:talk")
@pytest.mark.parametrize("program", LOGS)
def test_a_chat_log_is_never_one_persons_text(tmp_path: Path, program: str) -> None:
    (tmp_path / "chat.txt").write_text(LOGS[program], encoding="utf-8")
    with pytest.raises(DataFileError, match="is a chat log in an unknown format"):
        detect_format(tmp_path / "chat.txt")


def test_an_agenda_is_no_chat_log(tmp_path: Path) -> None:
    (tmp_path / "day.txt").write_text("Lunch (12:30): soup.\nDinner (19:00): bread.\n", encoding="utf-8")
    assert detect_format(tmp_path / "day.txt") is FileFormat.TEXT


PROGRAMS = TABLES["programs"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_export_of_a_program_that_is_not_read_is_named_alone_and_in_its_folder(tmp_path: Path, name: str) -> None:
    content, said = PROGRAMS[name]
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(DataFileError, match=f" is (an export of )?{said}"):
        detect_format(tmp_path / name)
    with pytest.raises(DataFileError, match=rf" holds (an export of )?{said}.* \({name}\); "):
        detect_format(tmp_path)
    packed = tmp_path / "export.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(tmp_path / name, name)
    with pytest.raises(DataFileError, match=rf"export.zip holds (an export of )?{said}"):
        detect_format(packed)
    (tmp_path / "note.md").write_text("Hot.", encoding="utf-8")
    assert detect_format(tmp_path) is FileFormat.MARKDOWN
