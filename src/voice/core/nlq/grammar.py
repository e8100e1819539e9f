"""How a table of phrases is matched against tokens.

Law: a rule is data: where it belongs, a pattern, what it builds. A pattern is words separated by spaces:

    last|past      one of these words            {month}   a word or figure of that class, handed to the builder
    the?           may be missing                <day>     any rule of that group, its value handed to the builder

A value is *weak* when its words also mean other things ("may", "on Sunday"): the context must then allow it. Matching
is by memo, so a question of any length takes time linear in its length.

Source: ruling E; DESIGN 9 ("our own rules").
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from voice.core.nlq.tokens import Token

Value = object
Build = Callable[..., Value]


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of a phrase table."""

    group: str
    pattern: str
    build: Build
    weak: bool | None = None
    """None: as weak as what it is made of."""


@dataclass(frozen=True, slots=True)
class Match:
    """A rule matched at `tokens[start:end]`."""

    start: int
    end: int
    value: Value
    weak: bool
    core: int
    """Where the time itself begins, after leading prepositions."""


@dataclass(frozen=True, slots=True)
class _Element:
    kind: str
    names: frozenset[str]
    optional: bool

    @classmethod
    def parse(cls, text: str) -> "_Element":
        """Return the element written as `text`."""
        optional = text.endswith("?") and len(text) > 1
        body = text.removesuffix("?") if optional else text
        if body.startswith("{"):
            return cls("class", frozenset({body[1:-1]}), optional)
        if body.startswith("<"):
            return cls("group", frozenset({body[1:-1]}), optional)
        return cls("word", frozenset(body.split("|")), optional)


@dataclass(frozen=True, slots=True)
class _Starts:
    """What a rule can begin with; most rules are passed over by this alone."""

    words: frozenset[str]
    classes: frozenset[str]

    def __or__(self, other: "_Starts") -> "_Starts":
        return _Starts(self.words | other.words, self.classes | other.classes)

    def admit(self, token: Token, classes: AbstractSet[str]) -> bool:
        """Return whether a rule can begin at `token`."""
        return token.word in self.words or not self.classes.isdisjoint(classes)


_NOTHING = _Starts(frozenset(), frozenset())


@dataclass(frozen=True, slots=True)
class _Compiled:
    elements: tuple[_Element, ...]
    rule: Rule
    starts: _Starts


Classes = Callable[[Token], Mapping[str, Value]]


@dataclass(frozen=True, slots=True)
class Grammar:
    """Compiled phrase tables of one language."""

    rules: Mapping[str, tuple[_Compiled, ...]]
    starts: Mapping[str, _Starts]
    """By group."""
    classes: Classes

    @classmethod
    def of(cls, rules: Iterable[Rule], classes: Classes) -> "Grammar":
        """Return the grammar of `rules`; `classes` gives the classes of a token with their values."""
        parsed = [(rule, tuple(_Element.parse(text) for text in rule.pattern.split())) for rule in rules]
        starts = _starts_of_groups(parsed)
        grouped: dict[str, list[_Compiled]] = {}
        for rule, elements in parsed:
            compiled = _Compiled(elements, rule, _starts_of(elements, starts))
            grouped.setdefault(rule.group, []).append(compiled)
        return cls({group: tuple(found) for group, found in grouped.items()}, starts, classes)

    def reader(self, tokens: Sequence[Token]) -> "Reader":
        """Return a reader of `tokens`."""
        return Reader(self, tokens, [self.classes(token) for token in tokens])


def _starts_of_groups(parsed: Sequence[tuple[Rule, tuple[_Element, ...]]]) -> dict[str, _Starts]:
    """Return what each group can begin with: repeated until a round adds nothing."""
    starts: dict[str, _Starts] = {}
    while True:
        before = dict(starts)
        for rule, elements in parsed:
            starts[rule.group] = starts.get(rule.group, _NOTHING) | _starts_of(elements, starts)
        if starts == before:
            return starts


def _starts_of(elements: Sequence[_Element], groups: Mapping[str, _Starts]) -> _Starts:
    found = _NOTHING
    for at, element in enumerate(elements):
        if all(before.optional for before in elements[:at]):
            found |= _starts_of_one(element, groups)
    return found


def _starts_of_one(element: _Element, groups: Mapping[str, _Starts]) -> _Starts:
    if element.kind == "word":
        return _Starts(element.names, frozenset())
    if element.kind == "class":
        return _Starts(frozenset(), element.names)
    (name,) = element.names
    return groups.get(name, _NOTHING)


@dataclass(frozen=True, slots=True)
class Reader:
    """One question being read."""

    grammar: Grammar
    tokens: Sequence[Token]
    classes: Sequence[Mapping[str, Value]]
    memo: dict[tuple[str, int], tuple[Match, ...]] = field(default_factory=dict)

    def matches(self, group: str, at: int) -> tuple[Match, ...]:
        """Return every way a rule of `group` matches at token `at`, the longest first, rules in table order."""
        key = (group, at)
        if key not in self.memo:
            found: dict[tuple[int, bool], Match] = {}
            token, classes = self.tokens[at], self.classes[at].keys()
            if not self.grammar.starts.get(group, _NOTHING).admit(token, classes):
                return ()
            for compiled in self.grammar.rules.get(group, ()):
                if compiled.starts.admit(token, classes):
                    for match in self._rule(compiled, at):
                        found.setdefault((match.end, match.weak), match)
            self.memo[key] = tuple(sorted(found.values(), key=lambda match: (-match.end, match.weak)))
        return self.memo[key]

    def _rule(self, compiled: _Compiled, at: int) -> Iterator[Match]:
        for end, values, weak, core in self._elements(compiled.elements, 0, at):
            settled = compiled.rule.weak if compiled.rule.weak is not None else weak
            yield Match(at, end, compiled.rule.build(*values), settled, at if core is None else core)

    def _elements(
        self, elements: tuple[_Element, ...], index: int, at: int
    ) -> Iterator[tuple[int, tuple[Value, ...], bool, int | None]]:
        """Yield (end, captured values, weak, first captured token) of every match of `elements[index:]` at `at`."""
        if index == len(elements):
            yield at, (), False, None
            return
        element = elements[index]
        for end, values, weak in self._one(element, at):
            core = at if values else None
            for rest_end, rest, rest_weak, rest_core in self._elements(elements, index + 1, end):
                yield rest_end, values + rest, weak or rest_weak, rest_core if core is None else core
        if element.optional:
            missing: tuple[Value, ...] = () if element.kind == "word" else (None,)
            for rest_end, rest, rest_weak, rest_core in self._elements(elements, index + 1, at):
                yield rest_end, missing + rest, rest_weak, rest_core

    def _one(self, element: _Element, at: int) -> Iterator[tuple[int, tuple[Value, ...], bool]]:
        if at >= len(self.tokens):
            return
        if element.kind == "word":
            if self.tokens[at].word in element.names:
                yield at + 1, (), False
            return
        (name,) = element.names
        if element.kind == "class":
            if name in self.classes[at]:
                yield at + 1, (self.classes[at][name],), False
            return
        for match in self.matches(name, at):
            yield match.end, (match.value,), match.weak
