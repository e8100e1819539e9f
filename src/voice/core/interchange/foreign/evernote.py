"""A note of an Evernote export (ENEX) → a line.

Law: the source of one `<note>` is taken apart by its tags, found once each from front to back; nothing in it is a
reference to elsewhere, and none is followed. A page of the web or a mail that was clipped is nobody's word here. Takes
time in proportion to the source.

Source: docs/import.md.
"""

import re
from html import unescape
from typing import Final

from voice.core.interchange.foreign.hypertext import html_words
from voice.core.interchange.foreign.loose import as_instant, stored_text
from voice.core.interchange.foreign.talk import WITHOUT_FILES
from voice.core.interchange.lines import MAX_TEXT_CHARS, BadLine, FileLine, LeftOut, ParsedLine, ThoughtLine
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
        return LeftOut(where=where, reason=WORDLESS)
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
    missing = (LeftOut(where=where, reason=WITHOUT_FILES, count=files),) if files else ()
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
