"""The reader of mbox files.

Law: the file is read once, front to back, with one mail in memory, and of that no more than a text can be: half a
gigabyte takes no more memory than its largest mail. (`mailbox.mbox` reads the whole file before it returns the first
mail, and opens it for writing; `email` parses the mails.) A mail that cannot be read is one `BadLine` with its line. A
mail begins with a line `From <address> <weekday> <month> …` that header lines follow; `>From ` in a body is an escaped
`From `.

Source: RFC 4155, RFC 2045-2049, RFC 3676; docs/import.md.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from email import message_from_bytes
from email.errors import HeaderParseError, MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.utils import parseaddr, parsedate_to_datetime
from typing import BinaryIO, Final, TypeAlias, cast

from voice.core.errors import InvalidParams
from voice.core.interchange.foreign.html_text import html_words
from voice.core.interchange.foreign.mail import Mail, mail_line
from voice.core.interchange.json_fields import stored_text
from voice.core.interchange.memory_lines import BadLine, FileLine
from voice.core.text.instants import to_utc

# The first line of a file may lack the weekday.
ENVELOPE: Final = re.compile(rb"From \S.{0,320}?\d\d:\d\d.{0,40}?\d{4}")
_OPENS: Final = re.compile(
    rb"From \S{1,320} +(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? +(?:[A-Z][a-z]{2} +\d{1,2}|\d{1,2} +[A-Z][a-z]{2})\b"
)
_HEADER: Final = re.compile(rb"[!-9;-~]{1,80}:")  # a header's name: printable, without a colon
_ESCAPED: Final = re.compile(rb">+From ")
_MAX_LINE: Final = 1024 * 1024
_MAX_MAIL: Final = 32 * 1024 * 1024  # further bytes are attachments; the text of a mail comes first
# Headers that only received mail has.
_DELIVERED: Final = ("Delivered-To", "X-Original-To", "Authentication-Results", "X-Received")
_ZONE_FIRST: Final = re.compile(r"([+-]\d{4}) (\d{4})$")  # Gmail writes the offset before the year
_BARE: Final = "has no header, so it is not a mail"
_MESSAGE_ID: Final = re.compile(r"<([^<>\s]+)>")

_Mail: TypeAlias = "Message[str, str]"


def read_mbox(stream: BinaryIO, own: frozenset[str] = frozenset()) -> Iterator[FileLine]:
    """Yield the mails, in order; `own` are the person's own names and addresses, casefolded. Raises OSError: the stream
    cannot be read."""
    for number, source, received in _mails(stream):
        where = f"the mail in line {number}"
        try:
            mail = message_from_bytes(source)
            # Without a single header it is no mail.
            yield _mail_line(mail, received, where, own) if mail.keys() else BadLine(where=where, reason=_BARE)
        except (MessageError, ValueError, LookupError, RecursionError):
            yield BadLine(where=where, reason="is not a mail that voice can read")


def _mails(stream: BinaryIO) -> Iterator[tuple[int, bytes, datetime | None]]:
    """Yield each mail with the number of its first line and the time in its envelope."""
    # A file without an envelope is one mail (`.eml`).
    mail, received = bytearray(), None
    start = 0
    is_box, after_blank = False, True
    for number, line, following in _with_next(stream):
        is_first = not mail and not is_box
        # Only after a blank line: "From here on …" may also begin a line of a body.
        if number and after_blank and _opens(line, following, is_first=is_first):
            if mail:
                yield start, bytes(mail), received
            mail.clear()
            is_box, start, received = True, number + 1, _envelope_time(line)  # the envelope itself belongs to no mail
        elif len(mail) < _MAX_MAIL:
            start = start or number
            mail += line[1:] if is_box and number and _ESCAPED.match(line) else line  # without the sign that escapes it
        after_blank = bool(number) and not line.strip()
    if mail:
        yield start, bytes(mail), received


def _with_next(stream: BinaryIO) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield each line with its number and the line after it; the number is 0 for a further part of a very long line."""
    line = stream.readline(_MAX_LINE)
    number, at_start = 1, True
    while line:  # a further part of a long line opens no mail
        following = stream.readline(_MAX_LINE)
        yield number if at_start else 0, line, following
        at_start = line.endswith(b"\n")
        number += at_start
        line = following


def _opens(line: bytes, following: bytes, *, is_first: bool) -> bool:
    """Return whether a line is an envelope; the first line of a file may be less regular."""
    if is_first:
        return ENVELOPE.match(line) is not None
    return _OPENS.match(line) is not None and _HEADER.match(following) is not None


def _envelope_time(envelope: bytes) -> datetime | None:
    """Return the time of an envelope (`From irma@example.org Sat Mar  1 09:00:00 2025`); in UTC without an offset."""
    _, _, time = " ".join(envelope.decode("ascii", "replace").split()).removeprefix("From ").partition(" ")
    return _date(_ZONE_FIRST.sub(r"\2 \1", time))


def _mail_line(mail: _Mail, received: datetime | None, where: str, own: frozenset[str]) -> FileLine:
    name, address = parseaddr(_header(mail, "From"))
    ids = _MESSAGE_ID.findall(_header(mail, "Message-ID"))
    # The first reference begins the thread.
    ancestors = _MESSAGE_ID.findall(_header(mail, "References")) or _MESSAGE_ID.findall(_header(mail, "In-Reply-To"))
    parsed = Mail(
        message_id=ids[0] if ids else "",
        subject=" ".join(_header(mail, "Subject").split()),
        name=" ".join(name.split()),
        address=address,
        at=_date(_header(mail, "Date")) or received,
        thread=ancestors[0] if ancestors else "",
        labels=tuple(label.strip() for label in _header(mail, "X-Gmail-Labels").split(",") if label.strip()),
        is_delivered=any(mail.get(header) is not None for header in _DELIVERED),
        body=_body(mail),
    )
    return mail_line(parsed, where, own)


def _header(mail: _Mail, name: str) -> str:
    """Return a header's decoded text; undecoded if it states a wrong encoding."""
    raw = str(mail.get(name) or "")
    try:
        text = str(make_header(decode_header(raw)))
    except (HeaderParseError, LookupError, ValueError):
        text = raw
    return stored_text(text)


def _date(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
        return to_utc(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    except (ValueError, TypeError, IndexError, OverflowError, InvalidParams):
        return None


def _body(mail: _Mail) -> str:
    """Return the text of a mail: its plain text, or that of its HTML if there is none."""
    plain: list[str] = []
    from_html: list[str] = []
    for part in _parts(mail):
        kind = part.get_content_type()
        if kind == "text/plain":
            plain.append(_flowed(part, _text(part)))
        elif kind == "text/html":
            from_html.append(html_words(_text(part), without_quotations=True))
    texts = [text for text in plain if text.strip()] or from_html
    return "\n\n".join(texts)  # HTML repeats the plain text


def _parts(mail: _Mail) -> Iterator[_Mail]:
    """Yield the parts that are text and not attachments; a mail inside the mail is somebody else's."""
    # A mail inside a mail is multipart as well, but of type "message".
    if mail.is_multipart() and mail.get_content_maintype() == "multipart":
        for part in cast("list[_Mail]", mail.get_payload()):
            yield from _parts(part)
    elif mail.get_content_maintype() == "text" and mail.get_content_disposition() != "attachment":
        yield mail


def _text(part: _Mail) -> str:
    payload = part.get_payload(decode=True)
    raw = payload if isinstance(payload, bytes) else b""
    for charset in (part.get_content_charset() or "utf-8", "utf-8", "cp1252"):  # what it states, then what is usual
        try:
            return stored_text(raw.decode(charset))
        except (UnicodeDecodeError, LookupError):
            continue
    return stored_text(raw.decode("utf-8", "replace"))  # never fails


def _flowed(part: _Mail, text: str) -> str:
    """Join the lines that were broken for sending (RFC 3676)."""
    if str(part.get_param("format", "")).lower() != "flowed":
        return text
    # Not quotations, nor "-- " above a signature; a space at the end marks a line that goes on.
    return re.sub(r"(?m)^(?!>)(?!-- $)(.+) \n(?=[^>\s])", r"\1 ", text)
