"""Map objects of foreign JSON lines to thoughts.

Law: fields map as the person says, else by well-known names, which is reported. No field can raise an origin. Privacy
flags are understood or rejected, never guessed.
Source: docs/import.md; rulings A12, H.
"""

from collections.abc import Iterable, Mapping
from datetime import tzinfo
from typing import Final, cast

from voice.core.errors import InvalidParams
from voice.core.interchange.json_fields import as_instant, as_list, as_text, stored_text
from voice.core.interchange.memory_lines import MAX_TEXT_CHARS, ThoughtLine
from voice.core.messages import files as messages

_GUESSES: Final[Mapping[str, tuple[str, ...]]] = {
    "content": ("content", "text", "body", "message", "note"),
    "created_at": ("created_at", "date", "timestamp", "time", "created", "ts"),
    "speaker": ("speaker", "author", "from", "sender", "role"),
    "thread": ("thread", "thread_id", "conversation_id", "conversation"),
    "kind": ("kind",),
    "tags": ("tags", "labels"),
    "is_private": ("is_private", "private"),
    "source_ref": ("id", "uuid", "source_ref"),
}
_TRUE: Final = frozenset({True, "true", "yes", "1"})
_FALSE: Final = frozenset({False, None, "false", "no", "0", ""})
_NAMED: Final = 12

FieldMap = Mapping[str, str]
"""Our field names to theirs."""


def parse_mapping(entries: Iterable[str]) -> dict[str, str]:
    """Parse mappings such as `content=body` or `speaker=author.name`.

    Raises:
        InvalidParams: malformed, or an unknown field of ours.
    """
    mapping: dict[str, str] = {}
    for entry in entries:
        ours, equals, theirs = (part.strip() for part in entry.partition("="))
        if not equals or not theirs or ours not in _GUESSES:
            raise InvalidParams(messages.map_shape(", ".join(_GUESSES)))
        mapping[ours] = theirs
    return mapping


def guessed(members: Mapping[str, object], mapping: FieldMap) -> dict[str, str]:
    """Complete `mapping` with well-known names found in `members`."""
    taken = set(mapping.values())
    found = {
        ours: name
        for ours, names in _GUESSES.items()
        if ours not in mapping and (name := next((each for each in names if each in members and each not in taken), ""))
    }
    return {**found, **mapping}


def mapped_line(members: Mapping[str, object], mapping: FieldMap, zone: tzinfo) -> tuple[ThoughtLine, tuple[str, ...]]:
    """Return an object's thought, and the names of unused fields.

    Args:
        mapping: complete (`guessed`).
        zone: for dates without one.

    Raises:
        InvalidParams: no text, invalid date, or invalid privacy flag.
    """
    if "content" not in mapping:
        names = ", ".join(f"“{name[:40]}”" for name in list(members)[:_NAMED])
        raise InvalidParams(messages.no_text_field(names))
    told = {ours: _at(members, theirs) for ours, theirs in mapping.items()}
    content = as_text(told["content"])
    if not content.strip():
        raise InvalidParams(messages.field_missing(mapping["content"]))
    if len(content) > MAX_TEXT_CHARS:
        raise InvalidParams(messages.text_too_long(mapping["content"], MAX_TEXT_CHARS))
    at = as_instant(told.get("created_at"), zone)
    if at is None and told.get("created_at") not in {None, ""}:
        raise InvalidParams(messages.not_a_date(mapping["created_at"]))
    line = ThoughtLine(
        content=content,
        created_at=at,
        kind=_word(told.get("kind")) or "note",
        speaker=_word(told.get("speaker")) or None,
        thread=_word(told.get("thread")) or None,
        source_ref=_word(told.get("source_ref")) or None,
        tags=_tags(told.get("tags")),
        is_private=_is_private(told.get("is_private"), mapping.get("is_private", "")),
    )
    used = {theirs.partition(".")[0] for theirs in mapping.values()} | set(mapping.values())
    return line, tuple(sorted(stored_text(name)[:40] for name in members if name not in used))


def _at(members: Mapping[str, object], name: str) -> object:
    """Return the value under a name or dotted path."""
    if name in members:
        return members[name]
    head, dot, rest = name.partition(".")
    inner = members.get(head)
    return _at(cast("dict[str, object]", inner), rest) if dot and isinstance(inner, dict) else None


def _word(value: object) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return as_text(value).strip()


def _tags(value: object) -> tuple[str, ...]:
    parts = value.split(",") if isinstance(value, str) else as_list(value)
    return tuple(tag for part in parts if (tag := as_text(part).strip().lstrip("#")))


def _is_private(value: object, name: str) -> bool:
    word = value.strip().lower() if isinstance(value, str) else value
    known = word if isinstance(word, str | int | float) or word is None else "?"
    if known in _TRUE:
        return True
    if known in _FALSE:
        return False
    raise InvalidParams(messages.must_be_flag(name))
