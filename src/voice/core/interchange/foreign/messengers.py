"""Read chats exported from WhatsApp and Telegram.

Law: each message is its speaker's (ruling I6); forwarded ones are the original author's. Lines without a time continue
the previous message. Service messages and media are left out and counted. The order of day and month is one per
WhatsApp file: the chronological one, else the person's, else by AM/PM style. Linear time.

Source: docs/import.md.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, tzinfo
from itertools import pairwise
from typing import Final, NamedTuple

from voice.core.errors import InvalidParams
from voice.core.interchange.foreign.conversation import WITHOUT_FILES, Conversation, SharedTitles, TitledConversation
from voice.core.interchange.json_fields import as_instant, as_list, as_map, as_text, stored_text
from voice.core.interchange.memory_lines import MAX_TEXT_CHARS, BadLine, FileLine, Omission, ParsedLine, ThoughtLine
from voice.core.messages import files as messages
from voice.core.records import Origin
from voice.core.text.dates import DateOrder
from voice.core.text.instants import to_utc

SYSTEM: Final = messages.MESSAGES_BY_PROGRAM
MEDIA: Final = messages.CHATS_WITHOUT_TEXT
_STAMP: Final = re.compile(
    r"[\u200e\u200f\ufeff]{0,3}\[?(?P<a>\d{1,4})[\u200e\u200f]?(?P<sep>[./-])[\u200e\u200f ]?(?P<b>\d{1,2})"
    r"[\u200e\u200f]?[./-][\u200e\u200f ]?(?P<c>\d{1,4})(?:\.| г\.)?[,،]? (?P<before>[오上下午前後전후]{2} ?)?"
    r"(?P<hour>\d{1,2})[:.](?P<minute>\d\d)(?:[:.](?P<second>\d\d))?"
    r"(?:\s?(?P<half>[AaPp])\.?\s?[Mm]\.?|\s?(?P<behind>[πμ]\.\s?μ\.|[صم]|ч\.))?(?:\]|\s[-–])\s"
)
_LATE: Final = frozenset({"오후", "下午", "午後", "μ", "م"})
"""Markers of the second half of a day besides PM."""
_EARLY: Final = frozenset({"오전", "上午", "午前", "π", "ص"})
_SPEAKER: Final = re.compile(r"[\u200e~\u202f ]{0,4}([^:\n\"“”]{1,100}):(?:[ \u200e]|$)")
_MEDIA: Final = re.compile(r"[\u200e\u200f].*|<[^<>\n]{1,80}>|[^\s/]{1,120}\.\w{2,5} \([^()\n]{1,60}\)", re.DOTALL)
_EDITED: Final = re.compile(r" ?\u200e<[^<>\n]{1,60}>\Z")
"""Suffix of edited messages."""
_DELETED: Final = frozenset(
    {
        "this message was deleted",
        "you deleted this message",
        "diese nachricht wurde gelöscht",
        "du hast diese nachricht gelöscht",
        "se eliminó este mensaje",
        "eliminaste este mensaje",
        "null",
    }
)
_SPACES: Final = {ord("\u202f"): " ", ord("\u00a0"): " "}


class Stamp(NamedTuple):
    """The figures of a message's time."""

    parts: tuple[int, int, int]
    hour: int
    minute: int
    second: int
    says_pm: bool
    """Whether it has AM or PM in capitals."""
    has_dots: bool
    length: int


@dataclass(slots=True, kw_only=True)
class _Message:
    number: int
    stamp: Stamp
    lines: list[str] = field(default_factory=list[str])


def stamp_of(line: str) -> Stamp | None:
    """Parse the time at the start of a line; None if there is none."""
    found = _STAMP.match(line.translate(_SPACES))
    if found is None:
        return None
    half = found["half"] or ""
    word = (found["before"] or "").strip() or (found["behind"] or "")[:1]
    hour, is_late = int(found["hour"]), half in {"p", "P"} or word in _LATE
    hour = hour % 12 + 12 * is_late if half or word in _LATE | _EARLY else hour
    return Stamp(
        parts=(int(found["a"]), int(found["b"]), int(found["c"])),
        hour=hour,
        minute=int(found["minute"]),
        second=int(found["second"] or 0),
        says_pm=half.isupper(),
        has_dots=found["sep"] == ".",
        length=found.end(),
    )


def is_chat(text: str) -> bool:
    """Return whether a text starts like a WhatsApp chat."""
    lines = [line for line in text.split("\n", 40)[:40] if line.strip()]
    stamped = [line for line in lines if stamp_of(line)]
    spoken = sum(
        bool(_SPEAKER.match(line.translate(_SPACES), stamp.length)) for line in stamped if (stamp := stamp_of(line))
    )
    return bool(lines) and stamp_of(lines[0]) is not None and spoken >= 1


def is_day_first(stamps: Sequence[Stamp], zone: tzinfo, order: DateOrder | None = None) -> bool:
    """Return whether the times of a chat put the day first.

    Args:
        stamps: in order.
        order: the person's setting, if the times leave it open.
    """
    readings = {order: [moment_of(stamp, zone, day_first=order) for stamp in stamps] for order in (True, False)}
    fits = {order: all(moments) for order, moments in readings.items()}
    if fits[True] != fits[False]:
        return fits[True]
    steps = {order: _steps_back([each for each in moments if each]) for order, moments in readings.items()}
    if steps[True] != steps[False]:
        return steps[True] < steps[False]
    if order is not None:
        return order == "day_first"
    return not any(stamp.says_pm and not stamp.has_dots for stamp in stamps)


def moment_of(stamp: Stamp, zone: tzinfo, *, day_first: bool) -> datetime | None:
    """Return a time's instant; None if invalid in that order."""
    first, second, third = stamp.parts
    year, month, day = (
        (first, second, third) if first > 31 else (third, second, first) if day_first else (third, first, second)
    )
    try:
        year += 2000 if year < 100 else 0
        local = datetime(year, month, day, stamp.hour, stamp.minute, stamp.second, tzinfo=zone)
        return to_utc(local)
    except (ValueError, InvalidParams):
        return None


def chat_lines(lines: Iterable[str], chat: str, zone: tzinfo, *, day_first: bool) -> Iterator[FileLine]:
    """Yield the messages in file order.

    Args:
        chat: its name.
        zone: of the times.
        day_first: from `is_day_first`.
    """
    held: _Message | None = None
    for number, line in enumerate(lines, start=1):
        stamp = stamp_of(line)
        if stamp is not None:
            if held is not None:
                yield _line(held, chat, zone, day_first=day_first)
            held = _Message(number=number, stamp=stamp, lines=[line[stamp.length :]])
        elif held is not None:
            held.lines.append(line)
        elif line.strip():
            yield BadLine(where=f"{chat} line {number}", reason=messages.BEFORE_FIRST_MESSAGE)
    if held is not None:
        yield _line(held, chat, zone, day_first=day_first)


def _steps_back(moments: Sequence[datetime]) -> int:
    return sum(later < earlier for earlier, later in pairwise(moments))


def _line(message: _Message, chat: str, zone: tzinfo, *, day_first: bool) -> FileLine:
    where = f"{chat} line {message.number}"
    source = "\n".join(message.lines)
    found = _SPEAKER.match(source)
    if found is None:
        return Omission(where=where, reason=SYSTEM)
    said = source[found.end() - source[found.start() : found.end()].endswith("\u200e") :].strip(" ")
    said = _EDITED.sub("", said)
    plain = said.strip().casefold().rstrip(".")
    if _MEDIA.fullmatch(said.strip("\n ")) or not plain or plain in _DELETED:
        return Omission(where=where, reason=MEDIA)
    at = moment_of(message.stamp, zone, day_first=day_first)
    if at is None:
        return BadLine(where=where, reason=messages.TIME_INVALID)
    if len(said) > MAX_TEXT_CHARS:
        return BadLine(where=where, reason=messages.too_long(MAX_TEXT_CHARS))
    speaker = found[1].strip()
    record = ThoughtLine(
        content=stored_text(said.replace("\u200e", "")),
        created_at=at,
        kind="message",
        speaker=speaker,
        thread=f"whatsapp/{chat}",
        source_ref=f"whatsapp/{at.isoformat()}/{speaker}",
    )
    return ParsedLine(where=where, record=record)


_NAMELESS: Final = messages.CHAT_WITHOUT_NAME
_FILES: Final = ("photo", "file", "media_type")


def telegram_lines(export: Mapping[str, object], where: str) -> tuple[FileLine, ...]:
    """Return the messages of a chat, or of all chats of an account."""
    lists = (as_map(export.get(name)).get("list") for name in ("chats", "left_chats"))
    chats = [as_map(chat) for each in lists for chat in as_list(each)]
    if not chats and isinstance(export.get("messages"), list):
        chats = [dict(export)]
    if not chats:
        return (BadLine(where=where, reason=messages.NOT_TELEGRAM),)
    owner = _owner(as_map(export.get("personal_information")))
    titles = SharedTitles.among(map(_called, chats))
    return tuple(
        replace(line, owner=owner) if isinstance(line, ParsedLine) else line
        for chat in chats
        for line in _of_chat(chat, titles)
    )


def _owner(personal: Mapping[str, object]) -> str | None:
    """Return the account owner's name."""
    return " ".join(filter(None, (as_text(personal.get(name)).strip() for name in ("first_name", "last_name")))) or None


def _called(chat: Mapping[str, object]) -> TitledConversation:
    name = as_text(chat.get("name")) or _NAMELESS
    return TitledConversation(program="telegram", title=name, key=str(chat.get("id") or name))


def _of_chat(chat: Mapping[str, object], titles: SharedTitles) -> Iterator[FileLine]:
    of = _called(chat)
    talk = Conversation(ref=of.ref, thread=titles.thread(of))
    for message in as_list(chat.get("messages")):
        said = as_map(message)
        yield _telegram_line(said, talk, f"{of.title}, message {said.get('id', '?')}")


def _telegram_line(message: Mapping[str, object], talk: Conversation, where: str) -> FileLine:
    if message.get("type") != "message":
        return Omission(where=where, reason=SYSTEM)
    has_file = any(message.get(name) for name in _FILES)
    text = _words(message.get("text"))
    if not text:
        return Omission(where=where, reason=MEDIA)
    if len(text) > MAX_TEXT_CHARS:
        return BadLine(where=where, reason=messages.too_long(MAX_TEXT_CHARS))
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
    missing = (Omission(where=where, reason=WITHOUT_FILES),) if has_file else ()
    return ParsedLine(where=where, record=record, partly=missing)


def _seconds(message: Mapping[str, object]) -> object:
    """Return the time as Unix seconds if possible, since `date` has no zone."""
    unix = as_text(message.get("date_unixtime"))
    return int(unix) if unix.isascii() and unix.isdigit() and len(unix) <= 12 else message.get("date")


def _words(text: object) -> str:
    """Join the text pieces of a message."""
    parts = as_list(text) or [text]
    return stored_text("".join(part if isinstance(part, str) else _inner(part) for part in parts))


def _inner(part: object) -> str:
    """Return a piece's text with its blanks."""
    text = as_map(part).get("text")
    return text if isinstance(text, str) else ""
