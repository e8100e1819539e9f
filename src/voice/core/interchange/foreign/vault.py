"""Read notes of Obsidian vaults and Logseq graphs, and the links they offer.

Law: visible text stays verbatim: links read as their text, callouts as theirs; embeds, comments, queries and block
marks are dropped, code is untouched. Links keep spans in the resulting text. Logseq properties are kept if they are
text. Links become offered relations between note names, except to days. Linear time.
Source: docs/import.md; rulings A21, F.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from voice.core.interchange.memory_lines import LinkedNote, NoteLink
from voice.core.records import LINKS_TO, Provenance, Thought
from voice.core.text.dates import stated_dates, weekdays
from voice.core.text.lazy import late_pattern
from voice.core.text.markup import FENCED, fence_after
from voice.core.text.normalise import norm_v1
from voice.core.text.word_lists import word_set

# Earlier choices win: what stands in a fence, in back ticks or in a comment is no link and no tag.
_PART: Final = re.compile(
    FENCED
    + r"""
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
_QUERIES: Final = frozenset({"dataview", "dataviewjs", "query", "tasks", "button", "excalidraw"})  # no words of a note
_CALLOUT: Final = re.compile(r"[ \t]*>[ \t]*\[![\w-]+(?:\|[^\]\n]*)?\][+-]?[ \t]*(.*)")  # "> [!note]- Title"
_QUOTED: Final = re.compile(r"[ \t]*>[ \t]?(.*)")
# "2024-05", "2024_05_06", "06-05-2024", "2024-W19".
_DAY: Final = re.compile(r"\d{4}-\d{2}|\d{4}([-_.])\d{1,2}\1\d{1,2}|\d{1,2}([-_.])\d{1,2}\2\d{4}|\d{4}-W\d{2}")
_LONGEST_DAY: Final = 40  # a longer name is no day's


@dataclass(frozen=True, slots=True, kw_only=True)
class VaultText:
    """A note's text, links and tags."""

    text: str
    links: tuple[NoteLink, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkText:
    """A link as displayed."""

    shown: str
    target: str
    """The note's name; "" for the note itself or a file."""


def by_path(inside: str) -> LinkText:
    """Read `[[folder/Note#Part|text]]`: folders are not part of a name."""
    return LinkText(shown=_link_text(inside), target=link_target(inside))


def read_vault_text(body: str, read_link: Callable[[str], LinkText] = by_path) -> VaultText:
    """Read a note without front matter; `read_link` interprets the text between `[[` and `]]`."""
    source = _without_callout_marks(body).strip("\n").rstrip()
    pieces: list[str] = []
    links: list[NoteLink] = []
    tags: list[str] = []
    length = done = 0  # `length`: of the text so far, `done`: of the source
    for part in _PART.finditer(source):
        link = read_link(part["link"].replace("\\|", "|")) if part["link"] else None  # in a table
        marked = read_vault_text(part["mark"], read_link) if part["mark"] else VaultText(text="")
        shown = link.shown if link else marked.text or _shown(part)
        pieces += [source[done : part.start()], shown]
        start = length + part.start() - done  # where `shown` begins in the text
        length, done = start + len(shown), part.end()
        if link and link.target:
            links.append(NoteLink(target=link.target, start=start, end=length))
        links += (replace(each, start=start + each.start, end=start + each.end) for each in marked.links)
        tags += marked.tags or ([part["tag"].strip("/")] if part["tag"] else ())
    text = "".join((*pieces, source[done:]))
    lead = len(text) - len(text.lstrip("\n"))  # links stand in the text before it is stripped
    moved = tuple(NoteLink(target=link.target, start=link.start - lead, end=link.end - lead) for link in links)
    return VaultText(text=text.strip("\n").rstrip(), links=moved, tags=tuple(dict.fromkeys(tags)))


# What notes link besides notes: "plan.pdf". A note may be called "Node.js", "hypothes.is" or "1.2".
_FILE: Final = re.compile(
    r"\.(?:3gp|avif|base|bmp|canvas|csv|docx?|epub|excalidraw|flac|gif|heic|html?|jpe?g|json|m4a|mkv|mov|mp3|mp4|odt|ogg|ogv"
    r"|opus|pdf|png|pptx?|svg|txt|wav|webm|webp|xlsx?|zip)$",
    re.IGNORECASE,
)


def link_target(inside: str) -> str:
    """Return the note that a link names; "" for the note itself or a file."""
    path = re.split(r"[#^]", inside.partition("|")[0], maxsplit=1)[0].strip()  # "Kiln#Part", "Kiln#^block", "Kiln|text"
    name = path.rpartition("/")[2].strip().removesuffix(".md")
    return "" if _FILE.search(name) else name


def is_day(name: str) -> bool:
    """Return whether a note is named after a day, week or month."""
    plain = name.strip()
    if _DAY.fullmatch(plain):
        return True
    days = stated_dates(plain) if len(plain) <= _LONGEST_DAY and any(map(str.isdigit, plain)) else ()
    rests = ((plain[: each.start] + plain[each.end :]).strip(" ,.") for each in days if each.year and each.day)
    return any(not rest or rest in weekdays(rest).values() for rest in rests)  # "Mon, May 6 2024"


def _shown(part: re.Match[str]) -> str:
    """Return the displayed text of a part that is not a link."""
    if part["fence"]:
        return "" if part["info"].strip().split(" ")[0].lower() in _QUERIES else part[0]
    return "" if part["comment"] or part["embed"] or part["block"] or part["mark"] else part[0]


def _link_text(inside: str) -> str:
    target, bar, text = inside.partition("|")
    if bar and text.strip():
        return text.strip()
    note, _, heading = target.partition("#")
    name = note.strip().rpartition("/")[2].removesuffix(".md")
    parts = [part.strip() for part in (name, *heading.split("#")) if part.strip() and not part.strip().startswith("^")]
    return " > ".join(parts)


def _without_callout_marks(text: str) -> str:
    lines: list[str] = []
    inside, fence = False, None
    for line in text.split("\n"):
        before, fence = fence, fence_after(line, fence)
        marked = (
            None if before or fence else _CALLOUT.fullmatch(line) or (_QUOTED.fullmatch(line) if inside else None)
        )  # quotes below: its text
        inside = marked is not None
        lines.append(marked[1] if marked else line)
    return "\n".join(lines)


_PROPERTY: Final = re.compile(r"([ \t]*(?:- )?)([A-Za-z][\w.-]{0,60}):: ?(.*)")  # "key:: value", also in a bullet
_ID: Final = re.compile(r"[ \t]*(?:- )?id:: ([0-9a-f-]{36})\s*")  # the id by which others embed a block
_REFERENCE: Final = re.compile(r"(?:\[([^\[\]\n]{1,300})\])?\(\(\(?([0-9a-f-]{36})\)?\)\)")  # "((…))", "[text](((…)))"
_MACRO: Final = re.compile(r"\{\{(embed \(\([0-9a-f-]{36}\)\)|[^{}\n]{0,1000})\}\}")  # "{{query …}}", "{{embed ((…))}}"
# The state of a block that is a task, which is open if it has group 2.
_MARKER: Final = re.compile(
    r"\A([ \t]*- )(?:(TODO|DOING|LATER|NOW|WAIT|WAITING|STARTED|IN-PROGRESS) |DONE |(?=CANCELL?ED ))(?=\S)"
)
# A task's log of times, and a query; what is not closed stays.
_OPENS: Final = frozenset({":LOGBOOK:", "#+BEGIN_QUERY"})
_CLOSES: Final = frozenset({":END:", "#+END_QUERY"})
# A token of EDN settings; comments and single characters have no group.
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
_LEAD: Final = re.compile(r"\A(?:\.{0,2}/)++")  # "../pages": relative to the root or the settings folder
# For the program only: display, review schedule, PDF marks.
_INTERNAL_PROPERTIES: Final = word_set(
    "id collapsed heading background-color created-at updated-at query-table query-sort-by query-sort-desc "
    "query-properties logseq.order-list-type card-ease-factor card-last-interval card-last-reviewed card-last-score "
    "card-next-schedule card-repeats ls-type hl-type hl-page hl-stamp hl-color"
)
_METADATA: Final = _INTERNAL_PROPERTIES | word_set(  # page properties that are not text
    "title alias tags date created created_at day private is_private kind speaker thread icon filters public "
    "exclude-from-graph-view"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogseqPage:
    """A page's properties and text."""

    properties: Mapping[str, str]
    text: str


def read_logseq_page(source: str, blocks: Mapping[str, str]) -> LogseqPage:
    """Read a page; `blocks` are the texts of referable blocks by id (`named_blocks`)."""
    properties: dict[str, str] = {}
    kept: list[str] = []
    is_head, in_log = True, False
    fence: str | None = None
    lines = source.split("\n")
    last = max((number for number, line in enumerate(lines) if line.strip() in _CLOSES), default=0)
    for number, line in enumerate(lines):
        before, fence = fence, fence_after(line, fence)
        if before or fence:  # code
            is_head = False
            kept.append(line)
            continue
        word = line.strip()
        in_log = number < last and (in_log or word.removeprefix("- ") in _OPENS) and word not in _CLOSES
        if in_log or word in _CLOSES:
            continue
        found = _PROPERTY.fullmatch(line)
        if found is None:
            is_head = is_head and word in {"", "-"}
            kept.append(_MARKER.sub(lambda it: f"{it[1]}[{' ' if it[2] else 'x'}] ", _logseq_shown(line, blocks)))
        elif is_head and not found[1].startswith((" ", "\t")):  # the page's own, not an indented block's
            properties[found[2].lower()] = found[3].strip()
        elif found[2].lower() not in _INTERNAL_PROPERTIES:
            kept.append(f"{found[1]}{found[2]}: {_logseq_shown(found[3], blocks)}")
    shown = {name: _logseq_shown(value, blocks).strip() for name, value in properties.items() if name not in _METADATA}
    head = "\n".join(f"{name}: {value}" for name, value in shown.items() if value)
    text = "\n".join(kept).strip("\n").rstrip()
    return LogseqPage(properties=properties, text="\n\n".join(filter(None, (head, text))))


def named_blocks(source: str) -> Iterator[tuple[str, str]]:
    """Yield (id, first line) of the referable blocks of a page."""
    block = ""
    for line in source.split("\n"):
        if found := _ID.fullmatch(line):
            yield found[1], block
        elif line.lstrip().startswith("- "):
            block = line.lstrip()[2:].strip()


def by_name(inside: str) -> LinkText:
    """Read `[[Craft/Kiln]]`: all of it is the page's name."""
    name = inside.strip()
    return LinkText(shown=name, target=name)


def hidden_paths(settings: str) -> tuple[str, ...]:
    """Return the path prefixes hidden by `config.edn`; broken settings are read as far as possible."""
    found: list[str] = []
    depth, key, is_dropped = 0, "", False  # depth 1: a key of the map; 2: its list
    for token in _SETTING.finditer(settings):
        if token["open"]:
            depth += 1
        elif token["close"]:
            depth -= 1
        elif token["key"] and depth == 1:
            key = token["key"]
        elif token["text"] and (depth, key) == (2, ":hidden") and not is_dropped:
            found.append(_LEAD.sub("", token["text"]))
        is_dropped = token["dropped"] is not None  # "#_" drops the next form
    return tuple(filter(None, found))


def is_hidden(place: str, hidden: Iterable[str]) -> bool:
    """Return whether a page is hidden, by path prefix as in Logseq."""
    return place.startswith(tuple(hidden))


def _logseq_shown(line: str, blocks: Mapping[str, str]) -> str:
    if "{{" in line:
        line = _MACRO.sub(lambda each: each[1].removeprefix("embed ") if each[1].startswith("embed ((") else "", line)
    if "((" not in line:
        return line
    return _REFERENCE.sub(lambda each: each[1] or blocks.get(each[2], ""), line)


_HANDLE: Final = late_pattern(r"(?<![\w@./:+-])@(\p{L}[\p{L}\p{N}_]{1,39})(?![\w@/]|[.-]\w)")  # not "a@b.de", "x/@y"


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedEntity:
    """The subject of a note, with its aliases."""

    name: str
    aliases: tuple[str, ...]
    mentions: tuple[Provenance, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedRelation:
    """A link as a relation between names."""

    source: str
    rel_type: str
    target: str
    mentions: tuple[Provenance, ...]
    is_handle: bool = False
    """Whether it was written `@name`, which links only to known names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offers:
    """An import's proposals for review."""

    entities: tuple[OfferedEntity, ...] = ()
    relations: tuple[OfferedRelation, ...] = ()

    def __add__(self, other: "Offers") -> "Offers":
        """Return both, in order."""
        return Offers(entities=self.entities + other.entities, relations=self.relations + other.relations)


def offers_of(note: LinkedNote, thought: Thought) -> Offers:
    """Return a note's offers; `thought` is the stored note that the links' spans refer to."""
    linked = _relations(note.name, thought.id, note.links)
    targets = {norm_v1(each.target) for each in linked}
    # `@Anna_Lund` means "Anna Lund".
    found = [
        NoteLink(target=each[1].replace("_", " "), start=each.start(), end=each.end())
        for each in _HANDLE.finditer(thought.content)
    ]
    handles = _relations(note.name, thought.id, found, is_handle=True)
    relations = (*linked, *(each for each in handles if norm_v1(each.target) not in targets))  # a link is surer
    end = len(note.name) if thought.content.startswith(note.name) else 0  # the title as evidence, if it stands there
    title = Provenance(thought_id=thought.id, start=0, end=end)
    aliases = () if is_day(note.name) else note.aliases  # a day is no thing with other names
    entities = (OfferedEntity(name=note.name, aliases=aliases, mentions=(title,)),) if aliases else ()
    return Offers(entities=entities, relations=relations)


def _relations(
    name: str, thought_id: str, links: Iterable[NoteLink], *, is_handle: bool = False
) -> tuple[OfferedRelation, ...]:
    places: dict[str, list[Provenance]] = {}
    targets: dict[str, str] = {}
    for link in links:
        key = norm_v1(link.target)
        if key != norm_v1(name) and not is_day(link.target):
            targets.setdefault(key, link.target)
            places.setdefault(key, []).append(Provenance(thought_id=thought_id, start=link.start, end=link.end))
    return tuple(
        OfferedRelation(source=name, rel_type=LINKS_TO, target=targets[key], mentions=tuple(spans), is_handle=is_handle)
        for key, spans in places.items()
    )
