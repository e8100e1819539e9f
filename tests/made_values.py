"""A value of any type of the package, made of one text.

Law: from annotations alone: wherever the type has a text, it holds that text, and wherever it may hold several things,
it holds one. So a function that is new is called without anybody writing how. What has no such making stands in
`_OWN`, by its type.
"""

import dataclasses
import types
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, date, datetime, timedelta, tzinfo
from decimal import Decimal
from enum import Enum
from functools import cache
from inspect import Parameter, signature
from typing import Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints
from zoneinfo import ZoneInfo

import regex

from compiled_patterns import modules

_MANY: tuple[object, ...] = (Sequence, Iterable, Iterator, Collection, list, tuple)
_ID_BEGINS = {"Entity": "e", "Observation": "o", "Relation": "r"}
_NAMED = {
    "alias": "S1",
    "source": "e:1",
    "target": "e:2",
    "zone": "UTC",
    "timezone": "UTC",
    "data": "1234",
    "content_hash": "ab" * 32,
}
_SAID = {"content_hash": "ab" * 32, "key": "k" * 32, "nonce": "k" * 32, "zone": "UTC", "timezone": "UTC"}
_KEYS = ("id", "alias")
_DISTINCT: tuple[object, ...] = (set, frozenset, AbstractSet)
_KEYED: tuple[object, ...] = (Mapping, dict)
_CHOSEN: tuple[object, ...] = (Literal, type)
_UNIONS: tuple[object, ...] = (Union, types.UnionType)
_TEXTS: tuple[object, ...] = (str, bytes, object)


class CannotBeMade(TypeError):
    """No value of that type can be made of a text."""


@cache
def hints_of(taker: object) -> dict[str, object]:
    """Return the annotations of a function or class; what it imports for its annotations alone is looked up by name."""
    try:
        return get_type_hints(taker)
    except NameError:
        return get_type_hints(taker, localns={"regex": regex, **_classes()})


@cache
def _classes() -> Mapping[str, object]:
    found = [(name, value) for module in modules() for name, value in vars(module).items() if isinstance(value, type)]
    return dict(found)


@cache
def holds_text(kind: object) -> bool:
    """Return whether a text may stand in values of that type."""
    return _holds_text(kind, ())


def _holds_text(kind: object, within: tuple[object, ...]) -> bool:
    if kind in _TEXTS:
        return True
    if kind in within or (isinstance(kind, type) and issubclass(kind, Enum)):
        return False
    if isinstance(kind, TypeVar):
        return _holds_text(kind.__bound__, within)
    inner = get_args(kind) if get_origin(kind) not in (Literal, Callable) else ()
    fields = _fields(kind) if isinstance(kind, type) and not inner else {}
    return any(_holds_text(each, (*within, kind)) for each in (*inner, *fields.values()))


def made(kind: object, text: str, name: str = "") -> object:
    """Return a value of that type made of `text`.

    Raises:
        CannotBeMade: it is of a type that nothing tells how to make.
    """
    if kind in _own():
        return _own()[kind](text)
    if isinstance(kind, TypeVar):
        return made(kind.__constraints__[0] if kind.__constraints__ else kind.__bound__ or object, text, name)
    origin, inner = get_origin(kind), get_args(kind)
    if origin is not None:
        return _made_of_parts(origin, inner, text)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return next(iter(kind))
    if isinstance(kind, type):
        return _instance(cast("type[object]", kind), text)
    raise CannotBeMade(f"{name}: {kind}")


def arguments(function: Callable[..., object], text: str) -> dict[str, object]:
    """Return by their names the arguments that a function needs, and those it may be given that hold text."""
    return {name: made(kind, _SAID.get(name, text), name) for name, kind in _wanted(function).items()}


@cache
def _wanted(function: Callable[..., object]) -> Mapping[str, object]:
    hints = hints_of(function)
    return {
        name: hints[name]
        for name, parameter in signature(function).parameters.items()
        if name in hints and (parameter.default is Parameter.empty or holds_text(hints[name]))
        if parameter.kind not in (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL)
    }


def _made_of_parts(origin: object, inner: tuple[object, ...], text: str) -> object:
    if origin in _CHOSEN:
        return inner[0]
    if origin in _UNIONS:
        return made(next((each for each in inner if holds_text(each)), inner[0]), text)
    if origin is Callable:
        return _answering(inner[-1], text)
    if origin is tuple and inner[-1] is not Ellipsis:
        return tuple(made(each, text) for each in inner)
    if origin in (*_MANY, *_DISTINCT):
        one = made(inner[0], text)
        return (one,) if origin in _MANY else frozenset({one})
    if origin in _KEYED:
        value = made(inner[1], text)
        keys = [key for name in _KEYS if isinstance(key := getattr(value, name, None), str)]
        return dict.fromkeys((*keys, made(inner[0], text)), value)
    return made(origin, text)


def _answering(kind: object, text: str) -> Callable[..., object]:
    value = made(kind, text)
    return lambda *_args, **_named: value


def _instance(kind: type[object], text: str) -> object:
    if getattr(kind, "_is_protocol", False):
        raise CannotBeMade(f"{kind} is a protocol")
    if not (dataclasses.is_dataclass(kind) or hasattr(kind, "_fields") or _fields(kind)):
        return kind()
    needed = {
        name: _member(kind, name, hint, text)
        for name, hint in _fields(kind).items()
        if holds_text(hint) or _has_no_default(kind, name)
    }
    return cast("Callable[..., object]", kind)(**needed)


def _member(kind: type[object], name: str, hint: object, text: str) -> object:
    """Return a member of an instance; an id is no text from outside, and a place stands in the text."""
    if name in ("start", "end") and hint is int:
        return len(text) if name == "end" else 0
    if name == "id" or name.endswith(("_id", "_ids")):
        return made(hint, f"{_ID_BEGINS.get(kind.__name__, 't')}:1", name)
    if name in _NAMED:
        return made(hint, _NAMED[name], name)
    return made(hint, text, name)


@cache
def _fields(kind: object) -> dict[str, object]:
    """Return the types of what an instance is made of."""
    if not isinstance(kind, type) or kind.__module__ in ("builtins", "datetime", "decimal"):
        return {}
    made_of = cast("type[object]", kind)
    if dataclasses.is_dataclass(made_of):
        hints = hints_of(made_of)
        return {field.name: hints[field.name] for field in dataclasses.fields(made_of) if field.init}
    if hasattr(made_of, "_fields"):
        return hints_of(made_of)
    if getattr(made_of, "_is_protocol", False) or made_of.__init__ is object.__init__:
        return {}
    hints = hints_of(made_of.__init__)
    return {name: hint for name, hint in hints.items() if name != "return"}


@cache
def _has_no_default(kind: type[object], name: str) -> bool:
    return signature(kind).parameters[name].default is Parameter.empty


def _candidate(text: str) -> object:
    from voice.core.graph.review.candidates import Candidate, EntityProposal, candidate_id

    proposed = cast("EntityProposal", _instance(EntityProposal, text))
    hints = {name: hint for name, hint in hints_of(Candidate).items() if name not in ("id", "proposed")}
    needed = {name: made(hint, text) for name, hint in hints.items() if _has_no_default(Candidate, name)}
    return cast("Callable[..., object]", Candidate)(id=candidate_id(proposed), proposed=proposed, **needed)


@cache
def _own() -> Mapping[object, Callable[[str], object]]:
    """Return how what no annotation tells is made."""
    from voice.core.graph.review.candidates import Candidate
    from voice.core.nlq.phrase_matching import Token, tokenise
    from voice.core.nlq.phrase_tables.reading import phrase_table
    from voice.core.nlq.phrase_tables.table import PhraseTable
    from voice.core.retrieval.passages import Passage
    from voice.core.retrieval.values import Candidate as Ranked
    from voice.core.settings.parse import parse_settings
    from voice.core.settings.values import Settings
    from voice.core.text.words import Word, words

    now = datetime(2024, 3, 5, 12, tzinfo=UTC)
    return {
        str: lambda text: text,
        object: lambda text: text,
        bytes: lambda text: text.encode("utf-8", "surrogatepass"),
        int: lambda _: 1,
        float: lambda _: 0.5,
        bool: lambda _: True,
        type(None): lambda _: None,
        None: lambda _: None,
        datetime: lambda _: now,
        date: lambda _: now.date(),
        timedelta: lambda _: timedelta(days=1),
        tzinfo: lambda _: UTC,
        ZoneInfo: lambda _: ZoneInfo("UTC"),
        Decimal: lambda _: Decimal(1),
        Candidate: _candidate,
        Passage: lambda text: Passage(rows=(cast("Ranked", made(Ranked, text)),), found=0),
        Word: lambda text: next(iter(words(text)), None),
        Sequence[Word]: words,
        Sequence[Token]: lambda text: tokenise(text, "day_first"),
        PhraseTable: lambda _: phrase_table("en"),
        Settings: lambda _: parse_settings({}, {}, {}).settings,
    }
