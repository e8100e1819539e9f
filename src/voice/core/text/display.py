"""Short forms for people: excerpts, counted nouns, thread labels, and shortened ids with what they mean.

Law: it is cut at a word, and "…" says that it was cut; only a long word (a script without spaces, an address) is cut
within itself, where less than half of the room would be used without it. It is for a person's eye: what is cited is a
span (`capping`).

Ids as people type them: whole, or as much of the beginning as tells one id from all others. A beginning means one id or
none; where it could mean several nobody guesses, the error lists them. A whole id is always meant as it stands, even
where others begin with it. What looks like no id, such as a name, is left as it is.

A thread is `program/title`, or `program/id` where the conversation has no title; of an id its beginning is shown, which
tells conversations apart. A thread that is a capsule's id names no conversation.

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
    """Return a text, or of a long one as many words as `most` characters hold, with "…" behind them.

    Of a word that would leave more than half of the room empty, as much as there is room for is shown.

    Args:
        most: how many characters there is room for, "…" among them; at least 1.
    """
    if len(text) <= most:
        return text
    start = text[: most - 1]
    space = None if text[len(start)].isspace() else _LAST_SPACE.search(start)
    whole = start[: space.start()] if space else start
    return (whole if 2 * len(whole) >= len(start) else start).rstrip(_LOOSE) + "…"


def trim_context(before: str, behind: str, *, is_more_before: bool, is_more_behind: bool) -> tuple[str, str]:
    """Return what stands around words that are shown, each end cut at a word, with "…", where the text goes on there.

    Args:
        before: so many characters before the words as there is room for.
        behind: so many behind them.
        is_more_before: whether the text begins before that.
        is_more_behind: whether the text goes on behind that.
    """
    return (_cut_before(before) if is_more_before else before), (_cut_behind(behind) if is_more_behind else behind)


def excerpt_around(text: str, span: tuple[int, int], most: int) -> str:
    """Return a text, or of a long one the part around a span, each end cut at a word, with "…" where the text goes on.

    Args:
        span: what has to be in it, half-open; no longer than `most`.
        most: how many characters of it are shown at most.
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
    """Return how many there are: `1 turn`, `2,000 turns`.

    Args:
        noun: what one of them is called.
        several: what more of them are called, where it is not `noun` with an s.
    """
    return f"{number:,} {noun if number == 1 else several or f'{noun}s'}"


MIN_PREFIX_CHARS = 4
"""Characters behind the colon without which a beginning is none: fewer are a slip more often than a choice."""
MOST_LISTED = 5
_BEGINNING = re.compile(r"([a-z]:[0-9A-Za-z_.~-]*?)(…|\.\.\.)?")


def strip_ellipsis(said: str) -> str:
    """Return what was said without the dots that say it goes on."""
    return said.removesuffix("…").removesuffix("...")


def id_prefix_of(said: str) -> str | None:
    """Return what the meant id begins with; None where `said` is none that is to be looked up.

    Raises:
        InvalidParams: it says that it is abbreviated, and is too short.
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
    """Return the one id that `said` means among all that begin with its beginning.

    Where there is none, a whole id is handed back, for whoever looks for it to say so.

    Raises:
        UnknownId: it is abbreviated, and no id begins with it.
        InvalidParams: it could mean several; the message lists them.
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
"""Characters of an id that tell conversations apart."""
_LOOKS_LIKE_AN_ID: Final = re.compile(r"(?=[^ ]*[0-9@])[^ ]{16,}\Z")
_CAPSULE: Final = "c:"


def thread_label(thread: str) -> str:
    """Return a thread as it is shown, an id in it cut to its beginning."""
    source, slash, name = thread.rpartition("/")
    return f"{source}{slash}{name[:ID_CHARS] if _LOOKS_LIKE_AN_ID.match(name) else name}"


def is_conversation(thread: str) -> bool:
    """Return whether a thread names a conversation, not a capsule."""
    return not thread.startswith(_CAPSULE)
