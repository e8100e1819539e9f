"""Conversations in files; implements `SessionFiles`.

Law: a file is hostile until it was checked against the published schema and along its hash chain; only then are its
values read. A fault is reported by its place in the file in words of ours: no message quotes a value.

Source: docs/sessions.md; ruling H.
"""

import json
import math
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Final, NoReturn, Protocol, cast

import anyio.to_thread
from pydantic import ValidationError

from voice.adapters.disk.private_files import open_to_read, replacing
from voice.adapters.disk.values_json import adapter, to_json
from voice.adapters.files.detection import command_for
from voice.core.errors import ConfigurationError, DataFileError, InvalidParams, StoreUnavailable
from voice.core.session.document import (
    FORMAT,
    Document,
    ImportedConversation,
    Turn,
    find_tampering,
    implausible_member,
    redactions,
)
from voice.core.session.exchange import read_today
from voice.core.session.lifecycle import clean_topic
from voice.core.session.turn_traces import BLANK, canonical_json
from voice.core.session.values import DialogueExchange, InnerVoiceSession

SCHEMA_NAME: Final = "session.schema.json"
MAX_BYTES: Final = 1 << 29
"""Half a gigabyte: more than fifty thousand turns."""
MAX_TURN_BYTES: Final = 4 * 2**20
"""The values of one turn as canonical JSON: forty times a question, an answer and their sources."""
_MAX_DIGITS: Final = 1000  # below Python's own limit, which raises another error
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")  # of a member; others are not shown
_REASONS: Final[Mapping[str, str]] = {
    "type": "it is of another kind than it must be",
    "required": "something that must be there is missing",
    "additionalProperties": "it has a member that this version of voice does not know",
    "enum": "it is none of the words that can stand here",
    "const": "it is none of the words that can stand here",
    "pattern": "it is not written as it must be",
    "anyOf": "it is of no kind that can stand here",
    "minimum": "the number is too small",
    "maximum": "the number is too large",
    "maxLength": "it is longer than it can be",
}


class LocalSessionFiles:
    """Files of this machine."""

    async def read(self, path: str) -> ImportedConversation:
        """Return the conversation in a file; see `SessionFiles.read`."""
        return await anyio.to_thread.run_sync(_read, path)

    async def write(self, path: str, text: str, *, overwrite: bool = False) -> None:
        """Write `text` to a file; see `SessionFiles.write`."""
        await anyio.to_thread.run_sync(partial(_write, Path(path), text, overwrite=overwrite))


def _read(path: str) -> ImportedConversation:
    if path == "-":
        # One more byte tells that it is too long.
        return parse_session(sys.stdin.buffer.read(MAX_BYTES + 1), "standard input")
    with open_to_read(Path(path)) as file:
        data = file.read(MAX_BYTES + 1)
    return parse_session(data, path)


def _write(path: Path, text: str, *, overwrite: bool) -> None:
    if not overwrite and os.path.lexists(path):
        raise DataFileError(f"{path} is already there; choose another name, or overwrite it with --force")
    if path.is_dir() or not path.parent.is_dir():  # `replacing` would report a missing directory as a disk's fault
        raise DataFileError(f"{path} cannot be written; name a file in a directory that is there")
    try:
        with replacing(path) as file:
            file.write(text.encode())
    except (ConfigurationError, StoreUnavailable):
        raise DataFileError(f"{path} cannot be written; name another file, or make room on its disk") from None


def parse_session(data: bytes, name: str) -> ImportedConversation:
    """Return the conversation in a file, which is called `name` in messages. Raises DataFileError: it is not such a
    file, is of another version, or was changed after it was written."""
    # By its first bytes, before all of it is parsed.
    if command_for(data) == "voice import":
        raise DataFileError(f"{name} is a memory, not a conversation; import it with `voice import`")
    if len(data) > MAX_BYTES:
        raise DataFileError(f"{name} is larger than any conversation; is it an export of `voice sessions export`?")
    members = _members(data, name)
    _check_format(members, name)
    _check_schema(members, name)
    document = _document(members)
    _check_turns(document, name)
    fault = find_tampering(document)
    if fault is not None:
        raise DataFileError(f"{name} was changed after it was written: {fault}; ask for the original")
    return ImportedConversation(
        session=_session(document, name),
        exchanges=tuple(_exchange(turn, place, document, name) for place, turn in enumerate(document.turns)),
        digest=document.digest,
        seal=document.seal,
    )


def _members(data: bytes, name: str) -> Mapping[str, object]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DataFileError(f"{name} is not UTF-8 text (byte {error.start}); convert it first") from None
    try:
        members: object = json.loads(
            text,
            object_pairs_hook=_unique_members,
            parse_constant=_refuse_constant,
            parse_float=_finite,
            parse_int=_integer,
        )
    except json.JSONDecodeError as error:
        raise DataFileError(f"{name} is not valid JSON: line {error.lineno}, column {error.colno}") from None
    except _Unparsable as error:
        raise DataFileError(f"{name} cannot be read as JSON: {error}") from None
    except RecursionError:
        raise DataFileError(f"{name} cannot be read as JSON: it is nested too deeply") from None
    if not isinstance(members, dict):
        raise DataFileError(f"{name} is not an exported conversation; `voice sessions export` writes one")
    return cast("Mapping[str, object]", members)


class _Unparsable(ValueError):
    """Something that not every JSON parser reads alike, in words of ours."""


def _unique_members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return the members of an object; parsers differ in which of two equal names they take."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _Unparsable("an object has the same name twice")
    return members


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise _Unparsable("a number is too large")
    return number


def _integer(text: str) -> int:
    if len(text) > _MAX_DIGITS:
        raise _Unparsable(f"a number has more than {_MAX_DIGITS} digits")
    return int(text)


def _refuse_constant(word: str) -> NoReturn:
    raise _Unparsable(f"{word} is not a number")


def _check_format(members: Mapping[str, object], name: str) -> None:
    found = members.get("format")
    if found == FORMAT:
        return
    if isinstance(found, str) and re.fullmatch(r"voice-session/\d{1,4}", found):
        raise DataFileError(f"{name} is of the version {found}, and this version of voice reads {FORMAT}; update voice")
    raise DataFileError(f"{name} is not an exported conversation: format: it must be {FORMAT}")


class _Fault(Protocol):
    """The used part of a validation error of `jsonschema`."""

    absolute_path: Iterable[str | int]
    validator: str
    context: Sequence["_Fault"]


class _Checker(Protocol):
    def iter_errors(self, instance: object) -> Iterable[_Fault]: ...


@cache
def _checker() -> _Checker:
    text = (files("voice") / "schemas" / SCHEMA_NAME).read_text(encoding="utf-8")
    validators = import_module("jsonschema")  # late: it takes a twentieth of a second, and only this needs it
    return cast("_Checker", validators.Draft202012Validator(json.loads(text)))


def _check_schema(members: Mapping[str, object], name: str) -> None:
    fault = next(iter(_checker().iter_errors(members)), None)
    if fault is not None:
        # The deepest fault says most, and of two as deep the one that is not about the value's type.
        cause = max(
            (fault, *fault.context),
            key=lambda each: (len(list(each.absolute_path)), each.validator not in ("anyOf", "type")),
        )
        reason = _REASONS.get(cause.validator, "it is not as the schema says")
        raise DataFileError(f"{name} cannot be imported: {_place(cause.absolute_path)}: {reason} (docs/sessions.md)")


def _place(path: Iterable[str | int]) -> str:
    """Return a place in a document without quoting its text: `exchanges[3].values.answer`."""
    # A member's name may be anybody's words.
    steps = [f"[{step}]" if isinstance(step, int) else f".{step if _NAME.fullmatch(step) else '?'}" for step in path]
    return "".join(steps).lstrip(".") or "the document"


def _document(members: Mapping[str, object]) -> Document:
    """Return the document with these members, which were checked against the schema."""
    turns = cast("list[dict[str, object]]", members["exchanges"])
    return Document(
        session=cast("Mapping[str, object]", members["session"]),
        turns=tuple(Turn(**turn) for turn in turns),  # pyright: ignore[reportArgumentType] - the schema allows no others
        digest=cast("str", members["digest"]),
        seal=cast("str", members["seal"]),
    )


def _check_turns(document: Document, name: str) -> None:
    """Refuse turns that no store would accept, before any value is read."""
    seen: set[object] = set()
    for place, turn in enumerate(document.turns):
        if len(canonical_json(turn.values).encode("utf-8", "surrogatepass")) > MAX_TURN_BYTES:
            raise DataFileError(f"{name} cannot be imported: exchanges[{place}]: it is longer than any turn can be")
        if turn.values["id"] in seen:
            raise DataFileError(
                f"{name} cannot be imported: exchanges[{place}].values.id: another turn of the file has the same id"
            )
        seen.add(turn.values["id"])


def _session(document: Document, name: str) -> InnerVoiceSession:
    try:
        session = cast("InnerVoiceSession", adapter(InnerVoiceSession).validate_python(document.session))
        to_json(InnerVoiceSession, session)  # must be a value that can be written again
    except (ValidationError, InvalidParams) as error:
        raise _unreadable(name, "session", error) from None
    try:
        return replace(session, thread_topic=clean_topic(session.thread_topic))
    except InvalidParams as error:
        raise DataFileError(f"{name} cannot be imported: session.thread_topic: {error.message}") from None


def _exchange(turn: Turn, place: int, document: Document, name: str) -> DialogueExchange:
    redacted = redactions(turn)
    blank = {field: BLANK[field] for field, _ in redacted if field in BLANK}
    # Redacted members are absent in the file.
    members = read_today({**blank, **turn.values, "session_id": document.session["id"]})
    try:
        parsed = cast("DialogueExchange", adapter(DialogueExchange).validate_python(members))
        exchange = replace(parsed, link=turn.link, redacted=redacted)
        to_json(DialogueExchange, exchange)
    except (ValidationError, InvalidParams) as error:
        raise _unreadable(name, f"exchanges[{place}].values", error) from None
    fault = implausible_member(exchange)
    if fault is not None:
        raise DataFileError(f"{name} cannot be imported: exchanges[{place}].values.{fault}: no turn has it so")
    return exchange


def _unreadable(name: str, where: str, error: Exception) -> DataFileError:
    """Return the error for members that match the schema and yet are not a value."""
    inner: Iterable[str | int] = ()
    if isinstance(error, ValidationError):
        # Without the input, which is a person's text.
        inner = error.errors(include_url=False, include_context=False, include_input=False)[0]["loc"]
    place = _place(inner)
    at = where if place == "the document" else f"{where}{'' if place.startswith('[') else '.'}{place}"
    return DataFileError(f"{name} cannot be imported: {at}: it is missing, or not what can stand there")
