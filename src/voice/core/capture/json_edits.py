"""Changes of one place in a JSON text, all else to the letter.

Law: what is not changed keeps its bytes: order, indentation, line ends and numbers as they were written. What is put in
is laid out as its neighbours are. Where a name stands twice in an object, the last one counts, as it does for readers
of JSON.
"""

import json
import re
from collections.abc import Iterator
from json import JSONDecoder
from typing import Final, NamedTuple

_BLANK: Final = re.compile(r"[ \t\r\n]*+")
_STEP: Final = "  "


class Child(NamedTuple):
    """A member of an object, or an element of a list."""

    name: str | None
    start: int
    """Where it begins: a member at its name."""
    value: int
    end: int


def children(text: str, opens: int) -> tuple[Child, ...]:
    """Return what an object or a list holds.

    Args:
        text: valid JSON.
        opens: where its opening bracket stands.
    """
    return tuple(_children(text, opens))


def _children(text: str, opens: int) -> Iterator[Child]:
    decoder, is_object = JSONDecoder(), text[opens] == "{"
    place = _past_blank(text, opens + 1)
    while text[place] not in "}]":
        start = value = place
        name = None
        if is_object:
            name, end = decoder.raw_decode(text, start)
            value = _past_blank(text, _past_blank(text, end) + 1)
        _, end = decoder.raw_decode(text, value)
        yield Child(name, start, value, end)
        place = _past_blank(text, end)
        place = _past_blank(text, place + 1) if text[place] == "," else place


def child_named(text: str, opens: int, name: str) -> Child | None:
    """Return the member of an object that counts under a name."""
    return next((each for each in reversed(children(text, opens)) if each.name == name), None)


def appended(text: str, opens: int, value: object, name: str | None = None) -> str:
    """Return the text with a value more at the end of an object, under a name, or of a list."""
    held = children(text, opens)
    step, line = _layout(text)
    if held:
        gap = text[opens + 1 : held[0].start]
        made = _rendered(value, name, step=step if "\n" in gap else None, line=line + gap.rpartition("\n")[2])
        return f"{text[: held[-1].end]},{gap or ' '}{made}{text[held[-1].end :]}"
    closes = _past_blank(text, opens + 1)
    around = _indent_at(text, opens)
    made = _rendered(value, name, step=step, line=line + around + step)
    return f"{text[: opens + 1]}{line}{around}{step}{made}{line}{around}{text[closes:]}"


def without(text: str, opens: int, child: Child) -> str:
    """Return the text without one of several children of an object or a list, or with an empty one for the only one."""
    held = children(text, opens)
    place = held.index(child)
    if len(held) == 1:
        return text[: opens + 1] + text[_past_blank(text, child.end) :]
    if place == len(held) - 1:
        return text[: held[place - 1].end] + text[child.end :]
    return text[: child.start] + text[held[place + 1].start :]


def _rendered(value: object, name: str | None, *, step: str | None, line: str) -> str:
    made = json.dumps(value, ensure_ascii=False, indent=step)
    begins = "" if name is None else f"{json.dumps(name, ensure_ascii=False)}: "
    return begins + made.replace("\n", line)


def _layout(text: str) -> tuple[str, str]:
    """Return how a text indents and ends its lines."""
    found = re.search(r"\n([ \t]+)", text)
    return (found[1] if found else _STEP), ("\r\n" if "\r\n" in text else "\n")


def _indent_at(text: str, place: int) -> str:
    start = text.rfind("\n", 0, place) + 1
    blank = re.match(r"[ \t]*+", text[start:place])
    return blank[0] if blank else ""


def _past_blank(text: str, place: int) -> int:
    found = _BLANK.match(text, place)
    return found.end() if found else place
