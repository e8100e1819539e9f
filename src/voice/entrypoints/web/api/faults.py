"""What is wrong with what was sent: where it stands, and what it should be.

Law: what was wrong is told by its place and by what it should be, in the words of every other door; never by what stood
there, and never in the words of whatever checks it. What is of a kind that no sentence is here for is told so plainly.

Source: RFC 9457; promise 6.
"""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from pydantic import ValidationError

from voice.entrypoints.web.problems import Problem

_Context = Mapping[str, object]
_OF_ANOTHER_KIND: Final = "it is of another kind than it should be"
_WHOLE: Final = "it should be a whole number"
_NUMBER: Final = "it should be a number"
_LIST: Final = "it should be a list"
_OBJECT: Final = "it should be an object"
_PLAIN: Final[Mapping[str, str]] = MappingProxyType({
    "missing": "it is missing; say it",
    "string_type": "it should be a text",
    "string_too_short": "it is empty; say something",
    "int_type": _WHOLE,
    "int_parsing": _WHOLE,
    "int_parsing_size": _WHOLE,
    "int_from_float": _WHOLE,
    "float_type": _NUMBER,
    "float_parsing": _NUMBER,
    "finite_number": _NUMBER,
    "bool_type": "it should be true or false",
    "tuple_type": _LIST,
    "list_type": _LIST,
    "model_type": _OBJECT,
    "model_attributes_type": _OBJECT,
    "dict_type": _OBJECT,
})  # fmt: skip
_BOUNDED: Final[Mapping[str, Callable[[_Context], str]]] = MappingProxyType({
    "literal_error": lambda more: f"it should be {more['expected']}",
    "greater_than_equal": lambda more: f"it should be {_figure(more['ge'])} or more",
    "less_than_equal": lambda more: f"it should be {_figure(more['le'])} or less",
    "too_short": lambda more: f"it is too short a list; it should have {more['min_length']} or more",
    "too_long": lambda more: f"it is too long a list; it should have {more['max_length']} or fewer",
    "union_tag_not_found": lambda more: f"it should say its {_bare(more['discriminator'])}",
    "union_tag_invalid": lambda more: f"its {_bare(more['discriminator'])} should be one of {more['expected_tags']}",
    "value_error": lambda more: str(more["error"]),  # one of our own checks, in our own words
})  # fmt: skip


def told(fault: ValidationError, known: Sequence[str]) -> Problem:
    """Return where something is wrong and what it should be.

    Args:
        fault: what a model of `said` found.
        known: the names that the model has.
    """
    found = fault.errors(include_input=False, include_url=False)
    places = [each["loc"] for each in found]
    faults = [
        {"at": _place(each["loc"]), "what": _sentence(each["type"], each.get("ctx", {}), each["loc"], known)}
        for each in found
        if each["type"] != "too_short" or not _is_told_within(each["loc"], places)
    ]
    first = faults[0]
    where = f"{first['at']}: " if first["at"] else ""
    return Problem(code="invalid_params", detail=f"{where}{first['what']}", more={"faults": faults})


def _sentence(kind: str, more: _Context, loc: Sequence[int | str], known: Sequence[str]) -> str:
    if kind == "extra_forbidden":
        return "there is no such parameter" + (f"; there are {', '.join(known)}" if len(loc) == 1 else "")
    if kind in _BOUNDED:
        return _BOUNDED[kind](more)
    return _PLAIN.get(kind, _OF_ANOTHER_KIND)


def _place(loc: Sequence[int | str]) -> str:
    """Return a place as it stands in what was sent.

    What stands behind the number of an item is no name in it: every list of objects here is one of several kinds, and
    it is the kind that the item was taken for.
    """
    kept = [part for place, part in enumerate(loc) if place == 0 or not isinstance(loc[place - 1], int)]
    return "/".join(map(str, kept))


def _is_told_within(loc: Sequence[int | str], places: Sequence[Sequence[int | str]]) -> bool:
    """Return whether an item of the list is wrong, too: then it counts as not there, and only the item is told."""
    return any(len(place) > len(loc) and list(place[: len(loc)]) == list(loc) for place in places)


def _bare(name: object) -> str:
    return str(name).strip("'")


def _figure(bound: object) -> str:
    """Return a bound as somebody writes it: 1, whether a share is bounded by it or a count."""
    return f"{bound:g}" if isinstance(bound, float) else str(bound)
