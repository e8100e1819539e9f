"""The kind of another program's file, by its ending and first bytes, and errors for kinds that cannot be imported.

Law: a kind is known by a file's first bytes, never by its name alone. A single JSON document is never reported as a
broken line, and a line only if it was read to its end. A chat log in an unknown format is reported as one, and never
read as somebody's text.

Source: rulings I6, I7; docs/import.md, "What cannot be brought in".
"""

import json
import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from voice.adapters.files.entries import (
    ARCHIVE_SUFFIXES,
    EXPORT_SUFFIXES,
    NOTE_SUFFIXES,
    UNREADABLE,
    Export,
    of_other_kinds,
)
from voice.adapters.files.mbox import ENVELOPE
from voice.adapters.files.plain_text import BENCH_FORMAT, TEXT_SUFFIXES
from voice.core.errors import DataFileError, InvalidParams
from voice.core.interchange.foreign.messengers import is_chat
from voice.core.interchange.foreign.notion import without_id
from voice.core.interchange.json_fields import guessed
from voice.core.interchange.parse import decode_object
from voice.ports.files import FileFormat

HEAD_BYTES: Final = 64 * 1024
_BENCH: Final = re.compile(rb'"format"\s*:\s*"' + BENCH_FORMAT.encode() + b'"')
_MARKS: Final = {
    FileFormat.CHATGPT: re.compile(rb'"mapping"\s*:\s*\{'),
    FileFormat.CLAUDE: re.compile(rb'"chat_messages"\s*:\s*\['),
    FileFormat.GEMINI: re.compile(rb'\A\[\s*\{\s*"header"\s*:\s*"[^{}]*"title"\s*:'),
}
# Tried after `_MARKS`, in this order.
_OBJECTS: Final = {
    FileFormat.CODEX: re.compile(
        rb'\A\{\s*"timestamp"\s*:\s*"[^"]{1,40}"\s*,\s*(?:"ordinal"\s*:\s*\d{1,12}\s*,\s*)?'
        rb'"type"\s*:\s*"(?:session_meta|event_msg|response_item|turn_context)"\s*,\s*"payload"\s*:'
    ),
    FileFormat.GEMINI_CLI: re.compile(rb'\A\{\s*"sessionId"\s*:\s*"[^"]{1,80}"\s*,\s*"projectHash"\s*:'),
    FileFormat.TELEGRAM: re.compile(
        rb'"date_unixtime"\s*:|\A\{\s*"about"\s*:[^{}]{0,2000}"(?:personal_information|chats)"'
    ),
    FileFormat.KEEP: re.compile(rb'\A\{.{0,60000}"(?:userEdited|created)TimestampUsec"\s*:', re.DOTALL),
    FileFormat.CLAUDE_CODE: re.compile(
        rb'"sessionId"\s*:\s*"[^"]{1,80}"[^\n]{0,4000}"(?:uuid|leafUuid|messageId)"|"parentUuid"\s*:'
    ),
    FileFormat.CLAUDE: re.compile(rb'\A\[?\s*\{[^\[\]]{0,40000}"docs"\s*:\s*\['),
    FileFormat.MESSAGES: re.compile(
        rb'"messages"\s*:\s*\[\s*\{[^{}]{0,2000}"role"\s*:|\A\[\s*\{\s*"role"\s*:\s*"[a-z]+"\s*,\s*"content"\s*:'
    ),
}
_MAIL_HEADER: Final = re.compile(rb"[A-Za-z][A-Za-z0-9-]{1,60}:[ \t]")  # "Subject: "
# A time and who speaks: "[05.03.24, 10:15] Irma: ", "2024-03-05 10:15:00 - Irma: ", "10:15 PM <irma> ".
_TIMED_LINE: Final = re.compile(
    r"(?:\[?\d{1,4}[./-]\d{1,2}[./-]\d{1,4}[,T ]{1,2})?\[?\(?\d{1,2}:\d\d(?::\d\d)?(?:\s?[AaPp][Mm])?[\])]?"
    r"(?:\s[-–])?\s{1,3}(?:<[^<>\n]{1,40}>|[^\W\d][^:\n]{0,40}:)\s"
)
# How messages begin in logs of Discord, LINE and KakaoTalk, and those with a time in brackets after a name.
_PROGRAM_LINE: Final = re.compile(
    r"\[\d{1,2}-\w{3}-\d{2,4} \d{1,2}:\d\d(?: [AP]M)?\] \S"
    r"|\d{1,2}:\d\d\t[^\t\n]{1,40}\t"
    r"|\d{4}년 \d{1,2}월 \d{1,2}일 [^\n]{0,4}\d{1,2}:\d\d, [^:\n]{1,40} : "
    r"|\[[^\[\]\n]{1,40}\] \[[^\[\]\n]{0,4}\d{1,2}:\d\d(?: [AP]M)?\] "
    r"|[^\W\d][^:()\n]{0,40} \(\d{1,4}[./-]\d{1,2}[./-]\d{1,4}[ ,T]{1,2}\d{1,2}:\d\d[^()\n]{0,9}\): "
)
_LINES_CHECKED: Final = 20


def format_by_signature(name: str, head: bytes, rest: bytes = b"") -> FileFormat | None:
    """Return the format of a file; None if it is unknown. `rest` is that of its first line after `head`."""
    suffix = PurePosixPath(name).suffix.lower()
    if suffix in NOTE_SUFFIXES:
        return FileFormat.NOTION if is_notion(name) else FileFormat.MARKDOWN
    if suffix == ".csv":
        return FileFormat.NOTION if is_notion(name) else None
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if _BENCH.search(head):
        return FileFormat.MEMORY_BENCH
    if ENVELOPE.match(text.partition(b"\n")[0]) or (suffix == ".eml" and _MAIL_HEADER.match(text)):
        return FileFormat.MBOX
    if text.startswith((b"[", b"{")) and (found := _json_format(text, rest)):  # JSON, whatever the name says
        return found
    if text.startswith(b"<"):
        return _markup_format(text, name)
    if is_chat(text.decode("utf-8", "replace")):
        return FileFormat.WHATSAPP
    is_text = suffix in TEXT_SUFFIXES and b"\x00" not in head and text and not is_chat_log(text)
    return FileFormat.TEXT if is_text else None


def is_notion(name: str) -> bool:
    """Return whether a file is named as Notion names pages and databases: with an id after the title."""
    stem = PurePosixPath(name).stem
    return without_id(stem) != stem


def _markup_format(text: bytes, name: str) -> FileFormat | None:
    if b"<en-export" in text[:4_000]:
        return FileFormat.EVERNOTE
    if b'<div class="outer-cell' in text or b"mdl-typography" in text:
        return FileFormat.GEMINI
    is_page = b'class="page-title"' in text and (b"<article id=" in text or is_notion(name))
    return FileFormat.NOTION if is_page else None


def is_chat_log(head: bytes) -> bool:
    """Return whether a text is a chat log in an unknown format."""
    lines = [line for line in head.decode("utf-8", "replace").split("\n") if line.strip()][:_LINES_CHECKED]
    timed = sum(bool(_TIMED_LINE.match(line.lstrip())) for line in lines)
    of_program = sum(bool(_PROGRAM_LINE.match(line.lstrip())) for line in lines)
    # At least two lines, and half of all with a time, or a quarter as a program writes them.
    return max(2 * timed, 4 * of_program) >= len(lines) and max(timed, of_program) >= 2


def _json_format(text: bytes, rest: bytes) -> FileFormat | None:
    for kind, mark in (*_MARKS.items(), *_OBJECTS.items()):
        if mark.search(text):
            return kind
    return FileFormat.JSONL if _is_text_line(text.partition(b"\n")[0] + rest) else None


def _is_text_line(line: bytes) -> bool:
    """Return whether a JSON line has a field of text under a well-known name."""
    try:
        return "content" in guessed(decode_object(line.strip()), {})
    except InvalidParams:
        return False


_AS_TEXT: Final = "save it as Markdown or plain text and import that"
_UNPACK: Final = "unpack it and import the file or folder inside"
_EXPORT: Final = "export it from its program in a format that docs/import.md names"


@dataclass(frozen=True, slots=True)
class OtherKind:
    """A kind of file that cannot be imported."""

    name: str
    instead: str | None = None
    """What to do instead; None if it holds no text."""


_kind = OtherKind  # so that a row of the tables below is a line


# The offset of a mark, the mark, and the kind of file that has it; the first match counts.
_BEGINNINGS: Final[tuple[tuple[int, bytes, OtherKind], ...]] = (
    (0, b"\x1f\x8b", _kind("compressed with gzip", _UNPACK)),
    (0, b"BZh", _kind("compressed with bzip2", _UNPACK)),
    (0, b"\xfd7zXZ\x00", _kind("compressed with xz", _UNPACK)),
    (0, b"\x28\xb5\x2f\xfd", _kind("compressed with zstd", _UNPACK)),
    (0, b"7z\xbc\xaf\x27\x1c", _kind("a 7z archive", _UNPACK)),
    (0, b"Rar!\x1a\x07", _kind("a RAR archive", _UNPACK)),
    (0, b"MSCF", _kind("a CAB archive (also OneNote's .onepkg)", _UNPACK)),
    (0, b"%PDF-", _kind("a PDF", _AS_TEXT)),
    (0, b"{\\rtf", _kind("a rich text document (RTF)", _AS_TEXT)),
    (
        0,
        b"\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d\xae\xb1\x53\x78\xd0\x29\x96\xd3",
        _kind("a section of OneNote", "export its pages as text or Markdown and import the folder"),
    ),
    (
        0,
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        _kind("a document of an older Office, or a message of Outlook (.doc, .xls, .msg)", _AS_TEXT),
    ),
    (0, b"!BDN", _kind("a mailbox of Outlook (PST)", "export it as mbox")),
    (0, b"SQLite format 3\x00", _kind("a SQLite database", _EXPORT)),
    (0, b"bplist00", _kind("a property list of Apple's", _EXPORT)),
    (0, b"\x89PNG\r\n", _kind("an image (PNG)")),
    (0, b"\xff\xd8\xff", _kind("an image (JPEG)")),
    (0, b"GIF8", _kind("an image (GIF)")),
    (0, b"II*\x00", _kind("an image (TIFF)")),
    (0, b"MM\x00*", _kind("an image (TIFF)")),
    # RIFF files, and boxes of ISO media, have their mark after a length.
    (8, b"WEBP", _kind("an image (WebP)")),
    (4, b"ftyphei", _kind("an image (HEIC)")),
    (4, b"ftypmif1", _kind("an image (HEIF)")),
    (4, b"ftypavif", _kind("an image (AVIF)")),
    (4, b"ftyp", _kind("a video or recording (MP4)")),  # after the kinds of images
    (8, b"WAVE", _kind("a recording (WAV)")),
    (0, b"ID3", _kind("a recording (MP3)")),
    (0, b"OggS", _kind("a recording (Ogg)")),
    (0, b"fLaC", _kind("a recording (FLAC)")),
    (0, b"#!AMR", _kind("a recording (AMR)")),
    (0, b"\x1a\x45\xdf\xa3", _kind("a video (Matroska or WebM)")),
    (0, b"\x7fELF", _kind("a program")),
    (0, b"MZ", _kind("a program")),
    (0, b"\xff\xfe", _kind("a text in UTF-16", "save it as UTF-8")),
    (0, b"\xfe\xff", _kind("a text in UTF-16", "save it as UTF-8")),
)
_TALK: Final = "bring its messages in as JSON lines with a field for the speaker (docs/import.md)"
# How exports that cannot be imported begin, what else they contain, and their kinds.
_OF_PROGRAMS: Final[tuple[tuple[bytes, tuple[bytes, ...], OtherKind], ...]] = (
    (b"{", (b'"messages"', b'"sender_name"'), _kind("an export of messages of Facebook or Instagram", _TALK)),
    (b"[", (b'"user"', b'"text"', b'"ts"'), _kind("an export of messages of Slack", _TALK)),
    (b"{", (b'"guild"', b'"channel"'), _kind("a chat of Discord", _TALK)),
    (
        b"{",
        (b'"entries"', b'"creationDate"'),
        _kind("a journal of Day One", "bring its entries in as JSON lines or notes (docs/import.md)"),
    ),
    (b"[", (b'"string"', b'-time"'), _kind("a graph of Roam", "export it as Markdown and import the folder")),
    (b"window.YTD.", (), _kind("a part of an archive of X (Twitter)", _TALK)),
    (
        b"<",
        (b"<title>Exported Data</title>",),
        _kind("a chat of Telegram as HTML", "export it again as machine-readable JSON"),
    ),
    (
        b"<",
        (b"<title>ChatGPT Data Export</title>",),
        _kind("a page to look at ChatGPT's export with", "import conversations.json beside it, or the whole folder"),
    ),
)
_TEXTS: Final[tuple[tuple[re.Pattern[bytes], OtherKind], ...]] = (
    (
        re.compile(rb"BEGIN:VCARD", re.IGNORECASE),
        _kind("address cards (vCard)", "write what you want to keep of them as a note"),
    ),
    (re.compile(rb"BEGIN:VCALENDAR", re.IGNORECASE), _kind("a calendar (iCalendar)", _AS_TEXT)),
    (
        re.compile(rb"<!doctype html|<html", re.IGNORECASE),
        _kind("an HTML page of no program that is known here", _AS_TEXT),
    ),
    (re.compile(rb"<\?xml.{0,2000}?<opml", re.IGNORECASE | re.DOTALL), _kind("an outline (OPML)", _AS_TEXT)),
    (re.compile(rb"<\?xml", re.IGNORECASE), _kind("an XML file of no program that is known here", _AS_TEXT)),
)
# A file that only one kind of archive contains, and that kind.
_DOCUMENTS: Final = (
    ("word/document.xml", _kind("a Word document", _AS_TEXT)),
    ("xl/workbook.xml", _kind("an Excel workbook", "save it as CSV, and its rows as JSON lines or notes")),
    ("ppt/presentation.xml", _kind("a PowerPoint presentation", _AS_TEXT)),
    ("META-INF/container.xml", _kind("a book (EPUB)", _AS_TEXT)),
    ("META-INF/manifest.xml", _kind("an OpenDocument file (LibreOffice)", _AS_TEXT)),
    ("Index/Document.iwa", _kind("a document of Pages, Numbers or Keynote", _AS_TEXT)),
    ("AndroidManifest.xml", _kind("an Android program")),
    ("META-INF/MANIFEST.MF", _kind("a Java program")),
)
_TABLE: Final = _kind(
    "a table (CSV)", "bring its rows in as JSON lines (`--format jsonl --map content=FIELD`), or as notes"
)
_TABLE_SUFFIXES: Final = frozenset({".csv", ".tsv"})


def kind_by_beginning(head: bytes, name: str) -> OtherKind | None:
    """Return the kind of a file by its first bytes, and of a text by its `name`; None if it is unknown."""
    for at, mark, kind in _BEGINNINGS:
        if head.startswith(mark, at):
            return kind
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    in_text = (kind for mark, kind in _TEXTS if mark.match(text))
    if found := export_by_beginning(head) or next(in_text, None):
        return found
    is_table = PurePosixPath(name).suffix.lower() in _TABLE_SUFFIXES and text and b"\x00" not in head  # a table of text
    return _TABLE if is_table else None


def export_by_beginning(head: bytes) -> OtherKind | None:
    """Return the program of an export by the first bytes of a file; None if it is unknown."""
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    found = (
        kind for start, holds, kind in _OF_PROGRAMS if text.startswith(start) and all(map(text.__contains__, holds))
    )
    return next(found, None)


# The most bytes that are read to recognise a file; a longer one is recognised by its beginning.
_MOST_READ: Final = 32 * 1024 * 1024
CAN_BE_READ: Final = (
    f"voice imports JSON lines ({FileFormat.OWN}), {FileFormat.MEMORY_BENCH} files, Markdown notes and folders of "
    "them, exports of the programs in docs/import.md (also as ZIP or tar archives), mbox and .txt files; if it is one "
    "of them, name its format with --format"
)
_EXPORTED: Final = frozenset({".json", ".html", ".js"})
_FILES_CHECKED: Final = 20
_BY_FIELD: Final = "import it with `--format jsonl --map content=FIELD`"


def refusal(path: Path, head: bytes) -> DataFileError:
    """Return the error for a file in an unknown format; `head` is its beginning. Raises OSError: it cannot be read."""
    if found := kind_by_beginning(head, path.name):
        return _named(path, found)
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if is_chat_log(text):
        instead = "convert it to JSON lines with a field for the speaker (docs/import.md) and import that"
        return DataFileError(f"{path} is a chat log in an unknown format; {instead}")
    if text.startswith((b"{", b"[")):
        return DataFileError(f"{path}{_json_fault(path)}")
    if not text:
        return DataFileError(f"{path} is empty; {CAN_BE_READ}")
    if path.suffix.lower() in ARCHIVE_SUFFIXES:
        return DataFileError(f"{path} is named like an archive, but is not one; export or download it again")
    if path.suffix.lower() not in EXPORT_SUFFIXES and _is_text(head):
        return DataFileError(f"{path} is a text file; import it with `--format text`; {CAN_BE_READ}")
    return DataFileError(f"{path} is in an unknown format; {CAN_BE_READ}")


def _is_text(head: bytes) -> bool:
    """Return whether the beginning of a file is text, as far as its last complete line."""
    try:
        # The head may end within a character.
        return b"\x00" not in head and bool(head.rpartition(b"\n")[0].decode() or head.decode())
    except UnicodeDecodeError:
        return False


def archive_refusal(path: Path, export: Export) -> DataFileError:
    """Return the error for an archive that holds only unknown formats."""
    names = {entry.name for entry in export.entries}
    if found := next((kind for name, kind in _DOCUMENTS if name in names), None):
        return _named(path, found)
    endings = Counter(entry.suffix or "no ending" for entry in export.entries)
    if not endings:
        reasons = Counter(line.reason for line in export.left_out)
        why = "; ".join(f"{count} left out: {reason}" for reason, count in reasons.items())
        return DataFileError(f"{path} is an archive that holds nothing voice can read{f' ({why})' if why else ''}")
    inside = of_other_kinds(endings)
    return DataFileError(f"{path} is an archive that holds only unknown formats: {inside}; {CAN_BE_READ}")


def unread_export(path: Path, export: Export) -> DataFileError | None:
    """Return the error for a folder or archive with an export that cannot be imported; None if there is none."""
    for entry in [each for each in export.entries if each.suffix in _EXPORTED][:_FILES_CHECKED]:
        with suppress(*UNREADABLE), entry.open() as stream:
            if found := export_by_beginning(stream.read(HEAD_BYTES)):
                return DataFileError(f"{path} holds {found.name} ({entry.name}); {found.instead}")
    return None


def _named(path: Path, kind: OtherKind) -> DataFileError:
    return DataFileError(f"{path} is {kind.name}; {kind.instead or CAN_BE_READ}")


def _json_fault(path: Path) -> str:
    """Return the end of a sentence that says what is wrong with a file that begins like JSON."""
    if path.stat().st_size > _MOST_READ:
        return f" starts like JSON but is in an unknown format; {CAN_BE_READ}"
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        return " is not UTF-8 text; save it as UTF-8"
    try:
        json.loads(text)
    except RecursionError:
        return " is JSON that is nested too deeply"
    except json.JSONDecodeError as fault:
        return _lines_fault(text, fault.lineno)
    return f" is valid JSON in an unknown format; {CAN_BE_READ}"


def _lines_fault(text: str, broken_at: int) -> str:
    """Return such an end for a file that is not one JSON document; line `broken_at` is the first that does not fit."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    first, line = lines[0]
    try:
        json.loads(line)
    except ValueError:
        # Not a file of lines: its second line begins no object.
        if len(lines) > 1 and not lines[1][1].lstrip().startswith("{"):
            return f" is not valid JSON: line {broken_at} is broken; repair the file, or export it again"
        return f": line {first} is not valid JSON; each line holds exactly one object, like {{…}}"
    return f" holds JSON lines in an unknown format; if one field holds the text, {_BY_FIELD}"
