"""Parse Google Takeout (Keep, Gemini), and notes exported from Evernote.

Law: sources are split by known tags front to back; no references are followed. Clipped pages and mails have no known
author. Keep notes in the bin are left out. Gemini activity, JSON or HTML, is parsed by structure, in any language; its
entries name no conversation, and an unknown month leaves them undated. Linear time.
Source: docs/import.md.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, tzinfo
from html import unescape
from typing import Final

from voice.core.errors import InvalidParams
from voice.core.interchange.foreign.conversation import ConversationTurn, placed_line, turn_line
from voice.core.interchange.foreign.dates import DateReading
from voice.core.interchange.foreign.html_text import html_words
from voice.core.interchange.json_fields import as_instant, as_list, as_map, as_text, stored_text
from voice.core.interchange.memory_lines import BadLine, FileLine, Omission, ThoughtLine
from voice.core.messages import files as messages
from voice.core.records import Origin
from voice.core.text.language_data import language_tables, word_pairs

_STAMP: Final = re.compile(r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z")
_TICKED: Final = re.compile(r"<en-todo\b[^<>]{0,80}checked=.true[^<>]{0,80}>")  # before `_TO_DO`, which takes any
_CLIPPED: Final = ("web.clip", "mail.clip")  # sources whose text is someone else's
_TO_DO: Final = re.compile(r"<en-todo\b[^<>]{0,200}>")


def evernote_line(source: str, where: str) -> FileLine:
    """Return a note's line; `source` is between `<note>` and `</note>`."""
    start = source.find("<content>")
    end = source.find("</content>", max(start, 0))
    body = source[start + len("<content>") : end] if 0 <= start < end else ""
    about = source[: max(start, 0)] + source[end:] if body else source  # a tag may stand in the text as well
    title = _inside(about, "title")
    enml = _without_cdata(body)
    words = stored_text(html_words(_TO_DO.sub("[ ] ", _TICKED.sub("[x] ", enml))))  # ENML's boxes, which have no text
    if not words and not title:
        return Omission(where=where, reason=messages.NOTES_WITHOUT_TEXT)
    content = words if not title or words.startswith(title) else f"{title}\n\n{words}".rstrip()  # no title said twice
    stamp = _inside(about, "created")
    found = _STAMP.fullmatch(stamp)
    record = ThoughtLine(
        content=content,
        created_at=as_instant("{}-{}-{}T{}:{}:{}Z".format(*found.groups())) if found else None,
        tags=tuple(tag for part in about.split("<tag>")[1:] if (tag := _plain(part.partition("</tag>")[0]))),
        claimed_origin=Origin.TOOL if _inside(about, "source").startswith(_CLIPPED) else None,
        source_ref=f"evernote/{stamp}/{title}" if stamp or title else None,
    )
    return placed_line(record, where, [(messages.ATTACHMENTS, enml.count("<en-media"))])  # pictures and files


def _inside(source: str, tag: str) -> str:
    _, opened, rest = source.partition(f"<{tag}>")
    inner, closed, _ = rest.partition(f"</{tag}>")
    return _plain(inner) if opened and closed else ""


def _plain(text: str) -> str:
    return " ".join(stored_text(unescape(_without_cdata(text))).split())


def _without_cdata(text: str) -> str:
    """Unwrap a CDATA section, or unescape plain text."""
    inner = text.strip()
    if inner.startswith("<![CDATA["):
        return inner.removeprefix("<![CDATA[").removesuffix("]]>")  # entities stay: CDATA is HTML itself
    return unescape(inner)


def keep_lines(note: Mapping[str, object], where: str) -> tuple[FileLine, ...]:
    """Return a note's lines."""
    if note.get("isTrashed") is True:
        return (Omission(where=where, reason=messages.NOTES_IN_BIN),)
    items = [as_map(item) for item in as_list(note.get("listContent"))]
    listed = [f"- [{'x' if item.get('isChecked') is True else ' '}] {as_text(item.get('text'))}" for item in items]
    parts = [as_text(note.get("title")), as_text(note.get("textContent")), "\n".join(listed)]
    text = stored_text("\n\n".join(part for part in parts if part.strip()))
    if not text:
        return (Omission(where=where, reason=messages.NOTES_WITHOUT_TEXT),)
    created = note.get("createdTimestampUsec") or note.get("userEditedTimestampUsec")
    record = ThoughtLine(
        content=text,
        speaker=_owner(note),
        created_at=as_instant(created / 1e6) if isinstance(created, int) and not isinstance(created, bool) else None,
        tags=tuple(name for label in as_list(note.get("labels")) if (name := as_text(as_map(label).get("name")))),
        source_ref=f"keep/{created}" if created else None,
    )
    return (placed_line(record, where, [(messages.ATTACHMENTS, len(as_list(note.get("attachments"))))]),)


def _owner(note: Mapping[str, object]) -> str | None:
    """Return the owner's address of a shared note; None if not shared or unknown."""
    sharees = [as_map(each) for each in as_list(note.get("sharees"))]
    owners = [
        each for each in sharees if each.get("isOwner") is True or "OWNER" in {each.get("type"), each.get("role")}
    ]
    return next((email for each in owners if (email := as_text(each.get("email")).strip())), None)


_PROMPTED: Final = "Prompted "  # Takeout's English verb
_NO_PROMPTS: Final = ("Created ", "Used ", "Selected ", "Gave feedback", "Viewed ", "Visited ")  # not made by a prompt


def gemini_lines(entry: Mapping[str, object], where: str) -> tuple[FileLine, ...]:
    """Return question and answers, or the omission."""
    names = [as_text(entry.get("header")), *(as_text(name) for name in as_list(entry.get("products")))]
    if not any(word in name.casefold() for name in names for word in ("gemini", "bard")):
        return (Omission(where=where, reason=messages.OUTSIDE_GEMINI),)
    title = as_text(entry.get("title"))
    items = [as_text(as_map(item).get("html")) for item in as_list(entry.get("safeHtmlItem"))]
    answers = [words for item in items if (words := stored_text(html_words(item)))] or _older_answers(entry)
    prompt = title.removeprefix(_PROMPTED).strip()
    # In other languages: whatever was answered.
    is_prompt = title.startswith(_PROMPTED) or (bool(answers) and not title.startswith(_NO_PROMPTS))
    if not is_prompt or not prompt:
        return (Omission(where=where, reason=messages.NOT_PROMPTS),)
    at = as_instant(entry.get("time"))
    if at is None:
        return (BadLine(where=where, reason=messages.TIME_UNREADABLE),)
    return _turns(prompt, answers, at, where)


def _turns(prompt: str, answers: Sequence[str], at: datetime | None, where: str) -> tuple[FileLine, ...]:
    ref = f"gemini/{at.isoformat() if at else ''}"  # entries have no ids
    question = ConversationTurn(ref=f"{ref}/asked", thread=None, text=prompt, at=at, by_assistant=False)
    replies = [
        ConversationTurn(ref=f"{ref}/answered", thread=None, text=text, at=at, by_assistant=True) for text in answers
    ]
    return tuple(turn_line(turn, where) for turn in (question, *replies))


def _older_answers(entry: Mapping[str, object]) -> list[str]:
    """Return the subtitles; with a URL they are attachments."""
    subtitles = [as_map(item) for item in as_list(entry.get("subtitles"))]
    if any(each.get("url") for each in subtitles):  # links to what was attached
        return []
    return [text for each in subtitles if (text := as_text(each.get("name")))]


OPENS: Final = '<div class="outer-cell'
_HEADER: Final = re.compile(r'class="header-cell[^<>]{0,200}>')
_CONTENT: Final = re.compile(r'class="content-cell[^<>]{0,200}body-1[^<>]{0,200}>')
_BREAK: Final = re.compile(r"<br\s{0,3}/?>", re.IGNORECASE)
# "10:00:00 AM", not in "1.10:00:00".
_CLOCK: Final = re.compile(r"(?<![\d.])(\d{1,2})[:.](\d\d)[:.](\d\d)(?![\d.])(?:\s?([AaPp])\.?\s?[Mm]\b)?")
_VERB_CHARS: Final = 60  # a longer start is the prompt itself
_WORD: Final = re.compile(r"[^\W\d_]+")
_NUMBER: Final = re.compile(r"\d{1,4}")
# Takeout's month abbreviations in languages not parsed elsewhere.
_MONTHS: Final = {
    word: number
    for names in (
        "janv févr mars avr mai juin juil août sept oct nov déc",
        "jan fev mar abr mai jun jul ago set out nov dez",
        "jan feb mrt apr mei jun jul aug sep okt nov dec",
        "gen feb mar apr mag giu lug ago set ott nov dic",
        "sty lut mar kwi maj cze lip sie wrz paź lis gru",
        "янв февр мар апр мая июн июл авг сент окт нояб дек",
        "січ лют бер квіт трав черв лип серп вер жовт лист груд",
        "oca şub mar nis may haz tem ağu eyl eki kas ara",
        "jan feb mars apr maj juni juli aug sep okt nov dec",
        "jan feb márc ápr máj jún júl aug szept okt nov dec",
        "jan feb mar apr mei jun jul agu sep okt nov des",
    )
    for number, word in enumerate(names.split(), start=1)
}
_OFFSET: Final = re.compile(r"(?:UTC|GMT)([+\u2212-])(0?\d|1[0-4])(?::?([0-5]\d))?")
_HALVES: Final = {"오후": "p", "下午": "p", "午後": "p", "오전": "a", "上午": "a", "午前": "a"}


def activity_lines(source: str, where: str, zone: tzinfo) -> tuple[FileLine, ...]:
    """Return question and answer of an HTML entry, or the omission; times of an unknown zone are in `zone`."""
    header = html_words(_cell(source, _HEADER)).casefold()
    if "gemini" not in header and "bard" not in header:
        return (Omission(where=where, reason=messages.OUTSIDE_GEMINI),)
    lines = _BREAK.split(_cell(source, _CONTENT))
    dated = next((n for n, line in enumerate(lines[:8]) if n and _CLOCK.search(_text(line))), len(lines))
    verb, cut, rest = unescape("\n".join(lines[:dated])).partition("\u00a0")  # "Prompted\u00a0": no-break space behind
    is_verb = bool(cut) and len(verb) < _VERB_CHARS
    prompt = stored_text(html_words(rest if is_verb else verb + cut + rest))
    answer = stored_text(html_words("<br>".join(lines[dated + 1 :])))
    if not prompt or not answer:
        return (Omission(where=where, reason=messages.NOT_PROMPTS),)
    clock = _CLOCK.search(_text(lines[dated])) if dated < len(lines) else None
    return _turns(prompt, [answer], _instant(clock, zone) if clock else None, where)


def _cell(source: str, opens: re.Pattern[str]) -> str:
    """Return the first cell of a kind; cells contain no `<div>`."""
    found = opens.search(source)
    return source[found.end() :].partition("</div>")[0] if found else ""


def _text(html: str) -> str:
    return html_words(html).replace("\u202f", " ")  # the space before AM


def _instant(clock: re.Match[str], zone: tzinfo) -> datetime | None:
    """Return the instant of `Mar 1, 2025, 10:00:00 AM CET`."""
    before = clock.string[: clock.start()].strip(" ,")
    half = clock[4] or next((half for words, half in _HALVES.items() if before.endswith(words)), "")
    try:
        day = DateReading(zone=zone).instant(_iso_day(before) or before)
    except InvalidParams:
        return None
    hour = int(clock[1]) % 12 + 12 * (half in {"p", "P"}) if half else int(clock[1])
    if day is None or hour > 23:
        return None
    moment = f"{day.astimezone(zone):%Y-%m-%d}T{hour:02}:{clock[2]}:{clock[3]}"
    at = DateReading(zone=zone).instant(moment)
    said = clock.string[clock.end() :].strip().upper()
    if at is None or said == at.astimezone(zone).tzname():  # "IST" is of India, Israel and Ireland
        return at
    return DateReading(zone=zone).instant(moment + _offset(said))


def _offset(zone: str) -> str:
    """Return the offset of `MEZ`, `UTC` or `GMT+1`; "" if unknown."""
    if found := _OFFSET.fullmatch(zone):
        return f"{'+' if found[1] == '+' else '-'}{found[2]:0>2}:{found[3] or '00'}"
    offsets = word_pairs(language_tables("zones")["every"], "offsets")
    return next((offset for offset, names in offsets.items() if zone in names.split()), "")


def _iso_day(day: str) -> str:
    """Return a day in ISO 8601, by month name or year-first order; "" if unknown."""
    months = {_MONTHS[word] for word in _WORD.findall(day.casefold()) if word in _MONTHS}
    numbers = [int(number) for number in _NUMBER.findall(day)]
    if len(months) == 1 and len(numbers) == 2:
        return f"{max(numbers)}-{months.pop():02}-{min(numbers):02}"  # year and day
    is_year_first = len(numbers) == 3 and numbers[0] > 31 and not months  # "2025. 3. 1." in Korea
    return "{}-{:02}-{:02}".format(*numbers) if is_year_first else ""
