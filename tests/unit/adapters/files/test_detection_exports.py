"""What cannot come in is called what it is, with what can be done instead.

Exports of several files, as folders and as ZIP archives: all of them come in, and nothing from outside.
"""

import io
import json
import shutil
import stat
import zipfile
from pathlib import Path

import pytest

from voice.adapters.files import archives
from voice.adapters.files.detection import detect_format
from voice.adapters.files.entries import ENCRYPTED, LEADING_OUT
from voice.adapters.files.opening import open_reading
from voice.core.errors import DataFileError
from voice.core.interchange.memory_lines import BadLine, FileLine, Omission, ParsedLine, ThoughtLine
from voice.ports.files import FileFormat, ReadRequest


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
    "hello": (b"hello", "is a text file; import it with `--format text`"),
    "a.raw": (b"\xfe\n\x80", "is in an unknown format"),
    "a.bin": (b"\x00\x01", "is in an unknown format"),
    "a.dat": (b"", "is empty"),
}


@pytest.mark.requirement("imports:refused")
@pytest.mark.parametrize("name", KINDS)
def test_a_file_is_called_what_it_is(tmp_path: Path, name: str) -> None:
    content, said = KINDS[name]
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataFileError) as refused:
        detect_format(tmp_path / name)
    assert said in refused.value.message


@pytest.mark.requirement("imports:refused")
@pytest.mark.parametrize("begins", ["MZ is a title.", "ID3 tags", "BEGIN:VCARD is how it begins.", "GIF89a"])
def test_a_text_that_begins_as_such_a_file_does_is_a_text(tmp_path: Path, begins: str) -> None:
    (tmp_path / "note.txt").write_text(begins, encoding="utf-8")
    assert detect_format(tmp_path / "note.txt") is FileFormat.TEXT


@pytest.mark.requirement("imports:refused")
def test_a_single_mail_is_known_by_its_headers(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_text("From: Irma <irma@x.de>\nSubject: Kiln\n\nHot.\n", encoding="utf-8")
    assert detect_format(tmp_path / "a.eml") is FileFormat.MBOX


LOGS = {
    "KakaoTalk": "2024년 3월 5일 오후 2:02, Irma : Hot.\n2024년 3월 5일 오후 2:03, Paul : Good.\n",
    "KakaoTalk on a computer": "[Irma] [오후 2:02] Hot.\n[Paul] [오후 2:03] Good.\n",
    "LINE": "[LINE] Chat history\nSaved on: 2024/03/05\n\n2024/03/05(Tue)\n14:02\tIrma\tHot.\n14:03\tPaul\tGood.\n",
    "Discord": "====\nGuild: Pots\n====\n[05-Mar-24 02:02 PM] irma\nHot.\n\n[05-Mar-24 02:03 PM] paul\nGood.\n",
    "Signal": "Irma (2024-03-05 14:02): Hot.\nPaul (2024-03-05 14:03): Good.\n",
}


@pytest.mark.requirement("imports:refused")
@pytest.mark.requirement("imports:talk")
@pytest.mark.parametrize("program", LOGS)
def test_a_chat_log_is_never_one_persons_text(tmp_path: Path, program: str) -> None:
    (tmp_path / "chat.txt").write_text(LOGS[program], encoding="utf-8")
    with pytest.raises(DataFileError, match="is a chat log in an unknown format"):
        detect_format(tmp_path / "chat.txt")


@pytest.mark.requirement("imports:refused")
def test_an_agenda_is_no_chat_log(tmp_path: Path) -> None:
    (tmp_path / "day.txt").write_text("Lunch (12:30): soup.\nDinner (19:00): bread.\n", encoding="utf-8")
    assert detect_format(tmp_path / "day.txt") is FileFormat.TEXT


PROGRAMS = {
    "message_1.json": (
        '{"participants": [], "messages": [{"sender_name": "Irma"}]}',
        "messages of Facebook or Instagram",
    ),
    "2024-03-05.json": ('[{"user": "U1", "text": "Hot.", "ts": "1709647331.0001"}]', "messages of Slack"),
    "pots.json": ('{"guild": {"id": "1"}, "channel": {}, "messages": []}', "a chat of Discord"),
    "Journal.json": ('{"metadata": {}, "entries": [{"creationDate": "2024-03-05T10:00:00Z"}]}', "a journal of Day One"),
    "roam.json": ('[{"title": "Kiln", "children": [{"string": "Hot", "create-time": 1}]}]', "a graph of Roam"),
    "tweets.js": ("window.YTD.tweets.part0 = []", "a part of an archive of X"),
    "messages.html": ("<!DOCTYPE html><html><title>Exported Data</title>", "a chat of Telegram as HTML"),
    "chat.html": ("<html><head><title>ChatGPT Data Export</title>", "a page to look at ChatGPT's export with"),
}


@pytest.mark.requirement("imports:refused")
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


def chatgpt(name: str) -> bytes:
    """Return an export of one conversation that says its name."""
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
    for name, content in files.items():
        (root / "export" / name).parent.mkdir(parents=True, exist_ok=True)
        (root / "export" / name).write_bytes(content)
    return root / "export"


def read(path: Path, kind: FileFormat | None = None) -> list[FileLine]:
    reading = open_reading(ReadRequest(path=str(path), format=kind))
    lines = list(reading.lines)
    assert reading.position is None or reading.position() == reading.total
    reading.close()
    return lines


def texts(lines: list[FileLine]) -> list[str]:
    records = [line.record for line in lines if isinstance(line, ParsedLine)]
    return [record.content for record in records if isinstance(record, ThoughtLine)]


@pytest.mark.requirement("imports:several")
@pytest.mark.parametrize("packed", [False, True], ids=["folder", "archive"])
def test_an_export_of_several_files_comes_in_whole(tmp_path: Path, *, packed: bool) -> None:
    path = laid_out(tmp_path, SHARDS, packed=packed)
    assert detect_format(path) is FileFormat.CHATGPT
    lines = read(path)
    assert texts(lines) == ["Zero.", "One."]
    assert lines[0].where == "conversations-000.json: conversation 1, message 1"
    (rest,) = [line for line in lines if isinstance(line, Omission)]
    assert (rest.reason, rest.count) == ("files of other kinds (.html, .json)", 2)


@pytest.mark.requirement("imports:several")
def test_notes_and_a_chat_come_out_of_an_archive(tmp_path: Path) -> None:
    notes = laid_out(tmp_path, {"a/2025-03-01.md": b"---\ntags: x\n---\nHot.", "__MACOSX/b.md": b"x"}, packed=True)
    assert detect_format(notes) is FileFormat.MARKDOWN
    (note,) = read(notes)
    assert isinstance(note, ParsedLine)
    assert isinstance(note.record, ThoughtLine)
    assert (note.record.source_ref, note.record.tags, note.where) == ("a/2025-03-01.md", ("x",), "a/2025-03-01.md")
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
    assert texts(lines) == ["Hot."]
    left = [(line.where, line.reason) for line in lines if isinstance(line, Omission)]
    assert left == [(f"{path}: {name}", LEADING_OUT) for name in ("link.md", "../out.md", "/abs.md")]
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
    path = laid_out(tmp_path, {"a.md": b"Hot and hot.", "b.md": b"Cold."}, packed=True)
    broken = path.read_bytes().replace(b"Cold.", b"Colt.")
    stored = laid_out(tmp_path, {"b.md": b"Cold."}, packed=True)
    source = bytearray(stored.read_bytes())
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        source[source.index(mark) + at] |= 1
    stored.write_bytes(source)
    (left,) = read(stored, FileFormat.MARKDOWN)
    assert isinstance(left, Omission)
    assert left.reason == ENCRYPTED
    assert broken


def test_a_file_of_an_archive_that_is_broken_costs_no_other(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("a.md", "Cold and cold.")
        archive.writestr("b.md", "Hot.")
    path.write_bytes(path.read_bytes().replace(b"Cold and cold.", b"Cold and colt."))
    lines = read(path, FileFormat.MARKDOWN)
    assert texts(lines) == ["Hot."]
    assert [line.where for line in lines if isinstance(line, BadLine)] == ["a.md"]


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
    (tmp_path / "mbox").write_text(mail, encoding="utf-8")
    (tmp_path / "table_of_contents").write_bytes(b"\x00\x01")
    assert detect_format(tmp_path) is FileFormat.MBOX
    packed = shutil.make_archive(str(tmp_path.with_suffix("")) + "-packed", "gztar", tmp_path)
    assert detect_format(Path(packed)) is FileFormat.MBOX
