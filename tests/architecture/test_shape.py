"""The shape that keeps the program readable: small files, short functions, a law at the head."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[2]
_SOURCE = _ROOT / "src" / "voice"
_MAX_FILE = 400
_MAX_FUNCTION = 40
_CORE = "src/voice/core/"
_COMMANDS = "src/voice/entrypoints/cli/"
"""Here a signature is a list of options with their help."""

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
_HOLDING = ast.stmt | ast.excepthandler | ast.match_case


def _modules(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*.py")):
        yield str(path.relative_to(_ROOT)), path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.Module]:
    """Every module of the program by its name, read once."""
    return {name: ast.parse(source) for name, source in _modules(_SOURCE)}


def _functions(module: ast.Module) -> Iterator[FunctionNode]:
    """Yield every function of a module, wherever it stands; no expression holds one, so none is looked through."""
    pending: list[ast.AST] = [module]
    while pending:
        node = pending.pop()
        if isinstance(node, FunctionNode):
            yield node
        pending += [each for each in ast.iter_child_nodes(node) if isinstance(each, _HOLDING)]


def _lines(function: FunctionNode, *, signature: bool) -> int:
    """Count a function's lines without its docstring: that is its contract, and may be as long as it must."""
    body = function.body[1:] if ast.get_docstring(function) else function.body
    head = function.body[0].lineno - function.lineno if signature else 0
    return head + ((body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0)


@pytest.mark.parametrize("folder", ["src", "tests", "bench"])
def test_no_file_is_longer_than_400_lines(folder: str) -> None:
    lengths = {name: len(source.splitlines()) for name, source in _modules(_ROOT / folder)}
    assert {name: lines for name, lines in lengths.items() if lines > _MAX_FILE} == {}
    assert len(lengths) > 20


def test_no_function_is_longer_than_40_lines(trees: dict[str, ast.Module]) -> None:
    lengths = {
        f"{name}:{function.name}": _lines(function, signature=not name.startswith(_COMMANDS))
        for name, module in trees.items()
        for function in _functions(module)
    }
    assert len(lengths) > 100
    assert {name: lines for name, lines in lengths.items() if lines > _MAX_FUNCTION} == {}


def test_every_module_says_what_it_is_for(trees: dict[str, ast.Module]) -> None:
    heads = {name: ast.get_docstring(module) for name, module in trees.items()}
    assert len(heads) > 100
    assert [name for name, head in heads.items() if not head] == []


def test_every_module_of_the_core_opens_with_its_law_or_its_source(trees: dict[str, ast.Module]) -> None:
    heads = {name: ast.get_docstring(module) or "" for name, module in trees.items() if name.startswith(_CORE)}
    lawless = [name for name, head in heads.items() if "Law:" not in head and "Source:" not in head]
    lawless = [name for name in lawless if not name.endswith("__init__.py")]
    assert lawless == []
    assert sum("Law:" in head for head in heads.values()) > 50
