"""Read the arguments that a model sent, forgiving about their form.

Law: forgiving about form and never about meaning. A number in a text is that number, `"true"` is true, one tag is a
list of it, JSON in a text is what it says, null is nothing (and so is the text "null", but for words that are meant
literally), another common name of a parameter is that parameter; what no parameter is called is named and left out.
What could mean two things, or nothing, is refused with what to send instead: a default is never put in the place of
something unreadable, and a message never repeats what was sent.

Source: DESIGN 8 MCP; STYLE 8.
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from voice.core.errors import InvalidParams
from voice.core.recall.params import DIMENSIONS, EVERYTHING, HERE, parse_scope
from voice.core.records import Scope
from voice.entrypoints.mcp.tools import Tool
from voice.requests import Kind, Parameter

if TYPE_CHECKING:
    from voice.core.grounding.check import Fact

_NOTHING = frozenset({"", "null", "none", "undefined"})  # words by which models say that they say nothing
_YES = frozenset({"true", "yes", "y", "on", "1"})
_NO = frozenset({"false", "no", "n", "off", "0"})
_WRAPPERS = frozenset({"arguments", "args", "params", "parameters", "input", "kwargs"})  # sent around the object
_MOST_DIGITS = 400  # characters of a number in a text; the largest double takes 309
_PATH = re.compile(r"/|[A-Za-z]:[\\/]")  # "/home/ann/site" or "C:\site"
_BETWEEN_DIMENSIONS = re.compile(r"(?<![,;\s])[,;\s]++(?=[\w-]++=)")  # "user=ann, repo=/a b": before `repo=`


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """The arguments of a call: each of the kind that its parameter asks for; what was not said is not there."""

    values: Mapping[str, object]
    ignored: tuple[str, ...] = ()
    """Names that were sent and that the tool does not know, in the order they came."""

    def text(self, name: str) -> str | None:
        """Return a text, or None."""
        return cast("str | None", self.values.get(name))

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts; an empty one where nothing was said."""
        return cast("tuple[str, ...]", self.values.get(name, ()))

    def integer(self, name: str) -> int | None:
        """Return a whole number, or None."""
        return cast("int | None", self.values.get(name))

    def facts(self, name: str) -> "tuple[Fact, ...]":
        """Return facts; none where nothing was said."""
        return cast("tuple[Fact, ...]", self.values.get(name, ()))

    def flag(self, name: str) -> bool | None:
        """Return yes or no, or None."""
        return cast("bool | None", self.values.get(name))

    def scope(self) -> Scope | None:
        """Return the scope, or None."""
        return cast("Scope | None", self.values.get("scope"))


def read_arguments(tool: Tool, sent: object) -> Arguments:
    """Return what was sent to a tool, as its parameters have it. Raises InvalidParams: it is no set of arguments, one
    is of another kind or names no choice, or a required one is not there."""
    said = _argument_object(tool, sent)
    places = {_normalised_name(also): each for each in tool.parameters for also in each.also}
    # Added last: an exact name wins over an alias of another parameter.
    places |= {_normalised_name(each.name): each for each in tool.parameters}
    values: dict[str, object] = {}
    ignored: list[str] = []
    # Exact names are read first, so that an alias of the same parameter gives way.
    for name in sorted(said, key=lambda name: name not in {each.name for each in tool.parameters}):
        parameter = places.get(_normalised_name(name))
        value = None if parameter is None else _read(parameter, said[name])
        if parameter is None or (parameter.name in values and value is not None):
            ignored.append(name)  # unknown, or said twice
        elif value is not None:
            values[parameter.name] = value
    missing = [each.name for each in tool.parameters if each.required and each.name not in values]
    if missing:  # the first is enough: its example shows the rest
        raise InvalidParams(f"{tool.name} needs {missing[0]}, such as {json.dumps(dict(tool.example))}")
    return Arguments(values=values, ignored=tuple(name for name in said if name in ignored))


def _argument_object(tool: Tool, sent: object) -> Mapping[str, object]:
    value = _unwrapped_text(sent) if isinstance(sent, str) else sent
    if value is None or (isinstance(value, str) and not value.strip()):
        return {}
    if isinstance(value, str):  # a bare text is the one thing that the tool cannot do without
        (first, *_) = [each.name for each in tool.parameters if each.required] or [None]
        if first is not None:
            return {first: value}
    if not isinstance(value, Mapping):
        raise InvalidParams(f"{tool.name} takes an object of arguments, such as {json.dumps(dict(tool.example))}")
    said = {str(name): each for name, each in cast("Mapping[object, object]", value).items()}
    (only, *more) = said or [""]  # the keys of a mapping; [""] stands for an empty one
    if not more and _normalised_name(only) in _WRAPPERS and isinstance(said[only], Mapping):
        return _argument_object(tool, said[only])
    return said


def _unwrapped_text(text: str) -> object:
    """Return the object or the list that a text is the JSON of; the text itself where it is neither."""
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return cast("object", json.loads(text))
    except (ValueError, RecursionError):  # RecursionError: "[[[[…" of thousands
        return text


def _normalised_name(name: str) -> str:
    """Return a parameter's name without the case, hyphens and underscores in which spellings of it differ."""
    return re.sub(r"[-_\s]", "", name).casefold()


def _read(parameter: Parameter, value: object) -> object | None:
    is_nothing = value is None or (isinstance(value, str) and value.strip().casefold() in _NOTHING)
    # "none" is a fine query, name or note; as an optional word it says nothing.
    is_literal = parameter.kind == "text" and (parameter.is_literal or (parameter.required and not parameter.choices))
    if value is None or (is_nothing and (not is_literal or value == "")):  # an empty text is nothing even there
        return None
    return _READERS[parameter.kind](parameter, value)


def _text(parameter: Parameter, value: object) -> object | None:
    if isinstance(value, list):
        items = cast("list[object]", value)
        value = items[0] if len(items) == 1 else None  # ["x"] means "x"; of several, none can be chosen
    if isinstance(value, bool | int | float):
        value = json.dumps(value)
    if not isinstance(value, str):
        raise InvalidParams(f"{parameter.name} must be text")
    if not parameter.choices:
        return value
    word = re.sub(r"[-\s]+", "_", value.strip().casefold())  # "New thread", "new-thread": new_thread
    chosen = dict(parameter.meant).get(word, word)
    if chosen not in parameter.choices:
        raise InvalidParams(f"{parameter.name} must be one of {', '.join(parameter.choices)}")
    return chosen


def _number(parameter: Parameter, value: object) -> float:
    number = math.nan
    is_long = isinstance(value, str) and len(value) > _MOST_DIGITS
    if isinstance(value, str | int | float) and not isinstance(value, bool) and not is_long:
        with suppress(ValueError, OverflowError):  # no number, or beyond the largest double, which JSON may hold
            number = float(value)
    if not math.isfinite(number):
        raise InvalidParams(f"{parameter.name} must be a number")
    return number


def _integer(parameter: Parameter, value: object) -> int:
    number = _number(parameter, value)
    if not number.is_integer():
        raise InvalidParams(f"{parameter.name} must be a whole number")
    return int(number)


def _flag(parameter: Parameter, value: object) -> bool:
    word = str(value).strip().casefold() if isinstance(value, str | bool | int) else ""  # 1 and 0 too
    if word in _YES or word in _NO:
        return word in _YES
    raise InvalidParams(f"{parameter.name} must be true or false")


def _texts(parameter: Parameter, value: object) -> object | None:
    if isinstance(value, str):
        found = _unwrapped_text(value)
        value = value.split(",") if isinstance(found, str) else found  # '["a, b"]' keeps its comma; "a, b" is two
    items = cast("list[object]", value) if isinstance(value, list) else [value]
    read = (_item(parameter, item) for item in items if item is not None)
    return tuple(dict.fromkeys(each for each in read if each)) or None  # each once, in order; an empty list is not said


def _item(parameter: Parameter, item: object) -> str:
    """Return one of a list: a text, a number as one, or the `id` or `name` of an object."""
    if isinstance(item, Mapping):
        named = cast("Mapping[str, object]", item)
        item = named.get("id", named.get("name"))
    # True is an int to `isinstance`.
    if isinstance(item, bool) or not isinstance(item, str | int | float):
        raise InvalidParams(f"{parameter.name} must be a list of texts")
    return str(item).strip()


def _scope(parameter: Parameter, value: object) -> object | None:
    value = _unwrapped_text(value) if isinstance(value, str) else value
    if isinstance(value, Mapping):
        return _scope_of(parameter, cast("Mapping[object, object]", value))
    items = cast("list[object]", value) if isinstance(value, list) else [value]
    said = [each.strip() for each in items if isinstance(each, str)]
    if not said:
        raise InvalidParams(f'{parameter.name} must be text such as "repo=/home/ann/site", "all" or "here"')
    if len(said) == 1 and (plain := said[0].casefold()) in (EVERYTHING, HERE):
        return parse_scope([plain])  # beside other words, it is an error
    return parse_scope([_dimension(word) for each in said for word in _BETWEEN_DIMENSIONS.split(each)])


def _dimension(word: str) -> str:
    """Return `dimension=value` as a scope has it; a path alone is that of a repository."""
    name, sign, rest = word.partition("=")
    if not sign and _PATH.match(word):
        return f"repo={word}"
    return f"{_normalised_name(name).removesuffix('id')}{sign}{rest}"  # "repo_id=x" and "repoId=x": "repo=x"


def _scope_of(parameter: Parameter, value: Mapping[object, object]) -> Scope | None:
    said: dict[str, str] = {}
    for name, each in value.items():
        dimension = _normalised_name(str(name)).removesuffix("id")  # "user_id", "userId", "user"
        if each is None or each == "":
            continue
        if dimension not in DIMENSIONS or not isinstance(each, str):
            known = ", ".join(f"{known}_id" for known in DIMENSIONS)
            raise InvalidParams(f"{parameter.name} has the dimensions {known}, each a text")
        said[dimension] = each
    return parse_scope([f"{dimension}={each}" for dimension, each in said.items()]) if said else None


def _facts(parameter: Parameter, value: object) -> object | None:
    from voice.core.grounding.check import facts_of, parse_facts  # noqa: PLC0415 - brings the judge, which few need

    try:
        if isinstance(value, str):
            return parse_facts(value)
        return facts_of(cast("list[object]", value) if isinstance(value, list) else [value]) or None
    except InvalidParams as error:
        raise InvalidParams(f"{parameter.name}: {error.message}") from None


_READERS: Mapping[Kind, Callable[[Parameter, object], object | None]] = {
    "text": _text,
    "integer": _integer,
    "number": _number,
    "flag": _flag,
    "texts": _texts,
    "scope": _scope,
    "facts": _facts,
}
