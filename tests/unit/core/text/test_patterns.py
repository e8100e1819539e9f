"""Patterns that are compiled when they are first used."""

import gc
import importlib
import pkgutil
import subprocess
import sys

import pytest
import regex

import voice.core
from voice.core.text.patterns import late_pattern


def _every_module_of_core() -> list[str]:
    return [found.name for found in pkgutil.walk_packages(voice.core.__path__, "voice.core.")]


def test_every_expression_of_the_rules_can_be_compiled() -> None:
    for name in _every_module_of_core():
        importlib.import_module(name)
    kind = type(late_pattern("x"))
    expressions = [each for each in gc.get_objects() if type(each) is kind]
    assert len(expressions) > 500
    for each in expressions:
        found = each.search("")
        assert found is None or found.group() == ""


def test_a_late_pattern_does_what_the_compiled_one_does() -> None:
    late, compiled = late_pattern(r"(\L<kilns>)s?", regex.IGNORECASE, kilns=["kiln", "oven"]), "Kilns, oven"
    assert late.pattern == r"(\L<kilns>)s?"
    assert late.findall(compiled) == ["Kiln", "oven"]
    assert late.sub("x", compiled) == "x, x"
    assert late.split("a kiln b") == ["a ", "kiln", " b"]
    assert [match.start() for match in late.finditer(compiled)] == [0, 7]


def test_what_a_pattern_does_not_have_is_missing_as_ever() -> None:
    with pytest.raises(AttributeError, match="scan"):
        _ = late_pattern("x").scan  # pyright: ignore[reportAttributeAccessIssue,reportUnknownVariableType,reportUnknownMemberType] - that it is missing is the point


def test_an_expression_that_cannot_be_compiled_says_so_when_it_is_used() -> None:
    wrong = late_pattern("(")
    with pytest.raises(regex.error):
        wrong.search("x")


@pytest.mark.slow
def test_loading_the_rules_compiles_only_what_their_tables_are_made_with() -> None:
    counted = (
        "import regex._main as m, importlib\n"
        "real, said = m._compile, []\n"
        "def counted(pattern, *rest):\n"
        "    said.append(pattern)\n"
        "    return real(pattern, *rest)\n"
        "m._compile = counted\n"
        f"for name in {_every_module_of_core()!r}: importlib.import_module(name)\n"
        "print(len(said))\n"
    )
    ran = subprocess.run([sys.executable, "-c", counted], capture_output=True, text=True, check=True)
    assert int(ran.stdout) < 10
