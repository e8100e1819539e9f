"""Telegram's export as JSON (`result.json`) → lines: one chat, or all of an account.

Law: each message is its speaker's, at its time; one that was forwarded is whose it was before, and never the words of
who forwarded it. What the program itself says and media without a caption are left out and counted. Channels and groups
come in as chats with other people, whoever is named.

Source: docs/import.md.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from voice.core.interchange.foreign.loose import as_instant, as_list, as_map, as_text, stored_text
from voice.core.interchange.foreign.talk import WITHOUT_FILES, Talk
from voice.core.interchange.foreign.titles import Called, SharedTitles
from voice.core.interchange.foreign.whatsapp import MEDIA, SYSTEM
from voice.core.interchange.lines import MAX_TEXT_CHARS, BadLine, FileLine, LeftOut, ParsedLine, ThoughtLine
from voice.core.records import Origin

_NAMELESS: Final = "a chat without a name"
_FILES: Final = ("photo", "file", "media_type")


def telegram_lines(export: Mapping[str, object], where: str) -> tuple[FileLine, ...]:
    """Return the messages of a chat, or of each chat of an account."""
    lists = (as_map(export.get(name)).get("list") for name in ("chats", "left_chats"))
    chats = [as_map(chat) for each in lists for chat in as_list(each)]
    if not chats and isinstance(export.get("messages"), list):
        chats = [dict(export)]
    if not chats:
        return (BadLine(where=where, reason="has no list of “messages”, so it is not a Telegram export"),)
    owner = _owner(as_map(export.get("personal_information")))
    titles = SharedTitles.among(map(_called, chats))
    return tuple(
        replace(line, owner=owner) if isinstance(line, ParsedLine) else line
        for chat in chats
        for line in _of_chat(chat, titles)
    )


def _owner(personal: Mapping[str, object]) -> str | None:
    """Return what the owner of an account is called."""
    return " ".join(filter(None, (as_text(personal.get(name)).strip() for name in ("first_name", "last_name")))) or None


def _called(chat: Mapping[str, object]) -> Called:
    name = as_text(chat.get("name")) or _NAMELESS
    return Called(program="telegram", title=name, key=str(chat.get("id") or name))


def _of_chat(chat: Mapping[str, object], titles: SharedTitles) -> Iterator[FileLine]:
    of = _called(chat)
    talk = Talk(ref=of.ref, thread=titles.thread(of))
    for message in as_list(chat.get("messages")):
        said = as_map(message)
        yield _line(said, talk, f"{of.title}, message {said.get('id', '?')}")


def _line(message: Mapping[str, object], talk: Talk, where: str) -> FileLine:
    if message.get("type") != "message":
        return LeftOut(where=where, reason=SYSTEM)
    has_file = any(message.get(name) for name in _FILES)
    text = _words(message.get("text"))
    if not text:
        return LeftOut(where=where, reason=MEDIA)
    if len(text) > MAX_TEXT_CHARS:
        return BadLine(where=where, reason=f"is longer than {MAX_TEXT_CHARS:,} characters")
    sender = as_text(message.get("from")) or as_text(message.get("from_id")) or None
    said_by = as_text(message.get("forwarded_from")) or None if "forwarded_from" in message else sender
    record = ThoughtLine(
        content=text,
        created_at=as_instant(_seconds(message)),
        kind="message",
        speaker=said_by,
        claimed_origin=None if said_by == sender else Origin.TOOL,
        thread=talk.thread,
        source_ref=f"{talk.ref}/{message.get('id', '')}",
    )
    missing = (LeftOut(where=where, reason=WITHOUT_FILES),) if has_file else ()
    return ParsedLine(where=where, record=record, partly=missing)


def _seconds(message: Mapping[str, object]) -> object:
    """Return the time of a message: its count of seconds, for `date` names no zone."""
    unix = as_text(message.get("date_unixtime"))
    return int(unix) if unix.isascii() and unix.isdigit() and len(unix) <= 12 else message.get("date")


def _words(text: object) -> str:
    """Return the words of a message: a text, or pieces of one with their marks."""
    parts = as_list(text) or [text]
    return stored_text("".join(part if isinstance(part, str) else _inner(part) for part in parts))


def _inner(part: object) -> str:
    """Return the words of a piece with a mark; blanks at its ends are part of them."""
    text = as_map(part).get("text")
    return text if isinstance(text, str) else ""
