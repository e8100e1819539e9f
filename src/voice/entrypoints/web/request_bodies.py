"""Request bodies within bounds of size and time, and files of a form as they come, under safe names.

Law: a body is read whole before anything acts on it, but for that of a form that brings files: it passes as it comes,
counted and timed, to the one page that writes it to the disk. Nothing of files is held whole and nothing lies outside
their private room; how many, how large and how they may be called is bounded here, whatever layer is before it. A name
is hostile input: it becomes the parts of a path below one folder, of which none leads out of it or steers what shows
it. A file whose name cannot be such a path is refused with why, and costs no other one.
Source: DESIGN 8 Web; ASGI 3; RFC 7578; SECURITY.md; docs/import.md.
"""

from collections.abc import Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, BinaryIO, Final

import anyio
from anyio import to_thread
from python_multipart.exceptions import MultipartParseError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from voice.adapters.system.upload_rooms import UploadRoom
from voice.core.errors import DataFileError
from voice.core.text.display import is_control_char
from voice.entrypoints.web.access import UPLOAD_PATH, Guard
from voice.entrypoints.web.responses import Problem, ProblemError

if TYPE_CHECKING:
    from python_multipart.multipart import MultipartCallbacks  # the library has it under TYPE_CHECKING alone


CLOSE: Final[Mapping[str, str]] = {"Connection": "close"}  # the rest of the body is not read


class BodyLimits:
    """Reads a body whole before anything acts on it, within its bounds of size and time; files pass as they come."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self._app = app
        self._limits = guard.limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on with its body, or refuse a body that is too large or too slow."""
        if scope["type"] != "http":  # starting and stopping have no body
            await self._app(scope, receive, send)
            return
        if scope["method"] == "POST" and scope["path"] == UPLOAD_PATH:  # too large to be held whole
            await self._app(scope, self._bounded_stream(scope, receive), send)
            return
        most = self._limits.body_bytes
        length = Headers(scope=scope).get("content-length", "0")
        if length.isdecimal() and int(length) > most:  # refused before a byte of it is read
            raise ProblemError(_too_large(most))
        try:
            with anyio.fail_after(self._limits.body_s):  # slow senders hold a place only so long
                body = await _read_body(receive, most)
        except TimeoutError:
            raise ProblemError(_too_slow(self._limits.body_s)) from None
        if body:  # without a body no header tells how to read it
            _require_plain(Headers(scope=scope))
        if body is not None:  # None: the client has gone
            await self._app(scope, _replayed(body, receive), send)

    def _bounded_stream(self, scope: Scope, receive: Receive) -> Receive:
        """Return a `receive` that tells a body of files while it comes, and ends it beyond its bounds."""
        most, headers = self._limits.upload_bytes, Headers(scope=scope)
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length) > most:
            raise ProblemError(_too_large(most))
        _require_plain(headers)
        ends, size = anyio.current_time() + self._limits.upload_s, 0  # one moment for all of it, by the loop's clock

        async def receive_some() -> Message:
            nonlocal size
            try:
                with anyio.fail_at(ends):
                    message = await receive()
            except TimeoutError:
                raise ProblemError(_too_slow(self._limits.upload_s)) from None
            size += len(message.get("body", b""))  # counted as it comes: a length may be missing, or wrong
            if size > most:
                raise ProblemError(_too_large(most))
            return message

        return receive_some


def _too_large(most: int) -> Problem:
    return Problem(code="too_large", detail=f"a body can have at most {most:,} bytes", headers=CLOSE)


def _too_slow(seconds: float) -> Problem:
    return Problem(code="timeout", detail=f"a body must arrive within {seconds:g} s", headers=CLOSE)


def _require_plain(headers: Headers) -> None:
    """Refuse a body that says two things about itself, or that would have to be unpacked before it can be read."""
    codings = {coding.strip().lower() for line in headers.getlist("content-encoding") for coding in line.split(",")}
    if not codings <= {"identity"} or len(headers.getlist("content-type")) > 1:  # unpacking has no bound in bytes
        what = "send a body with one Content-Type and without a Content-Encoding"
        raise ProblemError(Problem(code="unsupported_media_type", detail=what))


async def _read_body(receive: Receive, most: int) -> bytes | None:
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        size += len(parts[-1])  # chunks may be empty
        if size > most:
            raise ProblemError(_too_large(most))
        if not message.get("more_body", False):
            return b"".join(parts)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that tells a body that was read, and then what comes after it."""
    is_sent = False

    async def receive_again() -> Message:
        nonlocal is_sent
        if is_sent:  # what follows the body: that the client has gone
            return await receive()
        is_sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_again


MOST_FILES: Final = 20_000  # of one upload; an archive counts as one
_MOST_FIELDS: Final = 60  # of one form, and headers of one part
_MOST_FIELD_BYTES: Final = 16_384
_MOST_HEAD_BYTES: Final = 16_384


@dataclass(slots=True)
class Uploaded:
    """What came with a form."""

    fields: dict[str, str] = field(default_factory=dict[str, str])
    files: int = 0
    bytes: int = 0
    refused: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """(name, why) of files that were not taken."""


class _TooMuch(Exception):  # raised inside the parser's calls, told outside
    """There is more of it than any form here has."""


@dataclass(slots=True)
class _Part:
    """One part of a form, while it comes."""

    head: dict[bytes, bytes] = field(default_factory=dict[bytes, bytes])
    name: str = ""
    value: bytearray | None = None
    file: BinaryIO | None = None


@dataclass(slots=True)
class _Receiver:
    """What a parser calls."""

    room: UploadRoom
    most_bytes: int
    done: Uploaded = field(default_factory=Uploaded)
    part: _Part = field(default_factory=_Part)
    is_whole: bool = False
    _field: bytearray = field(default_factory=bytearray)  # headers may come in pieces
    _value: bytearray = field(default_factory=bytearray)

    def on_part_begin(self) -> None:
        self.part = _Part()

    def on_header_field(self, data: bytes, start: int, end: int) -> None:
        self._field += data[start:end]
        self._require_head()

    def on_header_value(self, data: bytes, start: int, end: int) -> None:
        self._value += data[start:end]
        self._require_head()

    def _require_head(self) -> None:
        if len(self._field) + len(self._value) > _MOST_HEAD_BYTES:
            raise _TooMuch

    def on_header_end(self) -> None:
        self.part.head[bytes(self._field).lower()] = bytes(self._value)  # names of headers have no case
        self._field, self._value = bytearray(), bytearray()
        if len(self.part.head) > _MOST_FIELDS:
            raise _TooMuch

    def on_headers_finished(self) -> None:
        _, options = parse_options_header(self.part.head.get(b"content-disposition", b""))
        self.part.name = _text(options.get(b"name", b""))
        if b"filename" not in options:  # a part without a file name is a field
            if len(self.done.fields) >= _MOST_FIELDS:
                raise _TooMuch
            self.part.value = bytearray()
        elif name := _text(options[b"filename"]):  # a field of files that nobody chose any for has an empty one
            self._open_file(name)

    def _open_file(self, name: str) -> None:
        parts = upload_parts(name)
        if self.done.files + len(self.done.refused) >= MOST_FILES:  # refusals count, else their list has no end
            raise _TooMuch
        if isinstance(parts, UnsafeName):
            self._refuse(name, parts.reason)
            return
        try:
            self.part.file = self.room.create(parts)
        except (FileExistsError, NotADirectoryError):  # "a" and "a/b" cannot both be
            self._refuse(name, "another file has the same name")
            return
        self.done.files += 1

    def _refuse(self, name: str, why: str) -> None:
        self.done.refused.append((shown_name(name), why))

    def on_part_data(self, data: bytes, start: int, end: int) -> None:
        self.done.bytes += end - start  # all parts count, also of what was refused
        if self.done.bytes > self.most_bytes:
            raise _TooMuch
        if self.part.file is not None:  # a file that was refused is read over
            self.part.file.write(data[start:end])
        elif self.part.value is not None:
            self.part.value += data[start:end]
            if len(self.part.value) > _MOST_FIELD_BYTES:
                raise _TooMuch

    def on_part_end(self) -> None:
        if self.part.value is not None:
            self.done.fields[self.part.name] = _text(bytes(self.part.value))  # the last of a name, as of other forms
        self.close()

    def on_end(self) -> None:
        self.is_whole = True  # the end of the form was there

    def close(self) -> None:
        """Close the file that is written."""
        if self.part.file is not None:
            self.part.file.close()
            self.part.file = None


async def receive_upload(request: Request, room: UploadRoom, most_bytes: int) -> Uploaded:
    """Write the files of a form to a room, and return its fields and what became of the files.

    Raises:
        HTTPException: it is no form, is cut off, or is larger than may be.
        DataFileError: a file cannot be written.
    """
    kind, options = parse_options_header(request.headers.get("content-type"))
    boundary = options.get(b"boundary")
    if kind != b"multipart/form-data" or not boundary:
        raise HTTPException(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "send files as a form (multipart/form-data)")
    receiver = _Receiver(room, most_bytes)
    parser = MultipartParser(boundary, _callbacks(receiver))
    with _errors_in_words(receiver):
        async for chunk in request.stream():
            if chunk:
                await to_thread.run_sync(parser.write, chunk)  # beside the event loop: it writes to the disk
        parser.finalize()
    if not receiver.is_whole:  # the connection ended between two parts
        raise HTTPException(HTTPStatus.BAD_REQUEST, "the upload was cut off; send it again")
    return receiver.done


def _callbacks(receiver: _Receiver) -> "MultipartCallbacks":
    return {
        "on_part_begin": receiver.on_part_begin,
        "on_part_data": receiver.on_part_data,
        "on_part_end": receiver.on_part_end,
        "on_header_field": receiver.on_header_field,
        "on_header_value": receiver.on_header_value,
        "on_header_end": receiver.on_header_end,
        "on_headers_finished": receiver.on_headers_finished,
        "on_end": receiver.on_end,
    }


@contextmanager
def _errors_in_words(receiver: _Receiver) -> Generator[None]:
    """Say in words what ends an upload early, and close what is open."""
    try:
        yield
    except _TooMuch:
        most = f"{MOST_FILES:,} files and {receiver.most_bytes // 1024 // 1024:,} MiB in total"
        raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"an upload can have at most {most}") from None
    except MultipartParseError:
        raise HTTPException(HTTPStatus.BAD_REQUEST, "the upload is not a valid form") from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise DataFileError(f"voice cannot store the upload: {reason}; free some disk space, and try again") from None
    finally:  # also where the disk is full, so that closing may fail again
        with suppress(OSError):
            receiver.close()


def _text(raw: bytes) -> str:  # browsers send names in UTF-8; others stay readable
    return raw.decode("utf-8", "replace")


MOST_PARTS: Final = 32
MOST_PART_BYTES: Final = 200  # most file systems take 255
MOST_SHOWN: Final = 120


@dataclass(frozen=True, slots=True)
class UnsafeName:
    """A name that no uploaded file may have."""

    reason: str


def upload_parts(name: str) -> tuple[str, ...] | UnsafeName:
    """Return the parts, at least one, of the path of an uploaded file, by the name that a browser sent, or why none."""
    parts = tuple(clean for part in name.split("/") if (clean := _without_controls(part)) not in ("", "."))
    if not parts:
        return UnsafeName("it has no name")
    if ".." in parts:  # refused, not resolved
        return UnsafeName("its path leads out of its folder")
    if len(parts) > MOST_PARTS:
        return UnsafeName(f"it is more than {MOST_PARTS} folders deep")
    if any(len(part.encode()) > MOST_PART_BYTES for part in parts):
        return UnsafeName(f"a name in its path is longer than {MOST_PART_BYTES} bytes")
    return parts


def shown_name(name: str) -> str:
    """Return the name of an uploaded file as it may be shown."""
    clean = _without_controls(name)
    return clean if len(clean) <= MOST_SHOWN else f"{clean[:MOST_SHOWN]}…"


def _without_controls(text: str) -> str:
    # Controls, and halves of pairs, which no path can hold.
    return "".join(char for char in text if not is_control_char(char) and not 0xD800 <= ord(char) <= 0xDFFF).strip()
