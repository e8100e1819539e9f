"""The review of candidates: their order, conditions on them, and what may be decided of each.

Law: what may be said of a candidate in which state is this table and nothing else. What was said before and is said
again changes nothing. What is in the graph is taken out there, not by rejecting what it came from.

    verdict   pending   rejected   approved
    approve   do        do         do         (the graph is made to hold it; a second time there is nothing to do)
    alias     do        do         do         (to the same entity; another one is refused by the plan)
    edit      do        do         refuse
    reject    do        unchanged  refuse
    reopen    do        do         refuse     (what waits already goes on waiting)

What is named most comes first, then what is surest (ruling I5). What the graph holds is not asked again, nor the same
name twice. A review must end: what was named once and is of no known kind, and whatever comes behind the first
`MOST_SHOWN`, is folded away; it stays, is counted, and shows where it is asked for.

Conditions on candidates, as a person writes them: `type=person mentions>=3`. Each condition is a field, a sign and a
value, and all must hold. An invalid one is refused, with the valid ones.

    kind        entity, relation           = !=
    type        person, works_at, …        = !=
    name        words in a name            = !=  (contains)
    mentions    places it stands at        = != < <= > >=
    confidence  how sure it is, 0 to 1     = != < <= > >=

Source: ruling F; spec rag-organize 6; ruling I5.
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
    """It becomes a row of the graph, or part of the one that is there already."""

    candidate_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reject:
    """It is nothing; it is remembered and not staged again."""

    candidate_id: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reopen:
    """A rejection was a slip: it waits again, as it was found or edited."""

    candidate_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """It is another name of an entity that is there already."""

    candidate_id: str
    entity_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What is put right; None leaves as it is."""

    name: str | None = None
    entity_type: str | None = None
    aliases: tuple[str, ...] | None = None
    source: str | None = None
    rel_type: str | None = None
    target: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """It is right but for some of its words."""

    candidate_id: str
    changes: Changes = field(repr=False)


Decision = Approve | Reject | Reopen | Alias | Edit
Ruling = Literal["do", "unchanged", "refuse"]

_TABLE: Final[Mapping[type[Decision], Mapping[CandidateStatus, Ruling]]] = {
    Approve: dict.fromkeys(CandidateStatus, "do"),
    Alias: dict.fromkeys(CandidateStatus, "do"),
    Edit: {
        CandidateStatus.PENDING: "do",
        CandidateStatus.REJECTED: "do",
        CandidateStatus.APPROVED: "refuse",
    },
    Reject: {
        CandidateStatus.PENDING: "do",
        CandidateStatus.REJECTED: "unchanged",
        CandidateStatus.APPROVED: "refuse",
    },
    Reopen: {
        CandidateStatus.PENDING: "do",
        CandidateStatus.REJECTED: "do",
        CandidateStatus.APPROVED: "refuse",
    },
}
_OF_ENTITIES: Final = ("name", "entity_type", "aliases")
_OF_RELATIONS: Final = ("source", "rel_type", "target")


def ruling_on(verdict: Decision, candidate: Candidate) -> Ruling:
    """Return whether `verdict` does anything to `candidate`, or must be refused."""
    return _TABLE[type(verdict)][candidate.status]


def with_changes(candidate: Candidate, changes: Changes) -> Candidate:
    """Return the candidate as it is after an edit; an edit back to what was proposed leaves no edit.

    Raises:
        InvalidParams: a change is not for its kind, leaves a name empty, or there is none.
    """
    proposal = _amended(candidate.id, candidate.proposal, changes)
    return replace(candidate, edited=None if proposal == candidate.proposed else proposal)


def names_in_decisions(verdicts: Sequence[Decision], candidates: Mapping[str, Candidate]) -> frozenset[str]:
    """Return every normalised name that the verdicts can come to look up, edits in between included."""
    found = {name for verdict in verdicts for name in candidates[verdict.candidate_id].names}
    for verdict in verdicts:
        if isinstance(verdict, Edit):
            said = (verdict.changes.name, verdict.changes.source, verdict.changes.target)
            found.update(norm_v1(name) for name in said if name is not None)
    return frozenset(found)


def approved_relations(
    verdicts: Sequence[Decision], candidates: Mapping[str, Candidate]
) -> tuple[RelationProposal, ...]:
    """Return the relations that the verdicts approve, each as the edits before its approval leave it.

    Raises:
        InvalidParams: as `with_changes` does.
    """
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
    said: dict[str, object] = {
        name: value
        for name in (*_OF_ENTITIES, *_OF_RELATIONS, "description")
        if (value := getattr(changes, name)) is not None
    }
    if not said:
        raise InvalidParams(messages.EDITED_NOTHING)
    is_entity = isinstance(proposal, EntityProposal)
    foreign = [name for name in (_OF_RELATIONS if is_entity else _OF_ENTITIES) if name in said]
    if foreign:
        what = "an entity" if is_entity else "a relation"
        raise InvalidParams(messages.field_of_other_kind(candidate_id, what, foreign[0].replace("_", " ")))
    return replace(proposal, **said)  # pyright: ignore[reportArgumentType] - the names are those of its kind


MOST_SHOWN: Final = 400
_BETWEEN: Final = "~"
_PARTS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The place behind one candidate in the order of weight."""

    mentions: int
    confidence: float
    id: str

    @classmethod
    def behind(cls, candidate: Candidate) -> "Place":
        """Return the place behind `candidate`."""
        return cls(mentions=candidate.mentions, confidence=candidate.confidence, id=candidate.id)

    @classmethod
    def parse(cls, text: str) -> "Place":
        """Return the place that `text` names.

        Raises:
            InvalidParams: it is no place.
        """
        parts = text.strip().split(_BETWEEN)
        try:
            place = cls(mentions=int(parts[0]), confidence=float(parts[1]), id=parts[2])
        except (ValueError, IndexError):
            place = None
        is_one = place is not None and len(parts) == _PARTS and math.isfinite(place.confidence)
        if place is None or not is_one or not place.id.startswith("c:"):
            raise InvalidParams(messages.CURSOR_UNKNOWN)
        return place

    @property
    def order(self) -> tuple[int, float, str]:
        """What places are sorted by: the most mentions first, then the surest."""
        return (-self.mentions, -self.confidence, self.id)

    def __str__(self) -> str:
        return _BETWEEN.join((str(self.mentions), repr(self.confidence), self.id))


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """What waits, in order."""

    shown: tuple[Candidate, ...] = field(default=(), repr=False)
    folded: tuple[Candidate, ...] = field(default=(), repr=False)


def queue_of(waiting: Iterable[Candidate], known: Collection[str] = (), *, most: int = MOST_SHOWN) -> Queue:
    """Return what is to be reviewed, and what is folded away.

    Args:
        known: the ids of those that the graph holds already; nobody is asked about them.
        most: how many are shown.
    """
    shown: list[Candidate] = []
    folded: list[Candidate] = []
    names: set[tuple[str, ...]] = set()
    for each in sorted((each for each in waiting if each.id not in known), key=lambda one: Place.behind(one).order):
        is_again = each.kind is CandidateKind.ENTITY and each.names in names
        is_over = len(shown) >= most or (each.mentions <= 1 and type_of(each.proposal) == THING)
        (folded if is_again or is_over else shown).append(each)
        names.add(each.names)
    return Queue(shown=tuple(shown), folded=tuple(folded))


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
        raise InvalidParams(messages.conditions_too_long(len(text), LONGEST))
    try:
        parts = shlex.split(text)
    except ValueError:
        raise InvalidParams(messages.QUOTATION_OPEN) from None
    return Conditions(all_of=tuple(_condition(part) for part in parts))


def _condition(part: str) -> Condition:
    found = _CONDITION.fullmatch(part)
    field, sign, value = found.groups() if found else ("", "", "")
    if field not in (*_WORDS, *_NUMBERS):
        known = ", ".join((*_WORDS, *_NUMBERS))
        raise InvalidParams(messages.condition_shape(part, known, EXAMPLE))
    if field in _WORDS and sign not in ("=", "!="):
        raise InvalidParams(messages.field_takes_equality(field))
    if field in _NUMBERS and not re.fullmatch(r"\d{1,9}(\.\d{1,9})?", value):
        raise InvalidParams(messages.field_takes_number(field, EXAMPLE))
    if field == "kind" and value not in tuple(CandidateKind):
        raise InvalidParams(messages.KIND_UNKNOWN)
    return Condition(field=field, sign=sign, value=value)
