"""Text for display: excerpts, counts, abbreviated ids, and untrusted text escaped for terminals, JSON, XML, HTML.

Law: cuts are at words, marked by "…", except within a word that would leave half the room empty; for display, not
citation. A prefix means one id or none: an ambiguous one is an error that lists the ids; a whole id always wins.
Threads are `program/title` or `program/id`.

Displayed text never controls the display: control characters, bidirectional overrides and unassigned code points are
removed, or escaped where a program reads the text back; imitations of our marks are replaced. All output passes here;
stored text is unchanged.
Source: DESIGN 8 "Vaults"; docs/import.md, "Where it stands"; rulings D22, I7; promise 6; XML 1.0, 2.2 and 2.11.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from voice.core.errors import InvalidParams, UnknownId
from voice.core.messages import memory as messages
from voice.core.text.markup import fenced_code

_LAST_SPACE: Final = re.compile(r"\s+(?=\S*\Z)")
_SPACE: Final = re.compile(r"\s+")
_LOOSE: Final = " ,;:–-\n\t"


def truncate(text: str, most: int) -> str:
    """Truncate a text at a word to at most `most` characters including "…". A word longer than half the room is cut."""
    if len(text) <= most:
        return text
    start = text[: most - 1]
    space = None if text[len(start)].isspace() else _LAST_SPACE.search(start)  # the cut falls between words
    whole = start[: space.start()] if space else start
    return (whole if 2 * len(whole) >= len(start) else start).rstrip(_LOOSE) + "…"


def trim_context(before: str, behind: str, *, is_more_before: bool, is_more_behind: bool) -> tuple[str, str]:
    """Cut the context around shown words at words, adding "…" where the text continues."""
    return (_cut_before(before) if is_more_before else before), (_cut_behind(behind) if is_more_behind else behind)


def context_of(text: str, start: int, end: int, most: int) -> tuple[str, str]:
    """Return at most `most` characters before and behind a span, cut at words, with "…" where the text continues."""
    left, right = max(start - most, 0), end + most
    return trim_context(text[left:start], text[end:right], is_more_before=left > 0, is_more_behind=right < len(text))


def excerpt_around(text: str, span: tuple[int, int], most: int) -> str:
    """Return at most `most` characters of a text around a span (half-open, no longer), cut at words, with "…"."""
    if len(text) <= most:
        return text
    start, end = span
    left = max(0, min(start - (most - (end - start)) // 2, len(text) - most))  # stays full at the ends of the text
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


_MIN_PREFIX_CHARS = 4  # after the colon; shorter prefixes are usually typos
MOST_LISTED = 5
_BEGINNING = re.compile(r"([a-z]:[0-9A-Za-z_.~-]*?)(…|\.\.\.)?")  # "o:ab12", "o:ab12…"


def strip_ellipsis(said: str) -> str:
    """Remove a trailing ellipsis."""
    return said.removesuffix("…").removesuffix("...")


def id_prefix_of(said: str) -> str | None:
    """Return an id's prefix; None: not an id to look up. Raises InvalidParams: marked as abbreviated but too short."""
    found = _BEGINNING.fullmatch(said)
    if found is None:
        return None
    if len(found[1].partition(":")[2]) >= _MIN_PREFIX_CHARS:
        return found[1]
    if found[2]:
        raise InvalidParams(messages.id_too_short(said, _MIN_PREFIX_CHARS))
    return None


def resolve_id_prefix(said: str, found: Sequence[str]) -> str:
    """Resolve an abbreviated id among the ids that start with it.

    An unknown unabbreviated id is returned unchanged; the caller's look-up reports it.

    Raises UnknownId: abbreviated, without a match; InvalidParams: ambiguous; the message lists the matches.
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
_LOOKS_LIKE_AN_ID: Final = re.compile(r"(?=[^ ]*[0-9@])[^ ]{16,}\Z")  # 16 characters or more, a digit or "@": no title
_CAPSULE: Final = "c:"


def thread_label(thread: str) -> str:
    """Return a thread for display, with a long id shortened."""
    source, slash, name = thread.rpartition("/")
    return f"{source}{slash}{name[:ID_CHARS] if _LOOKS_LIKE_AN_ID.match(name) else name}"


def is_conversation(thread: str) -> bool:
    """Return whether a thread names a conversation rather than a capsule."""
    return not thread.startswith(_CAPSULE)


_NAME_CHARS = 100
_JOINERS = frozenset("\u200c\u200d")  # invisible, but needed in Persian, Indic scripts and emoji
_LINE_ENDS: Final = frozenset("\n\v\f\r\x1c\x1d\x1e\x1f\x85\u2028\u2029")
# Characters that steer a terminal or a reader but are legal in JSON and XML, where they are escaped.
CONTROL_CHARS: Final = re.compile(
    "[\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)


class _Shown(dict[int, str]):
    """A lazily filled table for `str.translate`."""

    def __init__(self, kept: Iterable[str]) -> None:
        super().__init__({ord(char): char for char in kept})

    def __missing__(self, code: int) -> str:
        self[code] = shown = "" if is_control_char(chr(code)) else chr(code)
        return shown


_BLOCK: Final = _Shown("\n\t")
_LINE: Final = _Shown(_LINE_ENDS | {"\t"})  # kept here; `printable` makes spaces of them


def is_control_char(char: str) -> bool:
    """Return whether a character steers the display; line ends and tabs do, other spaces and joiners do not."""
    is_space = char.isspace() and char != "\t" and char not in _LINE_ENDS
    return not (char.isprintable() or char in _JOINERS or is_space)


def printable(text: str) -> str:
    """Return `text` on one line without control characters and bidirectional overrides."""
    return " ".join(text.translate(_LINE).split())


def printable_block(text: str) -> str:
    """Like `printable`, keeping line breaks, tabs and spaces."""
    return text.replace("\r\n", "\n").translate(_BLOCK)


def escape_json(text: str) -> str:
    """Escape steering characters in JSON text; a parser restores them."""
    return CONTROL_CHARS.sub(_escape, text)


_SIGNS: Final = str.maketrans("✓✔✗✘", "☑☑☒☒")  # similar signs that the program does not use
# "[S12]" looks like a source label, "[o:ab12]" like a row id.
_BRACKETED: Final = re.compile(r"\[(S\d{1,6}|[a-z]{1,3}[:_][0-9A-Za-z]{4,40})\]")


def inert_signs(text: str) -> str:
    """Replace imitations of our marks and labels, keeping the length."""
    return _BRACKETED.sub(r"(\1)", text.translate(_SIGNS))


# Begins an image, a tag or the target of a link in Markdown.
_LIVE: Final = re.compile(r"(?<!\\)(?P<bars>\\*+)(?P<tag><)(?=[A-Za-z/!?])|!(?=\[)|\](?=[(:])")

_DEEPEST: Final = 3  # columns before a mark that opens code; with more it may go on in a paragraph


def inert_markdown(text: str) -> str:
    """Escape what would be an image, a link or HTML in Markdown; other markup stays, and so does fenced code."""
    parts, done = list[str](), 0
    for start, end in fenced_code(text):
        indent = text[text.rfind("\n", 0, start) + 1 : start]
        if not indent.strip() and len(indent.expandtabs(4)) <= _DEEPEST:
            parts += (_inert(text[done:start]), text[start:end])
            done = end
    return "".join((*parts, _inert(text[done:])))


def _inert(text: str) -> str:
    # Doubled, the backslashes before "<" stay as they look, and the added one escapes it.
    return _LIVE.sub(lambda found: f"{found['bars'] * 2}\\<" if found["tag"] else f"{found[0]}\\", text)


def quoted_name(name: str) -> str | None:
    """Return a name for a message, quoted and truncated; None if unreadable."""
    bare = "".join(char for char in name if char not in _JOINERS)  # `isprintable` refuses joiners
    if not bare.strip() or not bare.isprintable():
        return None
    shown = name if len(name) <= _NAME_CHARS else f"{name[:_NAME_CHARS]}…"
    return f"'{shown}'"


def _escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")  # JSON escapes UTF-16 units: an emoji is two
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


_ILLEGAL: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # all but `Char` of XML 1.0, 2.2
_MARKS: Final = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&#39;",
    "\r": "&#13;",  # a parser reads line ends as "\n", and each of these as a space in an attribute
    "\n": "&#10;",
    "\t": "&#9;",
}
_MARKED: Final = re.compile("[&<>\"'\r\n\t]")


def escape_markup(text: str) -> str:
    """Escape `text` for XML or HTML; illegal characters become U+FFFD, steering ones character references."""
    marked = _MARKED.sub(lambda found: _MARKS[found[0]], _ILLEGAL.sub("\ufffd", text))
    return CONTROL_CHARS.sub(lambda found: f"&#{ord(found[0])};", marked)
