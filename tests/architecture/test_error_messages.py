"""Errors are typed, and none of them passes on the words of another program: read from the source."""

import ast
import builtins
from collections.abc import Iterator
from pathlib import Path

import pytest

from voice.core import errors
from voice.core.errors import VoiceError

_SOURCE = Path(__file__).resolve().parents[2] / "src" / "voice"
_FACTS = (
    "{0}.strerror",
    "os.strerror({0}.errno",
    "type({0}).__name__",
    "{0}.pos",
    "{0}.start",
    "{0}.lineno",
    "{0}.colno",
    "{0}.code",
    "_hint({0})",
)
"""What may be said of a caught exception: what kind it was, where, and what the system calls it."""
_OWN_WORDS = ("{0}.message", "message_with_advice({0}", "{0}", "{0}.args[0]")
"""What may be said besides where the exception is our own, or its words are looked up in a table of ours."""
_OURS = frozenset(name for name, cls in vars(errors).items() if isinstance(cls, type) and issubclass(cls, VoiceError))
_INSIDE = frozenset(
    {"Unreadable", "_Unparsable", "_Faulty", "click.ClickException", "json.JSONDecodeError", "KeyError", "ValueError"}
)
"""Caught right where they were raised: readers of settings and drafts, templates, and the words of a usage error."""


Handlers = list[tuple[str, ast.ExceptHandler]]


@pytest.fixture(scope="module")
def handlers() -> Handlers:
    return list(_handlers_of_the_program())


def _handlers_of_the_program() -> Iterator[tuple[str, ast.ExceptHandler]]:
    for path in sorted(_SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ExceptHandler) and node.name:
                yield f"{path.relative_to(_SOURCE)}:{node.lineno}", node


def _said_of(handler: ast.ExceptHandler) -> Iterator[str]:
    """Yield what the handler's texts say of the exception it caught."""
    for node in ast.walk(handler):
        if isinstance(node, ast.FormattedValue) and handler.name in {
            name.id for name in ast.walk(node.value) if isinstance(name, ast.Name)
        }:
            yield ast.unparse(node.value)


@pytest.mark.requirement("s0:error:no-leak", "promise:6")
def test_a_caught_exception_is_told_by_its_facts_and_not_by_its_words(handlers: Handlers) -> None:
    told = [(place, handler, said) for place, handler in handlers for said in _said_of(handler)]
    assert len(told) > 10
    assert [f"{place}: {said}" for place, handler, said in told if not _may_be_said(handler, said)] == []


def _may_be_said(handler: ast.ExceptHandler, said: str) -> bool:
    caught = ast.unparse(handler.type) if handler.type else ""
    allowed = _FACTS + (_OWN_WORDS if caught in _OURS | _INSIDE else ())
    return any(
        said == form or said.startswith((f"{form} or ", f"{form} ", f"{form},"))
        for form in (fact.format(handler.name) for fact in allowed)
    )


@pytest.mark.requirement("s0:error:no-leak")
def test_where_the_words_of_an_exception_are_read_they_are_read_for_a_known_fact(handlers: Handlers) -> None:
    read = {
        place.partition(":")[0]: ast.unparse(call)
        for place, handler in handlers
        for call in ast.walk(handler)
        if isinstance(call, ast.Call) and any(ast.unparse(part) == f"str({handler.name})" for part in call.args)
    }
    assert {place: text.partition("(")[0] for place, text in read.items()} == {
        "adapters/surreal/embedded_engine.py": "EngineFailed",
        "adapters/system/config_file.py": "_PLACE.search",
        "adapters/files/price_table.py": "_PLACE.search",
        "entrypoints/cli/sync.py": "note",
    }


@pytest.mark.requirement("s0:error:no-leak", "ruling:A20")
def test_services_and_stores_raise_errors_of_the_one_tree() -> None:
    strangers = [
        f"{path.relative_to(_SOURCE)}: {ast.unparse(node)[:60]}"
        for place in (
            "services/**/*.py",
            "adapters/surreal/**/*.py",
            "adapters/llm/*.py",
            "adapters/embedding/*.py",
            "adapters/verifiers.py",
            "adapters/index/*.py",
        )
        for path in sorted(_SOURCE.glob(place))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Raise) and _is_builtin(node.exc)
    ]
    assert strangers == []
    assert _is_builtin(ast.parse("ValueError(1)", mode="eval").body)
    assert not _is_builtin(ast.parse("StoreError(1)", mode="eval").body)


def _is_builtin(raised: ast.expr | None) -> bool:
    if raised is None:
        return False
    name = ast.unparse(raised.func if isinstance(raised, ast.Call) else raised)
    cls: object = getattr(builtins, name, None)
    return isinstance(cls, type) and issubclass(cls, BaseException)
