"""Every pattern that the package compiles, and how each is used.

Law: found, not listed. Whatever lies in a module of `voice`, in a table of one or in a default of its functions is
walked; what is written inside a call (`re.sub("...", ...)`) is read from the source, and what excludes a time from the
files of its language.
"""

import ast
import dataclasses
import importlib
import pkgutil
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import takewhile
from pathlib import Path
from types import ModuleType
from typing import NamedTuple, cast, get_args

import regex

import voice
from voice.core.nlq.phrase_tables.reading import phrase_table
from voice.core.text.lazy import _LazyPattern
from voice.core.text.word_lists import Language

ROOT = Path(voice.__file__).parent
Compiled = re.Pattern[str] | re.Pattern[bytes] | regex.Pattern[str] | _LazyPattern
ANCHORED = frozenset({"match", "fullmatch"})
_DEPTH = 6
_FEW = 8_000  # characters; what excludes a time is given 120 on either side
_SEARCHES = {"search", "finditer", "findall", "split", "sub", "subn"}


class Used(NamedTuple):
    """One pattern of the package."""

    place: str
    """The name of the module's member that holds it, or the file and line that it stands in."""
    pattern: Compiled
    uses: frozenset[str]
    """`match`, `fullmatch` and `search`, which stands for all that look for it anywhere."""
    longest: int = 1_000_000
    """The most characters that it is tried on."""


@cache
def modules() -> tuple[ModuleType, ...]:
    """Return the modules of the package, but for programs and what stands on another framework."""
    found = pkgutil.walk_packages(voice.__path__, "voice.")
    names = [each.name for each in found if not each.name.endswith("__main__")]
    return tuple(importlib.import_module(name) for name in names if not _is_of_a_framework(name))


def _is_of_a_framework(name: str) -> bool:
    """Return whether a module stands on a framework that its extra brings."""
    return name.startswith("voice.integrations.") and name != "voice.integrations.tools"


@cache
def patterns() -> tuple[Used, ...]:
    """Return every pattern of the package, each once."""
    found: dict[object, Used] = {}
    for used in (*_held(), *_written_in_calls(), *excluding()):
        key = (type(used.pattern), used.pattern.pattern, used.pattern.flags)
        before = found.get(key)
        found[key] = used if before is None else before._replace(uses=before.uses | used.uses)
    return tuple(found.values())


def _held() -> Iterator[Used]:
    seen: set[int] = set()
    for module in modules():
        for name, value in vars(module).items():
            for pattern in _inside(value, seen, _DEPTH):
                named = _uses(module, name) if pattern is value else frozenset[str]()
                yield Used(f"{module.__name__}.{name}", pattern, named or ANCHORED | {"search"})


def _inside(value: object, seen: set[int], depth: int) -> Iterator[Compiled]:
    if isinstance(value, re.Pattern | regex.Pattern | _LazyPattern):
        yield cast("Compiled", value)
    elif depth and id(value) not in seen:
        seen.add(id(value))
        for part in _parts(value):
            yield from _inside(part, seen, depth - 1)


def _parts(value: object) -> Iterable[object]:
    if isinstance(value, Mapping):
        yield from cast("Mapping[object, object]", value).keys()
        yield from cast("Mapping[object, object]", value).values()
    elif isinstance(value, list | tuple | set | frozenset):
        yield from cast("Iterable[object]", value)
    elif isinstance(value, type):
        yield from vars(value).values() if value.__module__.startswith("voice.") else ()
    elif dataclasses.is_dataclass(value):
        yield from (getattr(value, field.name, None) for field in dataclasses.fields(value))


@cache
def _trees() -> tuple[tuple[Path, ast.Module], ...]:
    return tuple((path, ast.parse(path.read_text("utf-8"))) for path in sorted(ROOT.rglob("*.py")))


def _uses(module: ModuleType, name: str) -> frozenset[str]:
    """Return which methods of a member are called: of a private one in its module, of another one anywhere."""
    return frozenset(
        use for path, named, use in _calls() if named == name and (name[0] != "_" or path == module.__file__)
    )


@cache
def _calls() -> frozenset[tuple[str, str, str]]:
    found: set[tuple[str, str, str]] = set()
    for path, tree in _trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute):
                name = node.value.id if isinstance(node.value, ast.Name) else node.value.attr
                use = "search" if node.attr in _SEARCHES else node.attr
                if use in {"search", *ANCHORED}:
                    found.add((str(path), name, use))
    return frozenset(found)


def _written_in_calls() -> Iterator[Used]:
    for path, tree in _trees():
        for node in ast.walk(tree):
            if (written := _pattern_in(node)) is not None:
                engine, method, pattern = written
                compiled = cast("Compiled", engine.compile(pattern))
                use = "search" if method in _SEARCHES else method
                yield Used(f"{path.relative_to(ROOT)}:{cast('ast.Call', node).lineno}", compiled, frozenset({use}))


def excluding() -> Iterator[Used]:
    """Yield what excludes a time in each language, as it is used."""
    for language in get_args(Language):
        for line in phrase_table(language).refusals.lines:
            for pattern, use in ((line.before, "search"), (line.said, "fullmatch"), (line.after, "match")):
                if pattern is not None:
                    yield Used(f"times.{language}.txt", pattern, frozenset({use}), _FEW)


def _pattern_in(node: ast.AST) -> tuple[ModuleType, str, str] | None:
    """Return engine, method and expression of a call like `re.sub("...", ...)`; None for whatever else it is."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
        return None
    engine = node.func.value.id if isinstance(node.func.value, ast.Name) else ""
    first = node.args[0]
    if engine not in ("re", "regex") or node.func.attr not in {*_SEARCHES, *ANCHORED}:
        return None
    if not (isinstance(first, ast.Constant) and isinstance(first.value, str)):
        return None
    return (re if engine == "re" else cast("ModuleType", regex)), node.func.attr, first.value


@cache
def comment_at(place: str) -> str:
    """Return the comment over the statement that makes the pattern of that place; empty where there is none."""
    module, _, name = place.rpartition(".")
    found = next((each for each in modules() if each.__name__ == module), None)
    if found is None or found.__file__ is None:
        return ""
    lines = Path(found.__file__).read_text("utf-8").splitlines()
    above = next((at for at, line in enumerate(lines) if line.startswith((f"{name} ", f"{name}:"))), 0)
    comments = list(takewhile(lambda line: line.startswith("#"), reversed(lines[:above])))
    return "\n".join(reversed(comments))
