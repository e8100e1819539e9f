"""What core tells people stands in tables of messages, which keep the rules of docs/style.md."""

import ast
import re
from collections.abc import Iterator
from typing import Final, get_args

import pytest
from tools.messages import CORE, tables, text_of

from voice.core import errors
from voice.core.context.prompt_proof import Proof
from voice.core.exam.results import Kind, Outcome
from voice.core.grounding.values import Rung
from voice.core.grounding.verifier_values import Lapse
from voice.core.messages import showing
from voice.core.session.audit import AuditStatus
from voice.core.session.values import SummaryFallback

pytestmark = pytest.mark.requirement("house:messages")

_TOLD: Final = frozenset(
    {name for name, each in vars(errors).items() if isinstance(each, type) and issubclass(each, errors.VoiceError)}
    | {"Unreadable", "InvalidReply", "warn", "BadLine", "Notice", "Omission", "UnsafeName", "RungDecision", "Doubt"}
)
"""Errors, warnings and reasons: what they are made with is read by people."""
_PROSE: Final = re.compile(r"[a-z]{2,} [a-z]{2,}")
_LONG_PROSE: Final = re.compile(r"[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}")
_SPEAKING: Final = re.compile(r"(health|render|answering|grounding(?!/extractive))(\.py|/)")
"""What speaks to people in most of its lines: two words beside each other are prose there, elsewhere three."""
_TABLES: Final = re.compile(
    r"messages/|settings/(table|readers|describe)|nlq/|extraction/|interchange/foreign/|text/(?!spans|display)"
)
"""Tables of messages, of settings, and of the words and patterns of languages and of other programs' files."""
_NOT_TOLD: Final = frozenset(
    {"late_pattern", "compile", "word_set", "keyed_hash", "startswith", "cast", "Literal", "ValueError", "TypeError"}
    | {"counted", "require_utc", "_bounded", "setting", "unset", "secret"}
)
"""What takes patterns, words of a language, values, nouns for a sentence of a table, or what a setting does."""
_VALUES: Final = frozenset(
    {"an object", "broken pairs", "did not happen", "lacking in the best", "new words", "part of the name"}
    | {"target not live", "voice maintain rebuild vectors"}
)
"""Values and names that are published or compared."""
_MARKUP: Final = re.compile(r"<[^<>]*(>|$)|^[^<>]*>|^.*[|].*$")
_AGAINST_STYLE: Final = re.compile(
    r"(?<!there )\bis no\b(?! longer)|\bnobody\b|, too\b|\btaken? (back|out)\b|\bgo(es|ne)? on\b|\banew\b"
)


def _told() -> Iterator[tuple[str, ast.AST]]:
    for path in sorted(CORE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in _TOLD:
                yield from ((f"{path.relative_to(CORE)}:{node.lineno}", each) for each in ast.walk(node))


def _literals(node: ast.AST) -> Iterator[ast.Constant]:
    """Yield the texts of code, without docstrings, assertions, and what is a pattern, a list of words or a noun."""
    called = node.func if isinstance(node, ast.Call) else node.value if isinstance(node, ast.Subscript) else None
    is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    if is_docstring or isinstance(node, ast.Assert) or (called and ast.unparse(called).rpartition(".")[2] in _NOT_TOLD):
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node
    for each in ast.iter_child_nodes(node):
        yield from _literals(each)


def _unmarked(text: ast.Constant) -> str:
    return "" if text.value in _VALUES else _MARKUP.sub("", str(text.value))


@pytest.fixture(scope="module")
def used() -> frozenset[str]:
    """The names of the messages that the program says, or that others are made of."""
    sources = "\n".join(path.read_text("utf-8") for path in CORE.parent.rglob("*.py"))
    imported = re.findall(r"from voice\.core\.messages\.\w+ import ([^(\n]+)", sources)
    said = re.findall(r"(?:\bmessages\.|\{(?!messages\.))(\w+)", sources)
    return frozenset({*said, *", ".join(imported).split(", ")})


def test_what_an_error_or_a_warning_says_stands_in_a_table() -> None:
    told = list(_told())
    assert len(told) > 1000
    assert [f"{place}: {text_of(each)}" for place, each in told if _PROSE.search(text_of(each))] == []


def test_no_sentence_or_label_that_people_read_stands_outside_the_tables() -> None:
    outside: list[str] = []
    for path in sorted(CORE.rglob("*.py")):
        name = path.relative_to(CORE).as_posix()
        prose = _PROSE if _SPEAKING.match(name) else _LONG_PROSE
        told = () if _TABLES.match(name) else _literals(ast.parse(path.read_text("utf-8")))
        outside += [f"{name}:{one.lineno}: {one.value!r}" for one in told if prose.search(_unmarked(one))]
    assert outside == []


@pytest.mark.parametrize("area", tables())
def test_a_message_keeps_the_rules_of_style_and_is_used(area: str, used: frozenset[str]) -> None:
    messages = tables()[area]
    assert {name: text for name, text in messages.items() if not text or _AGAINST_STYLE.search(text)} == {}
    assert [name for name in messages if name.partition("[")[0] not in used] == []


def test_a_table_holds_words_and_imports_nothing_of_the_program() -> None:
    for path in CORE.glob("messages/[!_]*.py"):
        table = ast.parse(path.read_text("utf-8")).body
        assert {type(node) for node in table} <= {ast.Expr, ast.ImportFrom, ast.AnnAssign, ast.FunctionDef}
        assert {node.module for node in table if isinstance(node, ast.ImportFrom)} <= {"typing", "datetime", "decimal"}


def test_every_value_that_is_shown_has_its_words() -> None:
    assert showing.AUDITS.keys() == showing.AUDITS_COUNTED.keys() == {*get_args(AuditStatus)}
    assert (showing.EXAM_KINDS.keys(), showing.EXAM_OUTCOMES.keys()) == ({*get_args(Kind)}, {*get_args(Outcome)})
    assert (showing.LAPSES.keys(), showing.RUNGS.keys()) == ({*get_args(Lapse)}, {*get_args(Rung)})
    assert (showing.NO_SUMMARY.keys(), showing.PROOFS.keys()) == ({*get_args(SummaryFallback)}, {*get_args(Proof)})
