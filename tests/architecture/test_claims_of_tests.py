"""A test that only says that nothing was found passes when the code that looks is gone; so it finds something, too."""

import ast
import re
from collections.abc import Iterator
from itertools import starmap
from pathlib import Path
from typing import Final

import pytest

from tables import tables

TABLES = tables(__file__)

_TESTS: Final = Path(__file__).resolve().parents[1]
_EMPTY_BY_CALL: Final = frozenset({"set", "frozenset", "dict", "list", "tuple"})
_RAISES: Final = frozenset({"raises", "warns", "fail"})
_DEF: Final = re.compile(r"(?:async )?def (\w+)")
_MAY_BE: Final = re.compile(r"\bnot\b|\bis None\b|\ball\(|isdisjoint|== *(?:[\w\[\], ]*\(\)|\[\]|\{\}|b?\"\")|[(\[{]$")
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def _is_empty(value: ast.expr) -> bool:
    match value:
        case ast.List(elts=[]) | ast.Tuple(elts=[]) | ast.Dict(keys=[]) | ast.Constant(value=None | "" | b""):
            return True
        case ast.Call(func=ast.Name(id=name), args=[], keywords=[]):
            return name in _EMPTY_BY_CALL
        case ast.Call(func=ast.Subscript(), args=[]):
            return True
        case _:
            return False


def finds_nothing(claim: ast.expr) -> bool:
    """Whether a claim says of something that it is not there."""
    match claim:
        case ast.UnaryOp(op=ast.Not(), operand=ast.Attribute() | ast.Name() | ast.Constant()):
            return False  # a property of what is there
        case ast.UnaryOp(op=ast.Not()) | ast.Call(func=ast.Attribute(attr="isdisjoint")):
            return True
        case ast.Compare(ops=[*ops], left=left, comparators=[*others]):
            is_absent = all(isinstance(op, ast.NotIn) for op in ops)
            is_same = all(isinstance(op, ast.Eq | ast.Is) for op in ops)
            return is_absent or (is_same and any(map(_is_empty, (left, *others))))
        case ast.BoolOp(values=values):
            return all(map(finds_nothing, values))
        case ast.Call(func=ast.Name(id="all"), args=[ast.GeneratorExp(elt=each)]):
            return finds_nothing(each)
        case _:
            return False


def _functions(module: ast.Module | ast.ClassDef) -> Iterator[_Function]:
    for node in module.body:
        if isinstance(node, _Function):
            yield node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node)


def _statements(statement: ast.AST) -> Iterator[ast.AST]:
    """Yield a statement and those in it; expressions, which are most of a tree, are not looked into."""
    yield statement
    for name in ("body", "orelse", "handlers", "finalbody", "cases"):
        for inner in getattr(statement, name, ()) if not isinstance(statement, ast.expr) else ():
            yield from _statements(inner)


def _claims(function: _Function) -> list[ast.expr]:
    return [each.test for each in _statements(function) if isinstance(each, ast.Assert)]


def _called(function: _Function) -> set[str]:
    calls = (node.func for node in ast.walk(function) if isinstance(node, ast.Call))
    return {call.attr if isinstance(call, ast.Attribute) else getattr(call, "id", "") for call in calls}


def _searches(function: _Function) -> bool:
    """Whether it is a law over drawn examples, which hold what it is about and what it is not."""
    return any("given" in ast.unparse(mark).split("(")[0] for mark in function.decorator_list)


def _claim_lines(source: str) -> dict[str, list[str]]:
    """Where claims begin in the functions of a source, by name: reading it as text takes a tenth of parsing it."""
    found: dict[str, list[str]] = {}
    inside = ""
    for line in map(str.strip, source.splitlines()):
        if name := _DEF.match(line):
            inside = name[1]
        elif line.startswith("assert "):
            found.setdefault(inside, []).append(line)
    return found


def _may_be_one_sided(function: str, claims: list[str]) -> bool:
    return function.startswith("test_") and all(map(_MAY_BE.search, claims))


def one_sided(sources: dict[str, str]) -> list[str]:
    """The tests all of whose claims find nothing; a helper that claims something itself counts as finding."""
    lines = {name: _claim_lines(source) for name, source in sources.items()}
    helpers = _RAISES | {each for of_file in lines.values() for each in of_file if not each.startswith("test_")}
    suspects = (name for name, of_file in lines.items() if any(starmap(_may_be_one_sided, of_file.items())))
    modules = {name: ast.parse(sources[name]) for name in suspects}
    functions = [(name, each, _claims(each)) for name, module in modules.items() for each in _functions(module)]
    return [
        f"{name}:{each.lineno} {each.name}"
        for name, each, claims in functions
        if each.name.startswith("test_") and claims and all(map(finds_nothing, claims))
        if not _searches(each) and helpers.isdisjoint(_called(each))
    ]


def test_every_test_that_finds_nothing_finds_something_too() -> None:
    sources = {str(path.relative_to(_TESTS)): path.read_text(encoding="utf-8") for path in _TESTS.rglob("*.py")}
    assert one_sided(sources) == []
    assert len(sources) > 100


@pytest.mark.parametrize(("claims", "is_one_sided"), TABLES["a_one_sided_test_is_told_from_others"])
def test_a_one_sided_test_is_told_from_others(claims: str, is_one_sided: bool) -> None:  # noqa: FBT001 - parametrised
    helper = "def looked():\n    assert 1 == 1\n"
    assert bool(one_sided({"a.py": f"{helper}def test_it():\n    {claims}\n"})) is is_one_sided
