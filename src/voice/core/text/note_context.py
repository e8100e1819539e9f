"""The context path of a place in a note, and the words of others in it: pasted chats and quotations.

Law: a path (title, headings, parent bullets, table header) goes outermost first, in the note's words without markup,
without an assistant's part of a pasted chat. It depends on the thought alone.

Whose words they are, structure alone decides: alternating labels of one form at line starts, at least three, or one of
each if announced by a program's page. In doubt the text is the person's. Labels are data
(`data/language/pasted_chats.toml`). Linear time.
Source: rulings H.3, I1, I6 ("a chat log is never one person's words"); DESIGN 5 "A line is nothing without its place".
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from itertools import pairwise
from typing import Final, Literal
from urllib.parse import unquote

import regex

from voice.core.text.dates import stated_dates
from voice.core.text.instants import UNDATED, has_date
from voice.core.text.language_data import entries
from voice.core.text.lazy import late_pattern
from voice.core.text.markdown import HEADING, cells_of, header_above, indent_of, indent_width
from voice.core.text.markup import fence_after

_AREA: Final = "pasted_chats"
_LEAST: Final = 3  # alternating labels, unless a program's page announces them
# A line that starts with a label, followed by a colon or nothing: "You:", "**ChatGPT:** Hi", "## User".
_LINE: Final = late_pattern(
    r"(?P<lead>[ \t]*+(?:>[ \t]?|[-*+][ \t]++)*+)(?P<heading>\#{1,6}[ \t]++)?+"
    r"(?P<open>\*\*|__)?+(?P<label>[\p{L}][\p{L}\d .-]{0,23}?)[ \t\u00a0]?(?P<inner>:)?(?P<close>\*\*|__)?(?P<outer>:)?"
    r"(?(inner)(?=\s|\Z)|(?(outer)(?=\s|\Z)|(?=[ \t]*\Z)))(?P<rest>[^\n]*)"
)
Side = Literal["you", "other"]


@dataclass(frozen=True, slots=True)
class _Mark:
    """A label at a line start."""

    line: int
    start: int  # offset after quotation marks and bullets
    end: int
    side: Side
    form: tuple[str, bool, bool]  # prefix, whether it is a heading, whether it is bold
    is_announced: bool


def blank_other_speakers(text: str) -> str:
    """Blank the other side of a pasted chat and all labels, keeping offsets."""
    lines = text.split("\n")
    of_form: dict[tuple[str, bool, bool], list[_Mark]] = {}
    for mark in _marks(lines):
        of_form.setdefault(mark.form, []).append(mark)
    for marks in filter(_is_chat, of_form.values()):
        _blank(lines, marks)
    return "\n".join(lines)


def _blank(lines: list[str], marks: Sequence[_Mark]) -> None:
    nexts = [*(mark.line for mark in marks[1:]), len(lines)]
    ends = [_end_line(lines, mark, before) for mark, before in zip(marks, nexts, strict=True)]
    for mark, end in zip(marks, ends, strict=True):
        line = lines[mark.line]
        until = mark.end if mark.side == "you" else len(line)  # of the person only the label goes
        lines[mark.line] = line[: mark.start] + " " * (until - mark.start) + line[until:]
        for number in range(mark.line + 1, end if mark.side == "other" else mark.line + 1):
            lines[number] = " " * len(lines[number])


def _end_line(lines: Sequence[str], mark: _Mark, before: int) -> int:
    """Return the line after which the turn does not continue: the end of its quotation or bullet, or `before`."""
    lead = mark.form[0]
    behind = range(mark.line + 1, before)
    if ">" in lead:
        return next((number for number in behind if not lines[number].lstrip().startswith(">")), before)
    if lead.strip():
        width = indent_of(lead)
        return next((n for n in behind if lines[n].strip() and indent_of(lines[n]) <= width), before)
    return before


def _is_chat(marks: Sequence[_Mark]) -> bool:
    by_turns = all(one.side != other.side for one, other in pairwise(marks))
    is_copied = len(marks) > 1 and all(mark.is_announced for mark in marks)
    return by_turns and (is_copied or len(marks) >= _LEAST)


def _marks(lines: Sequence[str]) -> Iterator[_Mark]:
    fence: str | None = None
    for number, line in enumerate(lines):
        fence = fence_after(line.lstrip(" \t>"), fence)
        found = None if fence else _LINE.match(line)
        if found is None:
            continue
        side, is_announced = _sides().get(" ".join(found["label"].casefold().split()), (None, False))
        is_bold = found["open"] is not None
        is_alone = not found["rest"].strip()
        # Without a colon it is a label only as a heading or in bold, alone on its line.
        is_marked = bool(found["inner"] or found["outer"]) or (is_alone and (found["heading"] or is_bold))
        if side is None or not is_marked or found["open"] != found["close"]:
            continue
        form = (found["lead"], found["heading"] is not None, is_bold)
        yield _Mark(number, found.end("lead"), found.start("rest"), side, form, is_announced and is_alone)


@cache
def _sides() -> dict[str, tuple[Side, bool]]:
    """Return each label's side, and whether a program's page announces it."""
    return {
        **dict.fromkeys(entries(_AREA, "you"), ("you", False)),
        **dict.fromkeys(entries(_AREA, "other"), ("other", False)),
        **dict.fromkeys(entries(_AREA, "said_by_you"), ("you", True)),
        **dict.fromkeys(entries(_AREA, "said_by_other"), ("other", True)),
    }


_QUOTED: Final = late_pattern(
    r"[“„«][^”“»\n]*+[”“»]?|\"[^\"\n]*+\"?|^[ \t]*+>.*$|\[[^\[\]\n]++\](?=\(https?://)", regex.MULTILINE
)


def quoted_offsets(text: str) -> frozenset[int]:
    """Return the offsets within quotations and titles of web pages; an unclosed one ends with its line."""
    return frozenset(place for match in _QUOTED.finditer(text) for place in range(*match.span()))


MAX_STEP_CHARS: Final = 120
"""Maximum characters of a step."""
MAX_STEPS: Final = 8
_BULLET: Final = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(\S.*)")
_INDENT: Final = re.compile(r"^[ \t]*(?=\S[^\n]*\w|\w)", re.MULTILINE)  # of a line that has a word
_LINK: Final = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\n]*\)")
_NOTE_SUFFIXES: Final = (".md", ".markdown", ".txt", ".org", ".csv")
_MAIL: Final = re.compile(r"mail/[^/\s]+@[^/\s]+")  # a mail id, whose domain may look like a file ending
_NEAR: Final = tuple(map(timedelta, (-1, 0, 1)))  # in UTC a local day may begin on another
NOTION_ID: Final = re.compile(r" [0-9a-f]{32}(?:_all)?\Z")  # Notion's exports add a page's id, "_all" to a table's

PATH_SIGN: Final = " › "
"""Stands between the steps of a shown path."""
Path = tuple[str, ...]
_Step = tuple[int, str]  # (level or columns, words)


def title_of(source_ref: str | None, told: datetime = UNDATED) -> str | None:
    """Return the title from a file name, without folder, ending and Notion id; None if it is not a file.

    Args:
        told: when the note was told; a day that begins the name and contradicts it is left out (ruling I2).
    """
    if _MAIL.fullmatch(source_ref or ""):
        return None
    name = (source_ref or "").partition("#")[0].rpartition("/")[2]
    found = next((name[: -len(suffix)] for suffix in _NOTE_SUFFIXES if name.lower().endswith(suffix)), "")
    return _cut(_without_other_days(NOTION_ID.sub("", found), told)) or None


def _without_other_days(name: str, told: datetime) -> str:
    """Return a name without the day that begins it, if that is the only one and is not the day of `told`."""
    days = [each for each in stated_dates(name.replace("_", "-")) if each.year and each.month and each.day]
    if not has_date(told) or {each[:3] for each in days} & {(told + one).timetuple()[:3] for one in _NEAR}:
        return name
    match sorted({(each.start, each.end) for each in days}):
        case [(0, end)]:
            return name[end:].strip(" -_,.")
        case _:
            return name


def page_name(stem: str) -> str:
    """Return a Logseq page name from its file name: `Kiln___Hot%3F` is `Kiln/Hot?`."""
    return unquote(stem.replace("___", "/"))


def path_offset(content: str, start: int, end: int) -> int:
    """Return the offset whose path a span has: its start, or its least indented line."""
    begins = content.rfind("\n", 0, start) + 1
    found = [(indent_width(line[0]), max(start, line.end())) for line in _INDENT.finditer(content, begins, end)]
    return min(found, key=lambda each: each[0], default=(0, start))[1]


def context_paths(
    content: str, starts: Sequence[int], *, source_ref: str | None, told: datetime = UNDATED
) -> tuple[Path, ...]:
    """Return the context paths of the ascending offsets `starts` in a thought found at `source_ref` (`title_of`)."""
    title = title_of(source_ref, told)
    above = _above(blank_other_speakers(content), starts)
    return tuple(_join_path(title, path, content, start) for path, start in zip(above, starts, strict=True))


def repeats_path_step(text: str, steps: Sequence[str]) -> bool:
    """Return whether a text contains a step of a path, or a step the text."""
    own = " ".join(plain_words(text))
    found = (" ".join(plain_words(step.rstrip("…"))) for step in steps)
    return bool(own) and any(step and (step in own or own in step) for step in found)


def plain_words(text: str) -> tuple[str, ...]:
    """Return the words of a text in lower case, without signs."""
    return tuple("".join(sign if sign.isalnum() else " " for sign in text.casefold()).split())


def _join_path(title: str | None, above: Path, content: str, start: int) -> Path:
    """Join the path's parts, dropping repeated steps; beyond `MAX_STEPS` middle ones are dropped."""
    header = _table_head(content, start)
    steps = [step for step in (title, *above, header) if step]
    kept = [
        step
        for step, over in zip(steps, [None, *steps], strict=False)  # each step with the one above
        if over is None or step.casefold() != over.casefold()
    ]
    return tuple(kept if len(kept) <= MAX_STEPS else [kept[0], *kept[1 - MAX_STEPS :]])


def _table_head(content: str, start: int) -> str | None:
    line_start = content.rfind("\n", 0, start) + 1
    line_end = content.find("\n", start)
    if cells_of(content[line_start : line_end if line_end >= 0 else len(content)]) is None:
        return None
    return _cut(", ".join(filter(None, header_above(content, line_start) or ()))) or None


def _above(content: str, starts: Sequence[int]) -> Iterator[Path]:
    outline, lines, line = _Outline(), iter(content.split("\n")), ""
    ends = -1  # the line not yet read starts behind this offset
    for start in starts:
        while start > ends:
            outline.read(line)
            line = next(lines)
            ends += 1 + len(line)
        yield outline.over(line)


class _Outline:
    """Open headings and bullets while reading a note line by line."""

    def __init__(self) -> None:
        self._headings: list[_Step] = []
        self._bullets: list[_Step] = []
        self._owner: list[_Step] = []  # the text line that bullets indented right below it hang under
        self._fence: str | None = None

    def read(self, line: str) -> None:
        """Consume a line."""
        before, self._fence = self._fence, fence_after(line, self._fence)
        if before is not None or self._fence is not None or not line.strip():
            return
        if heading := HEADING.fullmatch(line):
            self._headings = [*_under(self._headings, len(heading[1])), (len(heading[1]), _words(heading[2]))]
            self._bullets, self._owner = [], []
        elif bullet := _BULLET.fullmatch(line):
            width = indent_width(line)
            self._bullets = [*_under(self._bullets or self._owner, width), (width, _words(bullet[1]))]
            self._owner = []
        elif not line[0].isspace():  # an indented text goes on with its bullet
            self._bullets, self._owner = [], [(0, _words(line))]

    def over(self, line: str) -> Path:
        """Return the headings and bullets above the next line."""
        if heading := HEADING.fullmatch(line):
            return _texts(_under(self._headings, len(heading[1])))
        owner = self._owner if _BULLET.fullmatch(line) else []  # only a bullet hangs under a text line
        return _texts([*self._headings, *_under(self._bullets or owner, indent_width(line))])


def _under(steps: Sequence[_Step], width: int) -> list[_Step]:
    return [step for step in steps if step[0] < width]


def _texts(steps: Sequence[_Step]) -> Path:
    return tuple(text for _, text in steps if text)


def _words(text: str) -> str:
    return _cut(_LINK.sub(r"\1", text).strip(" \t#*_`"))


def _cut(text: str) -> str:
    return text if len(text) <= MAX_STEP_CHARS else text[: MAX_STEP_CHARS - 1].rstrip() + "…"
