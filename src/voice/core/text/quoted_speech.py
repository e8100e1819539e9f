"""Words of others in a note: pasted chats, and quotations.

Law: structure alone decides: alternating labels of one form at line starts, at least three, or one of each if announced
by a program's page. In doubt the text is the person's. Labels are data (`data/language/pasted_chats.toml`). Linear
time.

Source: rulings H.3, I6 ("a chat log is never one person's words").
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Final, Literal

import regex

from voice.core.text.language_data import entries
from voice.core.text.lazy import late_pattern

_AREA: Final = "pasted_chats"
_LEAST: Final = 3
"""Minimum number of alternating labels."""
_LINE: Final = late_pattern(
    r"(?P<lead>[ \t]*+(?:>[ \t]?|[-*+][ \t]++)*+)(?P<heading>\#{1,6}[ \t]++)?+"
    r"(?P<open>\*\*|__)?+(?P<label>[\p{L}][\p{L}\d .-]{0,23}?)[ \t\u00a0]?(?P<inner>:)?(?P<close>\*\*|__)?(?P<outer>:)?"
    r"(?(inner)(?=\s|\Z)|(?(outer)(?=\s|\Z)|(?=[ \t]*\Z)))(?P<rest>[^\n]*)"
)
"""A line that starts with a label, followed by a colon or nothing."""
_FENCE: Final = late_pattern(r"[ \t>]*+(```|~~~)")
Side = Literal["you", "other"]


@dataclass(frozen=True, slots=True)
class _Mark:
    """A label at a line start."""

    line: int
    start: int
    """Offset after quotation marks and bullets."""
    end: int
    side: Side
    form: tuple[str, bool, bool]
    """Prefix, whether it is a heading, whether it is bold."""
    is_announced: bool


def blank_other_speakers(text: str) -> str:
    """Blank the other side of a pasted chat and all labels, keeping offsets."""
    lines = text.split("\n")
    chats = _chats(_marks(lines))
    if not chats:
        return text
    for marks in chats:
        _blank(lines, marks)
    return "\n".join(lines)


def _blank(lines: list[str], marks: Sequence[_Mark]) -> None:
    nexts = [*(mark.line for mark in marks[1:]), len(lines)]
    ends = [min(each, _end_line(lines, mark)) for mark, each in zip(marks, nexts, strict=True)]
    for mark, end in zip(marks, ends, strict=True):
        line = lines[mark.line]
        until = mark.end if mark.side == "you" else len(line)
        lines[mark.line] = line[: mark.start] + " " * (until - mark.start) + line[until:]
        for number in range(mark.line + 1, end if mark.side == "other" else mark.line + 1):
            lines[number] = " " * len(lines[number])


def _end_line(lines: Sequence[str], mark: _Mark) -> int:
    """Return the line after which no turn continues: the end of the label's quotation or bullet."""
    lead = mark.form[0]
    behind = range(mark.line + 1, len(lines))
    if ">" in lead:
        return next((number for number in behind if not lines[number].lstrip().startswith(">")), len(lines))
    if lead.strip():
        width = _indent(lead)
        return next((n for n in behind if lines[n].strip() and _indent(lines[n]) <= width), len(lines))
    return len(lines)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _chats(marks: Iterator[_Mark]) -> list[list[_Mark]]:
    """Group labels by form, keeping those that make a chat."""
    of_form: dict[tuple[str, bool, bool], list[_Mark]] = {}
    for mark in marks:
        of_form.setdefault(mark.form, []).append(mark)
    return [each for each in of_form.values() if _is_chat(each)]


def _is_chat(marks: Sequence[_Mark]) -> bool:
    by_turns = all(one.side != other.side for one, other in pairwise(marks))
    is_copied = len(marks) > 1 and all(mark.is_announced for mark in marks)
    return by_turns and (is_copied or len(marks) >= _LEAST)


def _marks(lines: Sequence[str]) -> Iterator[_Mark]:
    fence: str | None = None
    for number, line in enumerate(lines):
        opened = _FENCE.match(line)
        if opened is not None and fence in {None, opened[1]}:
            fence = None if fence else opened[1]
        found = None if fence else _LINE.match(line)
        if found is None:
            continue
        side, is_announced = _sides().get(" ".join(found["label"].casefold().split()), (None, False))
        is_bold = found["open"] is not None
        is_alone = not found["rest"].strip()
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


_QUOTED: Final = late_pattern(r"[“„«][^”“»\n]*+[”“»]?|\"[^\"\n]*+\"?|^[ \t]*+>.*$", regex.MULTILINE)


def quoted_offsets(text: str) -> frozenset[int]:
    """Return the offsets within quotations; an unclosed one ends with its line."""
    return frozenset(place for match in _QUOTED.finditer(text) for place in range(*match.span()))
