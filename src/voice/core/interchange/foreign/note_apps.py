"""Read notes exported from Evernote and Google Keep.

Law: the source of one `<note>` is taken apart by its tags, found once each from front to back; nothing in it is a
reference to elsewhere, and none is followed. A page of the web or a mail that was clipped is nobody's word here. Takes
time in proportion to the source.

A note of Google Keep (Takeout, one JSON file each) → a line. A note is one thought: its title, its text, its list with
what is ticked. Its date is that on which it was made. What lies in the bin is left out; pictures and recordings are
counted. A shared note is its owner's, where the export names one.

Source: docs/import.md.
"""

import re
from collections.abc import Mapping
from html import unescape
from typing import Final

from voice.core.interchange.foreign.conversation import WITHOUT_FILES
from voice.core.interchange.foreign.html_text import html_words
from voice.core.interchange.json_fields import as_instant, as_list, as_map, as_text, stored_text
from voice.core.interchange.memory_lines import MAX_TEXT_CHARS, BadLine, FileLine, Omission, ParsedLine, ThoughtLine
from voice.core.records import Origin

WORDLESS: Final = "notes without text"
_STAMP: Final = re.compile(r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z")
_TICKED: Final = re.compile(r"<en-todo\b[^<>]{0,80}checked=.true[^<>]{0,80}>")
_CLIPPED: Final = ("web.clip", "mail.clip")
"""Where Evernote says that a note's words come from, if somebody else wrote them."""
_TO_DO: Final = re.compile(r"<en-todo\b[^<>]{0,200}>")


def evernote_line(source: str, where: str) -> FileLine:
    """Return what a note says.

    Args:
        source: what stands between `<note>` and `</note>`.
        where: its place, for a person.
    """
    start = source.find("<content>")
    end = source.find("</content>", max(start, 0))
    body = source[start + len("<content>") : end] if 0 <= start < end else ""
    about = source[: max(start, 0)] + source[end:] if body else source
    title = _inside(about, "title")
    enml = _without_cdata(body)
    words = stored_text(html_words(_TO_DO.sub("[ ] ", _TICKED.sub("[x] ", enml))))
    if not words and not title:
        return Omission(where=where, reason=WORDLESS)
    content = words if not title or words.startswith(title) else f"{title}\n\n{words}".rstrip()
    if len(content) > MAX_TEXT_CHARS:
        return BadLine(where=where, reason=f"is longer than {MAX_TEXT_CHARS:,} characters")
    stamp = _inside(about, "created")
    found = _STAMP.fullmatch(stamp)
    record = ThoughtLine(
        content=content,
        created_at=as_instant("{}-{}-{}T{}:{}:{}Z".format(*found.groups())) if found else None,
        tags=tuple(tag for part in about.split("<tag>")[1:] if (tag := _plain(part.partition("</tag>")[0]))),
        claimed_origin=Origin.TOOL if _inside(about, "source").startswith(_CLIPPED) else None,
        source_ref=f"evernote/{stamp}/{title}",
    )
    files = enml.count("<en-media")
    missing = (Omission(where=where, reason=WITHOUT_FILES, count=files),) if files else ()
    return ParsedLine(where=where, record=record, partly=missing)


def _inside(source: str, tag: str) -> str:
    _, opened, rest = source.partition(f"<{tag}>")
    inner, closed, _ = rest.partition(f"</{tag}>")
    return _plain(inner) if opened and closed else ""


def _plain(text: str) -> str:
    return " ".join(stored_text(unescape(_without_cdata(text))).split())


def _without_cdata(text: str) -> str:
    """Return what stands in a CDATA section; what stands plain, unescaped."""
    inner = text.strip()
    if inner.startswith("<![CDATA["):
        return inner.removeprefix("<![CDATA[").removesuffix("]]>")
    return unescape(inner)


BINNED: Final = "notes in the bin"
WORDLESS_NOTE: Final = "notes without text"


def keep_lines(note: Mapping[str, object], where: str) -> tuple[FileLine, ...]:
    """Return what a note says."""
    if note.get("isTrashed") is True:
        return (Omission(where=where, reason=BINNED),)
    items = [as_map(item) for item in as_list(note.get("listContent"))]
    listed = [f"- [{'x' if item.get('isChecked') is True else ' '}] {as_text(item.get('text'))}" for item in items]
    parts = [as_text(note.get("title")), as_text(note.get("textContent")), "\n".join(listed)]
    text = stored_text("\n\n".join(part for part in parts if part.strip()))
    if not text:
        return (Omission(where=where, reason=WORDLESS_NOTE),)
    if len(text) > MAX_TEXT_CHARS:
        return (BadLine(where=where, reason=f"is longer than {MAX_TEXT_CHARS:,} characters"),)
    made = note.get("createdTimestampUsec") or note.get("userEditedTimestampUsec")
    record = ThoughtLine(
        content=text,
        speaker=_owner(note),
        created_at=as_instant(made / 1e6) if isinstance(made, int) and not isinstance(made, bool) else None,
        tags=tuple(name for label in as_list(note.get("labels")) if (name := as_text(as_map(label).get("name")))),
        source_ref=f"keep/{made}" if made else None,
    )
    files = len(as_list(note.get("attachments")))
    missing = (Omission(where=where, reason=WITHOUT_FILES, count=files),) if files else ()
    return (ParsedLine(where=where, record=record, partly=missing),)


def _owner(note: Mapping[str, object]) -> str | None:
    """Return the address of who owns a shared note; None of a note that is not shared, or whose owner is not named."""
    sharees = [as_map(each) for each in as_list(note.get("sharees"))]
    owners = [
        each for each in sharees if each.get("isOwner") is True or "OWNER" in {each.get("type"), each.get("role")}
    ]
    return next((email for each in owners if (email := as_text(each.get("email")).strip())), None)
