"""The text of a note in a vault (Obsidian), as it reads.

Law: what a person sees when the note is shown is kept, word for word: a link reads as its text, a callout as its
words. What is shown from elsewhere or not at all (embeds, comments, queries, marks of blocks) is left out. Code is not
touched. Where a link stood is known as a span of the text that comes out. Takes time in proportion to the text.

Source: docs/import.md.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from voice.core.interchange.lines import NoteLink
from voice.core.text.dates import stated_dates, weekdays

_PART: Final = re.compile(
    r"""
    ^(?P<fence>```|~~~)(?P<info>[^\n]*)(?:\n.*?^(?P=fence)[`~]*[ \t]*$|.*\Z)
    | (?<!`)(?P<ticks>`++)[^\n]{1,500}?(?<!`)(?P=ticks)(?!`)
    | (?P<comment>%%.*?%%)
    | (?P<embed>!\[\[[^\[\]\n]*+\]\][ \t]*)
    | \[\[(?P<link>[^\[\]\n]++)\]\]
    | (?P<block>[ \t]\^[A-Za-z0-9-]++[ \t]*$)
    | (?<![\w\#/&])\#(?P<tag>[\w/-]*[^\W\d][\w/-]*)
    | ==(?P<mark>[^\s=](?:[^=\n]*+))==
    """,
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)
_QUERIES: Final = frozenset({"dataview", "dataviewjs", "query", "tasks", "button", "excalidraw"})
_CALLOUT: Final = re.compile(r"[ \t]*>[ \t]*\[![\w-]+(?:\|[^\]\n]*)?\][+-]?[ \t]*(.*)")
_QUOTED: Final = re.compile(r"[ \t]*>[ \t]?(.*)")
_DAY: Final = re.compile(r"\d{4}-\d{2}|\d{4}([-_.])\d{1,2}\1\d{1,2}|\d{1,2}([-_.])\d{1,2}\2\d{4}|\d{4}-W\d{2}")

_LONGEST_DAY: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultText:
    """A note's text as it reads, what it links to, and the tags within it."""

    text: str
    links: tuple[NoteLink, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkText:
    """A link as it reads."""

    shown: str
    target: str
    """The name of the note that it means; empty where it means the note it stands in, or a file."""


def by_path(inside: str) -> LinkText:
    """Return how `[[folder/Note#Part|text]]` reads: folders say where a note lies, and are no part of its name."""
    return LinkText(shown=_link_text(inside), target=link_target(inside))


def read_vault_text(body: str, read_link: Callable[[str], LinkText] = by_path) -> VaultText:
    """Return the text of a note without its front matter, as it reads.

    Args:
        body: the note's source.
        read_link: how what stands between `[[` and `]]` reads.
    """
    source = _without_callout_marks(body).strip("\n").rstrip()
    pieces: list[str] = []
    links: list[NoteLink] = []
    tags: list[str] = []
    length = done = 0
    for part in _PART.finditer(source):
        link = read_link(part["link"]) if part["link"] else None
        shown = link.shown if link else _shown(part)
        pieces += [source[done : part.start()], shown]
        start = length + part.start() - done
        length, done = start + len(shown), part.end()
        if link and link.target:
            links.append(NoteLink(target=link.target, start=start, end=length))
        if part["tag"]:
            tags.append(part["tag"].strip("/"))
    text = "".join((*pieces, source[done:]))
    lead = len(text) - len(text.lstrip("\n"))
    moved = tuple(NoteLink(target=link.target, start=link.start - lead, end=link.end - lead) for link in links)
    return VaultText(text=text.strip("\n").rstrip(), links=moved, tags=tuple(dict.fromkeys(tags)))


def link_target(inside: str) -> str:
    """Return the name of the note that a link means; empty where it means the note it stands in, or a file."""
    path = re.split(r"[#^]", inside.partition("|")[0], maxsplit=1)[0].strip()
    name = path.rpartition("/")[2].strip()
    name = name.removesuffix(".md")
    return "" if re.search(r"\.[A-Za-z][A-Za-z0-9]{1,4}$", name) else name


def is_day(name: str) -> bool:
    """Return whether a note is named after a day, week or month: a page of a diary, and no thing to be linked."""
    plain = name.strip()
    if _DAY.fullmatch(plain):
        return True
    days = stated_dates(plain) if len(plain) <= _LONGEST_DAY and any(map(str.isdigit, plain)) else ()
    rests = ((plain[: each.start] + plain[each.end :]).strip(" ,.") for each in days if each.year and each.day)
    return any(not rest or rest in weekdays(rest).values() for rest in rests)


def _shown(part: re.Match[str]) -> str:
    """Return what a part of the source that is no link reads as."""
    if part["fence"]:
        return "" if part["info"].strip().split(" ")[0].lower() in _QUERIES else part[0]
    if part["comment"] or part["embed"] or part["block"]:
        return ""
    return part["mark"] or part[0]


def _link_text(inside: str) -> str:
    target, bar, text = inside.partition("|")
    if bar and text.strip():
        return text.strip()
    note, _, heading = target.partition("#")
    name = note.strip().rpartition("/")[2].removesuffix(".md")
    parts = [part.strip() for part in (name, *heading.split("#")) if part.strip() and not part.strip().startswith("^")]
    return " > ".join(parts)


def _without_callout_marks(text: str) -> str:
    """Take `> [!note]` from the head of a callout, and the `>` from its lines: its words are the note's."""
    lines: list[str] = []
    inside = False
    for line in text.split("\n"):
        if head := _CALLOUT.fullmatch(line):
            inside = True
            lines.append(head[1])
        elif inside and (quoted := _QUOTED.fullmatch(line)):
            lines.append(quoted[1])
        else:
            inside = False
            lines.append(line)
    return "\n".join(lines)
