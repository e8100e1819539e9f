"""What core tells people stands in tables of messages, which keep the rules of docs/style.md."""

import ast
import re
from collections.abc import Iterator
from typing import Final

import pytest
from tools.messages import CORE, tables, text_of

from voice.core import errors

_TOLD: Final = frozenset(
    {name for name, each in vars(errors).items() if isinstance(each, type) and issubclass(each, errors.VoiceError)}
    | {"Unreadable", "InvalidReply", "warn", "BadLine", "Notice", "Omission", "UnsafeName", "RungDecision", "Doubt"}
)
"""Errors, warnings and reasons: what they are made with is read by people."""
_PROSE: Final = re.compile(r"[a-z]{2,} [a-z]{2,}")
_AGAINST_STYLE: Final = re.compile(
    r"(?<!there )\bis no\b(?! longer)|\bnobody\b|, too\b|\btaken? (back|out)\b|\bgo(es|ne)? on\b|\banew\b"
)


def _told() -> Iterator[tuple[str, ast.AST]]:
    for path in sorted(CORE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in _TOLD:
                yield from ((f"{path.relative_to(CORE)}:{node.lineno}", each) for each in ast.walk(node))


@pytest.fixture(scope="module")
def used() -> frozenset[str]:
    """The names of the messages that the program says, or that others are made of."""
    sources = "\n".join(path.read_text("utf-8") for path in CORE.parent.rglob("*.py"))
    return frozenset(re.findall(r"(?:\bmessages\.|\{)(\w+)", sources))


@pytest.mark.requirement("house:messages")
def test_what_an_error_or_a_warning_says_stands_in_a_table() -> None:
    told = list(_told())
    assert len(told) > 1000
    assert [f"{place}: {text_of(each)}" for place, each in told if _PROSE.search(text_of(each))] == []


@pytest.mark.requirement("house:messages")
@pytest.mark.parametrize("area", tables())
def test_a_message_keeps_the_rules_of_style_and_is_used(area: str, used: frozenset[str]) -> None:
    messages = tables()[area]
    assert {name: text for name, text in messages.items() if not text or _AGAINST_STYLE.search(text)} == {}
    assert [name for name in messages if name not in used] == []


@pytest.mark.requirement("house:messages")
def test_a_table_holds_words_and_imports_nothing_of_the_program() -> None:
    for path in CORE.glob("messages/[!_]*.py"):
        table = ast.parse(path.read_text("utf-8")).body
        assert {type(node) for node in table} <= {ast.Expr, ast.ImportFrom, ast.AnnAssign, ast.FunctionDef}
        assert {node.module for node in table if isinstance(node, ast.ImportFrom)} <= {"typing", "datetime", "decimal"}
