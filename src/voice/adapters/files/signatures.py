"""The format of another program's file, by its ending and its first bytes.

Law: pure and total; None if nothing is clear. A chat log is never plain text (ruling I6).

Source: docs/import.md.
"""

import re
from pathlib import PurePosixPath
from typing import Final

from voice.adapters.files.entries import NOTE_SUFFIXES
from voice.adapters.files.mbox import ENVELOPE
from voice.adapters.files.plain_text import BENCH_FORMAT, TEXT_SUFFIXES
from voice.core.errors import InvalidParams
from voice.core.interchange.foreign.mapped_json import guessed
from voice.core.interchange.foreign.messengers import is_chat
from voice.core.interchange.foreign.notion import without_id
from voice.core.interchange.parse import decode_object
from voice.ports.files import FileFormat

HEAD_BYTES: Final = 64 * 1024
_BENCH: Final = re.compile(rb'"format"\s*:\s*"' + BENCH_FORMAT.encode() + b'"')
_MARKS: Final = {
    FileFormat.CHATGPT: re.compile(rb'"mapping"\s*:\s*\{'),
    FileFormat.CLAUDE: re.compile(rb'"chat_messages"\s*:\s*\['),
    FileFormat.GEMINI: re.compile(rb'\A\[\s*\{\s*"header"\s*:\s*"[^{}]*"title"\s*:'),
}
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
"""Tried after `_MARKS`, in this order."""
_MAIL_HEADER: Final = re.compile(rb"[A-Za-z][A-Za-z0-9-]{1,60}:[ \t]")
_TIMED_LINE: Final = re.compile(
    r"(?:\[?\d{1,4}[./-]\d{1,2}[./-]\d{1,4}[,T ]{1,2})?\[?\(?\d{1,2}:\d\d(?::\d\d)?(?:\s?[AaPp][Mm])?[\])]?"
    r"(?:\s[-–])?\s{1,3}(?:<[^<>\n]{1,40}>|[^\W\d][^:\n]{0,40}:)\s"
)
_PROGRAM_LINE: Final = re.compile(
    r"\[\d{1,2}-\w{3}-\d{2,4} \d{1,2}:\d\d(?: [AP]M)?\] \S"
    r"|\d{1,2}:\d\d\t[^\t\n]{1,40}\t"
    r"|\d{4}년 \d{1,2}월 \d{1,2}일 [^\n]{0,4}\d{1,2}:\d\d, [^:\n]{1,40} : "
    r"|\[[^\[\]\n]{1,40}\] \[[^\[\]\n]{0,4}\d{1,2}:\d\d(?: [AP]M)?\] "
    r"|[^\W\d][^:()\n]{0,40} \(\d{1,4}[./-]\d{1,2}[./-]\d{1,4}[ ,T]{1,2}\d{1,2}:\d\d[^()\n]{0,9}\): "
)
"""How messages begin in logs of Discord, LINE and KakaoTalk, and those with a time in brackets after a name."""
_LINES_CHECKED: Final = 20


def format_by_signature(name: str, head: bytes, rest: bytes = b"") -> FileFormat | None:
    """Return the format of a file; None if it is unknown.

    Args:
        rest: the rest of its first line after `head`.
    """
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
    if text.startswith((b"[", b"{")) and (found := _json_format(text, rest)):
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
