"""Short forms for people: excerpts, counts, thread labels, abbreviated ids.

Law: cuts are at words, marked by "…", except within a word that would leave half the room empty; for display, not
citation.
A prefix means one id or none: an ambiguous one is an error that lists the ids; a whole id always wins. Threads are
`program/title` or `program/id`.
Source: DESIGN 8 "Vaults"; docs/import.md, "Where it stands".
"""

import re
from collections.abc import Sequence
from typing import Final

from voice.core.errors import InvalidParams, UnknownId
from voice.core.messages import memory as messages

_LAST_SPACE: Final = re.compile(r"\s+(?=\S*\Z)")
_SPACE: Final = re.compile(r"\s+")
_LOOSE: Final = " ,;:–-\n\t"


def truncate(text: str, most: int) -> str:
    """Truncate a text at a word to at most `most` characters including "…". A word longer than half the room is cut."""
    if len(text) <= most:
        return text
    start = text[: most - 1]
    space = None if text[len(start)].isspace() else _LAST_SPACE.search(start)
    whole = start[: space.start()] if space else start
    return (whole if 2 * len(whole) >= len(start) else start).rstrip(_LOOSE) + "…"


def trim_context(before: str, behind: str, *, is_more_before: bool, is_more_behind: bool) -> tuple[str, str]:
    """Cut the context around shown words at words, adding "…" where the text continues."""
    return (_cut_before(before) if is_more_before else before), (_cut_behind(behind) if is_more_behind else behind)


def excerpt_around(text: str, span: tuple[int, int], most: int) -> str:
    """Return the part of a text around a span, cut at words, with "…".

    Args:
        span: half-open, at most `most` long.
        most: maximum characters of the text.
    """
    if len(text) <= most:
        return text
    start, end = span
    left = max(0, min(start - (most - (end - start)) // 2, len(text) - most))
    before, behind = trim_context(
        text[left:start], text[end : left + most], is_more_before=left > 0, is_more_behind=left + most < len(text)
    )
    return f"{before}{text[start:end]}{behind}"


def _cut_before(text: str) -> str:
    space = _SPACE.search(text)
    return f"… {text[space.end() :]}" if space else f"…{text}"


def _cut_behind(text: str) -> str:
    space = _LAST_SPACE.search(text)
    return f"{text[: space.start()]} …" if space else f"{text}…"


def counted(number: int, noun: str, several: str | None = None) -> str:
    """Format a count with its noun: `1 turn`, `2,000 turns`; `several` is an irregular plural."""
    return f"{number:,} {noun if number == 1 else several or f'{noun}s'}"


MIN_PREFIX_CHARS = 4
"""Minimum characters after the colon; shorter prefixes are usually typos."""
MOST_LISTED = 5
_BEGINNING = re.compile(r"([a-z]:[0-9A-Za-z_.~-]*?)(…|\.\.\.)?")


def strip_ellipsis(said: str) -> str:
    """Remove a trailing ellipsis."""
    return said.removesuffix("…").removesuffix("...")


def id_prefix_of(said: str) -> str | None:
    """Return an id's prefix; None if `said` is not an id to look up.

    Raises:
        InvalidParams: marked as abbreviated but too short.
    """
    found = _BEGINNING.fullmatch(said)
    if found is None:
        return None
    if len(found[1].partition(":")[2]) >= MIN_PREFIX_CHARS:
        return found[1]
    if found[2]:
        raise InvalidParams(messages.id_too_short(said, MIN_PREFIX_CHARS))
    return None


def resolve_id_prefix(said: str, found: Sequence[str]) -> str:
    """Resolve an abbreviated id among the ids that start with it.

    An unknown unabbreviated id is returned unchanged; the caller's look-up reports it.

    Raises:
        UnknownId: abbreviated, without a match.
        InvalidParams: ambiguous; the message lists the matches.
    """
    start = id_prefix_of(said) or said
    is_cut = start != said
    if (start in found and not is_cut) or not (found or is_cut):
        return start
    if len(found) == 1:
        return found[0]
    if not found:
        raise UnknownId(messages.no_id_begins_with(start))
    listed = ", ".join(found[:MOST_LISTED]) + (", …" if len(found) > MOST_LISTED else "")
    raise InvalidParams(messages.id_ambiguous(said, listed))


ID_CHARS: Final = 8
"""Characters of an id that distinguish conversations."""
_LOOKS_LIKE_AN_ID: Final = re.compile(r"(?=[^ ]*[0-9@])[^ ]{16,}\Z")
_CAPSULE: Final = "c:"


def thread_label(thread: str) -> str:
    """Return a thread for display, with a long id shortened."""
    source, slash, name = thread.rpartition("/")
    return f"{source}{slash}{name[:ID_CHARS] if _LOOKS_LIKE_AN_ID.match(name) else name}"


def is_conversation(thread: str) -> bool:
    """Return whether a thread names a conversation rather than a capsule."""
    return not thread.startswith(_CAPSULE)
