"""The names of the program: terms of the glossary (docs/architecture.md) and plain English, and nothing else."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from voice.core.text.words import stem_of

pytestmark = pytest.mark.requirement("house:names")

_ROOT = Path(__file__).resolve().parents[2]
_MODULES = sorted((_ROOT / "src" / "voice").rglob("*.py"))
_TERM = re.compile(r"^\| \*\*(.+?)\*\* \|", re.MULTILINE)
_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
_PLAIN = Path(__file__).with_name("plain_words.txt")
"""Words of class names that a reader knows without a glossary: plain English, the field's, and names of formats."""
_MOST_TERMS = 60
_SLANG = frozenset({"behind", "kept", "meant", "said", "sifting", "skimming", "spooling", "standing", "told", "whole"})
"""What a module was once called, and what told nobody what it does."""
_VAGUE = frozenset({"base", "common", "helpers", "manager", "misc", "util", "utils"})


@pytest.fixture(scope="module")
def terms() -> list[str]:
    page = (_ROOT / "docs" / "architecture.md").read_text("utf-8")
    return _TERM.findall(page[page.index("## Glossary") :])


def _classes() -> Iterator[str]:
    for path in _MODULES:
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                yield node.name


def test_each_term_of_the_glossary_is_used(terms: list[str]) -> None:
    used = " ".join(path.read_text("utf-8").lower().replace("_", " ") for path in _MODULES)
    assert len(terms) == len(set(terms)) <= _MOST_TERMS
    assert [term for term in terms if term not in used] == []


def test_each_public_class_is_named_in_terms_of_the_glossary_and_plain_words(terms: list[str]) -> None:
    plain = set(_PLAIN.read_text("utf-8").split())
    known = {stem_of(word) for term in terms for word in term.split()} | {stem_of(word) for word in plain}
    names = list(_classes())
    strange = {
        name: words
        for name in names
        if (words := [w for w in _words_of(name) if w not in plain and stem_of(w) not in known])
    }
    assert len(names) > 500
    assert strange == {}
    used = {word for name in names for word in _words_of(name)}
    assert plain - used == set(), "no class has these words any more: take them out of the list"


def _words_of(name: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(name)]


def test_no_module_has_a_name_that_needs_its_docstring() -> None:
    words = {path: set(path.stem.split("_")) for path in _MODULES}
    assert len(words) == len(_MODULES) > 500
    assert [str(path) for path, found in words.items() if found & (_VAGUE | _SLANG)] == []
