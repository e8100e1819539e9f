"""What no statement of the store may say, read from its source: each line here once failed on a real engine."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

_STORE = Path(__file__).resolve().parents[2] / "src" / "voice" / "adapters" / "surreal"
_STATEMENT = re.compile(r"\b(?:SELECT|UPDATE|UPSERT|CREATE|DELETE|INSERT|DEFINE|RELATE|REMOVE)\b")
_FORBIDDEN = {
    "ILIKE": r"\bILIKE\b",
    "a regex or fuzzy match": r"[^-]~|@@|string::matches",
    # A range of bound keys is no id; every engine from 3.0 on reads it.
    "an id built from text": r"type::(?:thing|record)\s*\((?!\$table, \$\w+>?\.\.(?:\$\w+)?\)"
    r"|'thoughts', string::slice\(record::id\(id\), 2\)\))",
    "the length of an embedding": r"array::len\(\s*embedding",
    "an order by a function": r"ORDER BY\s+\w+::",
    "a vector or text search": r"vector::|search::|<\|",
    "a union": r"\bUNION\b",
}


def _texts() -> Iterator[tuple[str, str]]:
    for path in sorted(_STORE.rglob("*.py")):
        for line, text in _strings(ast.parse(path.read_text(encoding="utf-8"))):
            yield f"{path.name}:{line}", text
    for path in sorted(_STORE.rglob("*.surql")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            yield f"{path.name}:{number}", line.partition("--")[0]


def _strings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield every string that is not a docstring; an interpolated part of an f-string reads as `?`."""
    nodes = list(ast.walk(tree))
    parts = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    prose = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            yield node.lineno, "".join(_text_of(part) or "?" for part in node.values)
        elif id(node) not in parts | prose and (text := _text_of(node)) is not None:
            yield getattr(node, "lineno", 0), text


def _text_of(node: ast.AST) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def test_there_are_statements_to_read() -> None:
    assert sum(bool(_STATEMENT.search(text)) for _, text in _texts()) > 50


@pytest.mark.requirement("ruling:B1", "ruling:B2", "ruling:B4", "ruling:B6", "s0:constraint:no-union", "s3:not:ilike")
@pytest.mark.parametrize("what", sorted(_FORBIDDEN))
def test_no_statement_holds(what: str) -> None:
    pattern = re.compile(_FORBIDDEN[what])
    assert [f"{place}: {text[:80]}" for place, text in _texts() if pattern.search(text)] == []
    assert len(list(_texts())) > 20


@pytest.mark.requirement("ruling:B15")
def test_every_count_is_grouped() -> None:
    lonely = [place for place, text in _texts() if "count()" in text and not re.search(r"GROUP (?:ALL|BY)", text)]
    assert lonely == []
    assert any("count()" in text for _, text in _texts())
