"""What was found out about a word is kept, and so many at most.

Patterns that are compiled when they are first used.
"""

import pkgutil
import subprocess
import sys

import pytest
import regex

import voice.core
from voice.core.text.lazy import Memo, late_pattern


def test_a_word_is_looked_into_once() -> None:
    asked: list[str] = []
    kept = Memo(lambda word: asked.append(word) or len(word), 8)
    assert [kept["kiln"], kept["kiln"], kept["oven"]] == [4, 4, 4]
    assert asked == ["kiln", "oven"]


def test_what_is_full_starts_afresh() -> None:
    kept = Memo(str.upper, 2)
    assert [kept[word] for word in ("a", "b", "c")] == ["A", "B", "C"]
    assert dict(kept) == {"c": "C"}


def _every_module_of_core() -> list[str]:
    return [found.name for found in pkgutil.walk_packages(voice.core.__path__, "voice.core.")]


_LOADED = (
    "import gc, importlib, regex._main as m\n"
    "real, said = m._compile, []\n"
    "def counted(pattern, *rest):\n"
    "    said.append(pattern)\n"
    "    return real(pattern, *rest)\n"
    "m._compile = counted\n"
    f"for name in {_every_module_of_core()!r}: importlib.import_module(name)\n"
)
"""Loads the whole core in a process of its own, counting what is compiled."""


def _printed(rest: str) -> str:
    return subprocess.run([sys.executable, "-c", _LOADED + rest], capture_output=True, text=True, check=True).stdout


@pytest.mark.slow
def test_every_expression_of_the_rules_can_be_compiled() -> None:
    used = (
        "from voice.core.nlq.phrase_tables.reading import phrase_table\n"
        "from voice.core.text.lazy import late_pattern\n"
        "tables = [phrase_table(each) for each in ('en', 'de', 'es')]\n"
        "late = [each for each in gc.get_objects() if type(each) is type(late_pattern('x'))]\n"
        "print(len([each.search('') for each in late]))\n"
    )
    assert int(_printed(used)) > 300


def test_a_late_pattern_does_what_the_compiled_one_does() -> None:
    late, compiled = late_pattern(r"(\L<kilns>)s?", regex.IGNORECASE, kilns=["kiln", "oven"]), "Kilns, oven"
    assert late.pattern == r"(\L<kilns>)s?"
    assert late.findall(compiled) == ["Kiln", "oven"]
    assert late.sub("x", compiled) == "x, x"
    assert late.split("a kiln b") == ["a ", "kiln", " b"]
    assert [match.start() for match in late.finditer(compiled)] == [0, 7]
    assert late_pattern(r"\L<kilns>", kilns=lambda: ["kiln"]).findall("a kiln") == ["kiln"]


def test_what_a_pattern_does_not_have_is_missing_as_ever() -> None:
    with pytest.raises(AttributeError, match="scan"):
        _ = late_pattern("x").scan  # pyright: ignore[reportAttributeAccessIssue,reportUnknownVariableType,reportUnknownMemberType] - that it is missing is the point


def test_an_expression_that_cannot_be_compiled_says_so_when_it_is_used() -> None:
    wrong = late_pattern("(")
    with pytest.raises(regex.error):
        wrong.search("x")


@pytest.mark.slow
def test_loading_the_rules_compiles_only_what_their_tables_are_made_with() -> None:
    assert int(_printed("print(len(said))\n")) < 10
