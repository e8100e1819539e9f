"""What an expression is made of: which of its loops stand inside others, and what would keep each of them busy.

Law: `regex` writes more than the standard library parses (classes by property, sets of sets, named lists); each such
piece is read as one character of its kind, which changes neither where repeats stand nor what could pump them.
"""

import importlib
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, cast

import regex

from compiled_patterns import Compiled

MANY = 32
"""A repeat of fewer is bounded; one of as many or more is a loop over the text."""
_PROPERTY = re.compile(r"\\[pP]\{(\^?\w+)\}")
_OF_PROPERTY = {"Lu": "A", "Lt": "A", "Nd": "1", "N": "1", "Sc": "$", "Sm": "+", "So": "©", "P": "!", "M": "\u0301"}
_REWRITTEN = (
    (re.compile(r"\\L<\w+>"), "(?:a)"),
    (re.compile(r"\\X"), "."),
    (re.compile(r"\(\?P<\w+>"), "("),
    (re.compile(r"\(\?P=\w+\)"), "a"),
    (re.compile(r"\(\?\(\w+\)"), "(?:"),
    (re.compile(r"\(\*\w+\)"), ""),
    (re.compile(r"(?<=.)\(\?[a-zA-Z]+\)"), ""),
)
_OF_SETS = (
    (re.compile(r"--\[[^\]]*\]"), ""),
    (re.compile(r"--(?=[^\]\[]*\])"), ""),
    (re.compile(r"\[\[([^\]\[]*)\]\]"), r"[\1]"),
    (re.compile(r"\[\[([^\]\[]*)\]"), r"[\1"),
)
_CLASSES = ("IN", "ANY", "NOT_LITERAL")
_KEEPING = ("ATOMIC_GROUP", "POSSESSIVE_REPEAT", "ASSERT", "ASSERT_NOT")
"""What takes or does not take as a whole: what is tried within is not tried again from outside."""
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
_CATEGORIES: Mapping[str, Callable[[str], bool]] = {
    "CATEGORY_DIGIT": str.isdigit,
    "CATEGORY_NOT_DIGIT": lambda char: not char.isdigit(),
    "CATEGORY_SPACE": str.isspace,
    "CATEGORY_NOT_SPACE": lambda char: not char.isspace(),
    "CATEGORY_WORD": lambda char: char.isalnum() or char == "_",
    "CATEGORY_NOT_WORD": lambda char: not (char.isalnum() or char == "_"),
}
_LITERALS = 6
_CANDIDATES = "aA1 \n.,-:()[]\"'<>/@#*_=!?–$+©\u0301|&\\{}%;~^`"

_PARSE = cast("Callable[[str, int], Iterable[tuple[object, object]]]", importlib.import_module("re._parser").parse)


class Node(NamedTuple):
    """One piece of an expression."""

    kind: str
    """As the standard library names it: `MAX_REPEAT`, `IN`, …"""
    parts: tuple[tuple["Node", ...], ...]
    """What it is made of: a repeat of one, alternatives of several."""
    bounds: tuple[int, ...]
    """How often it repeats, or the codes of a character or a range."""


Nodes = tuple[Node, ...]


class Pump(NamedTuple):
    """A beginning that leads into a loop, and what the loop goes round with."""

    lead: str
    again: str


def tree_of(pattern: Compiled) -> Nodes:
    """Return the parsed expression, read as the standard library reads."""
    text = pattern.pattern.decode("latin-1") if isinstance(pattern.pattern, bytes) else pattern.pattern
    text = _PROPERTY.sub(lambda found: _OF_PROPERTY.get(found[1], "a"), text)
    for written, becomes in (*_REWRITTEN, *(_OF_SETS if pattern.flags & regex.V1 else ())):
        text = written.sub(becomes, text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return _nodes(_PARSE(text, pattern.flags & re.VERBOSE))


def nests_loops(pattern: Compiled) -> bool:
    """Return whether a loop that may give back stands in another one: what could take exponential time."""
    return _nests(tree_of(pattern), inside=False)


def pumps_of(pattern: Compiled) -> tuple[Pump, ...]:
    """Return what makes each loop of an expression go round, after the least that leads into it.

    A loop over a class goes round with what it is made to take, and with what the expression looks for besides.
    """
    tree = tree_of(pattern)
    literals = "".join(dict.fromkeys(_literals(tree)))[:_LITERALS]
    return tuple(dict.fromkeys(_pumps(tree, "", literals)))


def _nodes(parsed: Iterable[tuple[object, object]]) -> Nodes:
    return tuple(_node(f"{kind}", argument) for kind, argument in parsed)


def _node(kind: str, argument: object) -> Node:
    if kind.startswith("CATEGORY"):
        return Node(f"{argument}", (), ())
    if isinstance(argument, int):
        return Node(kind, (), (argument,))
    given = _given(kind, argument)
    parts = [each for each in given if not isinstance(each, int) and each is not None]
    bounds = tuple(int(each) for each in given if isinstance(each, int))
    return Node(kind, tuple(_nodes(cast("Iterable[tuple[object, object]]", each)) for each in parts), bounds)


def _given(kind: str, argument: object) -> list[object]:
    """Return what a node is given, one after the other: numbers, and lists of nodes."""
    if kind == "BRANCH":
        return cast("tuple[None, list[object]]", argument)[1]
    return list(cast("tuple[object, ...]", argument)) if isinstance(argument, tuple) else [argument]


def _is_loop(node: Node) -> bool:
    return node.kind in _REPEATS and node.bounds[1] >= MANY


def _nests(nodes: Nodes, *, inside: bool) -> bool:
    for node in nodes:
        gives_back = _is_loop(node) and node.kind != "POSSESSIVE_REPEAT"
        if gives_back and inside:
            return True
        within = gives_back or (inside and node.kind not in _KEEPING)
        if any(_nests(part, inside=within) for part in node.parts):
            return True
    return False


def _literals(nodes: Nodes) -> Iterator[str]:
    for node in nodes:
        if node.kind == "LITERAL":
            yield chr(node.bounds[0])
        elif node.kind not in _CLASSES:
            for part in node.parts:
                yield from _literals(part)


def _pumps(nodes: Nodes, lead: str, literals: str) -> Iterator[Pump]:
    for node in nodes:
        for part in node.parts:
            yield from _pumps(part, lead, literals)
            if _is_loop(node):
                yield from (Pump(lead, again) for again in _rounds(part, literals) if again)
        lead += _least(node)


def _rounds(nodes: Nodes, literals: str) -> Iterator[str]:
    """Yield what one round of a loop may be; of a class alone, one of each sort that it takes, and of `literals`."""
    if len(nodes) == 1 and nodes[0].kind in _CLASSES:
        yield from _taken(nodes[0])
        yield from (char for char in literals if _takes(nodes[0], char))
    else:
        yield "".join(map(_least, nodes))


def _taken(node: Node) -> list[str]:
    return [each for each in _CANDIDATES if _takes(node, each)][:3]


def _takes(node: Node, char: str) -> bool:
    if node.kind == "ANY":
        return char != "\n"
    if node.kind == "NOT_LITERAL":
        return ord(char) != node.bounds[0]
    return _is_in(node.parts[0], char)


def _is_in(members: Nodes, char: str) -> bool:
    return (members[0].kind == "NEGATE") != any(_is_member(member, char) for member in members)


def _is_member(member: Node, char: str) -> bool:
    if member.kind in ("LITERAL", "RANGE"):
        return member.bounds[0] <= ord(char) <= member.bounds[-1]
    return member.kind in _CATEGORIES and _CATEGORIES[member.kind](char)


def _least(node: Node) -> str:
    """Return the least text that a node takes."""
    if node.kind == "LITERAL":
        return chr(node.bounds[0])
    if node.kind in _CLASSES:
        return next(iter(_taken(node)), "") or _first_member(node.parts[0])
    if node.kind in ("ASSERT", "ASSERT_NOT", "AT"):
        return ""
    once = "".join(map(_least, node.parts[0])) if node.parts else ""
    return once * min(node.bounds[0], MANY) if node.kind in _REPEATS else once


def _first_member(members: Nodes) -> str:
    """Return the first character of a class that none of the usual ones is in."""
    return next((chr(member.bounds[0]) for member in members if member.bounds), "")
