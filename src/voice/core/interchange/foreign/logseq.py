"""The text of a page of Logseq, as it reads.

Law: an outline stays one. Properties at the head of the page say what the page is, and read `key: value` where they
are its own words; those that only the program needs are dropped. So are those of blocks. A reference to a block reads
as that block's words; queries, log books and what is embedded from elsewhere are left out. A page is called by its
whole name, `Craft/Kiln`, wherever it is linked. What the settings of a graph hide is hidden. Takes time in proportion
to the text.

Source: docs/import.md.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from voice.core.interchange.foreign.vault import LinkText

_PROPERTY: Final = re.compile(r"([ \t]*(?:- )?)([A-Za-z][\w.-]{0,60}):: ?(.*)")
_ID: Final = re.compile(r"[ \t]*(?:- )?id:: ([0-9a-f-]{36})\s*")
_REFERENCE: Final = re.compile(r"(?:\[([^\[\]\n]{1,300})\])?\(\(\(?([0-9a-f-]{36})\)?\)\)")
_MACRO: Final = re.compile(r"\{\{(embed \(\([0-9a-f-]{36}\)\)|[^{}\n]{0,1000})\}\}")
_SETTING: Final = re.compile(
    r"""
    ;[^\n]*+
    | \\\S
    | "(?P<text>(?:\\.|[^"\\])*+)"
    | (?P<key>:[^\s\[\]{}()",;]++)
    | (?P<open>[\[({])
    | (?P<close>[\])}])
    | (?P<dropped>\#_)
    """,
    re.VERBOSE | re.DOTALL,
)
"""A part of settings as EDN; a comment or a character by itself is no named one."""
_LEAD: Final = re.compile(r"\A(?:\.{0,2}/)++")
"""Before a path of the settings, which may be told from the root or from the folder of the settings."""
_PROGRAMS: Final = frozenset(
    {
        "id",
        "collapsed",
        "heading",
        "background-color",
        "created-at",
        "updated-at",
        "query-table",
        "query-sort-by",
        "query-sort-desc",
        "query-properties",
        "logseq.order-list-type",
        *(f"card-{each}" for each in ("ease-factor", "last-interval", "last-reviewed", "last-score")),
        *("card-next-schedule", "card-repeats"),
        *("ls-type", "hl-type", "hl-page", "hl-stamp", "hl-color"),
    }
)
"""What only the program needs: how a block is shown, when a card is asked again, where a mark stands in a PDF."""


_ABOUT: Final = _PROGRAMS | {
    *("title", "alias", "tags", "date", "created", "created_at", "day", "private", "is_private", "kind", "speaker"),
    *("thread", "icon", "filters", "public", "exclude-from-graph-view"),
}
"""At the head of a page: what says something of it, and what only the program needs; no words of the page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogseqPage:
    """A page's properties, and its text."""

    properties: Mapping[str, str]
    text: str


def read_logseq_page(source: str, blocks: Mapping[str, str]) -> LogseqPage:
    """Return a page as it reads.

    Args:
        source: the file's text.
        blocks: the words of blocks that may be referred to, by their ids (`named_blocks`).
    """
    properties: dict[str, str] = {}
    kept: list[str] = []
    is_head, in_log = True, False
    for line in source.split("\n"):
        word = line.strip()
        in_log = (in_log or word == ":LOGBOOK:") and word != ":END:"
        if in_log or word == ":END:":
            continue
        found = _PROPERTY.fullmatch(line)
        if found is None:
            is_head = is_head and word in {"", "-"}
            kept.append(_shown(line, blocks))
        elif is_head and not found[1].startswith((" ", "\t")):
            properties[found[2].lower()] = found[3].strip()
        elif found[2].lower() not in _PROGRAMS:
            kept.append(f"{found[1]}{found[2]}: {_shown(found[3], blocks)}")
    told = {name: _shown(value, blocks).strip() for name, value in properties.items() if name not in _ABOUT}
    head = "\n".join(f"{name}: {value}" for name, value in told.items() if value)
    text = "\n".join(kept).strip("\n").rstrip()
    return LogseqPage(properties=properties, text="\n\n".join(filter(None, (head, text))))


def named_blocks(source: str) -> Iterator[tuple[str, str]]:
    """Yield the id and the first line of each block of a page that may be referred to."""
    block = ""
    for line in source.split("\n"):
        if found := _ID.fullmatch(line):
            yield found[1], block
        elif line.lstrip().startswith("- "):
            block = line.lstrip()[2:].strip()


def by_name(inside: str) -> LinkText:
    """Return how `[[Craft/Kiln]]` reads: all of it is the page's name."""
    name = inside.strip()
    return LinkText(shown=name, target=name)


def hidden_paths(settings: str) -> tuple[str, ...]:
    """Return what a graph's settings (`config.edn`) hide: how the paths begin, from the root of the graph.

    Args:
        settings: the file's text; of one that is broken, what can be read.
    """
    found: list[str] = []
    depth, key, is_dropped = 0, "", False
    for token in _SETTING.finditer(settings):
        if token["open"]:
            depth += 1
        elif token["close"]:
            depth -= 1
        elif token["key"] and depth == 1:
            key = token["key"]
        elif token["text"] and (depth, key) == (2, ":hidden") and not is_dropped:
            found.append(_LEAD.sub("", token["text"]))
        is_dropped = token["dropped"] is not None
    return tuple(filter(None, found))


def is_hidden(place: str, hidden: Iterable[str]) -> bool:
    """Return whether a page at a place is hidden (`hidden_paths`), by the beginning of its path, as Logseq does it."""
    return place.startswith(tuple(hidden))


def _shown(line: str, blocks: Mapping[str, str]) -> str:
    if "{{" in line:
        line = _MACRO.sub(lambda each: each[1].removeprefix("embed ") if each[1].startswith("embed ((") else "", line)
    if "((" not in line:
        return line
    return _REFERENCE.sub(lambda each: each[1] or blocks.get(each[2], ""), line)
