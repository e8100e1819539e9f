"""The context path of a place in a note: title, headings, parent bullets, table header.

Law: outermost first, in the note's words without markup, without an assistant's part of a pasted chat. Depends on the
thought alone. Linear time.
Source: ruling I1; DESIGN 5 "A line is nothing without its place".
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final
from urllib.parse import unquote

from voice.core.text.markdown import cells_of, header_above
from voice.core.text.quoted_speech import blank_other_speakers

MAX_STEP_CHARS: Final = 120
"""Maximum characters of a step."""
MAX_STEPS: Final = 8
_TAB: Final = 4
_HEADING: Final = re.compile(r"(#{1,6})[ \t]+(\S.*)")
_BULLET: Final = re.compile(r"([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]+(\S.*)")
_FENCE: Final = re.compile(r"[ \t]*(```|~~~)")
_INDENT: Final = re.compile(r"^[ \t]*(?=\S[^\n]*\w|\w)", re.MULTILINE)
"""Indentation of a non-empty line."""
_LINK: Final = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\n]*\)")
_NOTE_SUFFIXES: Final = (".md", ".markdown", ".txt", ".org", ".csv")
_MAIL: Final = re.compile(r"mail/[^/\s]+@[^/\s]+")
"""A mail id, whose domain may look like a file ending."""
_NOTIONS_ID: Final = re.compile(r" [0-9a-f]{32}(?:_all)?\Z")

PATH_SIGN: Final = " › "
"""Stands between the steps of a shown path."""
Path = tuple[str, ...]
_Step = tuple[int, str]


def title_of(source_ref: str | None) -> str | None:
    """Return the title from a file name, without folder, ending and Notion id; None if it is not a file."""
    if _MAIL.fullmatch(source_ref or ""):
        return None
    name = (source_ref or "").partition("#")[0].rpartition("/")[2]
    found = next((name[: -len(suffix)] for suffix in _NOTE_SUFFIXES if name.lower().endswith(suffix)), "")
    return _cut(_NOTIONS_ID.sub("", found)) or None


def page_name(stem: str) -> str:
    """Return a Logseq page name from its file name: `Kiln___Hot%3F` is `Kiln/Hot?`."""
    return unquote(stem.replace("___", "/"))


def stands_at(content: str, start: int, end: int) -> int:
    """Return the offset whose path a span has: its start, or its least indented line."""
    begins = content.rfind("\n", 0, start) + 1
    found = [(_width(line[0]), max(start, line.end())) for line in _INDENT.finditer(content, begins, end)]
    return min(found, key=lambda each: each[0], default=(0, start))[1]


def context_paths(content: str, starts: Sequence[int], *, source_ref: str | None) -> tuple[Path, ...]:
    """Return the context paths of offsets.

    Args:
        starts: ascending offsets.
        source_ref: where the thought was found.
    """
    title = title_of(source_ref)
    above = _above(blank_other_speakers(content), starts)
    return tuple(_join_path(title, path, content, start) for path, start in zip(above, starts, strict=True))


def repeats_path_step(text: str, steps: Sequence[str]) -> bool:
    """Return whether a text contains a step of a path, or a step the text."""
    own = _letters(text)
    found = (_letters(step.rstrip("…")) for step in steps)
    return bool(own) and any(step and (step in own or own in step) for step in found)


def _letters(text: str) -> str:
    return " ".join("".join(sign if sign.isalnum() else " " for sign in text.casefold()).split())


def _join_path(title: str | None, above: Path, content: str, start: int) -> Path:
    """Join the path's parts, dropping repeated steps; beyond `MAX_STEPS` middle ones are dropped."""
    header = _table_head(content, start)
    steps = [step for step in (title, *above, header) if step]
    kept = [
        step
        for step, over in zip(steps, [None, *steps], strict=False)
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
    ends = -1
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
        self._fence: str | None = None

    def read(self, line: str) -> None:
        """Consume a line."""
        if self._passes_code(line) or not line.strip():
            return
        if heading := _HEADING.fullmatch(line):
            self._headings = [*_under(self._headings, len(heading[1])), (len(heading[1]), _words(heading[2]))]
            self._bullets = []
        elif bullet := _BULLET.fullmatch(line):
            width = _width(bullet[1])
            self._bullets = [*_under(self._bullets, width), (width, _words(bullet[2]))]
        elif not line[0].isspace():
            self._bullets = []

    def over(self, line: str) -> Path:
        """Return the headings and bullets above the next line."""
        if heading := _HEADING.fullmatch(line):
            return _texts(_under(self._headings, len(heading[1])))
        bullet = _BULLET.fullmatch(line)
        width = _width(bullet[1]) if bullet else _width(line[: len(line) - len(line.lstrip())])
        return _texts([*self._headings, *_under(self._bullets, width)])

    def _passes_code(self, line: str) -> bool:
        mark = _FENCE.match(line)
        if self._fence is not None:
            self._fence = None if mark and mark[1] == self._fence else self._fence
            return True
        self._fence = mark[1] if mark else None
        return mark is not None


def _under(steps: Sequence[_Step], width: int) -> list[_Step]:
    return [step for step in steps if step[0] < width]


def _texts(steps: Sequence[_Step]) -> Path:
    return tuple(text for _, text in steps if text)


def _width(indent: str) -> int:
    return len(indent.expandtabs(_TAB))


def _words(text: str) -> str:
    return _cut(_LINK.sub(r"\1", text).strip(" \t#*_`"))


def _cut(text: str) -> str:
    return text if len(text) <= MAX_STEP_CHARS else text[: MAX_STEP_CHARS - 1].rstrip() + "…"
