"""The review of candidates: order, conditions, and permitted decisions.

Law: this table decides; repeating a decision changes nothing.

  verdict   pending   rejected   approved
  approve   do        do         do         (idempotent; the graph is made to hold it)
  alias     do        do         do         (to the same entity; another is refused by the plan)
  edit      do        do         refuse
  reject    do        unchanged  refuse
  reopen    do        do         refuse

Order: most mentions, then highest confidence (ruling I5). Known, repeated, single untyped and surplus candidates are
folded, but counted. Conditions are `field sign value`, all of which must hold: kind, type (= !=), name (= != contains),
mentions, confidence (= != < <= > >=).
Source: rulings F, I5; spec rag-organize 6.
"""

import math
import operator
import re
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from voice.core.errors import InvalidParams
from voice.core.graph.review.candidates import (
    THING,
    Candidate,
    CandidateKind,
    CandidateStatus,
    EntityProposal,
    Proposal,
    RelationProposal,
    type_of,
)
from voice.core.messages import memory as messages
from voice.core.text.normalise import norm_v1


@dataclass(frozen=True, slots=True, kw_only=True)
class Approve:
    """Make it a row, or merge it into the existing one."""

    candidate_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reject:
    """Discard it; it is not staged again."""

    candidate_id: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reopen:
    """Undo a rejection."""

    candidate_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """Make it another name of an existing entity."""

    candidate_id: str
    entity_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Corrected fields; None keeps."""

    name: str | None = None
    entity_type: str | None = None
    aliases: tuple[str, ...] | None = None
    source: str | None = None
    rel_type: str | None = None
    target: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Correct some of its words."""

    candidate_id: str
    changes: Changes = field(repr=False)


Decision = Approve | Reject | Reopen | Alias | Edit
Ruling = Literal["do", "unchanged", "refuse"]

_TABLE: Final[Mapping[type[Decision], Mapping[CandidateStatus, Ruling]]] = {
    Approve: dict.fromkeys(CandidateStatus, "do"),
    Alias: dict.fromkeys(CandidateStatus, "do"),
    Edit: {CandidateStatus.PENDING: "do", CandidateStatus.REJECTED: "do", CandidateStatus.APPROVED: "refuse"},
    Reject: {CandidateStatus.PENDING: "do", CandidateStatus.REJECTED: "unchanged", CandidateStatus.APPROVED: "refuse"},
    Reopen: {CandidateStatus.PENDING: "do", CandidateStatus.REJECTED: "do", CandidateStatus.APPROVED: "refuse"},
}
_OF_ENTITIES: Final = ("name", "entity_type", "aliases")
_OF_RELATIONS: Final = ("source", "rel_type", "target")


def ruling_on(verdict: Decision, candidate: Candidate) -> Ruling:
    """Return whether `verdict` applies to `candidate`, has no effect, or is refused."""
    return _TABLE[type(verdict)][candidate.status]


def with_changes(candidate: Candidate, changes: Changes) -> Candidate:
    """Return the edited candidate. Raises InvalidParams: no change, another kind's field, or an empty name."""
    proposal = _amended(candidate.id, candidate.proposal, changes)
    return replace(candidate, edited=None if proposal == candidate.found else proposal)  # edited back


def names_in_decisions(verdicts: Sequence[Decision], candidates: Mapping[str, Candidate]) -> frozenset[str]:
    """Return all normalised names that the verdicts may look up, including edits."""
    found = {name for verdict in verdicts for name in candidates[verdict.candidate_id].names}
    for verdict in verdicts:
        if isinstance(verdict, Edit):
            names = (verdict.changes.name, verdict.changes.source, verdict.changes.target)
            found.update(norm_v1(name) for name in names if name is not None)
    return frozenset(found)


def approved_relations(
    verdicts: Sequence[Decision], candidates: Mapping[str, Candidate]
) -> tuple[RelationProposal, ...]:
    """Return the approved relations with the edits that precede approval. Raises InvalidParams: see `with_changes`."""
    edited: dict[str, Proposal] = {}
    found: list[RelationProposal] = []
    for verdict in verdicts:
        candidate_id = verdict.candidate_id
        proposal = edited.get(candidate_id, candidates[candidate_id].proposal)
        if isinstance(verdict, Edit):
            edited[candidate_id] = _amended(candidate_id, proposal, verdict.changes)
        elif isinstance(verdict, Approve) and isinstance(proposal, RelationProposal):
            found.append(proposal)
    return tuple(found)


def _amended(candidate_id: str, proposal: Proposal, changes: Changes) -> Proposal:
    fields: dict[str, object] = {
        name: value
        for name in (*_OF_ENTITIES, *_OF_RELATIONS, "description")
        if (value := getattr(changes, name)) is not None
    }
    if not fields:
        raise InvalidParams(messages.EDITED_NOTHING)
    is_entity = isinstance(proposal, EntityProposal)
    foreign = [name for name in (_OF_RELATIONS if is_entity else _OF_ENTITIES) if name in fields]
    if foreign:
        what = "an entity" if is_entity else "a relation"
        raise InvalidParams(messages.field_of_other_kind(candidate_id, what, foreign[0].replace("_", " ")))
    return replace(proposal, **fields)  # pyright: ignore[reportArgumentType] - the names are those of its kind


MOST_SHOWN: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A cursor in review order."""

    mentions: int
    confidence: float
    id: str

    @classmethod
    def behind(cls, candidate: Candidate) -> "Place":
        """Return the position after `candidate`."""
        return cls(mentions=candidate.mentions, confidence=candidate.confidence, id=candidate.id)

    @classmethod
    def parse(cls, text: str) -> "Place":
        """Parse a cursor. Raises InvalidParams: malformed."""
        try:
            mentions, confidence, row_id = text.strip().split("~")  # any other number of parts is a ValueError
            place = cls(mentions=int(mentions), confidence=float(confidence), id=row_id)
        except ValueError:
            raise InvalidParams(messages.CURSOR_UNKNOWN) from None
        if not math.isfinite(place.confidence) or not place.id.startswith("c:"):  # `float` reads "nan" and "inf"
            raise InvalidParams(messages.CURSOR_UNKNOWN)
        return place

    @property
    def order(self) -> tuple[int, float, str]:
        """Sort key: most mentions first, then highest confidence."""
        return (-self.mentions, -self.confidence, self.id)

    def __str__(self) -> str:
        return f"{self.mentions}~{self.confidence!r}~{self.id}"  # `!r` is exact: it compares equal once parsed


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """Pending candidates in review order."""

    shown: tuple[Candidate, ...] = field(default=(), repr=False)
    folded: tuple[Candidate, ...] = field(default=(), repr=False)


def queue_of(waiting: Iterable[Candidate], known: Collection[str] = (), *, most: int = MOST_SHOWN) -> Queue:
    """Split pending candidates into at most `most` shown and folded ones, without those `known` to the graph."""
    shown: list[Candidate] = []
    folded: list[Candidate] = []
    names: set[tuple[str, ...]] = set()
    for each in sorted((each for each in waiting if each.id not in known), key=lambda one: Place.behind(one).order):
        is_repeated = each.kind is CandidateKind.ENTITY and each.names in names  # one name, two types
        is_minor = each.mentions <= 1 and type_of(each.proposal) == THING  # rarely worth a decision
        (folded if is_repeated or is_minor or len(shown) >= most else shown).append(each)
        names.add(each.names)
    return Queue(shown=tuple(shown), folded=tuple(folded))


_CONDITION: Final = re.compile(r"([a-z]+)(<=|>=|!=|=|<|>)(.+)", re.DOTALL)  # "<=" before "<"
_ORDERED: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_NUMBERS: Final = ("mentions", "confidence")
_WORDS: Final = ("kind", "type", "name")
_EXAMPLE: Final = "type=person mentions>=3"
_LONGEST: Final = 2_000  # characters of all conditions


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One condition on candidates."""

    field: str
    sign: str
    value: str

    def admits(self, candidate: Candidate) -> bool:
        """Return whether it holds for `candidate`."""
        if self.field in _NUMBERS:
            return _ORDERED[self.sign](getattr(candidate, self.field), float(self.value))
        wanted = norm_v1(self.value.replace("_", " "))
        if self.field == "name":
            is_equal = any(wanted in name for name in candidate.names)  # "name=kiln" finds "Kiln 2"
        else:
            value = candidate.kind if self.field == "kind" else type_of(candidate.proposal)
            is_equal = norm_v1(value.replace("_", " ")) == wanted
        return is_equal is (self.sign == "=")


Conditions = tuple[Condition, ...]
"""They must all hold; none admit all."""


def parse_conditions(text: str) -> Conditions:
    """Parse conditions: `type=person mentions>=3`. Raises InvalidParams: malformed or too long."""
    if len(text) > _LONGEST:  # shlex copies the current part at each character
        raise InvalidParams(messages.conditions_too_long(len(text), _LONGEST))
    try:
        parts = shlex.split(text)
    except ValueError:
        raise InvalidParams(messages.QUOTATION_OPEN) from None
    return tuple(map(_condition, parts))


def _condition(part: str) -> Condition:
    found = _CONDITION.fullmatch(part)
    field, sign, value = found.groups() if found else ("", "", "")  # an empty field is refused below
    if field not in (*_WORDS, *_NUMBERS):
        known = ", ".join((*_WORDS, *_NUMBERS))
        raise InvalidParams(messages.condition_shape(part, known, _EXAMPLE))
    if field in _WORDS and sign not in ("=", "!="):
        raise InvalidParams(messages.field_takes_equality(field))
    if field in _NUMBERS and not re.fullmatch(r"\d{1,9}(\.\d{1,9})?", value):  # no sign, exponent, "nan"
        raise InvalidParams(messages.field_takes_number(field, _EXAMPLE))
    if field == "kind" and value not in tuple(CandidateKind):
        raise InvalidParams(messages.KIND_UNKNOWN)
    return Condition(field=field, sign=sign, value=value)
