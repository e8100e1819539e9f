"""Conditions on candidates, as a person writes them: `type=person mentions>=3`.

Law: each condition is a field, a sign and a value, and all must hold. An invalid one is refused, with the valid ones.

    kind        entity, relation           = !=
    type        person, works_at, …        = !=
    name        words in a name            = !=  (contains)
    mentions    places it stands at        = != < <= > >=
    confidence  how sure it is, 0 to 1     = != < <= > >=

Source: ruling I5.
"""

import operator
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from voice.core.errors import InvalidParams
from voice.core.graph.candidates import Candidate, CandidateKind, type_of
from voice.core.text.normalise import norm_v1

_CONDITION: Final = re.compile(r"([a-z]+)(<=|>=|!=|=|<|>)(.+)", re.DOTALL)
_ORDERED: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_NUMBERS: Final[Mapping[str, Callable[[Candidate], float]]] = {
    "mentions": lambda candidate: candidate.mentions,
    "confidence": lambda candidate: candidate.confidence,
}
_WORDS: Final = ("kind", "type", "name")
EXAMPLE: Final = "type=person mentions>=3"
LONGEST: Final = 2_000
"""Characters of all conditions together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One of them."""

    field: str
    sign: str
    value: str

    def admits(self, candidate: Candidate) -> bool:
        """Return whether it holds of `candidate`."""
        if self.field in _NUMBERS:
            return _ORDERED[self.sign](_NUMBERS[self.field](candidate), float(self.value))
        said = norm_v1(self.value.replace("_", " "))
        if self.field == "name":
            holds = any(said in name for name in candidate.names)
        else:
            is_of = candidate.kind if self.field == "kind" else type_of(candidate.proposal)
            holds = norm_v1(is_of.replace("_", " ")) == said
        return holds is (self.sign == "=")


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """All that must hold; none holds of everything."""

    all_of: tuple[Condition, ...] = ()

    def admits(self, candidate: Candidate) -> bool:
        """Return whether all of them hold of `candidate`."""
        return all(each.admits(candidate) for each in self.all_of)


def parse_conditions(text: str) -> Conditions:
    """Return the conditions that `text` says.

    Raises:
        InvalidParams: one of them says nothing that can be meant.
    """
    if len(text) > LONGEST:  # what splits them copies what it has of a part at each character
        raise InvalidParams(f"the conditions have {len(text):,} characters; use at most {LONGEST:,}")
    try:
        parts = shlex.split(text)
    except ValueError:
        raise InvalidParams("the conditions have a quotation mark that does not close") from None
    return Conditions(all_of=tuple(_condition(part) for part in parts))


def _condition(part: str) -> Condition:
    found = _CONDITION.fullmatch(part)
    field, sign, value = found.groups() if found else ("", "", "")
    if field not in (*_WORDS, *_NUMBERS):
        known = ", ".join((*_WORDS, *_NUMBERS))
        raise InvalidParams(
            f"{part!r} is not a condition; write a field ({known}), a sign and a value, as in: {EXAMPLE}"
        )
    if field in _WORDS and sign not in ("=", "!="):
        raise InvalidParams(f"{field} takes = or != only")
    if field in _NUMBERS and not re.fullmatch(r"\d{1,9}(\.\d{1,9})?", value):
        raise InvalidParams(f"{field} takes a number, as in: {EXAMPLE}")
    if field == "kind" and value not in tuple(CandidateKind):
        raise InvalidParams("kind is entity or relation")
    return Condition(field=field, sign=sign, value=value)
