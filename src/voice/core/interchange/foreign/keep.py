"""A note of Google Keep (Takeout, one JSON file each) → a line.

Law: a note is one thought: its title, its text, its list with what is ticked. Its date is that on which it was made.
What lies in the bin is left out; pictures and recordings are counted. A shared note is its owner's, where the export
names one.

Source: docs/import.md.
"""

from collections.abc import Mapping
from typing import Final

from voice.core.interchange.foreign.loose import as_instant, as_list, as_map, as_text, stored_text
from voice.core.interchange.foreign.talk import WITHOUT_FILES
from voice.core.interchange.lines import MAX_TEXT_CHARS, BadLine, FileLine, LeftOut, ParsedLine, ThoughtLine

BINNED: Final = "notes in the bin"
WORDLESS: Final = "notes without text"


def keep_lines(note: Mapping[str, object], where: str) -> tuple[FileLine, ...]:
    """Return what a note says."""
    if note.get("isTrashed") is True:
        return (LeftOut(where=where, reason=BINNED),)
    items = [as_map(item) for item in as_list(note.get("listContent"))]
    listed = [f"- [{'x' if item.get('isChecked') is True else ' '}] {as_text(item.get('text'))}" for item in items]
    parts = [as_text(note.get("title")), as_text(note.get("textContent")), "\n".join(listed)]
    text = stored_text("\n\n".join(part for part in parts if part.strip()))
    if not text:
        return (LeftOut(where=where, reason=WORDLESS),)
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
    missing = (LeftOut(where=where, reason=WITHOUT_FILES, count=files),) if files else ()
    return (ParsedLine(where=where, record=record, partly=missing),)


def _owner(note: Mapping[str, object]) -> str | None:
    """Return the address of who owns a shared note; None of a note that is not shared, or whose owner is not named."""
    sharees = [as_map(each) for each in as_list(note.get("sharees"))]
    owners = [
        each for each in sharees if each.get("isOwner") is True or "OWNER" in {each.get("type"), each.get("role")}
    ]
    return next((email for each in owners if (email := as_text(each.get("email")).strip())), None)
