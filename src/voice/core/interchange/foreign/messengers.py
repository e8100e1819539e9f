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
from voice.core.interchange.foreign.conversation import Conversation, SharedTitles, TitledConversation, placed_line
from voice.core.interchange.json_fields import as_instant, as_list, as_map, as_text, stored_text
from voice.core.interchange.memory_lines import BadLine, FileLine, Omission, ParsedLine, ThoughtLine
from voice.core.messages import files as messages
from voice.core.records import Origin
from voice.core.text.dates import DateOrder
from voice.core.text.instants import to_utc

# "[05.03.24, 10:15:00] ", "3/5/24, 10:15 AM - ", "2024/3/5 下午3:10 - "; invisible direction marks may stand between.
_STAMP: Final = re.compile(
    r"[\u200e\u200f\ufeff]{0,3}\[?(?P<a>\d{1,4})[\u200e\u200f]?(?P<sep>[./-])[\u200e\u200f ]?(?P<b>\d{1,2})"
    r"[\u200e\u200f]?[./-][\u200e\u200f ]?(?P<c>\d{1,4})(?:\.| г\.)?[,،]? (?P<before>[오上下午前後전후]{2} ?)?"
    r"(?P<hour>\d{1,2})[:.](?P<minute>\d\d)(?:[:.](?P<second>\d\d))?"
    r"(?:\s?(?P<half>[AaPp])\.?\s?[Mm]\.?|\s?(?P<behind>[πμ]\.\s?μ\.|[صم]|ч\.))?(?:(?P<closed>\])|\s[-–])\s"
)
_PM_MARKS: Final = frozenset({"오후", "下午", "午後", "μ", "م"})  # Korean, Chinese, Japanese, Greek, Arabic
_AM_MARKS: Final = frozenset({"오전", "上午", "午前", "π", "ص"})
# Names have no colon and no quotation marks: 'Paul created group "Trip: Faro"' is the program's own.
_SPEAKER: Final = re.compile(r"[\u200e~\u202f ]{0,4}([^:\n\"“”]{1,100}):(?:[ \u200e]|$)")
# Such as "<Media omitted>" and "a.jpg (file attached)".
_MEDIA: Final = re.compile(r"<[^<>\n]{1,80}>|[^\s/]{1,120}\.\w{2,5} \([^()\n]{1,60}\)")
# Suffix of edited messages.
_EDITED: Final = re.compile(r" ?\u200e<[^<>\n]{1,60}>\Z")
_DELETED: Final = re.compile(  # what stands for a message taken back
    "this message was deleted|you deleted this message|diese nachricht wurde gelöscht|du hast diese nachricht gelöscht"
    "|se eliminó este mensaje|eliminaste este mensaje|null"
)
_NO_MARKS: Final = {ord("\u200e"): None, ord("\u200f"): None}
_UNIX: Final = re.compile(r"[0-9]{1,10}|[0-9]{13}")  # between them: no time of a message in either unit
_SPACES: Final = {ord("\u202f"): " ", ord("\u00a0"): " "}  # narrow and plain no-break spaces, before AM


class Stamp(NamedTuple):
    """The figures of a message's time."""

    parts: tuple[int, int, int]
    hour: int
    minute: int
    second: int
    says_pm: bool
    """Whether it has AM or PM in capitals."""
    has_dots: bool
    in_brackets: bool
    """Whether an iPhone wrote it."""
    length: int


@dataclass(slots=True, kw_only=True)
class _Message:  # a message and the lines that continue it
    number: int
    stamp: Stamp
    lines: list[str] = field(default_factory=list[str])


def stamp_of(line: str) -> Stamp | None:
    """Parse the time at the start of a line; None if there is none."""
    found = _STAMP.match(line.translate(_SPACES))
    if found is None:
        return None
    half = found["half"] or ""
    mark = (found["before"] or "").strip() or (found["behind"] or "")[:1]
    hour, is_pm = int(found["hour"]), half in {"p", "P"} or mark in _PM_MARKS
    hour = hour % 12 + 12 * is_pm if half or mark in _PM_MARKS | _AM_MARKS else hour  # 12 AM is 0, 12 PM is 12
    return Stamp(
        parts=(int(found["a"]), int(found["b"]), int(found["c"])),
        hour=hour,
        minute=int(found["minute"]),
        second=int(found["second"] or 0),
        says_pm=half.isupper(),
        has_dots=found["sep"] == ".",
        in_brackets=found["closed"] is not None,
        length=found.end(),
    )


def is_chat(text: str) -> bool:
    """Return whether a text starts like a WhatsApp chat."""
    lines = [line for line in text.split("\n", 40)[:40] if line.strip()]  # enough to tell, however long the file
    stamps = [(line.translate(_SPACES), stamp_of(line)) for line in lines]
    has_speaker = any(stamp and _SPEAKER.match(line, stamp.length) for line, stamp in stamps)
    return has_speaker and stamps[0][1] is not None


def is_day_first(stamps: Sequence[Stamp], zone: tzinfo, order: DateOrder | None = None) -> bool:
    """Return whether a chat's times put the day first; `order` is the person's, where they leave it open."""
    # Both orders are tried: one that makes an impossible day, or goes back in time more often, is wrong.
    readings = {order: [moment_of(stamp, zone, day_first=order) for stamp in stamps] for order in (True, False)}
    fits = {order: all(moments) for order, moments in readings.items()}
    if fits[True] != fits[False]:
        return fits[True]
    known = {order: [each for each in moments if each] for order, moments in readings.items()}
    backsteps = {order: sum(later < earlier for earlier, later in pairwise(each)) for order, each in known.items()}
    if backsteps[True] != backsteps[False]:
        return backsteps[True] < backsteps[False]
    if order is not None:
        return order == "day_first"
    return not any(stamp.says_pm and not stamp.has_dots for stamp in stamps)  # "AM" after slashes is American


def moment_of(stamp: Stamp, zone: tzinfo, *, day_first: bool) -> datetime | None:
    """Return a time's instant; None if invalid in that order."""
    first, second, third = stamp.parts
    year, month, day = (
        (first, second, third) if first > 31 else (third, second, first) if day_first else (third, first, second)
    )
    try:
        year += 2000 if year < 100 else 0  # "24" is 2024
        local = datetime(year, month, day, stamp.hour, stamp.minute, stamp.second, tzinfo=zone)
        return to_utc(local)
    except (ValueError, InvalidParams):
        return None


def chat_lines(lines: Iterable[str], chat: str, zone: tzinfo, *, day_first: bool) -> Iterator[FileLine]:
    """Yield the messages in file order; `zone` and `day_first` are of their times."""
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


def _line(message: _Message, chat: str, zone: tzinfo, *, day_first: bool) -> FileLine:
    where = f"{chat} line {message.number}"
    source = "\n".join(message.lines)
    found = _SPEAKER.match(source)
    if found is None:
        return Omission(where=where, reason=messages.MESSAGES_BY_PROGRAM)
    # A left-to-right mark that ends the speaker belongs to a media placeholder.
    text = _EDITED.sub("", source[found.end() - found[0].endswith("\u200e") :].strip(" "))
    plain = text.translate(_NO_MARKS).strip()
    # An iPhone's "image omitted" is one line that a left-to-right mark opens.
    is_placeholder = message.stamp.in_brackets and text.startswith("\u200e") and "\n" not in plain
    if is_placeholder or not plain or _MEDIA.fullmatch(plain) or _DELETED.fullmatch(plain.casefold().rstrip(".")):
        return Omission(where=where, reason=messages.CHATS_WITHOUT_TEXT)
    at = moment_of(message.stamp, zone, day_first=day_first)
    if at is None:
        return BadLine(where=where, reason=messages.TIME_INVALID)
    speaker = found[1].strip()
    record = ThoughtLine(
        content=stored_text(text.replace("\u200e", "")),
        created_at=at,
        kind="message",
        speaker=speaker,
        thread=f"whatsapp/{chat}",
        source_ref=f"whatsapp/{at.isoformat()}/{speaker}",  # messages have no ids
    )
    return placed_line(record, where)


def telegram_lines(export: Mapping[str, object], where: str) -> tuple[FileLine, ...]:
    """Return the messages of a chat, or of all chats of an account."""
    lists = (as_map(export.get(name)).get("list") for name in ("chats", "left_chats"))
    chats = [as_map(chat) for each in lists for chat in as_list(each)]
    if not chats and isinstance(export.get("messages"), list):  # one chat, not all of an account
        chats = [dict(export)]
    if not chats:
        return (BadLine(where=where, reason=messages.NOT_TELEGRAM),)
    personal = as_map(export.get("personal_information"))
    names = (as_text(personal.get(name)).strip() for name in ("first_name", "last_name"))
    owner = " ".join(filter(None, names)) or None  # an account's export names its owner
    titles = SharedTitles.among(map(_titled, chats))
    return tuple(
        replace(line, owner=owner) if isinstance(line, ParsedLine) else line
        for chat in chats
        for line in _chat_lines(chat, titles)
    )


def _titled(chat: Mapping[str, object]) -> TitledConversation:
    name = as_text(chat.get("name")) or messages.CHAT_WITHOUT_NAME
    return TitledConversation(program="telegram", title=name, key=str(chat.get("id") or name))


def _chat_lines(chat: Mapping[str, object], titles: SharedTitles) -> Iterator[FileLine]:
    titled = _titled(chat)
    talk = Conversation(ref=titled.ref, thread=titles.thread(titled))
    for message in map(as_map, as_list(chat.get("messages"))):
        yield _telegram_line(message, talk, f"{titled.title}, message {message.get('id', '?')}")


def _telegram_line(message: Mapping[str, object], talk: Conversation, where: str) -> FileLine:
    if message.get("type") != "message":
        return Omission(where=where, reason=messages.MESSAGES_BY_PROGRAM)
    has_file = any(message.get(name) for name in ("photo", "file", "media_type"))
    text = _text(message.get("text"))
    if not text:
        return Omission(where=where, reason=messages.CHATS_WITHOUT_TEXT)
    sender = as_text(message.get("from")) or as_text(message.get("from_id")) or None  # unnamed: its id
    author = as_text(message.get("forwarded_from")) or None if "forwarded_from" in message else sender
    # Unix seconds or ms if possible, since `date` has no zone.
    unix = _UNIX.fullmatch(str(message.get("date_unixtime")))
    record = ThoughtLine(
        content=text,
        created_at=as_instant(int(unix[0]) if unix else message.get("date")),
        kind="message",
        speaker=author,
        claimed_origin=None if author == sender else Origin.TOOL,  # forwarded: whose words, is a claim
        thread=talk.thread,
        source_ref=f"{talk.ref}/{message.get('id', '')}",
    )
    return placed_line(record, where, [(messages.ATTACHMENTS, int(has_file))])


def _text(text: object) -> str:
    """Join the text pieces of a message, with their blanks."""
    pieces = (part if isinstance(part, str) else as_map(part).get("text") for part in as_list(text) or [text])
    return stored_text("".join(piece for piece in pieces if isinstance(piece, str)))
