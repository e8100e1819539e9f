"""Phrase tables, read from `voice/data/language` when a language is first needed.

Law: `times.en.txt` tells how a table is written. What is not written so is refused, with file and line. A builder is
what `builders` or a module of time expressions calls so.
Source: ruling E and its table; DESIGN 6 "Word lists are data files per language, not code".
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from functools import cache, partial
from typing import Final, TypeVar, cast, get_args

from voice.core.nlq import intervals, points, relative_times
from voice.core.nlq.calendar import Unit, Which
from voice.core.nlq.phrase_matching import Build, Rule, Value
from voice.core.nlq.phrase_tables import builders
from voice.core.nlq.phrase_tables.table import Exclusions, PhraseTable
from voice.core.text.dates import DateOrder
from voice.core.text.word_lists import Language, language_file, numbered_words, word_set

_Found = TypeVar("_Found")
_Place = tuple[str, int]
"""A file and a line of it."""
_BUILDERS: Final[Mapping[str, Build]] = {
    name: made
    for module in (intervals, points, relative_times, builders)
    for name, made in vars(module).items()
    if callable(made)
}
_NAMES: Final = (intervals.Part, intervals.SeasonName, intervals.Third, intervals.Side, Which)
_VALUES: Final[Mapping[str, Value]] = {unit.value: unit for unit in Unit} | {
    name: name for names in _NAMES for name in get_args(names)
}
_WEAK: Final[Mapping[str, bool]] = {"weak": True, "certain": False}
_STARTED: Final = ("phrase", "bare", "owner", "ahead", "later", "alone", "vague")
"""Groups that a text is searched for; the others are parts of these."""


@cache
def phrase_table(language: Language) -> PhraseTable:
    """Return the table of a language. Raises ValueError: its file cannot be read."""
    own = f"times.{language}.txt"
    return read_table(language, {"times.txt": _shared(), own: language_file(own)})


@cache
def _shared() -> str:
    return language_file("times.txt")


def read_table(language: Language, texts: Mapping[str, str]) -> PhraseTable:
    """Return the table that files make together, by their names. Raises ValueError: a line of one cannot be read."""
    draft = _Draft()
    for name, text in texts.items():
        draft.section = ""
        for number, line in _lines(text):
            draft.place = (name, number)
            try:
                draft.read(line)
            except ValueError as error:
                raise _fault(draft.place, error) from error
    if stray := draft.stray():
        place, group = stray
        raise _fault(place, f"unknown group {group}")
    return draft.table(language)


def _fault(place: _Place, what: object) -> ValueError:
    name, number = place
    return ValueError(f"{name}, line {number}: {what}")


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield each statement of a file and the number of its first line; its line breaks stay in it."""
    number, said = 0, ""
    for at, line in enumerate(text.split("\n"), start=1):
        start = line[:1]
        if start == " ":
            said += f"\n{line.strip()}"
        elif start != "#":
            if said:
                yield number, said
            number, said = at, line
    if said:
        yield number, said


def _sides(line: str) -> tuple[str, str]:
    left, _, right = line.partition(" = ")
    if not right:
        raise ValueError("is not written as “… = …”")
    return left, right


def _found(what: str, among: Mapping[str, _Found], name: str) -> _Found:
    if name not in among:
        raise ValueError(f"unknown {what} {name}")
    return among[name]


def _value(text: str) -> Value:
    return int(text) if _is_number(text) else _found("value", _VALUES, text)


def _is_number(text: str) -> bool:
    return text.removeprefix("-").isdecimal()


def _build(text: str) -> Build:
    if text.isdecimal():
        number = int(text)
        return lambda: number
    name, _, given = text.partition(" ")
    build = _found("builder", _BUILDERS, name)
    return partial(build, *map(_value, given.split())) if given else build


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(phrase.strip() for phrase in text.split(","))


_READERS: Final[Mapping[object, Callable[[str], object]]] = {
    frozenset[str]: word_set,
    tuple[str, ...]: _phrases,
    bool: partial(_found, "answer", {"yes": True, "no": False}),
    DateOrder: partial(_found, "order", {order: order for order in get_args(DateOrder)}),
}
"""How a key is read, by the type of the member of `PhraseTable` that it fills."""
_KEYS: Final = {each.name: _READERS[each.type] for each in fields(PhraseTable) if each.type in _READERS}


class _Draft:
    """What has been read of a table."""

    def __init__(self) -> None:
        self.section = ""
        self.place: _Place = ("", 0)
        self.members: dict[str, object] = {}
        self.elements: dict[str, str] = {}
        self.lexicon: dict[str, dict[str, Value]] = {}
        self.exclusions: list[tuple[str, str, str]] = []
        self.names: dict[str, str] = {}
        self.rules: list[Rule] = []
        self.places: list[_Place] = []  # of the rules
        self._readers = {
            "": self._read_member,
            "elements": self._read_element,
            "words": self._read_words,
            "exclusions": self._read_exclusion,
        }

    def read(self, line: str) -> None:
        """Read a line. Raises ValueError: it cannot be read."""
        if line[0] == "[" and line[-1] == "]":
            self.section = line[1:-1]
        else:
            self._readers.get(self.section, self._read_rule)(line)

    def _read_member(self, line: str) -> None:
        key, given = _sides(line)
        self.members[key] = _found("key", _KEYS, key)(given)

    def _read_element(self, line: str) -> None:
        name, words = _sides(line)
        self.elements[name] = words.replace("\n", "")

    def _read_words(self, line: str) -> None:
        left, words = _sides(line)
        name, *given = left.split()
        match given:
            case [first] if _is_number(first):
                found = numbered_words(words, int(first))
            case [first, "by", step]:
                found = numbered_words(words, int(first), int(step))
            case [] if words.startswith("{"):
                found = self._joined(words)
            case _:
                values = [_value(each) for each in given]
                found = dict.fromkeys(words.split(), values[0] if len(values) == 1 else tuple(values) or True)
        self.lexicon.setdefault(name, {}).update(found)

    def _joined(self, classes: str) -> dict[str, Value]:
        """Return the words made of one of each of two classes ("{weekday}{part}")."""
        first, second = (_found("class", self.lexicon, name) for name in classes[1:-1].split("}{"))
        return {f"{one}{other}": (value, more) for one, value in first.items() for other, more in second.items()}

    def _read_exclusion(self, line: str) -> None:
        match line.replace("\n", "").split("…"):
            case [named]:
                name, meaning = _sides(named)
                self.names[name.strip("<>")] = meaning
            case [before, after]:
                self.exclusions.append((before, "", after))
            case [before, said, after]:
                self.exclusions.append((before, said, after))
            case _:
                raise ValueError("has more than two “…”")

    def _read_rule(self, line: str) -> None:
        said, meant = _sides(line)
        built, _, mark = meant.partition(", ")
        if self.elements:
            said = " ".join(self.elements.get(part, part) for part in said.split())
        weak = _found("mark", _WEAK, mark) if mark else None
        self.rules.append(Rule(self.section, said, _build(built), weak))
        self.places.append(self.place)

    def stray(self) -> tuple[_Place, str] | None:
        """Return a group that no pattern has, or that nothing fills, and where it stands."""
        filled = {rule.group for rule in self.rules}
        parts = " ".join(rule.pattern for rule in self.rules).split()
        used = {part.strip("<>?") for part in parts if part[0] == "<"}
        return next(
            (
                (place, group)
                for group in (*sorted(filled - used - set(_STARTED)), *sorted(used - filled))
                for rule, place in zip(self.rules, self.places, strict=True)
                if rule.group == group or f"<{group}>" in rule.pattern
            ),
            None,
        )

    def table(self, language: Language) -> PhraseTable:
        """Return the table."""
        return cast("Callable[..., PhraseTable]", PhraseTable)(
            language=language,
            lexicon=self.lexicon,
            rules=tuple(self.rules),
            refusals=Exclusions(self.exclusions, self.names),
            **self.members,
        )
